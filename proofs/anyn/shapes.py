"""Programs that are, statement by statement, a given text up to the names of their variables."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dpwitness.proofs.anyn.reading.source import Source


def statements(source: Source) -> list[ast.stmt]:
    """The body of a program without its docstring."""
    body = list(source.tree.body)
    if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        body = body[1:]
    return body


def with_body(source: Source, body: list[ast.stmt]) -> Source:
    """The program with another body; it keeps the digest of the original."""
    made = ast.FunctionDef(source.tree.name, source.tree.args, body, [], None, type_comment=None)
    return replace(source, tree=ast.fix_missing_locations(ast.copy_location(made, source.tree)))


def template(text: str) -> list[ast.stmt]:
    """A shape: capitals stand for names."""
    inside = "\n".join(f"    {line}" for line in text.strip().splitlines())
    function = ast.parse(f"def f():\n{inside}").body[0]
    assert isinstance(function, ast.FunctionDef)
    return function.body


def match(shape: list[ast.stmt], body: list[ast.stmt], names: Mapping[str, str]) -> dict[str, str] | None:
    """The names that stand for the capitals of a shape, where the statements are the same up to names.

    >>> match(template("A = B + 1"), template("x = y + 1"), {"B": "y"})
    {'B': 'y', 'A': 'x'}
    """
    found = dict(names)
    return found if len(shape) == len(body) and all(map(lambda a, b: _same(a, b, found), shape, body)) else None


def _same(shape: Any, node: Any, names: dict[str, str]) -> bool:
    if isinstance(shape, ast.Name) and (shape.id.isupper() or shape.id == "noise"):
        # a name that is met again must be the same; one that is new is taken
        return isinstance(node, ast.Name) and names.setdefault(shape.id, node.id) == node.id
    if isinstance(shape, list):
        return (
            isinstance(node, list)
            and len(shape) == len(node)
            and all(_same(a, b, names) for a, b in zip(shape, node, strict=True))
        )
    if not isinstance(shape, ast.AST):
        return type(shape) is type(node) and shape == node
    return type(shape) is type(node) and all(
        _same(getattr(shape, name, None), getattr(node, name, None), names)
        for name in shape._fields
        if name not in ("type_comment", "kind")
    )
