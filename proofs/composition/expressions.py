"""Expressions of the syntax tree. Nothing of the program is executed: a node without a rule is refused."""

from __future__ import annotations

import ast
import builtins
import math
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from types import FunctionType
from typing import Any

from dpwitness.core import functions
from dpwitness.core.errors import OutsideFragment
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.numbers import Exact, exact
from dpwitness.proofs.anyn.reading.source import function_tree
from dpwitness.proofs.composition.builtins import BUILTINS
from dpwitness.proofs.composition.functions import Functions
from dpwitness.proofs.composition.records import PerCell, Rows, holds_cells
from dpwitness.proofs.composition.state import Env
from dpwitness.proofs.composition.syntax import words_for
from dpwitness.proofs.composition.values import (
    NOISE,
    Builtin,
    Foreign,
    Gone,
    Helper,
    Listing,
    Number,
    Refused,
    Test,
    Value,
    constant,
    refuse,
)
from dpwitness.proofs.kernel.arith import Rejected

OPERATORS: dict[type, str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.BitAnd: "&", ast.BitOr: "|",
}  # fmt: skip
COMPARISONS: dict[type, str] = {
    ast.Gt: ">", ast.GtE: ">=", ast.Lt: "<", ast.LtE: "<=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip


class Expressions(Functions):
    """The part of the reader that evaluates expressions in the variables `env`."""

    env: Env
    names: Mapping[str, Any]  # globals of the function that is read
    depth: int
    inline: Callable[..., Any]

    def value(self, node: ast.expr) -> Value:
        """The value of an expression."""
        rule = getattr(self, f"on_{type(node).__name__}", None)
        if rule is None:
            refuse(f"{words_for(node)} is not followed here", node.lineno)
        try:
            return rule(node)  # type: ignore[misc]
        except Refused as error:
            if error.line is None and not self.depth:
                raise Refused(error.reason, node.lineno) from None
            raise
        except Rejected as error:
            raise Refused(str(error), None if self.depth else node.lineno) from None

    def on_Constant(self, node: ast.Constant) -> Value:
        return self.translate(repr(node.value), node.value)

    def on_Name(self, node: ast.Name) -> Value:
        if node.id in self.env:
            value = self.env[node.id]
            if isinstance(value, Gone):
                refuse(f"{node.id} holds what one record left behind after a loop over the records")
            return value
        return self.outside(node.id)

    def outside(self, name: str) -> Value:
        """A global name."""
        if name in self.names:
            return self.translate(name, self.names[name])
        if name in BUILTINS:
            return Builtin(name)
        return refuse(f"the name {name} is not defined on every way to this place, or is not followed here")

    def translate(self, name: str, value: Any) -> Value:
        """A value from outside."""
        if value is None or isinstance(value, bool | str):
            return value
        if isinstance(value, functions.Irrational):
            return refuse(f"{name} is an irrational number: compute it inside the program")
        if isinstance(value, int | float | Fraction):
            if isinstance(value, float) and not math.isfinite(value):
                refuse(f"{name} is not finite")
            number = Fraction(repr(value)) if isinstance(value, float) else Fraction(value)
            shipped = value.shipped() if isinstance(value, Exact) else value
            return constant(number, whole=isinstance(shipped, int))
        if isinstance(value, tuple):
            return Listing([self.translate(f"{name}[{k}]", part) for k, part in enumerate(value)], "tuple", -1)
        if isinstance(value, list):
            return Listing([self.translate(f"{name}[{k}]", part) for k, part in enumerate(value)], "list", -1)
        for known in (functions.exp, functions.log, functions.sqrt, exact, Exact, Fraction):
            if value is known:
                return Builtin(known.__name__)
        if getattr(value, "__name__", None) in BUILTINS and getattr(builtins, value.__name__) is value:
            return Builtin(value.__name__)
        if isinstance(value, FunctionType) and value.__globals__.get("__name__", "").split(".")[0] not in (
            "numpy",
            "scipy",
        ):
            return self._helper(name, value)
        return Foreign(name, value)

    def _helper(self, name: str, value: FunctionType) -> Value:
        try:
            tree = function_tree(value)
        except OutsideFragment:
            return Foreign(name, value)
        return Helper(tree, value.__globals__, value)

    def on_Tuple(self, node: ast.Tuple) -> Value:
        return Listing([self.value(part) for part in node.elts], "tuple", self.inside)

    def on_List(self, node: ast.List) -> Value:
        return Listing([self.value(part) for part in node.elts], "list", self.inside)

    def on_Set(self, node: ast.Set) -> Value:
        return self.make_set([self.value(part) for part in node.elts])

    def on_BinOp(self, node: ast.BinOp) -> Value:
        if type(node.op) not in OPERATORS:
            refuse(f"the operator {type(node.op).__name__} is not followed here")
        return self.operate(OPERATORS[type(node.op)], self.value(node.left), self.value(node.right))

    def on_UnaryOp(self, node: ast.UnaryOp) -> Value:
        value = self.value(node.operand)
        if isinstance(node.op, ast.USub):
            return self.negate(value)
        if isinstance(node.op, ast.Not):
            return self._not(value)
        if isinstance(node.op, ast.UAdd):
            return value
        return refuse("the operator ~ is not followed here")

    def _not(self, value: Value) -> Value:
        flip = {">": "<=", ">=": "<", "==": "!=", "!=": "=="}
        if isinstance(value, Test) and value.op in ("==", "!="):
            return Test(flip[value.op], value.form, value.origin)
        if isinstance(value, PerCell):
            return self.per_cell(lambda v: not self.truth(v), value)
        return not self.truth(value)

    def on_BoolOp(self, node: ast.BoolOp) -> Value:
        wanted = isinstance(node.op, ast.Or)
        value: Value = None
        for k, part in enumerate(node.values):
            value = self.value(part)
            if k < len(node.values) - 1 and self.truth(value) == wanted:
                return value
        return value

    def on_Compare(self, node: ast.Compare) -> Value:
        left, result = self.value(node.left), True
        for k, (op, right) in enumerate(zip(node.ops, node.comparators, strict=True)):
            two = self.value(right)
            result = self._one_comparison(op, left, two)
            if k < len(node.ops) - 1 and not self.truth(result):
                return False
            left = two
        return result

    def _one_comparison(self, op: ast.cmpop, left: Value, right: Value) -> Value:
        if isinstance(op, ast.Is | ast.IsNot):
            if right is not None:
                refuse("identity of objects (is)")
            if isinstance(left, PerCell):
                return self.per_cell(lambda v: (v is None) == isinstance(op, ast.Is), left)
            return (left is None) == isinstance(op, ast.Is)
        if isinstance(op, ast.In | ast.NotIn):
            if isinstance(right, Rows):
                refuse(
                    "whether a record is in the data is private: count it, see noise.present, or write `if v in data:`"
                )
            found = self._contains(left, right)
            return found if isinstance(op, ast.In) else self._not(found)
        return self.compared(COMPARISONS[type(op)], left, right)

    def _contains(self, value: Value, container: Value) -> Value:
        if holds_cells(value) or holds_cells(container):
            return self.per_cell(self._contains, value, container)
        return any(self.truth(self.compared("==", value, item)) for item in self.items(container))

    def on_IfExp(self, node: ast.IfExp) -> Value:
        return self.value(node.body if self.truth(self.value(node.test)) else node.orelse)

    def on_Subscript(self, node: ast.Subscript) -> Value:
        return self.entry(self.value(node.value), node.slice)

    # comprehensions

    def on_ListComp(self, node: ast.ListComp) -> Value:
        return self.comprehension(node, node.elt)

    def on_SetComp(self, node: ast.SetComp) -> Value:
        found = self.comprehension(node, node.elt)
        return refuse("a set of records") if isinstance(found, Rows) else self.make_set(found.items)

    def comprehension(self, node: Any, element: ast.expr) -> Value:
        """A list, or rows where it runs over the data."""
        if any(g.is_async for g in node.generators) or any(isinstance(x, ast.Lambda) for x in ast.walk(node)):
            refuse("a lambda inside a comprehension")
        first = node.generators[0]
        source = self.value(first.iter)
        if isinstance(source, Rows):
            if len(node.generators) != 1:
                refuse("a comprehension over the data and something else: use two of them")
            self.release_names(node)
            test = None if not first.ifs else (lambda row: self._with(first.target, row, self._all(first.ifs)))
            return self.map_rows(source, lambda row: self._with(first.target, row, lambda: self.value(element)), test)
        return Listing(list(self._entries(node.generators, element, source)), "list", self.inside)

    def _all(self, tests: list[ast.expr]) -> Callable[[], Value]:
        def run() -> Value:
            value: Value = True
            for k, test in enumerate(tests):
                value = self.value(test)
                if k < len(tests) - 1 and not self.truth(value):
                    return False
            return value

        return run

    def _with(self, target: ast.expr, value: Value, function: Callable[[], Value]) -> Value:
        outer = self.env
        self.env = {**outer}
        try:
            self.bind(target, value)
            return function()
        finally:
            self.env = outer

    def _entries(self, generators: list[ast.comprehension], element: ast.expr, source: Value) -> Iterator[Value]:
        outer = self.env
        for item in self.each(source):
            self.env = {**outer}
            try:
                self.bind(generators[0].target, item)
                if all(self.truth(self.value(test)) for test in generators[0].ifs):
                    if len(generators) == 1:
                        yield self.value(element)
                    else:
                        inner = self.value(generators[1].iter)
                        if isinstance(inner, Rows):
                            refuse("a comprehension over the data and something else: use two of them")
                        yield from self._entries(generators[1:], element, inner)
            finally:
                self.env = outer

    def release_names(self, node: ast.AST) -> None:
        """Noisy numbers that a function of a record uses are released one by one, before it is looked at."""
        if self.inside:
            return
        found: list[Number] = []
        for name in sorted({x.id for x in ast.walk(node) if isinstance(x, ast.Name)} & set(self.env)):
            self._numbers(self.env[name], found, 0)
        noisy = [n for n in found if self.parts(self.settled(n.form))[1]]
        for number in sorted(noisy, key=lambda n: len(self.parts(self.settled(n.form))[1])):
            self.observe(number, "a function of one record")


__all__ = ["NOISE", "Expressions", "Mechanism"]
