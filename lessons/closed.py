"""The words of the closed forms: what a lab may call, in Python; `page.js` has the same words.

Everything else that a lab calls must be a function in the small language of `dpwitness.lessons.script`, which is
translated. Numbers here are doubles: they are for the eye, and tests hold them against the library.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from math import asinh, atan, ceil, cosh, erf, erfc, exp, expm1, floor, inf, log, log1p, pi, sinh, sqrt, tanh

__all__ = [
    "asinh", "at_most", "atan", "ceil", "cosh", "erf", "erfc", "exp", "expm1", "floor", "gaussian_delta", "grid",
    "hockey_stick", "inf", "laplace_cdf", "laplace_pdf", "law_delta", "law_epsilon", "log", "log1p", "normal_cdf",
    "peak", "pi", "random_numbers", "response_law", "same", "show", "sinh", "solve", "sqrt", "tanh",
]  # fmt: skip

PRIMITIVES = {
    "asinh", "atan", "ceil", "cosh", "erf", "erfc", "exp", "expm1", "floor", "log", "log1p", "sinh", "sqrt", "tanh",
    "show", "abs", "min", "max", "sum", "len", "list", "range", "sorted",
}  # fmt: skip
"""Words that `page.js` defines by hand; the other functions of this file are translated."""


def show(value: float, digits: int = 4) -> str:
    """A number for people: few digits, powers of ten where it is very small or large, ∞ where it is infinite.

    >>> show(2 / 3), show(1.68e-5), show(inf), show(12345.6)
    ('0.6667', '1.68e-5', '∞', '12346')
    """
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == 0:
        return "0"
    if not 1e-3 <= abs(value) < 1e6:
        mantissa, _, power = f"{value:.{digits - 1}e}".partition("e")
        return f"{_trim(mantissa)}e{int(power)}".replace("-", "−", 1 if value < 0 else 0)
    if abs(value) >= 10 ** (digits - 1):
        return f"{'−' if value < 0 else ''}{floor(abs(value) + 0.5)}"
    return _trim(f"{value:#.{digits}g}").replace("-", "−")


def _trim(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def grid(low: float, high: float, count: int) -> list[float]:
    """`count` + 1 equally spaced points from low to high."""
    return [low + (high - low) * i / count for i in range(count + 1)]


def at_most(left: float, right: float) -> bool:
    """left ≤ right for slider values: they are short decimals, so sides that agree to 12 digits are equal.

    >>> 0.1 + 0.2 <= 0.3, at_most(0.1 + 0.2, 0.3)
    (False, True)
    """
    return left <= right + 1e-12 * max(abs(left), abs(right))


def same(left: float, right: float) -> bool:
    """left = right in the sense of `at_most`."""
    return at_most(left, right) and at_most(right, left)


def normal_cdf(x: float) -> float:
    """The distribution function of the standard normal law."""
    return 0.5 * erfc(-x / sqrt(2))


def solve(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a rising function meets 0, by bisection to the last bit; the ends where it does not.

    >>> round(solve(lambda x: x * x - 2, 0, 2), 12)
    1.414213562373
    """
    a = low
    b = high
    for _ in range(80):
        middle = (a + b) / 2
        if function(middle) < 0:
            a = middle
        else:
            b = middle
    return (a + b) / 2


def random_numbers(seed: int, count: int) -> list[float]:
    """Numbers in (0, 1) that look random and are the same everywhere: the minimal standard generator.

    >>> [round(u, 6) for u in random_numbers(1, 3)]
    [0.530537, 0.536318, 0.596005]
    """
    state = 7919 * seed + 12345
    out = []
    for _ in range(count + 8):
        state = (48271 * state) % 2147483647
        out.append(state / 2147483647)
    return out[8:]


def laplace_pdf(z: float, scale: float) -> float:
    """Density of Laplace noise."""
    return exp(-abs(z) / scale) / (2 * scale)


def laplace_cdf(z: float, scale: float) -> float:
    """Distribution function of Laplace noise."""
    return 0.5 * exp(z / scale) if z < 0 else 1 - 0.5 * exp(-z / scale)


def hockey_stick(left: Sequence[float], right: Sequence[float], growth: float) -> float:
    """Σ (p − growth · q)₊ of two finite laws: the smallest δ for e^ε = growth, in this order."""
    return sum([max(0, left[i] - growth * right[i]) for i in range(len(left))])


def peak(function: Callable[[float], float], low: float, high: float) -> float:
    """The largest value of a function with one peak between low and high: a grid, then golden section.

    >>> round(peak(lambda x: x * (2 - x), 0, 3), 12)
    1.0
    """
    best = low
    step = (high - low) / 200
    for i in range(201):
        x = low + step * i
        if function(x) > function(best):
            best = x
    a = best - step
    b = best + step
    for _ in range(60):
        one = b - 0.6180339887498949 * (b - a)
        two = a + 0.6180339887498949 * (b - a)
        if function(one) > function(two):
            b = two
        else:
            a = one
    return function((a + b) / 2)


def gaussian_delta(sigma: float, eps: float) -> float:
    """δ(ε) of Gaussian noise of deviation σ when the answer moves by 1."""
    mu = 1 / sigma
    return normal_cdf(mu / 2 - eps / mu) - exp(eps) * normal_cdf(-mu / 2 - eps / mu)


def response_law(k: int, eps0: float) -> list[list[float]]:
    """The privacy loss of k randomized responses: pairs (loss, probability), the largest loss first."""
    out = []
    weight = -k * log1p(exp(-eps0))  # ln of (e^ε₀/(1 + e^ε₀))^k
    for n in range(k + 1):
        out.append([(k - 2 * n) * eps0, exp(weight)])
        weight += log((k - n) / (n + 1)) - eps0 if n < k else 0
    return out


def law_delta(law: list[list[float]], eps: float) -> float:
    """δ(ε) of a law of losses: the mean of (1 − e^(ε − loss))₊."""
    return sum([-expm1(eps - row[0]) * row[1] for row in law if row[0] > eps])


def law_epsilon(law: list[list[float]], delta: float) -> float:
    """The smallest ε ≥ 0 with δ(ε) ≤ delta, for losses given with the largest first."""
    if law_delta(law, 0) <= delta:
        return 0
    return solve(lambda e: delta - law_delta(law, e), 0, law[0][0])
