"""Helper functions that are followed as the program itself is.

A helper that draws and has a loop, called by a statement of its own (``w = descend(noise, data, steps)``), is followed
statement by statement in variables of its own; those of its caller are kept under a name that no program can write.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from dpwitness.proofs.composition.presence import Presence
from dpwitness.proofs.composition.state import Env
from dpwitness.proofs.composition.trees import Leaf
from dpwitness.proofs.composition.values import Helper, Noise, Refused, Value, refuse

CALLER, RESULT = "<caller>", "<result>"
MOST_CALLS = 20


class Calling(Presence):
    """The part of the reader that follows calls of helpers which draw and have loops."""

    program: Any

    def enter(self, env: Env) -> None:
        """Look at things from where `env` holds the variables: its globals, and how many calls deep it is."""
        self.env, self.depth, self.names = env, 0, self.program.__globals__
        caller = env.get(CALLER)
        if isinstance(caller, Helper):
            self.names = caller.names
        while isinstance(caller, Helper):
            self.depth, caller = self.depth + 1, caller.env.get(CALLER)

    def followed(self, node: ast.stmt, leaf: Leaf) -> list[Leaf] | None:
        """All ways through a statement that is such a call; None where it is no such statement."""
        call = getattr(node, "value", None) if isinstance(node, ast.Assign | ast.Expr | ast.Return) else None
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id in leaf.state.env:
            return None
        self.enter(leaf.state.env)
        if call.func.id not in self.names or not any(self._is_noise(a, leaf) for a in call.args):
            return None
        function = self.translate(call.func.id, self.names[call.func.id])
        if not isinstance(function, Helper) or not isinstance(function.tree, ast.FunctionDef) or not loops(function):
            return None
        if any(isinstance(a, ast.Starred | ast.GeneratorExp) for a in call.args) or any(
            k.arg is None or isinstance(k.value, ast.GeneratorExp) for k in call.keywords
        ):
            return None
        try:
            return self._through(node, call, function, leaf)
        except Refused as error:
            raise Refused(error.reason, node.lineno) from None

    def _is_noise(self, node: ast.expr, leaf: Leaf) -> bool:
        return isinstance(node, ast.Name) and isinstance(leaf.state.env.get(node.id), Noise)

    def _through(self, node: ast.stmt, call: ast.Call, function: Helper, leaf: Leaf) -> list[Leaf]:
        assert isinstance(function.tree, ast.FunctionDef)
        found: list[Leaf] = []
        for side in self.simple(lambda: self._given(function, call), leaf.state, leaf.out, node):
            outer, inner = side.state.env, side.value
            inner[CALLER] = Helper(function.tree, function.names, None, outer)
            side.state.env = inner
            self.enter(inner)
            if self.depth > MOST_CALLS:
                refuse("a function that calls itself")
            for end in self.block(function.tree.body, side.state, side.out):
                if end.kind not in ("return", "next"):
                    refuse(f"{end.kind} outside a loop")
                end.state.env = end.state.env[CALLER].env
                end.state.env[RESULT] = end.value if end.kind == "return" else None
                found += self.simple(lambda: self._handed_back(node), end.state, end.out, node)
        if isinstance(node, ast.Return):
            return [replace(end, kind="return", line=node.lineno) for end in found]
        joined: list[Leaf] = self.together(leaf, [replace(end, value=None) for end in found])
        return joined

    def _given(self, function: Helper, call: ast.Call) -> Env:
        """The variables in which a helper begins."""
        args = [self.value(a) for a in call.args]
        return self.bound(function, args, {str(k.arg): self.value(k.value) for k in call.keywords})

    def _handed_back(self, node: ast.stmt) -> Value:
        """The result of a call, bound to the names that wait for it."""
        value = self.env.pop(RESULT)
        for target in node.targets if isinstance(node, ast.Assign) else ():
            self.bind(target, value)
        return value


def loops(function: Helper) -> bool:
    """Whether a function has a loop of its own."""
    return any(isinstance(part, ast.For | ast.While) for part in ast.walk(function.tree))


__all__ = ["CALLER", "Calling"]
