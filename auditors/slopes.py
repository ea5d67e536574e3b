r"""Neighbours found by the slopes of an output's probability.

Where every answer may move by its own amount, which way each of them should move depends on the output: to make "above,
below, below, above" likely, the first and the last answer rise and the others fall. There are :math:`2^n` ways, too
many to try. So each answer is moved alone, up and down; for every output v the slopes

.. math:: g_i(v) = \tfrac12\left(\ln P_{x + e_i}(v) - \ln P_{x - e_i}(v)\right)

are estimated from counts, and the answers move along their signs. To first order the loss at v is
:math:`\sum_i |g_i(v)|`. Outputs that promise most propose the pairs; screening compares them with all the others, on
other random numbers, so nothing here is evidence.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dpwitness.auditors.arrays import AnyArray, Floats, Ints
from dpwitness.auditors.budget import Budget
from dpwitness.auditors.sampling import Sampler, draw_chunk
from dpwitness.auditors.table import Encoder
from dpwitness.core.adjacency import Adjacency, Ball, Monotone
from dpwitness.core.errors import BadInput, LimitReached, ProgramFailed, ProgramTimeout
from dpwitness.core.spaces import Answers, Records

RUNS = 1 << 13
MOST_ANSWERS = 16
MOST_PAIRS = 4
_SLOPES = 4000
_RECURS = 16  # runs for each output that occurs, on average, from which on outputs are counted one by one
_CAUTION = 1.0
_PART = 0.5  # of the runs that are left for comparing
Pair = tuple[Any, Any, str]


def steepest(
    sampler: Sampler, left: Any, space: Adjacency | Answers | Records, related: Callable[[Any, Any], bool],
    budget: Budget, place: int = 0,
) -> list[Pair]:  # fmt: skip
    """At most `MOST_PAIRS` neighbours of `left`, each made for one output; none where outputs hardly recur."""
    ways = _ways(space)
    if not sampler.batched or not ways or not isinstance(left, list | tuple) or not 2 <= len(left) <= MOST_ANSWERS:
        return []
    by = type(left[0])(getattr(space, "by", 1)) if isinstance(left[0], float) else getattr(space, "by", 1)
    runs = min(RUNS, max(64, budget.max_pairs // 64))
    if sampler.meter is not None and 2 * len(left) * runs > _PART * sampler.meter.left:
        return []  # what it proposes must be compared too
    encoder = Encoder()
    tables = []
    try:
        for k, (i, sign) in enumerate((i, sign) for i in range(len(left)) for sign in (1, -1)):
            moved = type(left)(x + sign * by if j == i else x for j, x in enumerate(left))
            data = moved if _allowed(space, moved) else left  # at an edge the slope is that of one side
            tables.append(encoder.encode(draw_chunk(sampler, data, (_SLOPES, place, 0, k), runs, budget.seed), runs))
    except (BadInput, LimitReached, ProgramFailed, ProgramTimeout):  # a sampler that refuses an input, or is too slow
        return []
    keys, where = np.unique(np.concatenate([table.keys() for table in tables]), return_inverse=True)
    if len(keys) * _RECURS > runs * len(tables):
        return []
    hits = np.array([np.bincount(part, minlength=len(keys)) for part in np.split(where.ravel(), len(tables))])
    found: list[Pair] = []
    for signs in _directions(hits, ways, 2 * budget.max_pairs / runs):
        right = type(left)(x + sign * by for x, sign in zip(left, signs, strict=True))
        if related(left, right):
            found.append((left, right, "answers moved along the slopes of an output"))
    return found


def _allowed(space: Adjacency | Answers | Records, data: Any) -> bool:
    """Whether an input belongs to the space, where one is given."""
    if isinstance(space, Adjacency):
        return True
    try:
        space.validate(data)
    except (BadInput, TypeError, ValueError):
        return False
    return True


def _ways(space: Adjacency | Answers | Records) -> tuple[int, ...]:
    """Which way every answer may move, together with the others."""
    if isinstance(space, Answers):
        return {"all": (-1, 1), "up": (0, 1), "down": (-1, 0)}.get(space.moves, ())
    if isinstance(space, Ball):
        return (-1, 1) if space.norm == "linf" else ()
    return (0, 1) if isinstance(space, Monotone) else ()


def _directions(hits: Ints, ways: Sequence[int], scale: float) -> list[tuple[int, ...]]:
    """The directions that the most promising outputs ask for, in both senses, each once.

    Parameters
    ----------
    hits
        How often each output occurred, the rows being: first answer up, first answer down, second answer up, …
    scale
        Runs of the audit for each run here.
    """
    up, down = hits[0::2] + 0.5, hits[1::2] + 0.5
    slopes = np.asarray(np.log(up / down) / 2, dtype=np.float64)
    doubts = np.sqrt((1 / up + 1 / down).sum(axis=0)) / 2
    mass = hits.mean(axis=0) * scale / 2
    ranked: list[tuple[float, tuple[int, ...]]] = []
    for sense in (1, -1):  # the output becomes likely, or unlikely
        steps = np.where(sense * slopes > 0, max(ways), min(ways))
        loss = np.abs(np.where(steps == 0, 0.0, slopes)).sum(axis=0)
        rank = loss - _CAUTION * doubts - 2 * np.sqrt((1 + np.exp(loss)) / np.maximum(mass, 1e-9))
        ranked += [(float(rank[v]), tuple(steps[:, v].tolist())) for v in _best(rank, 2 * MOST_PAIRS)]
    ranked.sort(reverse=True)
    each = {steps: None for value, steps in ranked if math.isfinite(value) and any(steps)}
    return list(each)[:MOST_PAIRS]


def _best(rank: Floats, count: int) -> AnyArray:
    return np.argsort(-rank, kind="stable")[:count]
