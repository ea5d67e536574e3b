"""A small interpreter of the program's syntax tree over symbolic values.

Nothing of the program is executed: each node of the syntax tree is read here, and a node without a rule is refused.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Literal, get_args

from dpwitness.core.errors import OutsideFragment
from dpwitness.proofs.anyn.source import Source, refuse
from dpwitness.proofs.anyn.syntax import DRAWS, noise_call
from dpwitness.proofs.anyn.values import (
    INFINITE,
    INFINITY,
    LIST,
    MINUS_INFINITY,
    UNBOUND,
    Fails,
    Kind,
    Mark,
    Run,
    Value,
)
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.laurent import Poly
from dpwitness.proofs.kernel.loops import QUERIES

MAX_UNROLLED = 64
MAX_TERMS = 200
MAX_BITS = 4000
Env = dict[str, Value]
Signal = tuple[Literal["next", "break", "continue", "return"], Value]
_NEXT: Signal = ("next", None)


class Interpreter:
    """Runs statements and expressions in an environment, recording into a `Run`."""

    def __init__(self, source: Source, run: Run, env: Env, in_range: Callable[[Poly], bool] = lambda _: False) -> None:
        self.source, self.run, self.env = source, run, env
        self.in_range = in_range

    # statements

    def block(self, body: list[ast.stmt]) -> Signal:
        """Run statements until one of them leaves the block."""
        for node in body:
            try:
                signal = self.statement(node)
            except OutsideFragment as error:
                if error.line is None:
                    refuse(error.reason, node)
                raise
            except Rejected as error:
                refuse(str(error), node)
            except Fails as error:
                error.line = error.line or node.lineno
                raise
            if signal[0] != "next":
                return signal
        return _NEXT

    def statement(self, node: ast.stmt) -> Signal:
        """Run one statement."""
        if isinstance(node, ast.Assign):
            value = self.value(node.value)
            for target in node.targets:
                self.bind(target, value)
            return _NEXT
        if isinstance(node, ast.AugAssign):
            return self.augment(node)
        if isinstance(node, ast.If):
            return self.block(node.body if self.truth(self.value(node.test)) else node.orelse)
        if isinstance(node, ast.Return):
            returned = None if node.value is None else self.value(node.value)
            self.run.effects.append(("return", returned))
            return ("return", returned)
        if isinstance(node, ast.Break):
            return ("break", None)
        if isinstance(node, ast.Continue):
            return ("continue", None)
        if isinstance(node, ast.Pass):
            return _NEXT
        if isinstance(node, ast.Expr):
            self.value(node.value)
            return _NEXT
        if isinstance(node, ast.For):
            return self.unrolled(node)
        refuse(f"{type(node).__name__} inside the program", node)

    def bind(self, target: ast.expr, value: Value) -> None:
        """Assign to a name or to a tuple of names."""
        if isinstance(target, ast.Name):
            self.env[target.id] = value
            if value is LIST:
                self.run.effects.append(("list", target.id, target.lineno, target.col_offset))
        elif isinstance(target, ast.Tuple) and isinstance(value, tuple) and len(target.elts) == len(value):
            for part, item in zip(target.elts, value, strict=True):
                self.bind(part, item)
        else:
            refuse("an assignment to something other than names", target)

    def augment(self, node: ast.AugAssign) -> Signal:
        if not isinstance(node.target, ast.Name):
            refuse("an assignment to something other than names", node)
        old = self.name(node.target.id)
        new = self.value(node.value)
        if old is LIST:
            if new is not LIST or not isinstance(node.op, ast.Add):
                refuse("an operation on a list", node)
            self.run.effects.append(("grown", node.target.id))
            return _NEXT
        self.env[node.target.id] = self.small(self.binary(node.op, old, new))
        return _NEXT

    def unrolled(self, node: ast.For) -> Signal:
        """A loop inside the loop: only over ``range`` with known numbers."""
        call = node.iter
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "range"):
            refuse("a loop inside another loop or test, other than over a range of known numbers", node)
        bounds = [self.number(self.value(a)).value() for a in call.args]
        if not bounds or len(bounds) > 3 or any(b is None or b.denominator != 1 for b in bounds):
            refuse("an inner loop whose length is not a known number", node)
        steps = range(*(int(b) for b in bounds if b is not None))
        if len(steps) > MAX_UNROLLED:
            refuse(f"an inner loop of more than {MAX_UNROLLED} steps", node)
        for k in steps:
            self.bind(node.target, Poly.constant(k))
            signal = self.block(node.body)
            if signal[0] == "break":
                break
            if signal[0] == "return":
                return signal
        return _NEXT

    # expressions

    def value(self, node: ast.expr) -> Value:
        """The value of an expression."""
        if isinstance(node, ast.Constant):
            return self.constant(node)
        if isinstance(node, ast.Name):
            return self.name(node.id)
        if isinstance(node, ast.BinOp):
            return self.small(self.binary(node.op, self.value(node.left), self.value(node.right)))
        if isinstance(node, ast.UnaryOp):
            return self.unary(node)
        if isinstance(node, ast.BoolOp):
            return self.boolean(node)
        if isinstance(node, ast.Compare):
            return self.comparison(node)
        if isinstance(node, ast.IfExp):
            return self.value(node.body if self.truth(self.value(node.test)) else node.orelse)
        if isinstance(node, ast.Tuple):
            return tuple(self.value(e) for e in node.elts)
        if isinstance(node, ast.List):
            parts = tuple(self.value(e) for e in node.elts)
            self.run.release(parts)
            self.run.effects.append(("made", parts))
            return LIST
        if isinstance(node, ast.Call):
            return self.call(node)
        if isinstance(node, ast.Subscript):
            return self.answer(node)
        refuse(f"{type(node).__name__} in an expression", node)

    def constant(self, node: ast.Constant) -> Value:
        value = node.value
        if value is None or isinstance(value, bool | str):
            return value
        if isinstance(value, int):
            return Poly.constant(value)
        if isinstance(value, float) and math.isfinite(value):
            return Poly.constant(Fraction(repr(value)))
        refuse(f"the constant {value!r}", node)

    def name(self, name: str) -> Value:
        value = self.env.get(name, UNBOUND)
        if value is UNBOUND:
            raise Fails(f"{name} may be unbound")
        if value is LIST:
            self.run.effects.append(("uses", name))  # which list it is counts when paths are compared
        return value

    def number(self, value: Value) -> Poly:
        """A value as a number; None fails as it does in Python."""
        if isinstance(value, bool):
            return Poly.constant(int(value))
        if isinstance(value, Poly):
            return value
        if value is None:
            raise Fails("None is used as a number")
        shown = value.name if isinstance(value, Mark) else type(value).__name__
        raise OutsideFragment(f"a value of type {shown} is used as a number")

    def binary(self, op: ast.operator, left: Value, right: Value) -> Value:
        if isinstance(op, ast.Add) and left is LIST and right is LIST:
            return LIST
        a, b = self.number(left), self.number(right)
        if isinstance(op, ast.Add):
            return a + b
        if isinstance(op, ast.Sub):
            return a - b
        if isinstance(op, ast.Mult):
            if a.private and b.private:
                raise OutsideFragment("a product of two private values")
            return a * b
        if isinstance(op, ast.Div):
            return a * self.run.facts.inverse(b)
        if isinstance(op, ast.Pow):
            power = b.value()
            if power is None or power.denominator != 1 or abs(power) > 8 or (a.private and power != 1):
                raise OutsideFragment("a power that is not a small known number, or of a private value")
            return (self.run.facts.inverse(a) if power < 0 else a).power(abs(int(power)))
        if isinstance(op, ast.Mod | ast.FloorDiv):
            return self.opaque("%" if isinstance(op, ast.Mod) else "//", a, b)
        raise OutsideFragment(f"the operation {type(op).__name__}")

    def small(self, value: Value) -> Value:
        """The value, refused where it has grown beyond what a proof could handle."""
        if isinstance(value, Poly):
            bits = max((c.numerator.bit_length() + c.denominator.bit_length() for c in value.terms.values()), default=0)
            if len(value.terms) > MAX_TERMS or bits > MAX_BITS:
                raise OutsideFragment("a formula that grows too large")
        return value

    def opaque(self, op: str, a: Poly, b: Poly) -> Poly:
        """``a % b`` and ``a // b``: exact for numbers, else a public number of which nothing is known."""
        if a.private or b.private:
            raise OutsideFragment(f"{op} of a private value")
        left, right = a.value(), b.value()
        if right == 0:
            raise Fails("division by zero")
        if left is not None and right is not None:
            return Poly.constant(left % right if op == "%" else left // right)
        if right is None and not self.run.facts.surely_positive(b):
            raise OutsideFragment(f"{op} by {b}, which is not known to be positive")
        return self.run.facts.atom(op, a, b)

    def unary(self, node: ast.UnaryOp) -> Value:
        value = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            return not self.truth(value)
        if isinstance(node.op, ast.USub) and isinstance(value, Mark) and value in INFINITE:
            return MINUS_INFINITY if value is INFINITY else INFINITY
        return -self.number(value) if isinstance(node.op, ast.USub) else self.number(value)

    def truth(self, value: Value) -> bool:
        """Whether a value counts as true."""
        if isinstance(value, Poly):
            return not self.run.zero(value)
        if value is None or isinstance(value, bool | str):
            return bool(value)
        raise OutsideFragment("the truth value of a list or tuple")

    def boolean(self, node: ast.BoolOp) -> Value:
        value: Value = None
        for part in node.values:
            value = self.value(part)
            if part is not node.values[-1] and self.truth(value) == isinstance(node.op, ast.Or):
                return value
        return value

    def comparison(self, node: ast.Compare) -> bool:
        left = self.value(node.left)
        for op, part in zip(node.ops, node.comparators, strict=True):
            right = self.value(part)
            if not self.compare(op, left, right):
                return False
            left = right
        return True

    def compare(self, op: ast.cmpop, left: Value, right: Value) -> bool:
        if isinstance(op, ast.Is | ast.IsNot):
            return (left is None) == isinstance(op, ast.Is)
        if left is LIST or right is LIST or isinstance(left, tuple) or isinstance(right, tuple):
            raise OutsideFragment("a comparison of lists or tuples")
        if isinstance(op, ast.Eq | ast.NotEq):
            return self.equal(left, right) == isinstance(op, ast.Eq)
        if left in INFINITE or right in INFINITE:
            return self.infinite(op, left, right)
        a, b = self.number(left), self.number(right)
        if isinstance(op, ast.GtE):
            return self.run.nonnegative(a - b)
        if isinstance(op, ast.LtE):
            return self.run.nonnegative(b - a)
        if isinstance(op, ast.Gt):
            return not self.run.nonnegative(b - a)
        if isinstance(op, ast.Lt):
            return not self.run.nonnegative(a - b)
        raise OutsideFragment(f"the comparison {type(op).__name__}")

    def equal(self, left: Value, right: Value) -> bool:
        if left is None or right is None or isinstance(left, str) or isinstance(right, str):
            return type(left) is type(right) and left == right
        if left in INFINITE or right in INFINITE:
            return left == right
        return self.run.zero(self.number(left) - self.number(right))

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

    def call(self, node: ast.Call) -> Value:
        draw = noise_call(node, self.source, *DRAWS)
        if draw is not None:
            scale = self.number(self.value(draw.args[0] if draw.args else draw.keywords[0].value))
            name = draw.func.attr if isinstance(draw.func, ast.Attribute) else ""
            return self.run.draw(next(kind for kind in get_args(Kind) if kind == name), scale)
        if noise_call(node, self.source, "argmax", "max"):
            position, best = self.largest(node, node.args, ast.Gt())
            return best if node.func.attr == "max" else Poly.constant(position)  # type: ignore[attr-defined]
        if isinstance(node.func, ast.Attribute):
            return self.extend(node)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name == "len":
            argument = node.args[0] if len(node.args) == 1 else None
            if isinstance(argument, ast.Name) and argument.id == self.source.queries:
                return Poly.symbol(QUERIES)
            refuse("the length of something other than the queries", node)
        if name == "abs" and len(node.args) == 1:
            value = self.number(self.value(node.args[0]))
            return value if self.run.nonnegative(value) else -value
        if name in ("max", "min") and node.args:
            return self.largest(node, node.args, ast.Gt() if name == "max" else ast.Lt())[1]
        if name == "float" and len(node.args) == 1 and isinstance(node.args[0], ast.Constant):
            known = {"inf": INFINITY, "-inf": MINUS_INFINITY}
            text = node.args[0].value
            if isinstance(text, str) and text in known:
                return known[text]
        refuse(f"a call of {ast.unparse(node.func)}", node)

    def largest(self, node: ast.Call, args: list[ast.expr], op: ast.cmpop) -> tuple[int, Value]:
        """Position and value of the first largest (or smallest) of a few values."""
        if len(args) == 1:
            if not isinstance(args[0], ast.List | ast.Tuple):
                refuse(f"{ast.unparse(node.func)} of something other than a few listed values", node)
            args = args[0].elts
        if not args:
            raise Fails("the largest of no values")
        values = [self.number(self.value(a)) for a in args]
        best = 0
        for k in range(1, len(values)):
            if self.compare(op, values[k], values[best]):
                best = k
        return best, values[best]

    def extend(self, node: ast.Call) -> Value:
        """``out.append(value)`` and ``out.extend([values])``."""
        method = node.func
        if not (isinstance(method, ast.Attribute) and isinstance(method.value, ast.Name)):
            refuse(f"a call of {ast.unparse(node.func)}", node)
        if self.name(method.value.id) is not LIST:
            refuse(f"{method.value.id} is not a list", node)
        if method.attr == "extend" and not isinstance(node.args[0], ast.List | ast.Tuple):
            refuse("a list is extended by something other than a list of values", node)
        value = self.value(node.args[0])
        self.run.release(value)
        self.run.effects.append((method.attr, method.value.id, value))
        return None

    def answer(self, node: ast.Subscript) -> Value:
        """``queries[index]``; an index that may be out of range fails."""
        index = self.number(self.value(node.slice))
        if index.private:
            refuse("a query is chosen by a private value", node)
        last = Poly.symbol(QUERIES) - 1
        if not (self.in_range(index) or (self.run.nonnegative(index) and self.run.nonnegative(last - index))):
            raise Fails("an index may be out of range")
        return self.run.read(index)
