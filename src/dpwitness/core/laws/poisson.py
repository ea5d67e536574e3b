"""Poisson noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from dpwitness.core.laws.law import POSITIVE, Domain, Law, Support, as_floats

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Poisson(Law):
    r"""The law :math:`P[k] = e^{-\lambda}\lambda^k/k!` on k ≥ 0; `mean` is λ."""

    mean: Any
    name: ClassVar[str] = "poisson"
    support: ClassVar[Support] = "integers"
    domains: ClassVar[dict[str, Domain]] = {"mean": POSITIVE}

    @property
    def nonnegative(self) -> bool:
        return True

    def sample(self, rng: np.random.Generator, size: int) -> Any:
        return rng.poisson(as_floats(self.mean), size)

    def spread(self) -> float:
        return float(self.mean)
