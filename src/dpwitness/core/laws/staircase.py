"""Staircase noise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from dpwitness.core.laws.law import POSITIVE, SHARE, Domain, Law, Support, as_floats

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Staircase(Law):
    r"""The staircase law: constant on stairs of width Δ, falling by :math:`e^{-\varepsilon}` from stair to stair.

    With g the fraction `split`: on :math:`[k\Delta, (k+g)\Delta)` the density of \|z\| is :math:`a e^{-k\varepsilon}`,
    on :math:`[(k+g)\Delta, (k+1)\Delta)` it is :math:`a e^{-(k+1)\varepsilon}`.
    """

    eps: Any
    sensitivity: Any
    split: Any
    name: ClassVar[str] = "staircase"
    support: ClassVar[Support] = "real"
    domains: ClassVar[dict[str, Domain]] = {"eps": POSITIVE, "sensitivity": POSITIVE, "split": SHARE}

    def sample(self, rng: np.random.Generator, size: int) -> Any:
        import numpy as np

        # sign, stair (geometric), side of the step (Bernoulli) and place (uniform) are independent
        split = as_floats(self.split)
        fall = np.exp(-as_floats(self.eps))
        stair = rng.geometric(1.0 - fall, size) - 1
        low_part = rng.random(size) < split / (split + fall * (1.0 - split))
        place = rng.random(size)
        inside = np.where(low_part, split * place, split + (1.0 - split) * place)
        return np.where(rng.random(size) < 0.5, -1.0, 1.0) * (stair + inside) * as_floats(self.sensitivity)

    def spread(self) -> float:
        return float(self.sensitivity) / float(self.eps)

    def kernel_form(self, factor: Fraction, number: Callable[[str], Fraction]) -> dict[str, Fraction] | None:
        width = factor * number("sensitivity")
        return {"eps": number("eps"), "sensitivity": width, "split": number("split")}
