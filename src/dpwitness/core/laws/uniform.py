"""Uniform noise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from dpwitness.core.laws.law import ANY, Domain, Law, Support, as_floats

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Uniform(Law):
    """Uniform between two bounds."""

    low: Any
    high: Any
    name: ClassVar[str] = "uniform"
    support: ClassVar[Support] = "interval"
    domains: ClassVar[dict[str, Domain]] = {"low": ANY, "high": ANY}

    def sample(self, rng: np.random.Generator, size: int) -> Any:
        return rng.uniform(as_floats(self.low), as_floats(self.high), size)

    def spread(self) -> float:
        return float(self.high) - float(self.low)

    def kernel_form(self, factor: Fraction, number: Callable[[str], Fraction]) -> dict[str, Fraction] | None:
        return {"width": factor * (number("high") - number("low"))}
