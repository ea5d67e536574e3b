"""Two-sided geometric noise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from dpwitness.core.laws.law import POSITIVE, Domain, Law, Support, draw_by_value

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class DiscreteLaplace(Law):
    r"""The two-sided geometric law :math:`P[k] \propto e^{-|k|/b}` on the integers, b the scale."""

    scale: Any
    name: ClassVar[str] = "discrete_laplace"
    support: ClassVar[Support] = "integers"
    domains: ClassVar[dict[str, Domain]] = {"scale": POSITIVE}

    def sample(self, rng: np.random.Generator, size: int) -> Any:
        from dpwitness.core.readers import discrete

        return draw_by_value(self.scale, size, lambda s, n: discrete.discrete_laplace(rng, s, n))

    def spread(self) -> float:
        return float(self.scale)

    def kernel_form(self, factor: Fraction, number: Callable[[str], Fraction]) -> dict[str, Fraction] | None:
        return {"scale": number("scale")} if factor == 1 else None
