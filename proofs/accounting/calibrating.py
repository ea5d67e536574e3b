"""The smallest noise for which a composition has a guarantee."""

from __future__ import annotations

from fractions import Fraction
from math import log
from typing import Any

from dpwitness.core.errors import BadInput
from dpwitness.core.numbers import exact
from dpwitness.proofs.accounting.steering import short
from dpwitness.proofs.accounting.steps import gaussian, poisson

WIDTH = Fraction(1, 10**9)


def sampled_sigma(
    eps: object, delta: object, rate: object, times: int, sensitivity: object = 1
) -> tuple[Fraction, Fraction]:
    """(too little, enough): the smallest σ for which `times` sampled Gaussian steps are (ε, δ)-DP.

    More noise is an image of less, so δ(ε) falls with σ, and one test on each side is a proof.

    >>> low, high = sampled_sigma(2, "1e-5", "0.01", 1000)
    >>> f"{float(low):.6f} {float(high):.6f}"
    '0.959102 0.959102'
    """
    want, at = Fraction(exact(delta, "delta")), Fraction(exact(eps, "eps"))
    if not (0 < want < 1 and at >= 0):
        raise BadInput(f"eps={eps} must not be negative and delta={delta} must lie strictly between 0 and 1")

    def curve(sigma: Fraction) -> Any:
        return (poisson(gaussian(sigma), rate) * times).delta(at)

    def gap(sigma: float) -> float:
        return log(max(float(curve(short(sigma, 40)).high), 1e-300) / float(want))

    low, high = 0.0, 1.0
    while gap(high) > 0:
        low, high = high, 2 * high
        if high > 1e9:
            raise BadInput(f"no sigma up to 1e9 is enough for eps={eps} and delta={delta}")
    low = low or high / 2
    while gap(low) <= 0 and low > 1e-2:
        low, high = low / 2, low
    a, b, fa, fb = low, high, gap(low), gap(high)
    for _ in range(40):
        middle = b - fb * (b - a) / (fb - fa) if fb != fa else (a + b) / 2
        middle = middle if low < middle < high else (low + high) / 2
        value = gap(middle)
        low, high = (middle, high) if value > 0 else (low, middle)
        a, fa, b, fb = b, fb, middle, value
        if abs(value) < 1e-12 or high - low < 1e-13 * high:
            break
    too_little, enough = short(b, 50) * (1 - WIDTH / 2), short(b, 50) * (1 + WIDTH / 2)
    if not (curve(too_little).low > want >= curve(enough).high):
        too_little, enough = short(low, 50), short(high, 50)
        if not curve(enough).high <= want:
            raise BadInput("the smallest sigma was not found")
    scale = Fraction(exact(sensitivity, "sensitivity"))
    return too_little * scale, enough * scale
