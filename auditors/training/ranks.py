"""Statistics of the pooled ranking of scores, each of which rises when the score of a run with the record rises."""

from __future__ import annotations

import numpy as np

from dpwitness.auditors.outputs.arrays import Bools, Floats, Ints

PREFIXES = 60


def order(inside: Floats, outside: Floats, rng: np.random.Generator) -> Bools:
    """Whether the run had the record, best score first, one row for each row of scores; ties are broken by fair coins.

    >>> order(np.array([[3.0, 1.0]]), np.array([[2.0]]), np.random.default_rng(0))
    array([[ True, False,  True]])
    """
    both = np.concatenate([inside, outside], axis=-1)
    at = np.argsort(-both, axis=-1)
    ranked = np.take_along_axis(both, at, -1)
    if not np.any(ranked[..., 1:] == ranked[..., :-1]):
        plain: Bools = at < inside.shape[-1]
        return plain
    shuffled = rng.permuted(np.broadcast_to(np.arange(both.shape[-1]), both.shape), axis=-1)
    by_score = np.argsort(-np.take_along_axis(both, shuffled, -1), axis=-1, kind="stable")
    mixed: Bools = np.take_along_axis(shuffled, by_score, -1) < inside.shape[-1]
    return mixed


def rank_sum(first: Bools) -> Floats:
    """Mann and Whitney: minus the sum of the places of the runs with the record. Best against a shift."""
    places = np.arange(first.shape[-1], dtype=np.float64) / first.shape[-1]
    total: Floats = -(first @ places)
    return total


def prefixes(runs: int) -> Ints:
    """The lengths of the prefixes that a scan looks at."""
    lengths: Ints = np.unique(np.round(np.geomspace(1, runs, PREFIXES)).astype(np.int64))
    return lengths


def hits(first: Bools, lengths: Ints) -> Ints:
    """How many runs of each prefix had the record."""
    return np.asarray(np.cumsum(first, axis=-1)[..., lengths - 1], dtype=np.int64)


def scan(counts: Ints, lengths: Ints, odds: float) -> Floats:
    """The most surprising prefix: −ln P[Binomial(length, odds) ≥ count], the largest of all. Best against rare leaks.

    Any `odds` that do not depend on the scores are right; those of the claim's likeliest run see most.
    """
    from scipy.special import bdtrc

    starts = np.cumsum(lengths + 1) - (lengths + 1)
    known = int(np.sum(lengths + 1))  # counts that any prefix can have: of many rankings, most have the same ones
    if known < counts.size:
        length = np.repeat(lengths, lengths + 1)
        tail = bdtrc(np.arange(known) - np.repeat(starts, lengths + 1) - 1, length, odds)[starts + counts]
    else:
        tail = bdtrc(counts - 1, lengths, odds)
    found: Floats = -np.log(np.maximum(np.min(tail, axis=-1), 1e-300))
    return found


def tails(values: Floats) -> Floats:
    """The share of all values that are at least as large, for each of them."""
    by_size = np.sort(values)
    found: Floats = (len(values) - np.searchsorted(by_size, values, side="left")) / len(values)
    return found
