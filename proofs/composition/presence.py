"""``if name in data``: whether anybody has a name is private, unless a noisy count must pass a threshold as well.

::

    if name in data:
        noisy = data.count(name) + noise.laplace(scale)
        if noisy > threshold:
            ...

What stands inside the second test happens where the count is above 0 and passes the threshold with its noise, and
nothing else tells the two ways of the first test apart: names that are set inside the first and outside the second are
unusable afterwards. So both together are one step, `present`, and a branch on what it released.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from dpwitness.proofs.composition.loops import Loops
from dpwitness.proofs.composition.observing import form_json
from dpwitness.proofs.composition.records import Rows
from dpwitness.proofs.composition.state import settle_all
from dpwitness.proofs.composition.trees import Leaf, Steps
from dpwitness.proofs.composition.values import Builtin, Gone, Noise, Number, Refused, Test, Value, refuse
from dpwitness.proofs.kernel.algebra.laurent import Poly

SHAPE = (
    "whether a record is in the data is private: after `if v in data:` only assignments may follow, one of them with "
    "data.count(v) + noise.laplace(scale), and then one test of that number against a threshold, without else"
)
PLAIN = ("abs", "float", "exp", "log", "sqrt", "max", "min", "len", "exact", "Exact", "Fraction")
ORDERS: dict[type, tuple[str, bool]] = {
    ast.Gt: (">", False), ast.GtE: (">=", False), ast.Lt: (">", True), ast.LtE: (">=", True),
}  # fmt: skip


def presence_test(node: ast.expr) -> ast.Compare | None:
    """A test that is a single ``v in data``."""
    return node if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.In) else None


class Presence(Loops):
    """The part of the reader that follows tests for the presence of a record."""

    def presence(self, node: ast.If, leaf: Leaf) -> list[Leaf] | None:
        """All ways through ``if v in data: ...``; None where the test is another one."""
        test = presence_test(node.test)
        where = None if test is None else test.comparators[0]
        rows = leaf.state.env.get(where.id) if isinstance(where, ast.Name) else None
        if test is None or not isinstance(rows, Rows):
            return None
        *before, last = node.body
        if node.orelse or not isinstance(last, ast.If) or last.orelse:
            raise Refused(SHAPE, node.lineno)
        names = [self._target(statement, leaf) for statement in before]
        self._calls_nothing_else(last.test, leaf)
        value = test.left
        found: list[Leaf] = []
        for side in self.simple(lambda: self._at_its_line(value, rows, before, last.test), leaf.state, leaf.out, node):
            if side.value:
                found += self.block(last.body, side.state, side.out)
            else:
                side.state.env.update({name: Gone() for name in names})
                found.append(replace(side, value=None))
        joined: list[Leaf] = self.together(leaf, found)
        return joined

    def _target(self, node: ast.stmt, leaf: Leaf) -> str:
        """The name that an assignment inside the branch sets; all else could change what others see."""
        if not isinstance(node, ast.Assign) or len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name):
            refuse(SHAPE, node.lineno)
        assert isinstance(node, ast.Assign)
        self._calls_nothing_else(node.value, leaf)
        return node.targets[0].id  # type: ignore[attr-defined, no-any-return]

    def _calls_nothing_else(self, node: ast.expr, leaf: Leaf) -> None:
        """Refuse expressions that could change something, or draw anything else."""
        for part in ast.walk(node):
            if isinstance(part, ast.Lambda | ast.GeneratorExp | ast.ListComp | ast.IfExp | ast.BoolOp):
                refuse(SHAPE, node.lineno)
            if not isinstance(part, ast.Call):
                continue
            function = part.func
            if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
                base = leaf.state.env.get(function.value.id)
                draws = isinstance(base, Noise) and function.attr in ("laplace", "discrete_laplace")
                if not draws and not (isinstance(base, Rows) and function.attr == "count"):
                    refuse(SHAPE, node.lineno)
            elif not isinstance(function, ast.Name) or function.id in leaf.state.env or not self._is_plain(function):
                refuse(SHAPE, node.lineno)

    def _is_plain(self, node: ast.Name) -> bool:
        found = self.outside(node.id)
        return isinstance(found, Builtin) and found.name in PLAIN

    def _at_its_line(self, value: ast.expr, rows: Rows, before: list[ast.stmt], test: ast.expr) -> bool:
        try:
            return self._shown(value, rows, before, test)
        except Refused as error:
            raise Refused(error.reason, error.line or test.lineno) from None

    def _shown(self, value: ast.expr, rows: Rows, before: list[ast.stmt], test: ast.expr) -> bool:
        """Whether the noisy count is shown; the step that decides it is written down here."""
        there = self.settled(self._count(rows, self.value(value)).form)
        steps, made, known = self.steps, set(self.state.draws), self.state.known.copy()
        self.steps, self.guarded = [], True
        try:
            for statement in before:
                self.statement(statement)
            left, right, op = self._sides(test)
        finally:
            inner, self.steps, self.guarded = self.steps, steps, False
        self._keep_public(inner)
        drawn = [name for name in self.state.draws if name not in made]
        if len(drawn) != 1:
            refuse(SHAPE)
        draw, level = self.state.draws[drawn[0]], self.settled(right.form)
        if self.settled(left.form) - Poly.symbol(drawn[0]) != there or level.private or draw.scale is None:
            refuse(SHAPE)
        assert draw.scale is not None
        if not known.positive(draw.scale):  # an error would be seen where there is such a record, and only there
            refuse("the scale of noise after `if v in data:` must be known to be positive")
        symbol = self.state.fresh_name("$")
        whole = draw.law == "discrete_laplace"
        self.emit("present", symbol, form_json(there), form_json(draw.scale), form_json(level), whole, op)
        self.state.known.define(symbol)
        del self.state.draws[drawn[0]]  # where the count is shown it is known, elsewhere nobody can name it
        shown = {drawn[0]: Poly.symbol(symbol) - there}
        settle_all(self.env, lambda form: self.settled(form).substitute(shown))
        answer: bool = self.decide(Test(">", Poly.symbol(symbol)))
        return answer

    def _sides(self, test: ast.expr) -> tuple[Number, Number, str]:
        """The larger and the smaller side of a test, and how they are compared."""
        if not isinstance(test, ast.Compare) or len(test.ops) != 1 or type(test.ops[0]) not in ORDERS:
            refuse(SHAPE, test.lineno)
        assert isinstance(test, ast.Compare)
        op, turned = ORDERS[type(test.ops[0])]
        sides: list[Value] = [self.value(test.left), self.value(test.comparators[0])]
        left, right = reversed(sides) if turned else sides
        if not isinstance(left, Number) or not isinstance(right, Number):
            refuse(SHAPE, test.lineno)
        return self.sure(left), self.sure(right), op

    def _keep_public(self, steps: Steps) -> None:
        """Steps of the branch that happen on both ways: sums, and computations that cannot fail; its draw is gone."""
        for step in steps:
            if step[0] == "draw":
                self.lines.pop(id(step), None)
            elif step[0] in ("sum", "let"):
                self.steps.append(step)
            else:
                refuse(SHAPE)


__all__ = ["Presence", "presence_test"]
