"""Who gets which share of α, and which seed: fixed at collection, the same in every process."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

FIXTURES = ("assert_private", "assert_private_step")
MARK = "dp"
_DEFAULTS = ("epsilon", "delta", "max_pairs", "numerics")
_KNOWN = (*_DEFAULTS, "weight", "checks")


@dataclass(frozen=True)
class Share:
    """What one test may spend.

    Parameters
    ----------
    alpha
        The test's part of the session's α.
    seed
        Root of the test's randomness.
    checks
        How many calls of the fixture were announced; None leaves it open.
    defaults
        Arguments of the fixture that the marker gives.
    """

    alpha: float
    seed: str
    checks: int | None = None
    defaults: Mapping[str, Any] = field(default_factory=dict)

    def part(self, k: int) -> float:
        r"""α of the k-th call: an equal part of what was announced, else :math:`1/(k(k+1))`, which sums to 1.

        >>> Share(0.1, "").part(1), Share(0.1, "", checks=4).part(3)
        (0.05, 0.025)
        """
        return self.alpha / self.checks if self.checks is not None else self.alpha / (k * (k + 1))

    def seed_of(self, k: int) -> int:
        """Seed of the k-th call."""
        return int.from_bytes(hashlib.sha256(f"{self.seed}\0{k}".encode()).digest()[:7], "big")


SHARES = pytest.StashKey[dict[str, Share]]()


def dp_items(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """The tests that use one of the fixtures, or say by the marker that they will."""
    return [
        item
        for item in items
        if set(FIXTURES) & set(getattr(item, "fixturenames", ())) or item.get_closest_marker(MARK) is not None
    ]


def plan(items: Sequence[pytest.Item], alpha: float, seed: int) -> dict[str, Share]:
    """The share of every test: its weight over the sum of all weights, times α."""
    marks = {item.nodeid: _mark(item) for item in items}
    total = math.fsum(mark.get("weight", 1.0) for mark in marks.values())
    return {
        nodeid: Share(
            alpha * (mark.get("weight", 1.0) / total),  # exactly α where the test is alone
            f"{seed}\0{nodeid}",
            mark.get("checks"),
            {name: mark[name] for name in _DEFAULTS if name in mark},
        )
        for nodeid, mark in marks.items()
    }


def _mark(item: pytest.Item) -> dict[str, Any]:
    """The marker's keywords, the nearest marker winning, each of them checked."""
    found: dict[str, Any] = {}
    for marker in reversed(list(item.iter_markers(MARK))):
        if marker.args:
            raise pytest.UsageError(f"{item.nodeid}: @pytest.mark.dp takes keywords only, such as epsilon=1.0")
        found.update(marker.kwargs)
    for name, value in found.items():
        if name not in _KNOWN:
            raise pytest.UsageError(f"{item.nodeid}: @pytest.mark.dp has no {name!r}; it knows {', '.join(_KNOWN)}")
        whole = isinstance(value, int) and not isinstance(value, bool)
        if name == "checks" and not (whole and value >= 1):
            raise pytest.UsageError(
                f"{item.nodeid}: @pytest.mark.dp(checks={value!r}) must be a whole number, 1 or more"
            )
        if name == "weight" and not ((whole or isinstance(value, float)) and 0 < value < math.inf):
            raise pytest.UsageError(f"{item.nodeid}: @pytest.mark.dp(weight={value!r}) must be a positive number")
    return found
