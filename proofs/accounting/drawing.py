"""Draws of the privacy loss of a composition, for audits: the worst pair of laws that its steps allow."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpwitness.proofs.accounting.steps import NoProvedPair

if TYPE_CHECKING:
    import numpy as np

    from dpwitness.proofs.accounting.composition import Composition

MOST_LOOPS = 5_000  # steps that must be drawn one by one
Losses = Any  # a numpy array
One = Callable[[int, int, "np.random.Generator", bool], Losses]


def draw_pair(whole: Composition, size: int, rng: np.random.Generator) -> tuple[Losses, Losses]:
    r"""Losses :math:`\ln dP/dQ` of the composition drawn from Q (a run without the record) and from P (a run with it).

    The losses of steps add up, and P and Q are products. Steps whose laws are the same in both orders, and Poisson
    samples of them, are drawn; for others no order can be named "with", so `NoProvedPair` is raised and the curve δ(ε),
    which holds in both orders, must do.
    """
    import numpy as np

    sides = []
    for inside in (False, True):
        total = np.zeros(size)
        for (kind, *given), count in whole.steps:
            total += _losses(
                kind, [float(x) if isinstance(x, Fraction) else x for x in given], count, size, rng, inside
            )
        sides.append(total)
    return sides[0], sides[1]


def _losses(kind: str, given: list[Any], count: int, size: int, rng: np.random.Generator, inside: bool) -> Losses:
    import numpy as np

    if kind == "gaussian":
        squared = given[0] * count
        return rng.standard_normal(size) * squared**0.5 + (squared / 2 if inside else -squared / 2)
    if kind in ("response", "pure"):
        high = 1 / (1 + np.exp(-given[0]))
        return given[0] * (2.0 * rng.binomial(count, high if inside else 1 - high, size) - count)
    if kind == "approximate":
        eps, delta = given
        high = 1 / (1 + np.exp(-eps))
        plain = eps * (2.0 * rng.binomial(count, high if inside else 1 - high, size) - count)
        sure = rng.random(size) < -np.expm1(count * np.log1p(-delta))
        return np.where(sure, np.inf if inside else -np.inf, plain)
    if kind not in ("laplace", "poisson-gaussian", "poisson-laplace"):
        raise NoProvedPair(f"the losses of a step of kind {kind} are not drawn here")
    if count > MOST_LOOPS:
        raise NoProvedPair(f"{count} steps of kind {kind} are too many to draw one by one")
    total = np.zeros(size)
    for _ in range(count):
        total += _one(kind, given, size, rng, inside)
    return total


def _one(kind: str, given: list[Any], size: int, rng: np.random.Generator, inside: bool) -> Losses:
    """One step; a Poisson sample holds the record with probability `rate`, and only on the side that has it."""
    import numpy as np

    rate = given[0] if kind.startswith("poisson-") else 1.0
    shift = (rng.random(size) < rate).astype(float) if inside else np.zeros(size)
    if kind.endswith("gaussian"):
        m = given[-1] ** 0.5
        x = rng.standard_normal(size) + m * shift
        plain = m * x - m * m / 2
    else:
        a = given[-1]
        x = rng.laplace(size=size) + a * shift
        plain = np.abs(x) - np.abs(x - a)
    if rate == 1.0:
        return plain
    return np.logaddexp(np.log1p(-rate), np.log(rate) + plain)
