"""Calls of functions and methods, in an expression."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from dpwitness.proofs.composition.builtins import Builtins
from dpwitness.proofs.composition.records import NO_DATA, Rows, holds_cells
from dpwitness.proofs.composition.state import Env
from dpwitness.proofs.composition.syntax import path_of
from dpwitness.proofs.composition.values import Builtin, Foreign, Helper, Listing, Noise, Number, Value, refuse

EATERS = {"sum", "max", "min", "any", "all", "list", "tuple", "sorted", "set"}


class Functions(Builtins):
    """The part of the reader that calls."""

    env: Env
    names: Mapping[str, Any]  # globals of the function that is read
    depth: int
    inline: Any
    comprehension: Any
    translate: Any

    def on_Lambda(self, node: ast.Lambda) -> Value:
        if (
            node.args.defaults
            or node.args.kw_defaults
            or node.args.vararg
            or node.args.kwarg
            or self.depth
            or self.inside
        ):
            refuse("a lambda with default arguments, or inside a comprehension or a helper")
        return Helper(node, self.names, None, self.env)

    def on_Attribute(self, node: ast.Attribute) -> Value:
        path = path_of(node)
        if path is not None and path[0] not in self.env and isinstance(self.names.get(path[0]), ModuleType):
            value: Any = self.names[path[0]]
            for name in path[1:]:
                value = vars(value).get(name) if isinstance(value, ModuleType) else None
            if value is not None:
                return self.translate(".".join(path), value)
        return refuse(f"the attribute .{node.attr} is not called")

    def on_Call(self, node: ast.Call) -> Value:
        if any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords):
            refuse("a call with * or **")
        if isinstance(node.func, ast.Attribute) and not self._is_module(node.func):
            return self._method(node, node.func)
        function = self.value(node.func)
        eats = isinstance(function, Builtin) and function.name in EATERS
        args = [self._argument(a, eats) for a in node.args]
        named = {str(k.arg): self._argument(k.value, False) for k in node.keywords}
        return self.call(function, args, named)

    def _is_module(self, node: ast.Attribute) -> bool:
        path = path_of(node)
        return path is not None and path[0] not in self.env and isinstance(self.names.get(path[0]), ModuleType)

    def _argument(self, node: ast.expr, eats: bool) -> Value:
        if isinstance(node, ast.GeneratorExp):
            if not eats:
                refuse("a generator that is kept runs later, when variables may have changed: use a list", node.lineno)
            return self.comprehension(node, node.elt)
        return self.value(node)

    def call(self, function: Value, args: list[Value], named: dict[str, Value]) -> Value:
        """Call a function of the program, of its module, or a builtin."""
        if isinstance(function, Builtin):
            return self.builtin(function.name, args, named)
        if isinstance(function, Helper):
            given = [*args, *named.values()]
            noisy = any(isinstance(a, Noise) or (isinstance(a, Number) and a.form.private) for a in given)
            if not noisy and any(map(holds_cells, given)):
                names = list(named)

                def run(*v: Value) -> Value:
                    return self.call_helper(
                        function, list(v[: len(args)]), dict(zip(names, v[len(args) :], strict=True))
                    )

                return self.per_cell(run, *args, *named.values())
            return self.call_helper(function, args, named)
        if isinstance(function, Foreign):
            refuse(
                f"{function.path} is not read: wrap it in noise.postprocess({function.path}, ...) on released values"
            )
        return refuse("a call of something that is no function")

    def bound(self, function: Helper, args: list[Value], named: dict[str, Value]) -> Env:
        """The variables in which a function begins: its arguments."""
        arguments = function.tree.args
        names = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
        every = [*names, *(a.arg for a in arguments.kwonlyargs)]
        env = {**dict(zip(names, args, strict=False)), **named}
        odd = (
            arguments.vararg
            or arguments.kwarg
            or arguments.defaults
            or any(d is not None for d in arguments.kw_defaults)
        )
        if odd or len(args) > len(names) or set(env) != set(every):
            refuse("a helper function with default or variable arguments, or called with other ones than it has")
        return env

    def call_helper(self, function: Helper, args: list[Value], named: dict[str, Value]) -> Value:
        """Run a function of the module, or a lambda, in variables of its own."""
        env = self.bound(function, args, named)
        if self.depth > 20:
            refuse("a function that calls itself")
        outer = self.env, self.names
        is_lambda = isinstance(function.tree, ast.Lambda)
        self.env, self.names = {**function.env, **env} if is_lambda else env, function.names
        self.depth += not is_lambda
        try:
            if isinstance(function.tree, ast.Lambda):
                return self.value(function.tree.body)
            signal, value = self.inline(function.tree.body)
            return value if signal == "return" else None
        finally:
            self.depth -= not is_lambda
            self.env, self.names = outer

    def _method(self, node: ast.Call, func: ast.Attribute) -> Value:
        base = self.value(func.value)
        if isinstance(base, Noise):
            args = [self.value(a) for a in node.args]
            return self.noise_call(func.attr, args, {str(k.arg): self.value(k.value) for k in node.keywords})
        args = [self.value(a) for a in node.args]
        if node.keywords:
            refuse(f"named arguments of .{func.attr}")
        if isinstance(base, Rows) and func.attr == "count" and len(args) == 1:
            return self._count(base, args[0])
        if isinstance(base, Rows):
            refuse(NO_DATA)
        if not isinstance(base, Listing):
            refuse(f"the method .{func.attr} is not followed here")
        return self.list_method(base, func.attr, args)

    def _count(self, rows: Rows, value: Value) -> Number:
        wanted = Number(self.observe(value, "data.count")) if isinstance(value, Number) else value
        if isinstance(wanted, Number) and wanted.constant is not None and all(keep is True for keep in rows.keep):
            numbers = [row.constant if isinstance(row, Number) else None for row in rows.values]
            if None not in numbers:
                return self.total(rows, tuple(number == wanted.constant for number in numbers))
        same = [
            False if keep is False else self.truth_of(self.on_record(lambda r=row: self.compared("==", r, wanted)))  # type: ignore[misc]
            for row, keep in zip(rows.values, rows.keep, strict=True)
        ]
        return self.total(rows, tuple(same))


__all__ = ["Functions"]
