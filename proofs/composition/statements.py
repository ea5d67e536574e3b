"""Statements that run as one: those of helper functions, of loops over the records, and simple ones of the program."""

from __future__ import annotations

import ast

from dpwitness.proofs.composition.cells import RecordNumber, RecordTest
from dpwitness.proofs.composition.expressions import OPERATORS, Expressions
from dpwitness.proofs.composition.records import Rows
from dpwitness.proofs.composition.values import Refused, Value, refuse
from dpwitness.proofs.kernel.arith import Rejected

Signal = tuple[str, Value]  # "next", "return", "break" or "continue", with what is returned
NEXT: Signal = ("next", None)
MOST_TURNS = 20_000


class Statements(Expressions):
    """The part of the reader that runs statements."""

    def inline(self, body: list[ast.stmt]) -> Signal:
        """Run statements until one of them leaves the block."""
        for node in body:
            signal = self.statement(node)
            if signal[0] != "next":
                return signal
        return NEXT

    def statement(self, node: ast.stmt) -> Signal:
        """Run one statement."""
        rule = getattr(self, f"do_{type(node).__name__}", None)
        if rule is None:
            words = {"With": "with", "Try": "try", "Raise": "raise", "Assert": "assert", "Delete": "del"}
            refuse(f"{words.get(type(node).__name__, type(node).__name__)} is not followed here", node.lineno)
        try:
            return rule(node)  # type: ignore[misc, no-any-return]
        except Refused as error:
            if error.line is None and not self.depth:
                raise Refused(error.reason, node.lineno) from None
            raise
        except Rejected as error:
            raise Refused(str(error), None if self.depth else node.lineno) from None

    def do_Assign(self, node: ast.Assign) -> Signal:
        value = self.value(node.value)
        for target in node.targets:
            self.bind(target, value)
        return NEXT

    def do_AnnAssign(self, node: ast.AnnAssign) -> Signal:
        if node.value is not None:
            self.bind(node.target, self.value(node.value))
        return NEXT

    def do_AugAssign(self, node: ast.AugAssign) -> Signal:
        if type(node.op) not in OPERATORS:
            refuse(f"the operator {type(node.op).__name__} is not followed here")
        old = self.value(_as_load(node.target))
        value = self.value(node.value)
        from dpwitness.proofs.composition.values import Listing

        if isinstance(old, Listing) and isinstance(node.op, ast.Add) and old.kind == "list":
            self.may_change(old)
            old.items.extend(self.items(value))
            return NEXT
        self.bind(node.target, self.operate(OPERATORS[type(node.op)], old, value))
        return NEXT

    def do_Expr(self, node: ast.Expr) -> Signal:
        if not (isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)):
            self.value(node.value)
        return NEXT

    def do_Pass(self, node: ast.Pass) -> Signal:
        return NEXT

    def do_Return(self, node: ast.Return) -> Signal:
        if self.inside and not self.depth:
            refuse("a loop over the records with return")
        return "return", None if node.value is None else self.value(node.value)

    def do_Break(self, node: ast.Break) -> Signal:
        return "break", None

    def do_Continue(self, node: ast.Continue) -> Signal:
        return "continue", None

    def do_If(self, node: ast.If) -> Signal:
        test = self.value(node.test)
        if isinstance(test, RecordTest | RecordNumber) and self.ways is None:
            refuse("a branch on a private record")
        return self.inline(node.body if self.truth(test) else node.orelse)

    def do_For(self, node: ast.For) -> Signal:
        source = self.value(node.iter)
        if isinstance(source, Rows):
            self.release_names(node)
            self.fold(node, source)
            return NEXT
        for item in self.each(source):
            self.bind(node.target, item)
            signal = self.inline(node.body)
            if signal[0] == "break":
                return NEXT
            if signal[0] == "return":
                return signal
        return self.inline(node.orelse)

    def do_While(self, node: ast.While) -> Signal:
        for _ in range(MOST_TURNS):
            if not self.truth(self.value(node.test)):
                return self.inline(node.orelse)
            signal = self.inline(node.body)
            if signal[0] == "break":
                return NEXT
            if signal[0] == "return":
                return signal
        return refuse(f"a loop of more than {MOST_TURNS} turns")  # type: ignore[no-any-return]


def _as_load(node: ast.expr) -> ast.expr:
    """The target of an augmented assignment as an expression."""
    if isinstance(node, ast.Name):
        return ast.copy_location(ast.Name(node.id, ast.Load()), node)
    if isinstance(node, ast.Subscript):
        return ast.copy_location(ast.Subscript(node.value, node.slice, ast.Load()), node)
    return refuse("an assignment to an attribute")  # type: ignore[no-any-return]


__all__ = ["NEXT", "Signal", "Statements"]
