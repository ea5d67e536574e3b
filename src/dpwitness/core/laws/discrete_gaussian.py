"""Normal noise on the integers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from dpwitness.core.laws.law import POSITIVE, Domain, Law, Support, draw_by_value

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class DiscreteGaussian(Law):
    r"""The law :math:`P[k] \propto e^{-k^2/(2\sigma^2)}` on the integers; `variance` is σ²."""

    variance: Any
    name: ClassVar[str] = "discrete_gaussian"
    support: ClassVar[Support] = "integers"
    domains: ClassVar[dict[str, Domain]] = {"variance": POSITIVE}

    def sample(self, rng: np.random.Generator, size: int) -> Any:
        from dpwitness.core.readers import discrete

        return draw_by_value(self.variance, size, lambda s, n: discrete.discrete_gaussian(rng, s, n))

    def spread(self) -> float:
        return math.sqrt(self.variance)

    def kernel_form(self, factor: Fraction, number: Callable[[str], Fraction]) -> dict[str, Fraction] | None:
        return {"variance": number("variance")} if factor == 1 else None
