"""Gumbel noise: the largest of scores with it has the law of the exponential mechanism."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from dpwitness.core.laws.law import POSITIVE, Domain, Law, Support, as_floats

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Gumbel(Law):
    r"""Density :math:`e^{-z/b - e^{-z/b}}/b`, b the scale."""

    scale: Any
    name: ClassVar[str] = "gumbel"
    support: ClassVar[Support] = "real"
    domains: ClassVar[dict[str, Domain]] = {"scale": POSITIVE}

    def sample(self, rng: np.random.Generator, size: int) -> Any:
        return rng.gumbel(0.0, as_floats(self.scale), size)

    def spread(self) -> float:
        return float(self.scale)
