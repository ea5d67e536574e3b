"""The sample library: what each function says of itself."""

from __future__ import annotations

from collections.abc import Iterator

from dpwitness.core import Interval, Records
from dpwitness.core.stability.claim import Stable
from dpwitness.core.stability.columns import reals
from dpwitness.core.stability.rows import Rows
from dpwitness.libraries.adapter import Item
from dpwitness.libraries.sample import tally

UNIT = Records(Interval(0, 1), (1, 4), "add-remove")


def items() -> Iterator[Item]:
    """Counts, sums and means at ε = 1."""
    yield Item("private_count", lambda share: lambda data: tally.private_count(data, 1 / share), UNIT)
    yield Item("private_sum", lambda share: lambda data: tally.private_sum(data, 0, 1, 1 / share), UNIT)
    yield Item("private_mean", lambda share: lambda data: tally.private_mean(data, 0, 1, 1 / share), UNIT)


def maps() -> Iterator[Stable]:
    """The sum of clipped values, also of NaN."""
    yield Stable.of(lambda data: tally.total(data, 0, 1), Rows(reals(-5, 5)), "l1", 1, name="total")
    yield Stable.of(lambda data: tally.total(data, 0, 1), Rows(reals(nan=True)), "l1", 1, name="total (with NaN)")
