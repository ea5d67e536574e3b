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

    def spread(self, value: Exact, count: int = 8) -> list[Exact]:
        """Other numbers of the domain to try a claim at: powers of two from 1/16 to 16, or spread over its bounds.

        >>> [str(x) for x in real(above=0).spread(exact(1))]
        ['1/16', '1/8', '1/4', '1/2', '2', '4', '8', '16']
        >>> [str(x) for x in whole(1).spread(exact(3))]
        ['1', '2', '4', '5', '6', '8']
        """
        low = self.above if self.above is not None else self.least
        if self.whole:
            wide = [value - 2, value - 1, value + 1, value + 2, 2 * value, 2 * value + 2]
        elif low is not None and self.below is not None:
            wide = [low + (self.below - low) * Exact(2 * i + 1, 2 * count) for i in range(count)]
        elif low is not None and low >= 0:
            wide = [low + Exact(2) ** k for k in range(-4, 5)]
        else:
            wide = [value - 1, value + 1, -value, 2 * value]
        found = []
        for x in dict.fromkeys(wide):
            try:
                found.append(self.validate(x, "value"))
            except BadInput:
                continue
        return [x for x in found if x != value]


def real(*, above: object = None, least: object = None, below: object = None) -> Domain:
    """Real numbers within bounds."""
    return Domain(False, *(None if x is None else exact(x) for x in (above, least, below)))


def whole(least: int = 1) -> Domain:
    """Whole numbers from `least` on."""
    return Domain(True, None, exact(least), None)


DEFAULTS = {"eps": real(above=0), "delta": real(above=0, below=1), "rho": real(above=0), "mu": real(above=0),
            "alpha": real(above=0)}  # fmt: skip
"""Domains of the parameters that carry a fixed meaning; any other parameter is a real number unless declared."""
