"""Scores, coins and other arguments, read and refused where they cannot be what they should be."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from dpwitness.auditors.bounds.curves import ApproxCurve, as_curve
from dpwitness.auditors.bounds.ledger import Budget
from dpwitness.auditors.outputs.arrays import Bools, Floats
from dpwitness.core.errors import BadInput

FEWEST = 2
LEAST_ALPHA = 0.0005
_UNFAIR = 1e-6  # coins that are fair look less fair than this once in a million audits


def read_scores(values: Any, name: str) -> Floats:
    """One number for each run or canary."""
    try:
        if np.iscomplexobj(values):
            raise TypeError("complex numbers have no order")
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise BadInput(f"{name} must be numbers, one for each run or canary") from None
    if found.ndim != 1:
        raise BadInput(f"{name} has {found.ndim} dimensions; one number for each run or canary is needed")
    if len(found) < FEWEST:
        raise BadInput(f"{name} has {len(found)} numbers; at least {FEWEST} are needed")
    if np.isnan(found).any():
        at = int(np.flatnonzero(np.isnan(found))[0])
        raise BadInput(
            f"{name}[{at}] is NaN: a run without a score cannot be ranked; score it or find out why it failed"
        )
    return found


def read_two_sides(inside: Any, outside: Any) -> tuple[Floats, Floats]:
    """Scores of runs with and without the record: they must not be the same list, and not all be equal."""
    a, b = read_scores(inside, "inside"), read_scores(outside, "outside")
    if len(a) == len(b) and np.array_equal(a, b):
        raise BadInput("inside and outside hold the same scores in the same order: give scores of different runs")
    if a.min() == a.max() == b.min() == b.max():
        raise BadInput(f"all scores are {a[0]:g}: they tell no run from another")
    return a, b


def read_coins(included: Any, canaries: int) -> Bools:
    """One fair coin for each canary: 0 or 1, or False or True."""
    raw = np.asarray(included)
    if raw.shape != (canaries,):
        raise BadInput(f"included has shape {raw.shape}; one coin for each of the {canaries} canaries is needed")
    if raw.dtype.kind not in "biuf" or not np.all((raw == 0) | (raw == 1)):
        raise BadInput("included must be 0 or 1 (False or True) for every canary")
    coins: Bools = raw.astype(bool)
    heads = int(coins.sum())
    if both_tails(heads, canaries) < _UNFAIR:
        raise BadInput(
            f"included holds {heads} of {canaries}: these were no fair coins. Each canary needs a coin of its own that "
            "falls in with probability 1/2, tossed for this run alone"
        )
    return coins


def both_tails(heads: int, coins: int) -> float:
    """How likely fair coins are to lie at least as far from one half.

    >>> both_tails(5, 10), round(both_tails(0, 10), 6)
    (1.0, 0.001953)
    """
    from scipy.special import bdtr

    few = min(heads, coins - heads)
    return float(min(1.0, 2 * bdtr(few, coins, 0.5)))


def read_alpha(alpha: float, seed: int) -> tuple[float, int]:
    """α and the seed of an audit whose p-values are found by simulation."""
    found = read_budget(alpha, seed)
    if found[0] < LEAST_ALPHA:
        raise BadInput(f"alpha={alpha!r} is too small for a p-value by simulation; use at least {LEAST_ALPHA}")
    return found


def read_budget(alpha: float, seed: int) -> tuple[float, int]:
    """α and the seed, as every audit of this package takes them."""
    budget = Budget(alpha=alpha, seed=int(seed) if isinstance(seed, np.integer) else seed)
    return budget.alpha, budget.seed


def read_delta(delta: float | None, curve: Any, default: float = 1e-5) -> float:
    """The δ at which ε is bounded: as given, else the claim's own, else 10⁻⁵."""
    if delta is None:
        return float(curve.delta) if isinstance(curve, ApproxCurve) else default
    number = isinstance(delta, int | float) and not isinstance(delta, bool) and math.isfinite(delta)
    if not number or not 0 <= delta < 1:
        raise BadInput(f"delta={delta!r} must be a number in [0, 1)")
    if isinstance(curve, ApproxCurve) and delta <= curve.delta <= delta * (1 + 1e-8):
        return curve.delta  # the same number, rounded up
    return float(delta)


def read_claim(claim: Any) -> Any:
    """The curve of a claim; None where nothing is claimed."""
    return None if claim is None else as_curve(claim)


def read_schedule(looks: Sequence[int]) -> tuple[int, ...]:
    """Growing numbers of runs on each side."""
    found = tuple(int(n) if isinstance(n, np.integer) else n for n in looks)
    whole = all(isinstance(n, int) and not isinstance(n, bool) and n >= FEWEST for n in found)
    if not found or not whole or any(b <= a for a, b in pairwise(found)):
        raise BadInput(f"looks={looks!r} must be growing whole numbers of runs on each side, such as (10, 20, 40)")
    return found
