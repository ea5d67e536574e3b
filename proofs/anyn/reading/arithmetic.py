"""Arithmetic and comparisons of the interpreter: what Python does with the values of a symbolic run."""

from __future__ import annotations

import ast

from dpwitness.core.errors import OutsideFragment
from dpwitness.proofs.anyn.reading.numbers import Number, computed, decided, whole
from dpwitness.proofs.anyn.reading.values import INFINITE, Fails, Listing, Mark, Run, Value
from dpwitness.proofs.kernel.algebra.laurent import Poly

OPERATIONS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Mod: "%", ast.FloorDiv: "//", ast.Pow: "**",
}  # fmt: skip
COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Gt: ">", ast.GtE: ">=", ast.Lt: "<", ast.LtE: "<=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip


class Arithmetic:
    """Operations on values, recorded into a `Run` where they fork."""

    run: Run

    def number(self, value: Value) -> Number:
        """A value as a number; None fails as it does in Python."""
        if isinstance(value, bool):
            return whole(int(value))
        if isinstance(value, Number):
            return value
        if value is None:
            raise Fails("None is used as a number")
        shown = value.name if isinstance(value, Mark) else type(value).__name__.lower()
        raise OutsideFragment(f"a value of type {shown} is used as a number")

    def binary(self, op: ast.operator, left: Value, right: Value) -> Value:
        if isinstance(op, ast.Add) and isinstance(left, Listing) and isinstance(right, Listing):
            return Listing([*left.parts, *right.parts])
        name = OPERATIONS.get(type(op))
        if name is None:
            raise OutsideFragment(f"the operation {type(op).__name__}")
        a, b = self.number(left), self.number(right)
        return computed(name, a, b, self.exact(name, a, b))

    def exact(self, op: str, a: Number, b: Number) -> Poly:
        """The exact value of ``a op b``."""
        if op == "+":
            return a.poly + b.poly
        if op == "-":
            return a.poly - b.poly
        if op == "*":
            if a.private and b.private:
                raise OutsideFragment("a product of two private values")
            return a.poly * b.poly
        if op == "/":
            return a.poly * self.run.inverse(b.poly)
        if op == "**":
            power = b.python()
            if type(power) is not int or abs(power) > 8 or (a.private and power != 1):
                raise OutsideFragment("a power that is not a small whole number, or of a private value")
            return (self.run.inverse(a.poly) if power < 0 else a.poly).power(abs(power))
        return self.divided(op, a, b)

    def divided(self, op: str, a: Number, b: Number) -> Poly:
        """``a % b`` and ``a // b``: exact for numbers, else a public number of which only the definition is known."""
        if a.private or b.private:
            raise OutsideFragment(f"{op} of a private value")
        left, right = a.poly.value(), b.poly.value()
        if right == 0:
            raise Fails("division by zero")
        if left is not None and right is not None:
            return Poly.constant(left % right if op == "%" else left // right)
        if not (self.is_whole(a) and self.is_whole(b)):
            raise OutsideFragment(f"{op} of numbers that are not known to be whole")
        if not self.run.facts.known.surely_positive(b.poly):
            raise OutsideFragment(f"{op} by {b.poly}, which is not known to be positive")
        return self.run.define(op, a.poly, b.poly)

    def is_whole(self, number: Number) -> bool:
        """Whether Python has a whole number here, without rounding."""
        exact = number.kind in ("param", "exact") and self.run.facts.known.integral(number.poly)
        return number.kind == "int" or exact

    def negated(self, number: Number) -> Number:
        literal = None if number.literal is None else repr(-float(number.literal))
        return Number(-number.poly, number.kind, literal, whole=number.whole)

    def truth(self, value: Value) -> bool:
        """Whether a value counts as true."""
        if isinstance(value, Number):
            return not self.related("==", value, whole(0))
        if value is None or isinstance(value, bool | str):
            return bool(value)
        raise OutsideFragment("the truth value of a list or tuple")

    def compare(self, op: ast.cmpop, left: Value, right: Value) -> bool:
        if isinstance(op, ast.Is | ast.IsNot):
            return (left is None) == isinstance(op, ast.Is)
        if any(isinstance(side, Listing | tuple) for side in (left, right)):
            raise OutsideFragment("a comparison of lists or tuples")
        name = COMPARISONS.get(type(op))
        if name is None:
            raise OutsideFragment(f"the comparison {type(op).__name__}")
        if name in ("==", "!="):
            return self.equal(left, right) == (name == "==")
        if isinstance(left, Mark) or isinstance(right, Mark):
            return self.infinite(op, left, right)
        return self.related(name, self.number(left), self.number(right))

    def related(self, op: str, a: Number, b: Number) -> bool:
        """``a op b`` of numbers, by a fork where it is not the same in every run."""
        self._check_rounded(a, b)
        outcome = decided(op, a, b)
        if outcome is not None:
            return outcome
        difference = a.poly - b.poly
        if op == "==":
            return self.run.zero(difference)
        if op in (">=", "<="):
            return self.run.nonnegative(difference if op == ">=" else -difference)
        return not self.run.nonnegative(-difference if op == ">" else difference)

    def _check_rounded(self, a: Number, b: Number) -> None:
        """Refuse a public test of numbers that were computed from parameters: Python rounds them at some values.

        ``eps + eps + eps + eps + eps + eps < 6 * eps`` is never true of exact numbers, and of Python's at ε = 0.1.
        Whole numbers are not rounded, nor are parameters as they were given.
        """
        if a.private or b.private:
            return
        for side in (a, b):
            if not (side.given or side.unrounded or side.python() is not None):
                raise OutsideFragment("a public test of a number that Python rounds at some values of the parameters")

    def equal(self, left: Value, right: Value) -> bool:
        if left is None or right is None or isinstance(left, str) or isinstance(right, str):
            return type(left) is type(right) and left == right
        if isinstance(left, Mark) or isinstance(right, Mark):
            for side in (left, right):
                if not isinstance(side, Mark):
                    self.number(side)
            return left == right
        return self.related("==", self.number(left), self.number(right))

    def infinite(self, op: ast.cmpop, left: Value, right: Value) -> bool:
        """Compare with an infinity: every number lies strictly between the two."""
        sides = []
        for value in (left, right):
            if isinstance(value, Mark) and value in INFINITE:
                sides.append(INFINITE[value])
            else:
                self.number(value)
                sides.append(0)
        a, b = sides
        return {ast.Gt: a > b, ast.GtE: a >= b, ast.Lt: a < b, ast.LtE: a <= b}[type(op)]
