"""From a guess of π to a rule: on which cells to guess, and which side."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from dpwitness.auditors.bounds.count import bounds
from dpwitness.auditors.outputs.arrays import AnyArray, Floats, Ints
from dpwitness.auditors.rules.rule import Aim

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
    value, error, chosen = -math.inf, 0.0, np.zeros(0, dtype=np.int64)
    for expected, errors, order in outlooks(pi, a, b, aim):
        careful = expected - caution * errors
        best = int(np.argmax(careful))
        if careful[best] > value:
            value, error, chosen = float(careful[best]), float(errors[best]), order[: best + 1]
    if not len(chosen):
        return None
    guess = np.zeros(len(pi), dtype=np.int64)
    guess[chosen] = np.where(pi[chosen] >= 0.5, 1, -1)
    simple = _closed(guess, a + b, ordered)
    if simple is not None and _value(pi, simple, a + b, aim, caution) > value - CLOSED * error:
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
    sides = 1 if (guess >= 0).all() or (guess <= 0).all() else 2
    found = bounds(np.array([right * scale]), np.array([wrong * scale]), aim.runs + 1.0, aim.alpha, aim.delta, sides)
    return float(found[0]) - caution * math.sqrt(1 / (right + 0.5) + 1 / (wrong + 0.5))


def outlooks(pi: Floats, a: AnyArray, b: AnyArray, aim: Aim) -> Iterator[tuple[Floats, Floats, Ints]]:
    """The bound to be expected from the surest cell, the surest two, …; its error where they were seen; these cells.

    Of all cells; and, where δ has to be paid for each side that is guessed, of those of one side alone.
    """
    total = (a + b).astype(np.float64)
    mass = total / max(total.sum(), 1.0) * aim.runs
    shrink = total.sum() / aim.runs
    odds = np.log(pi) - np.log1p(-pi)
    every = np.lexsort((np.arange(len(pi)), -np.abs(odds)))
    every = every[total[every] > 0]
    alone = [every[odds[every] >= 0], every[odds[every] < 0]] if aim.delta else []
    for order in (every, *alone):
        if not len(order):
            continue
        sure = np.maximum(pi, 1 - pi)[order]
        right, wrong = np.cumsum(mass[order] * sure), np.cumsum(mass[order] * (1 - sure))
        errors = np.sqrt(1 / (right * shrink + 0.5) + 1 / (wrong * shrink + 0.5))
        sides = 2 if order is every else 1
        yield bounds(right, wrong, aim.runs + 1.0, aim.alpha, aim.delta, sides), errors, order
