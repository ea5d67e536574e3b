"""Laplace noise that never leaves an interval around 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from dpwitness.core.laws.law import POSITIVE, Domain, Law, Support, as_floats

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class TruncatedLaplace(Law):
    r"""Density :math:`\propto e^{-|z|/b}` for \|z\| ≤ A, b the scale and A the `bound`."""

    scale: Any
    bound: Any
    name: ClassVar[str] = "truncated_laplace"
    support: ClassVar[Support] = "real"
    domains: ClassVar[dict[str, Domain]] = {"scale": POSITIVE, "bound": POSITIVE}

    def sample(self, rng: np.random.Generator, size: int) -> Any:
        import numpy as np

        # the size has the exponential law cut off at A: its distribution function is inverted
        scale, bound = as_floats(self.scale), as_floats(self.bound)
        share = rng.random(size) * -np.expm1(-bound / scale)
        sizes = np.minimum(-scale * np.log1p(-share), bound)
        return np.where(rng.random(size) < 0.5, -1.0, 1.0) * sizes

    def spread(self) -> float:
        return min(float(self.scale), float(self.bound) / 2)
