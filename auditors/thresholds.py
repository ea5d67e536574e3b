"""From a guess of π to a rule: on which cells to guess, and which side."""

from __future__ import annotations

import math

import numpy as np

from dpwitness.auditors.arrays import AnyArray, Floats, Ints
from dpwitness.auditors.fixed import bounds
from dpwitness.auditors.guesses import Aim

CLOSED = 1.0  # standard errors that may be lost to a rule with one end point for each side


def best_threshold(
    pi: Floats, a: AnyArray, b: AnyArray, aim: Aim, caution: float = 1.0, ordered: int = 0
) -> Ints | None:
    """Guess where π is far from ½: the cells, in order of certainty, up to the best expected bound.

    The expected numbers of right and wrong guesses come from the learnt π (shrunk towards ½ where few samples were
    seen), not from the counts themselves, which would favour cells that were lucky; `caution` times the standard error
    of the log-odds in the selection part is taken off, since the best of many noisy cells is worse than it looks. Where
    the first `ordered` cells lie along a line, guesses up to its ends are preferred to what seems hardly better.
    """
    expected, errors, order = outlook(pi, a, b, aim)
    if not len(order):
        return None
    value = expected - caution * errors
    best = int(np.argmax(value))
    if not math.isfinite(value[best]):
        return None
    guess = np.zeros(len(pi), dtype=np.int64)
    chosen = order[: best + 1]
    guess[chosen] = np.where(pi[chosen] >= 0.5, 1, -1)
    simple = _closed(guess, a + b, ordered)
    if simple is not None and _value(pi, simple, a + b, aim, caution) > value[best] - CLOSED * errors[best]:
        return simple
    return guess


def _closed(guess: Ints, total: AnyArray, ordered: int) -> Ints | None:
    """The same guesses on all cells up to an end of the line, so that each side has one end point; None in conflict.

    Far out there are few outputs, and whether a cell of them speaks more or less clearly than its neighbours is luck.
    """
    found = guess.copy()
    for side in (1, -1):
        cells = np.flatnonzero(guess[:ordered] == side)
        if not len(cells):
            continue
        low, high = slice(0, int(cells[-1]) + 1), slice(int(cells[0]), ordered)
        nearest = low if total[low].sum() <= total[high].sum() else high
        if np.any(found[nearest] == -side):
            return None
        found[nearest] = side
    return found


def _value(pi: Floats, guess: Ints, total: AnyArray, aim: Aim, caution: float) -> float:
    """The bound to be expected from a rule if π is right, less its error in the selection part."""
    sure = np.where(guess > 0, pi, 1 - pi)[guess != 0]
    seen = total[guess != 0]
    right, wrong = float(seen @ sure), float(seen @ (1 - sure))
    scale = aim.runs / max(float(total.sum()), 1.0)
    found = bounds(np.array([right * scale]), np.array([wrong * scale]), aim.runs + 1.0, aim.alpha, aim.delta)
    return float(found[0]) - caution * math.sqrt(1 / (right + 0.5) + 1 / (wrong + 0.5))


def outlook(pi: Floats, a: AnyArray, b: AnyArray, aim: Aim) -> tuple[Floats, Floats, Ints]:
    """The bound to be expected from the surest cell, the surest two, …; its error where they were seen; these cells."""
    total = (a + b).astype(np.float64)
    mass = total / max(total.sum(), 1.0) * aim.runs
    certain = np.abs(np.log(pi) - np.log1p(-pi))
    order = np.lexsort((np.arange(len(pi)), -certain))
    order = order[total[order] > 0]
    sure = np.maximum(pi, 1 - pi)[order]
    right, wrong = np.cumsum(mass[order] * sure), np.cumsum(mass[order] * (1 - sure))
    shrink = total.sum() / aim.runs
    errors = np.sqrt(1 / (right * shrink + 0.5) + 1 / (wrong * shrink + 0.5))
    return bounds(right, wrong, aim.runs + 1.0, aim.alpha, aim.delta), errors, order
