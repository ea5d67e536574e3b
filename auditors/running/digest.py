"""What an audit needs of a chunk once it has stopped learning, found where the chunk is drawn.

After the last fit the bets of the e-process and the rules of the count are fixed. Of a chunk they need how often each
cell was hit, the gain of every strategy, and the largest gain on the way: where even the largest gains together do not
reach 1/α, the wealth has not crossed it inside the chunk. Where they do, or where an output has a form not seen before,
the chunk itself is looked at, pair by pair. So the evidence is the same, bit for bit, as without digests.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpwitness.auditors.bounds.curve_bets import Hypothesis, log_factors
from dpwitness.auditors.bounds.learner import Partition
from dpwitness.auditors.outputs.arrays import Floats, Ints
from dpwitness.auditors.outputs.table import Encoder, Table
from dpwitness.auditors.rules.choose import Rule
from dpwitness.auditors.rules.rule import Hits, count_hits
from dpwitness.auditors.running.engine import Engine


@dataclass(frozen=True)
class Digest:
    """Hits of every cell, gain and largest gain of every strategy against every hypothesis, guesses of every rule."""

    pairs: int
    hits: tuple[tuple[Ints, Ints], ...]
    gains: dict[str, Floats]
    tops: dict[str, Floats]
    hits_of_rules: tuple[Hits, ...]


@dataclass(frozen=True)
class Frozen:
    """The part of an audit's state that no longer changes."""

    encoder: Encoder
    selection: int
    betting: bool
    partitions: Sequence[Partition]
    nulls: Sequence[Sequence[tuple[Hypothesis, ...]]]
    rules: Sequence[Rule]

    def __call__(self, left: Any, right: Any, start: int, sizes: tuple[int, int]) -> Digest | None:
        """The digest of a chunk; None where its outputs are needed."""
        if start < self.selection:
            return None
        encoder = _own(self.encoder)
        encoder.settle()
        tables = [encoder.encode(outputs, size) for outputs, size in zip((left, right), sizes, strict=True)]
        if len(encoder.forms) > len(self.encoder.forms) or len(encoder.places) > len(self.encoder.places):
            return None
        pairs = min(map(len, tables))
        if self.betting and not pairs:
            return None
        hits: list[tuple[Ints, Ints]] = []
        gains: dict[str, Floats] = {}
        tops: dict[str, Floats] = {}
        for bets in zip(self.partitions, self.nulls, strict=True) if self.betting else ():
            self._bet(*bets, tables[0][:pairs], tables[1][:pairs], hits, gains, tops)
        return Digest(pairs, tuple(hits), gains, tops, tuple(count_hits(self.rules, *tables)))

    def _bet(
        self, partition: Partition, nulls: Sequence[tuple[Hypothesis, ...]], left: Table, right: Table,
        hits: list[tuple[Ints, Ints]], gains: dict[str, Floats], tops: dict[str, Floats],
    ) -> None:  # fmt: skip
        x, y = partition.cells(left), partition.cells(right)
        size = partition.pi.shape[1]
        hits.append((np.bincount(x, minlength=size), np.bincount(y, minlength=size)))
        for name, pi, against in zip(partition.names, partition.pi, nulls, strict=True):
            gain, top = np.empty(len(against)), np.empty(len(against))
            for k, null in enumerate(against):
                log_f, log_g = log_factors(pi, null)
                path = np.cumsum(log_f[x] + log_g[y])
                gain[k], top[k] = path[-1], path.max()
            gains[name], tops[name] = gain, top


def _own(encoder: Encoder) -> Encoder:
    """An encoder that may learn new forms without the other one noticing."""
    mine = copy.copy(encoder)
    for name, value in vars(encoder).items():
        setattr(mine, name, copy.copy(value))
    return mine


def frozen(engine: Engine, before: Frozen | None = None) -> Frozen | None:
    """What can be digested elsewhere; None while the audit still learns. `before` is returned while it holds."""
    bets = engine.bets
    if (bets is not None and not bets._full) or (engine.runs and engine.rules is None):
        return None
    if before is not None and len(before.encoder.forms) == len(engine.encoder.forms):
        return before
    last = bets.epochs[-1] if bets is not None else None
    partitions, nulls = ([], []) if last is None else (last.partitions, last.nulls)
    return Frozen(_own(engine.encoder), engine.selection, bets is not None, partitions, nulls, engine.rules or [])


def swallow(engine: Engine, digest: Digest, start: int, stop: int) -> bool:
    """Use a digest as the engine would have used the chunk; False where the chunk itself is needed."""
    if start != engine.position:
        raise ValueError(f"run {start} came where run {engine.position} was expected")
    bets = engine.bets
    if bets is not None:
        after = {name: bets._wealth[name] + gain for name, gain in digest.gains.items()}
        idle = [wealth for name, wealth in bets._wealth.items() if name not in after]
        highest = [bets._wealth[name] + top for name, top in digest.tops.items()]
        if bets.halts and _log_total([*highest, *idle]) >= math.log(1 / bets.alpha) - 1e-6:
            return False
        epoch = bets.epochs[-1]
        for i, (x, y) in enumerate(digest.hits):
            epoch.left[i] += x
            epoch.right[i] += y
        epoch.pairs += digest.pairs
        bets.pairs += digest.pairs
        bets._wealth.update(after)
        bets.log_wealth = _total_at_the_end(after, idle)
    engine.add(digest.hits_of_rules)
    engine.position = stop
    engine.drawn = start + digest.pairs
    engine.done = stop >= max(engine.size_left, engine.size_right)
    return True


def _log_total(parts: Sequence[Floats]) -> float:
    return float(np.logaddexp.reduce(np.concatenate(parts)))


def _total_at_the_end(after: dict[str, Floats], idle: Sequence[Floats]) -> float:
    """The wealth of all strategies, summed in the order in which the e-process sums it."""
    total = np.logaddexp.reduce(np.concatenate(list(after.values())))
    return float(np.logaddexp(total, np.logaddexp.reduce(np.concatenate(idle))) if idle else total)
