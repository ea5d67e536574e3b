"""Domains of parameters: which numbers a parameter may be."""

from __future__ import annotations

from dataclasses import dataclass

from dpwitness.core.errors import BadInput
from dpwitness.core.numbers import Exact, exact


@dataclass(frozen=True)
class Domain:
    """Numbers above `above`, at least `least`, below `below`; whole numbers only where `whole`."""

    whole: bool = False
    above: Exact | None = None
    least: Exact | None = None
    below: Exact | None = None

    def validate(self, value: object, name: str) -> Exact:
        """The value as an exact number of this domain."""
        number = exact(value, name)
        if self.whole and number.denominator != 1:
            raise BadInput(f"{name}={number} must be a whole number")
        if self.above is not None and number <= self.above:
            raise BadInput(f"{name}={number} must be above {self.above}")
        if self.least is not None and number < self.least:
            raise BadInput(f"{name}={number} must be at least {self.least}")
        if self.below is not None and number >= self.below:
            raise BadInput(f"{name}={number} must be below {self.below}")
        return number


def real(*, above: object = None, least: object = None, below: object = None) -> Domain:
    """Real numbers within bounds."""
    return Domain(False, *(None if x is None else exact(x) for x in (above, least, below)))


def whole(least: int = 1) -> Domain:
    """Whole numbers from `least` on."""
    return Domain(True, None, exact(least), None)


DEFAULTS = {"eps": real(above=0), "delta": real(above=0, below=1), "rho": real(above=0), "alpha": real(above=0)}
"""Domains of the parameters that carry a fixed meaning; any other parameter is a real number unless declared."""
