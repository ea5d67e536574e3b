"""Integer-valued laws sampled exactly, from uniform random integers and rationals alone.

Laws that are not too wide are inverted (`dpwitness.core.readers.inversion`). For the others the method is that of
Canonne, Kamath and Steinke (2020): Bernoulli(e^-x) from uniform integers, the two-sided geometric law from Bernoulli
draws, the discrete Gaussian from the two-sided geometric law by rejection. No floating-point number takes part. All
functions draw whole arrays; `rng.integers` is exact for every bound below 2^63.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpwitness.core.errors import BadInput
from dpwitness.core.readers.inversion import (
    gaussian_survivals,
    gaussian_table,
    laplace_survivals,
    laplace_table,
    signed,
)

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

_LIMIT = 2**62


def uniform_below(rng: np.random.Generator, bound: int, size: int) -> Ints:
    """`size` uniform integers in [0, bound)."""
    if bound > _LIMIT:
        raise BadInput(f"a rational with a denominator near {bound} is too fine for exact 64-bit sampling; simplify it")
    return rng.integers(0, bound, size=size, dtype=np.int64)


def bernoulli(rng: np.random.Generator, p: Fraction, size: int) -> Bools:
    """`size` exact Bernoulli(p) draws."""
    hits: Bools = uniform_below(rng, p.denominator, size) < p.numerator
    return hits


def bernoulli_exp(rng: np.random.Generator, top: Ints | int, bottom: int, size: int) -> Bools:
    r"""`size` exact Bernoulli(:math:`e^{-x}`) draws, x = top/bottom ≥ 0, `top` one for all or one for each.

    For x ≤ 1 draw Bernoulli(x/1), Bernoulli(x/2), ... until one fails: the number of successes is even with
    probability :math:`e^{-x}`. For larger x, all of ⌊x⌋ draws of Bernoulli(e^-1) must succeed as well.
    """
    tops = np.broadcast_to(np.asarray(top, dtype=np.int64), (size,)).copy()
    result = np.ones(size, dtype=bool)
    while True:
        whole = np.flatnonzero(result & (tops > bottom))
        if not whole.size:
            break
        result[whole] = _bernoulli_exp_unit(rng, np.full(whole.size, bottom, dtype=np.int64), bottom)
        tops[whole] -= bottom
    rest = np.flatnonzero(result)
    result[rest] = _bernoulli_exp_unit(rng, tops[rest], bottom)
    return result


def _bernoulli_exp_unit(rng: np.random.Generator, tops: Ints, bottom: int) -> Bools:
    """Bernoulli(e^-x) for x = tops/bottom in [0, 1]."""
    successes = np.zeros(tops.size, dtype=np.int64)
    alive = np.arange(tops.size)
    k = 1
    while alive.size:
        hit = uniform_below(rng, bottom * k, alive.size) < tops[alive]
        alive = alive[hit]
        successes[alive] += 1
        k += 1
    even: Bools = successes % 2 == 0
    return even


def geometric_exp(rng: np.random.Generator, x: Fraction, size: int) -> Ints:
    r"""`size` draws of the geometric law :math:`P[k] = (1-e^{-x}) e^{-kx}`, k ≥ 0, exactly.

    With x = s/t in lowest terms: U uniform below t accepted with probability e^(-U/t), V geometric with parameter
    e^-1, result ⌊(U + tV)/s⌋.
    """
    s, t = x.numerator, x.denominator
    u = np.zeros(size, dtype=np.int64)
    todo = np.arange(size)
    while todo.size:
        draw = uniform_below(rng, t, todo.size)
        ok = bernoulli_exp(rng, draw, t, todo.size)
        u[todo[ok]] = draw[ok]
        todo = todo[~ok]
    v = np.zeros(size, dtype=np.int64)
    alive = np.arange(size)
    while alive.size:
        more = bernoulli_exp(rng, 1, 1, alive.size)
        alive = alive[more]
        v[alive] += 1
    return (u + t * v) // s


def discrete_laplace(rng: np.random.Generator, scale: Fraction, size: int) -> Ints:
    r"""`size` draws of :math:`P[k] \propto e^{-|k|/\mathrm{scale}}`, exactly."""
    if (thresholds := laplace_table(scale)) is not None:
        return signed(rng, thresholds, lambda bits: laplace_survivals(scale, bits), size)
    return laplace_by_rejection(rng, scale, size)


def laplace_by_rejection(rng: np.random.Generator, scale: Fraction, size: int) -> Ints:
    """The same for any scale: a geometric magnitude and a sign, of which one zero is rejected."""
    result = np.zeros(size, dtype=np.int64)
    todo = np.arange(size)
    while todo.size:
        magnitude = geometric_exp(rng, 1 / scale, todo.size)
        negative = uniform_below(rng, 2, todo.size) == 1
        ok = ~(negative & (magnitude == 0))
        result[todo[ok]] = np.where(negative, -magnitude, magnitude)[ok]
        todo = todo[~ok]
    return result


def discrete_gaussian(rng: np.random.Generator, variance: Fraction, size: int) -> Ints:
    r"""`size` draws of :math:`P[k] \propto e^{-k^2/(2\sigma^2)}`, σ² = `variance`, exactly."""
    if (thresholds := gaussian_table(variance)) is not None:
        return signed(rng, thresholds, lambda bits: gaussian_survivals(variance, bits), size)
    return gaussian_by_rejection(rng, variance, size)


def gaussian_by_rejection(rng: np.random.Generator, variance: Fraction, size: int) -> Ints:
    r"""The same for any variance.

    Proposals Y come from the two-sided geometric law of scale t = ⌊σ⌋ + 1 and are kept with probability
    :math:`\exp(-(|Y| - \sigma^2/t)^2 / (2\sigma^2))`.
    """
    t = _integer_root(variance) + 1
    a, b = variance.numerator, variance.denominator
    # (|y| − a/(bt))² / (2a/b) = (bt|y| − a)² / (2abt²)
    bottom = 2 * a * b * t * t
    result = np.zeros(size, dtype=np.int64)
    todo = np.arange(size)
    while todo.size:
        y = discrete_laplace(rng, Fraction(t), todo.size)
        if b * t * int(np.abs(y).max(initial=0)) + a >= 2**31 or bottom >= 2**56:
            ok = _keep_one_by_one(rng, y, a, b, t, bottom)
        else:
            ok = bernoulli_exp(rng, (b * t * np.abs(y) - a) ** 2, bottom, todo.size)
        result[todo[ok]] = y[ok]
        todo = todo[~ok]
    return result


def _keep_one_by_one(rng: np.random.Generator, y: Ints, a: int, b: int, t: int, bottom: int) -> Bools:
    """The acceptance test where squares leave 64 bits: reduce each fraction first."""
    result = np.zeros(y.size, dtype=bool)
    for i, k in enumerate(y):
        x = Fraction((b * t * abs(int(k)) - a) ** 2, bottom)
        whole, part = divmod(x, 1)
        result[i] = bool(
            bernoulli_exp(rng, part.numerator, part.denominator, 1)[0]
            and all(bernoulli_exp(rng, 1, 1, 1)[0] for _ in range(int(whole)))
        )
    return result


def _integer_root(value: Fraction) -> int:
    """⌊√value⌋, exactly."""
    from math import isqrt

    return isqrt(value.numerator // value.denominator)
