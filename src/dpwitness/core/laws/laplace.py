"""Laplace noise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from dpwitness.core.laws.law import POSITIVE, Domain, Law, Support, as_floats

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Laplace(Law):
    r"""Density :math:`e^{-|z|/b}/(2b)`, b the scale."""

    scale: Any
    name: ClassVar[str] = "laplace"
    support: ClassVar[Support] = "real"
    domains: ClassVar[dict[str, Domain]] = {"scale": POSITIVE}

    def sample(self, rng: np.random.Generator, size: int) -> Any:
        return rng.laplace(0.0, as_floats(self.scale), size)

    def spread(self) -> float:
        return float(self.scale)

    def kernel_form(self, factor: Fraction, number: Callable[[str], Fraction]) -> dict[str, Fraction] | None:
        return {"scale": factor * number("scale")}
