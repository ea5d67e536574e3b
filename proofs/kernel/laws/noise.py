"""Noise laws by name, with exact parameters and their privacy curves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpwitness.proofs.kernel.algebra.expr import parse
from dpwitness.proofs.kernel.algebra.values import over
from dpwitness.proofs.kernel.arith import MAX_BITS, Rejected, ball, enclose, number, sign, text
from dpwitness.proofs.kernel.laws.curves import CURVES, INTEGER_LAWS, Value, pure_loss

PARAMETERS = {
    "laplace": ("scale",),
    "exponential": ("scale",),
    "gaussian": ("variance",),
    "uniform": ("width",),
    "discrete_laplace": ("scale",),
    "discrete_gaussian": ("variance",),
    "staircase": ("eps", "sensitivity", "split"),
    "admissible": ("gamma", "scale"),
}
SIZES = {("laplace", "scale"), ("exponential", "scale"), ("gaussian", "variance")}  # more of it is more noise
WIDTH = Fraction(1, 10**30)  # relative width to which an irrational size is enclosed


@dataclass(frozen=True)
class NoiseLaw:
    """A noise law by name with exact parameters.

    >>> NoiseLaw("laplace", {"scale": Fraction(2)}).loss(Fraction(1))
    Fraction(1, 2)
    """

    name: str
    params: Mapping[str, Fraction]

    def __post_init__(self) -> None:
        if self.name not in PARAMETERS or set(self.params) != set(PARAMETERS[self.name]):
            raise Rejected(f"{self.name!r} with {sorted(self.params)} is not a known noise law")
        for key, value in self.params.items():
            if value <= 0 and key != "split":
                raise Rejected(f"{key}={value} must be positive")
        if self.params.get("gamma", Fraction(2)) <= 1:
            raise Rejected(f"gamma={self.params['gamma']} must exceed 1: the density does not integrate")
        if not 0 <= self.params.get("split", Fraction(0)) <= 1:
            raise Rejected(f"split={self.params['split']} must lie in [0, 1]")

    @staticmethod
    def from_json(value: object, *, up: bool = False) -> NoiseLaw:
        """Read ``{"name": "laplace", "scale": "2"}``.

        The size of Laplace, exponential and normal noise may be a formula, such as ``"sqrt(2)"``. It is rounded down,
        or (`up`) up: a shift is a smaller one in units of larger noise, and all curves and losses grow with the shift.
        So less noise proves for more, and more noise refutes for less.
        """
        if not isinstance(value, Mapping) or not isinstance(value.get("name"), str):
            raise Rejected("a law is an object with a name and its parameters")
        name = value["name"]
        return NoiseLaw(name, {key: _size(name, key, item, up) for key, item in value.items() if key != "name"})

    def to_json(self) -> dict[str, str]:
        """The law as a JSON object."""
        return {"name": self.name, **{key: text(value) for key, value in self.params.items()}}

    def curve(self, shift: Fraction, eps: Fraction) -> Value:
        """H_ε of a shift, the larger of the two orders; also the largest over all shifts of at most that size."""
        if shift < 0 or eps < 0:
            raise Rejected("shift and epsilon must not be negative")
        return CURVES[self.name](self.params, shift, eps)

    def loss(self, shift: Fraction) -> Any:
        """The pure loss: exact, a function that encloses it, or None where it is infinite."""
        if self.name in INTEGER_LAWS and shift.denominator != 1:
            raise Rejected(f"the shift {shift} of an integer law is not a whole number: the supports are disjoint")
        return pure_loss(self.name, self.params, shift)

    def __str__(self) -> str:
        return f"{self.name}({', '.join(f'{key}={text(value)}' for key, value in self.params.items())})"


def _size(name: str, key: str, source: object, up: bool) -> Fraction:
    if (name, key) not in SIZES or not isinstance(source, str) or not any(c.isalpha() for c in source):
        return number(source)
    expr = parse(source, frozenset())
    if expr.op == "num":
        return expr.value

    def value() -> Any:
        found = over(expr, {})
        return found.lo.union(found.hi)

    return enclose(value, WIDTH)[1 if up else 0]


def at_most(value: Value, bound: Fraction) -> bool:
    """Whether a value is ≤ bound, decided exactly or by enclosures (then equality stays undecided and raises)."""
    if isinstance(value, tuple):
        top, bottom = value
        return (top - bound * bottom).sign() * bottom.sign() <= 0
    return sign(lambda: value() - ball(bound), cap=MAX_BITS // 4) < 0


def enclosure(value: Value, relative: Fraction = Fraction(1, 10**15)) -> tuple[Fraction, Fraction]:
    """A rational enclosure of a value."""
    if isinstance(value, tuple):
        top, bottom = value
        if top.sign() == 0:
            return Fraction(0), Fraction(0)
        if top.rational is not None and bottom.rational is not None:
            return (top.rational / bottom.rational,) * 2
        return enclose(lambda: top.ball() / bottom.ball(), relative, cap=MAX_BITS)
    return enclose(value, relative, cap=MAX_BITS)
