"""A small interpreter of the program's syntax tree over symbolic values.

Nothing of the program is executed: each node of the syntax tree is read here, and a node without a rule is refused.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Literal, get_args

from dpwitness.core.errors import OutsideFragment
from dpwitness.proofs.anyn.reading.arithmetic import COMPARISONS, Arithmetic
from dpwitness.proofs.anyn.reading.numbers import Number, floating, whole
from dpwitness.proofs.anyn.reading.source import Source, refuse
from dpwitness.proofs.anyn.reading.syntax import DRAWS, NOTHING, noise_call
from dpwitness.proofs.anyn.reading.values import (
    INFINITE,
    INFINITY,
    MINUS_INFINITY,
    UNBOUND,
    Fails,
    Law,
    Listing,
    Mark,
    Run,
    Value,
    listings,
)
from dpwitness.proofs.kernel.algebra.laurent import Poly
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.loops.trees import QUERIES

MAX_UNROLLED = 64
Env = dict[str, Value]
Signal = tuple[Literal["next", "break", "continue", "return"], Value]
_NEXT: Signal = ("next", None)


class Interpreter(Arithmetic):
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
            return ("return", None if node.value is None else self.released(self.value(node.value)))
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
        if isinstance(old, Listing):
            if not isinstance(new, Listing) or not isinstance(node.op, ast.Add):
                refuse("an operation on a list", node)
            self.grow(old, list(new.parts))
            return _NEXT
        self.env[node.target.id] = self.binary(node.op, old, new)
        return _NEXT

    def unrolled(self, node: ast.For) -> Signal:
        """A loop inside the loop: only over ``range`` with known numbers."""
        call = node.iter
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "range"):
            refuse("a loop inside another loop or test, other than over a range of known numbers", node)
        bounds = [self.number(self.value(a)).python() for a in call.args]
        if not bounds or len(bounds) > 3 or any(type(b) is not int for b in bounds):
            refuse("an inner loop whose length is not a known number", node)
        if bounds[2:] == [0]:
            raise Fails("a range with the step zero")
        steps = range(*(b for b in bounds if isinstance(b, int)))
        if len(steps) > MAX_UNROLLED:
            refuse(f"an inner loop of more than {MAX_UNROLLED} steps", node)
        for k in steps:
            self.bind(node.target, whole(k))
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
            return self.binary(node.op, self.value(node.left), self.value(node.right))
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
            return Listing([self.released(self.value(e)) for e in node.elts])
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
            return whole(value)
        if isinstance(value, float) and math.isfinite(value):
            return floating(value)
        refuse(f"the constant {value!r}", node)

    def name(self, name: str) -> Value:
        value = self.env.get(name, UNBOUND)
        if value is UNBOUND:
            raise Fails("the largest of no values" if name == NOTHING else f"{name} may be unbound")
        return value

    def released(self, value: Value) -> Value:
        """A value that becomes part of the output."""
        if isinstance(value, tuple):
            for part in value:
                self.released(part)
        elif isinstance(value, Mark):
            raise OutsideFragment("an infinite number is released")
        elif isinstance(value, Number):
            value.poly.linear()
        return value

    def unary(self, node: ast.UnaryOp) -> Value:
        value = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            return not self.truth(value)
        if isinstance(node.op, ast.USub) and isinstance(value, Mark) and value in INFINITE:
            return MINUS_INFINITY if value is INFINITY else INFINITY
        number = self.number(value)
        return self.negated(number) if isinstance(node.op, ast.USub) else number

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

    def call(self, node: ast.Call) -> Value:
        draw = noise_call(node, self.source, *DRAWS)
        if draw is not None:
            scale = self.value(draw.args[0] if draw.args else draw.keywords[0].value)
            if isinstance(scale, bool):
                raise Fails("a truth value is used as a scale")
            name = draw.func.attr if isinstance(draw.func, ast.Attribute) else ""
            law: Law = next(kind for kind in get_args(Law) if kind == name)
            made = self.run.draw(law, self.number(scale).poly)
            return Number(made, "data" if law == "discrete_laplace" else "real")
        if noise_call(node, self.source, "argmax", "max"):
            position, best = self.largest(node, node.args, ast.Gt())
            return best if node.func.attr == "max" else whole(position)  # type: ignore[attr-defined]
        if isinstance(node.func, ast.Attribute):
            return self.extend(node)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name == "len":
            argument = node.args[0] if len(node.args) == 1 else None
            if isinstance(argument, ast.Name) and argument.id == self.source.queries:
                return Number(Poly.symbol(QUERIES), "int")
            refuse("the length of something other than the queries", node)
        if name == "abs" and len(node.args) == 1:
            value = self.number(self.value(node.args[0]))
            if value.literal is not None:
                return floating(abs(float(value.literal)))
            return value if self.related(">=", value, whole(0)) else self.negated(value)
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
        values = [self.value(a) for a in args]
        best = 0
        for k in range(1, len(values)):
            if self.related(COMPARISONS[type(op)], self.number(values[k]), self.number(values[best])):
                best = k
        self.number(values[best])
        return best, values[best]

    def extend(self, node: ast.Call) -> Value:
        """``out.append(value)`` and ``out.extend([values])``."""
        method = node.func
        if not (isinstance(method, ast.Attribute) and isinstance(method.value, ast.Name)):
            refuse(f"a call of {ast.unparse(node.func)}", node)
        target = self.name(method.value.id)
        if not isinstance(target, Listing):
            refuse(f"{method.value.id} is not a list", node)
        value = self.value(node.args[0])
        if method.attr == "append":
            self.grow(target, [value])
        elif isinstance(node.args[0], ast.List | ast.Tuple):
            self.grow(target, list(value.parts if isinstance(value, Listing) else value))  # type: ignore[arg-type]
        else:
            refuse("a list is extended by something other than a list of values", node)
        return None

    def grow(self, target: Listing, parts: list[Value]) -> None:
        """Add to a list in place."""
        for part in parts:
            self.released(part)
            if any(inner is target for inner in listings(part)):
                raise OutsideFragment("a list that holds itself")
        target.parts += parts

    def answer(self, node: ast.Subscript) -> Value:
        """``queries[index]``; an index that may be out of range fails."""
        index = self.number(self.value(node.slice))
        if index.private:
            refuse("a query is chosen by a private value", node)
        if not self.is_whole(index):
            refuse("a query is chosen by a number that is not known to be whole", node)
        last = Number(Poly.symbol(QUERIES) - 1, "int")
        inside = self.in_range(index.poly)
        if not inside and not (self.related(">=", index, whole(0)) and self.related(">=", last, index)):
            raise Fails("an index may be out of range")
        return Number(self.run.read(index.poly), "data")
