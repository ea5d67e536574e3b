"""Heavy-tailed noise for smooth sensitivity."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from dpwitness.core.laws.law import Domain, Law, Support, as_floats

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Admissible(Law):
    r"""Density :math:`\propto 1/(1+|z|^\gamma)`, γ > 1 (γ = 2 is the Cauchy law)."""

    gamma: Any
    name: ClassVar[str] = "admissible"
    support: ClassVar[Support] = "real"
    domains: ClassVar[dict[str, Domain]] = {"gamma": Domain(above=1)}

    def sample(self, rng: np.random.Generator, size: int) -> Any:
        import numpy as np

        # |Z|^γ is a ratio of independent Gamma(1/γ) and Gamma(1 − 1/γ) variables: the change of variables is exact
        gamma = as_floats(self.gamma)
        ratio = rng.standard_gamma(1.0 / gamma, size) / rng.standard_gamma(1.0 - 1.0 / gamma, size)
        return np.where(rng.random(size) < 0.5, -1.0, 1.0) * ratio ** (1.0 / gamma)

    def spread(self) -> float:
        return 1.0

    def kernel_form(self, factor: Fraction, number: Callable[[str], Fraction]) -> dict[str, Fraction] | None:
        return {"gamma": number("gamma"), "scale": factor}
