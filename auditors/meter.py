"""How much of its time and of its runs an audit has used: one meter, read before every call of the sampler.

The limits of an audit are those of everything that it does: looking at the sampler, comparing pairs of inputs, the
audit itself, the look at doubles, the simpler witness, the explanation. Each of them gets a portion, which is fixed
before it begins; what it uses is taken from the whole.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from typing import Any

from dpwitness.core.errors import LimitReached
from dpwitness.core.limits import Deadline

_LAST = (0.08, 0.25)  # share of the time, and seconds at most, that summing up takes


@dataclass
class Meter:
    """What may be used, and what has been.

    Parameters
    ----------
    runs
        Outputs that may be drawn, of both sides together: two for every pair.
    seconds
        The whole time limit, for shares of it; None: none.
    outer
        The meter of which this is a portion.

    Attributes
    ----------
    pace
        Seconds that a run took when the sampler was last called.
    kept
        Runs that were made ahead of their turn, by their place in the seed tree.
    refused
        Kinds of generators that took no seed.

    Examples
    --------
    >>> meter = Meter(runs=200)
    >>> look = meter.portion(runs=20)
    >>> look.take(16)
    >>> look.left, meter.left
    (4, 184)
    """

    runs: float = math.inf
    seconds: float | None = None
    deadline: Deadline = field(default_factory=Deadline)
    outer: Meter | None = None
    used: int = 0
    started: float = field(default_factory=time.monotonic)
    _pace: float | None = None
    kept: dict[Any, Any] = field(default_factory=dict)
    refused: dict[str, None] = field(default_factory=dict)

    @classmethod
    def of(cls, seconds: float | None, pairs: float = math.inf) -> Meter:
        """The meter of a whole audit, from now on."""
        return cls(runs=2 * pairs, seconds=seconds, deadline=Deadline.after(seconds))

    @property
    def root(self) -> Meter:
        """The meter of the whole."""
        return self if self.outer is None else self.outer.root

    @property
    def left(self) -> float:
        """Runs that may still be made."""
        mine = self.runs - self.used
        return mine if self.outer is None else min(mine, self.outer.left)

    @property
    def pace(self) -> float | None:
        """Seconds that a run took when the sampler was last called; None where it was not."""
        return self.root._pace

    def until(self, share: float) -> Deadline:
        """The moment at which so much of the whole time is over."""
        whole = self.root
        if whole.seconds is None:
            return Deadline()
        return Deadline(whole.started + share * (whole.seconds - min(_LAST[0] * whole.seconds, _LAST[1])))

    def portion(self, *, runs: float = math.inf, until: float = 1.0) -> Meter:
        """A part of what is left: so many runs, up to so much of the whole time."""
        return Meter(runs, self.seconds, self.deadline.earlier(self.until(until)), self)

    def take(self, runs: int) -> None:
        """Count runs that are about to be made; `LimitReached` where time or runs are used up."""
        self.check()
        if runs > self.left:
            raise LimitReached(f"max_pairs: {runs} runs were asked for where {max(0, int(self.left))} are left")
        meter: Meter | None = self
        while meter is not None:
            meter.used += runs
            meter = meter.outer

    def give_back(self, runs: int) -> None:
        """Uncount runs that will be counted later, when their outputs are used."""
        meter: Meter | None = self
        while meter is not None:
            meter.used -= runs
            meter = meter.outer

    def check(self) -> None:
        """`LimitReached` where the time is over."""
        if self.deadline.passed:
            raise LimitReached("seconds")

    def note(self, runs: int, seconds: float) -> None:
        """Remember how long so many runs took."""
        self.root._pace = seconds / max(1, runs)

    def lasts(self, runs: float) -> float:
        """How long so many runs would take, as far as is known."""
        return 0.0 if self.pace is None else runs * self.pace
