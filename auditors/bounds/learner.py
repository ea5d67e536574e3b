"""What the e-process asks of a learner. It bets on whatever a learner guesses, and no guess can make it invalid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from dpwitness.auditors.outputs.arrays import Floats, Ints
from dpwitness.auditors.outputs.table import Table


class Partition(Protocol):
    """A finite partition of the outputs with guesses of π."""

    @property
    def names(self) -> tuple[str, ...]:
        """The strategies, one for each row of `pi`."""

    @property
    def pi(self) -> Floats:
        """Guesses, strategies × cells."""

    def cells(self, table: Table) -> Ints:
        """The cell of every output."""


class Plan(Protocol):
    """Which strategies bet, with which share of the wealth, and when they are fitted anew."""

    @property
    def kind(self) -> str:
        """A name; where it changes, the wealth is shared out anew."""

    @property
    def shares(self) -> Mapping[str, float]:
        """The share of the wealth of each strategy."""

    def next_fit(self, pairs: int) -> int:
        """The number of pairs at which to fit again after a fit at `pairs`."""

    def fit(
        self, places: Sequence[str], left: Table, right: Table, models: dict[int, Any] | None = None,
        *, boosted: bool = True, most: int | None = None,
    ) -> Sequence[Partition]:  # fmt: skip
        """Partitions with guesses of π, learnt from the pairs seen so far."""


class Learner(Protocol):
    """Chooses a plan by the outputs seen so far."""

    def choose(self, left: Table, right: Table) -> Plan:
        """A plan for outputs like these."""
