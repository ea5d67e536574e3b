"""Gamma noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from dpwitness.core.laws.law import POSITIVE, Domain, Law, Support, as_floats

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Gamma(Law):
    r"""Density :math:`\propto z^{k-1} e^{-z/b}` for z ≥ 0, k the shape and b the scale."""

    shape: Any
    scale: Any
    name: ClassVar[str] = "gamma"
    support: ClassVar[Support] = "nonnegative"
    domains: ClassVar[dict[str, Domain]] = {"shape": POSITIVE, "scale": POSITIVE}
    zero_has_density: ClassVar[bool] = False

    def sample(self, rng: np.random.Generator, size: int) -> Any:
        return rng.gamma(as_floats(self.shape), as_floats(self.scale), size)

    def spread(self) -> float:
        return float(self.shape) * float(self.scale)
