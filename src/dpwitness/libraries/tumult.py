"""Tumult Core: noise mechanisms on numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from tmlt.core.domains.numpy_domains import NumpyFloatDomain
from tmlt.core.measurements.noise_mechanisms import AddDiscreteGaussianNoise, AddGeometricNoise, AddLaplaceNoise
from tmlt.core.utils.exact_number import ExactNumber

from dpwitness.core import ApproxDP
from dpwitness.core.stability.claim import Stable
from dpwitness.libraries.adapter import COUNT, NUMBER, Item, Release

DEVIATION = 1.94  # (1, 0.01)-private for a move by 1


def items() -> Iterator[Item]:
    """Noise at ε = 1."""
    yield Item("AddLaplaceNoise", _laplace, NUMBER, single=True)
    yield Item("AddGeometricNoise", _geometric, COUNT, single=True)
    yield Item("AddDiscreteGaussianNoise", _gaussian, COUNT, ApproxDP(1, "0.01"), single=True)


def maps() -> Iterator[Stable]:
    """Transformations of Spark frames need a running Spark and are not walked."""
    return iter(())


def _exact(value: float) -> Any:
    return ExactNumber.from_float(value, round_up=False)


def _laplace(share: float) -> Release:
    noisy = AddLaplaceNoise(input_domain=NumpyFloatDomain(), scale=_exact(share))
    return lambda x: float(noisy(np.float64(x)))


def _geometric(share: float) -> Release:
    noisy = AddGeometricNoise(alpha=_exact(share))
    return lambda x: int(noisy(np.int64(x)))


def _gaussian(share: float) -> Release:
    noisy = AddDiscreteGaussianNoise(sigma_squared=_exact((DEVIATION * share) ** 2))
    return lambda x: int(noisy(np.int64(x)))
