"""Negative binomial (Pólya) noise: shares of it add up to geometric noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from dpwitness.core.laws.law import POSITIVE, Domain, Law, Support, as_floats

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class NegativeBinomial(Law):
    r"""The law :math:`P[k] = \binom{k+r-1}{k}(1-q)^r q^k` on k ≥ 0; `shape` is r > 0 and `ratio` is q in (0, 1)."""

    shape: Any
    ratio: Any
    name: ClassVar[str] = "negative_binomial"
    support: ClassVar[Support] = "integers"
    domains: ClassVar[dict[str, Domain]] = {"shape": POSITIVE, "ratio": Domain(above=0, below=1)}

    @property
    def nonnegative(self) -> bool:
        return True

    def sample(self, rng: np.random.Generator, size: int) -> Any:
        return rng.negative_binomial(as_floats(self.shape), 1.0 - as_floats(self.ratio), size)

    def spread(self) -> float:
        return max(1.0, float(self.shape) * float(self.ratio) / (1 - float(self.ratio)))
