"""The event behind a refutation of additive noise, with both probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil
from typing import Any

from flint import arb

from dpwitness.core.errors import BadInput
from dpwitness.core.evidence import Event
from dpwitness.proofs.kernel.arith import ball, lower, precision
from dpwitness.proofs.kernel.laws.curves import INTEGER_LAWS, gaussian_share, normal
from dpwitness.proofs.kernel.laws.noise import NoiseLaw, at_most
from dpwitness.proofs.laws.privacy_curves.curves import epsilon, threshold

Found = dict[str, Any]


def witness(
    laws: Sequence[NoiseLaw], move: Sequence[Fraction], claim: Mapping[str, Any], bare: Sequence[int]
) -> Found | None:
    """Event, probabilities and the ε that is reached, for answers that move up by the given sizes."""
    if bare:
        return _found(f"output {bare[0]} equals its value on the left input", "1", "0", 1.0, 0.0, None)
    parts = [(law, size) for law, size in zip(laws, move, strict=True) if size]
    eps, delta = claim.get("epsilon", Fraction(0)), claim.get("delta", Fraction(0))
    if claim["kind"] not in ("pure", "approximate"):
        eps = delta = Fraction(0)
    for law, size in parts:
        if law.name in INTEGER_LAWS and size.denominator != 1:
            return _found("the output minus the left answer is a whole number", "1", "0", 1.0, 0.0, None)
    names = {law.name for law, _ in parts}
    if names == {"gaussian"}:
        return _normal(sum((s * s / law.params["variance"] for law, s in parts), Fraction(0)), eps, delta, len(parts))
    if names == {"laplace"} and len(parts) > 1 and delta == 0:
        total = sum((s / law.params["scale"] for law, s in parts), Fraction(0))
        share = f"2^(-{len(parts)})"
        return _found(
            "every moved output is at most its left answer", share, f"{share}·e^(-{total})",
            0.5 ** len(parts), 0.5 ** len(parts) * _exp(-total), total,
        )  # fmt: skip
    law, size = max(parts, key=lambda part: part[1])
    made = _EVENTS.get(law.name)
    if made is None or (len(parts) > 1 and at_most(law.curve(size, eps), delta)):
        return None
    text, left, right, p, q = made(law.params, size, eps)
    return _found(text, left, right, p, q, _reached(law, size, delta))


def _reached(law: NoiseLaw, size: Fraction, delta: Fraction) -> Fraction | None:
    try:
        return epsilon(law, size, delta)[0]
    except BadInput:
        return None


def _found(words: str, left: str, right: str, p: float, q: float, reached: Fraction | None) -> Found:
    decimals = {"p_left_decimal": p, "p_right_decimal": q}
    return {"event": Event(words), "p_left": left, "p_right": right, **decimals, "epsilon_lower": reached}


def _exp(x: Fraction) -> float:
    return float(ball(x).exp())


def _normal(squared: Fraction, eps: Fraction, delta: Fraction, parts: int) -> Found:
    with precision(256):
        m = ball(squared).sqrt()
        cut, root = m / 2 - ball(eps) / m, arb(2).sqrt()
        p, q = ((-cut / root).erfc() / 2), ((m - cut) / root).erfc() / 2
        low = float(lower(cut))
    what = "output minus left answer, in standard deviations,"
    if parts > 1:
        what = "move-weighted sum of the outputs minus the left answers, in standard deviations,"
    reached = threshold(lambda e: at_most(normal(squared, e), delta))[0] if delta else None
    left, right = f"Phi({low:.6g})", f"Phi({low:.6g} - sqrt({squared}))"
    return _found(f"{what} is at most {low:.6g}", left, right, float(p), float(q), reached)


Made = tuple[str, str, str, float, float]


def _laplace(p: Mapping[str, Fraction], size: Fraction, eps: Fraction) -> Made:
    loss = size / p["scale"]
    if eps >= loss:
        return "output is at most the left answer", "1/2", f"e^(-{loss})/2", 0.5, _exp(-loss) / 2
    up, down = (loss - eps) / 2, (loss + eps) / 2
    cut = f"output minus left answer is at most {up * p['scale']}"
    return cut, f"1 - e^(-{up})/2", f"e^(-{down})/2", 1 - _exp(-up) / 2, _exp(-down) / 2


def _geometric(p: Mapping[str, Fraction], size: Fraction, eps: Fraction) -> Made:
    b = p["scale"]
    k = max(ceil((size - eps * b) / 2) - 1, 0)
    a = _exp(-1 / b)
    left, right = f"1 - e^(-{(k + 1) / b})/(1+e^(-{1 / b}))", f"e^(-{(size - k) / b})/(1+e^(-{1 / b}))"
    q = _exp(-(size - k) / b) / (1 + a)
    return f"output minus left answer is at most {k}", left, right, 1 - _exp(-(k + 1) / b) / (1 + a), q


def _discrete_gaussian(p: Mapping[str, Fraction], size: Fraction, eps: Fraction) -> Made:
    v = p["variance"]
    k = ceil(size / 2 - eps * v / size) - 1
    left, right = (gaussian_share(n, v) for n in (k, k - int(size)))
    words = f"P[noise <= {k}]", f"P[noise <= {k - int(size)}]"
    return f"output minus left answer is at most {k}", *words, left, right


def _uniform(p: Mapping[str, Fraction], size: Fraction, eps: Fraction) -> Made:
    share = min(Fraction(1), size / p["width"])
    return "output lies below everything that the right input can give", str(share), "0", float(share), 0.0


def _exponential(p: Mapping[str, Fraction], size: Fraction, eps: Fraction) -> Made:
    loss = size / p["scale"]
    words = "output lies outside everything that the right input can give"
    return words, f"1 - e^(-{loss})", "0", 1 - _exp(-loss), 0.0


def _staircase(p: Mapping[str, Fraction], size: Fraction, eps: Fraction) -> Made:
    rate, width, split = p["eps"], p["sensitivity"], p["split"]
    steps = size / width
    k, u = int(steps // 1), steps - steps // 1
    x = _exp(-rate)
    stair = float(split) + float(1 - split) * x
    part = float(split - u) + float(1 - split) * x if u < split else float(1 - u) * x
    q = x**k * (part * (1 - x) / stair + x) / 2
    return "output is at most the left answer", "1/2", f"P[noise >= {size}]", 0.5, q


_EVENTS = {
    "laplace": _laplace,
    "discrete_laplace": _geometric,
    "discrete_gaussian": _discrete_gaussian,
    "uniform": _uniform,
    "exponential": _exponential,
    "staircase": _staircase,
}
