"""Student's t noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from dpwitness.core.laws.law import POSITIVE, Domain, Law, Support, as_floats

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class StudentT(Law):
    r"""Density :math:`\propto (1 + z^2/(\nu b^2))^{-(\nu+1)/2}`, ν the degrees of freedom and b the scale."""

    degrees: Any
    scale: Any
    name: ClassVar[str] = "student_t"
    support: ClassVar[Support] = "real"
    domains: ClassVar[dict[str, Domain]] = {"degrees": POSITIVE, "scale": POSITIVE}

    def sample(self, rng: np.random.Generator, size: int) -> Any:
        return as_floats(self.scale) * rng.standard_t(as_floats(self.degrees), size)

    def spread(self) -> float:
        return float(self.scale)
