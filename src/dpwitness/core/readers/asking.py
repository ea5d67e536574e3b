"""Tests of data that are one test for real numbers, and two for Python: no run need come upon the inputs between.

``a + b >= 0.3`` and ``b >= 0.3 - a`` have the same answer in real numbers. Python rounds both sums, and for some data
the answers differ. What a program does there is nowhere in its paths. So tests are known by how their two sides were
computed: what was computed alike is rounded alike. Tests that look at draws are left out, since a draw falls between
two neighbouring doubles with a probability that no claim speaks of.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dpwitness.core.errors import OutsideFragment
from dpwitness.core.forms import Form
from dpwitness.core.readers.shipping import Shipping

ONE_TEST = (
    "two tests of the data that are one test for real numbers, and that Python's rounding may answer differently: keep "
    "the answer of the first"
)


@dataclass(frozen=True)
class Side:
    """One side of a comparison: its form, what Python has in its place, and how it was computed."""

    form: Form
    ships: Shipping
    way: int

    @property
    def rounded(self) -> bool:
        """Whether Python compares with another number than the form, or with one that data as doubles do not meet."""
        exact, number = self.form.value(), self.ships.number
        if number is None:
            return self.ships.rounded
        if isinstance(number, float):
            return exact is None or float(exact) != number
        return Fraction(float(number)) != number


@dataclass
class Tests:
    """The tests of one run."""

    ways: dict[tuple[Any, ...], int] = field(default_factory=dict)
    known: list[tuple[Form, frozenset[int], bool]] = field(default_factory=list)
    rounded: bool = False  # whether the test that is asked now is one of data that Python may round

    def way(self, *parts: Any) -> int:
        """A number that stands for a way to compute something: the same for the same parts."""
        return self.ways.setdefault(parts, len(self.ways))

    @contextmanager
    def asked(self, form: Form, sides: Sequence[Side]) -> Iterator[None]:
        """While a test ``form > 0`` of two sides is decided; raises where it is an earlier one but for rounding."""
        if not form.private or any(symbol.kind == "draw" for symbol in form.symbols()):
            yield
            return
        ways, rounded = frozenset(side.way for side in sides), any(side.rounded for side in sides)
        for other, others, rough in self.known:
            if (rounded or rough) and ways != others and proportional(form, other):
                raise OutsideFragment(ONE_TEST)
        self.known.append((form, ways, rounded))
        self.rounded = rounded
        try:
            yield
        finally:
            self.rounded = False


def proportional(one: Form, two: Form) -> bool:
    """Whether one form is a multiple of the other.

    >>> from dpwitness.core.forms import Symbol
    >>> x = Form.of_symbol(Symbol("input", 0, "q0"))
    >>> proportional(3 * x - 1, x - Fraction(1, 3)), proportional(3 * x - 1, x)
    (True, False)
    """
    if one.terms.keys() != two.terms.keys():
        return False
    return len({c / two.terms[mono] for mono, c in one.terms.items()}) == 1


__all__ = ["ONE_TEST", "Side", "Tests", "proportional"]
