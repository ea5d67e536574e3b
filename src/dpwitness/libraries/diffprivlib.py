"""diffprivlib (IBM): mechanisms, and tools on arrays of which one record is replaced."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import diffprivlib.mechanisms as library
from diffprivlib import tools

from dpwitness.core import Answers, ApproxDP, Guarantee, Interval, PureDP, Records
from dpwitness.core.stability.claim import Stable
from dpwitness.libraries.adapter import COUNT, NUMBER, SCORES, Item, Release

UNIT = Records(Interval(0, 1), 4)
ADDED = Records(Interval(0, 1), (1, 4), "add-remove")  # a histogram has no noise for a record that changes its bin
DELTA = "0.01"
BIT = Answers("one", 1, size=1, values=(0, 1))


def items() -> Iterator[Item]:
    """Mechanisms that are given ε, and tools with declared bounds."""
    bounds: dict[str, Any] = {"lower": -3, "upper": 3}
    bounded = Answers("all", 1, size=1, low=-3, high=3)
    whole = Answers("all", 1, size=1, low=-3, high=3, whole=True)
    yield _mechanism("Laplace", NUMBER, sensitivity=1)
    yield _mechanism("LaplaceTruncated", bounded, sensitivity=1, **bounds)
    yield _mechanism("LaplaceFolded", bounded, sensitivity=1, **bounds)
    yield _mechanism("LaplaceBoundedDomain", bounded, sensitivity=1, **bounds)
    yield _mechanism("Staircase", NUMBER, sensitivity=1)
    yield _mechanism("Geometric", COUNT, sensitivity=1)
    yield _mechanism("GeometricTruncated", whole, sensitivity=1, **bounds)
    yield _mechanism("GeometricFolded", whole, sensitivity=1, **bounds)
    yield _mechanism("Snapping", bounded, sensitivity=1, **bounds)
    yield _gaussian("GaussianAnalytic", NUMBER)
    yield _gaussian("Gaussian", NUMBER)
    yield _gaussian("GaussianDiscrete", COUNT)
    yield Item("Binary", _binary, BIT, single=True)
    yield Item("Exponential", lambda share: _selection(library.Exponential, share), SCORES)
    yield Item("PermuteAndFlip", lambda share: _selection(library.PermuteAndFlip, share), SCORES)
    yield _tool("mean", tools.mean, bounds=(0, 1))
    yield _tool("sum", tools.sum, bounds=(0, 1))
    yield _tool("var", tools.var, bounds=(0, 1))
    yield _tool("count_nonzero", tools.count_nonzero)
    yield _tool("median", tools.median, bounds=(0, 1))
    yield _tool("histogram", _counts, space=ADDED)


def maps() -> Iterator[Stable]:
    """The library declares no stability of transformations."""
    return iter(())


def _mechanism(name: str, space: Any, guarantee: Guarantee | None = None, **options: Any) -> Item:
    def make(share: float) -> Release:
        release: Release = getattr(library, name)(epsilon=1 / share, **options).randomise
        return release

    return Item(name, make, space, guarantee or PureDP(1), single=True)


def _gaussian(name: str, space: Any) -> Item:
    def make(share: float) -> Release:
        sensitivity = 1 if isinstance(space, Answers) and space.whole else share
        if sensitivity == 1 and share != 1:  # whole sensitivities alone: the budget is raised in its place
            release: Release = getattr(library, name)(epsilon=1.0, delta=0.3, sensitivity=1).randomise
            return release
        made: Release = getattr(library, name)(epsilon=1.0, delta=float(DELTA), sensitivity=sensitivity).randomise
        return made

    return Item(name, make, space, ApproxDP(1, DELTA), single=True)


def _binary(share: float) -> Release:
    noisy = library.Binary(epsilon=1 / share, value0="no", value1="yes")
    return lambda bit: noisy.randomise("yes" if bit else "no")


def _selection(kind: Any, share: float) -> Release:
    return lambda scores: kind(epsilon=1 / share, sensitivity=1, utility=[float(x) for x in scores]).randomise()


def _tool(name: str, function: Any, space: Any = None, **options: Any) -> Item:
    def make(share: float) -> Release:
        def release(values: Any) -> Any:
            import numpy as np

            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return function(np.array(values, dtype=float), epsilon=1 / share, **options)

        return release

    return Item(f"tools.{name}", make, space or UNIT, has_control=name in ("mean", "sum"))


def _counts(values: Any, epsilon: float) -> Any:
    return tools.histogram(values, epsilon=epsilon, bins=2, range=(0, 1))[0]
