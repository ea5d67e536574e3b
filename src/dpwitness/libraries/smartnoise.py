"""SmartNoise SQL: the noise that its queries add."""

from __future__ import annotations

from collections.abc import Iterator

from snsql.sql._mechanisms.laplace import Laplace

from dpwitness.core.stability.claim import Stable
from dpwitness.libraries.adapter import COUNT, NUMBER, Item, Release


def items() -> Iterator[Item]:
    """Laplace noise on a float and on an integer."""
    yield Item("Laplace (float)", _laplace, NUMBER, single=True)
    yield Item("Laplace (int)", _laplace, COUNT, single=True)


def maps() -> Iterator[Stable]:
    """The library declares no stability of transformations."""
    return iter(())


def _laplace(share: float) -> Release:
    noisy = Laplace(1 / share, sensitivity=1)
    return lambda x: noisy.release([x])[0]
