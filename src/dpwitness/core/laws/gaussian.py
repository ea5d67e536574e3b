"""Normal noise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from dpwitness.core.laws.law import POSITIVE, Domain, Law, Support, as_floats

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Gaussian(Law):
    """Normal law with mean 0."""

    std: Any
    name: ClassVar[str] = "gaussian"
    support: ClassVar[Support] = "real"
    domains: ClassVar[dict[str, Domain]] = {"std": POSITIVE}

    def sample(self, rng: np.random.Generator, size: int) -> Any:
        return rng.normal(0.0, as_floats(self.std), size)

    def spread(self) -> float:
        return float(self.std)

    def kernel_form(self, factor: Fraction, number: Callable[[str], Fraction]) -> dict[str, Fraction] | None:
        return {"variance": (factor * number("std")) ** 2}
