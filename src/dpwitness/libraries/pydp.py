"""PyDP (OpenMined, on Google's C++ library): aggregates of lists of which a record is added or removed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pydp.algorithms.laplacian as library

from dpwitness.core import Interval, Records
from dpwitness.core.stability.claim import Stable
from dpwitness.libraries.adapter import Item, Release

UNIT = Records(Interval(0, 1), (1, 4), "add-remove")


def items() -> Iterator[Item]:
    """Aggregates with declared bounds."""
    yield Item("Count", lambda share: _aggregate("Count", share), UNIT)
    for name in ("BoundedSum", "BoundedMean", "BoundedVariance"):
        yield Item(name, _maker(name), UNIT, has_control=name == "BoundedSum")


def maps() -> Iterator[Stable]:
    """The library declares no stability of transformations."""
    return iter(())


def _maker(name: str) -> Any:
    return lambda share: _aggregate(name, share, lower_bound=0, upper_bound=1)


def _aggregate(name: str, share: float, **bounds: Any) -> Release:
    def release(values: Any) -> Any:
        made = getattr(library, name)(epsilon=1 / share, dtype="float", **bounds)
        return made.quick_result([float(x) for x in values])

    return release
