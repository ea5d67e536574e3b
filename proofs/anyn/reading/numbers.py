"""Numbers as the front end sees them: an exact formula, and how Python computes it.

A proof speaks of exact numbers, the program computes with Python's. The two are the same up to rounding, or the program
is refused: a constant is computed both ways; a public test on rounded numbers, a sum in which terms cancel so that
rounding may be all that is left, and factors so large or small that rounding counts are refused.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from dpwitness.core.errors import OutsideFragment
from dpwitness.proofs.kernel.algebra.laurent import Poly

Kind = Literal["int", "param", "exact", "float", "mixed", "data", "real", "blend"]
ROUNDED = ("float", "mixed", "real", "blend", "data")
LARGEST = 2**24
MAX_TERMS = 200
MAX_BITS = 4000
_CLOSE = Fraction(1, 2**40)
_PYTHON: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "%": operator.mod,
    "//": operator.floordiv, "**": operator.pow,
}  # fmt: skip


@dataclass(frozen=True)
class Number:
    """An exact formula with the kind of number that Python computes (see `dpwitness.proofs.kernel.loops.trees`).

    Attributes
    ----------
    literal
        The text of Python's own value, where the number is a float without symbols.
    given
        Whether it is a parameter as it was passed: ``3 * eps - eps - eps`` is eps too, and Python rounds it.
    whole
        Whether it was computed from whole numbers by steps that Python does not round.
    """

    poly: Poly
    kind: Kind
    literal: str | None = None
    given: bool = False
    whole: bool = False

    @property
    def private(self) -> bool:
        """Whether it depends on the data or on draws."""
        return self.poly.private

    @property
    def unrounded(self) -> bool:
        """Whether Python has this very number, at every value of the parameters."""
        return self.kind == "int" or self.whole

    def python(self) -> int | float | None:
        """The number as Python has it, where it is a constant."""
        value = self.poly.value()
        if value is None or self.kind not in ("int", "float"):
            return None
        if self.kind == "int":
            return int(value)
        return None if self.literal is None else float(self.literal)


def whole(value: int) -> Number:
    """An int."""
    return Number(Poly.constant(value), "int")


def floating(value: float) -> Number:
    """A float, read by its decimal text."""
    return Number(Poly.constant(Fraction(repr(value))), "float", repr(value))


def joined(first: Kind, second: Kind) -> Kind:
    """The kind of a variable that is one or the other."""
    if first == second:
        return first
    kinds = {first, second}
    if kinds & {"data", "real", "blend"}:
        return "blend"
    return "mixed" if kinds & {"float", "mixed"} else "exact"


def kind_of(op: str, a: Number, b: Number) -> Kind:
    """The kind of ``a op b``."""
    kinds = {a.kind, b.kind}
    if a.private or b.private:
        if kinds & {"real", "float"}:
            return "real"
        return "data" if op in "+-*" and kinds <= {"data", "int"} else "blend"
    if kinds & {"data", "real", "blend"}:  # a variable that is private elsewhere
        return "blend"
    if "float" in kinds or (kinds == {"int"} and (op == "/" or (op == "**" and _negative(b)))):
        return "float"
    if "mixed" in kinds or op == "/":  # a parameter may be a float: 1 / eps is rounded
        return "mixed"
    if op == "**":
        return "mixed" if a.kind == "exact" and _negative(b) else a.kind
    if op == "//":
        return "int"
    return "int" if kinds == {"int"} else "param" if "param" in kinds else "exact"


def _negative(number: Number) -> bool:
    value = number.poly.value()
    return value is None or value < 0


def computed(op: str, a: Number, b: Number, poly: Poly) -> Number:
    """``a op b``, whose exact value is `poly`; refused where Python's result may be another one beyond rounding."""
    kind = kind_of(op, a, b)
    left, right = a.python(), b.python()
    if left is not None and right is not None and kind in ("int", "float"):
        return _constant(op, left, right, poly)
    if kind in ROUNDED:
        _check_rounding(op, a.poly, b.poly, poly)
    steps = op in ("+", "-", "*", "%", "//") or (op == "**" and not _negative(b))
    return _small(Number(poly, kind, whole=steps and a.unrounded and b.unrounded))


def _constant(op: str, left: float, right: float, poly: Poly) -> Number:
    """Two constants: Python's own result, which must be the exact one up to rounding."""
    exact = poly.value()
    try:
        result = _PYTHON[op](left, right)
        there = Fraction(result)
    except (ArithmeticError, ValueError, TypeError):
        raise OutsideFragment(f"{left!r} {op} {right!r} cannot be computed") from None
    assert exact is not None
    if isinstance(result, int) and not isinstance(result, bool):
        same = there == exact
    else:
        same = abs(there - exact) <= _CLOSE * abs(exact)
    if not same:
        raise OutsideFragment(f"{left!r} {op} {right!r} is {result!r} in Python, but {float(exact)} exactly")
    return _small(Number(poly, "float", repr(result)) if isinstance(result, float) else Number(poly, "int"))


def _check_rounding(op: str, a: Poly, b: Poly, result: Poly) -> None:
    if op in "+-" and (lost := [m for p in (a, b) for m in p.terms if m not in result.terms]):
        what = " ".join(s for s, _ in lost[0]) or "constants"
        raise OutsideFragment(f"{what} cancel in a sum of rounded numbers: what is left depends on rounding")
    if op == "*" and not result:
        raise OutsideFragment("a rounded number is multiplied by zero: the sign of the zero would be released")
    for value in result.terms.values():
        if not Fraction(1, LARGEST) <= abs(value) <= LARGEST:
            raise OutsideFragment(f"the factor {float(value):g} in a rounded number: rounding may count")


def _small(number: Number) -> Number:
    """The number, refused where it has grown beyond what a proof could handle."""
    terms = number.poly.terms.values()
    bits = max((c.numerator.bit_length() + c.denominator.bit_length() for c in terms), default=0)
    if len(terms) > MAX_TERMS or bits > MAX_BITS:
        raise OutsideFragment("a formula that grows too large")
    return number


def decided(op: str, a: Number, b: Number) -> bool | None:
    """The outcome of a comparison that is the same in every run; None where the exact difference decides.

    Public numbers that Python rounds are compared only where both are constants and rounding does not matter.
    """
    left, right = a.python(), b.python()
    compare = {">=": operator.ge, ">": operator.gt, "<=": operator.le, "<": operator.lt, "==": operator.eq}[op]
    if left is not None and right is not None:
        outcome = bool(compare(left, right))
        if outcome != compare((a.poly - b.poly).value() or Fraction(0), 0):
            raise OutsideFragment(f"{left!r} {op} {right!r} is {outcome} in Python, but not exactly")
        return outcome
    difference = a.poly - b.poly
    if a.private or b.private:
        if not difference.private:
            raise OutsideFragment("a test of private values that are equal up to rounding")
        return None
    if {a.kind, b.kind} & {*ROUNDED}:
        raise OutsideFragment("a test of a public number that Python rounds")
    value = difference.value()
    return None if value is None else bool(compare(value, 0))
