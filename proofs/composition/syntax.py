"""Names and words for nodes of the syntax tree, and for what a program is given."""

from __future__ import annotations

import ast
from fractions import Fraction
from typing import Any

from dpwitness.core.spaces import Answers
from dpwitness.proofs.composition.values import Number, constant, refuse


def path_of(node: ast.expr) -> list[str] | None:
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return [node.id, *names[::-1]] if isinstance(node, ast.Name) else None


def words_for(node: ast.AST) -> str:
    return {
        "JoinedStr": "text with numbers in it (f-string)", "DictComp": "a dict", "Dict": "a dict",
        "NamedExpr": "the walrus :=",
        "GeneratorExp": "a generator that is kept", "Await": "await", "Yield": "yield", "Starred": "a * argument",
    }.get(type(node).__name__, type(node).__name__)  # fmt: skip


def parameter(value: Any) -> Number:
    number = Fraction(value)
    shipped = value.shipped() if hasattr(value, "shipped") else value
    return constant(number, whole=isinstance(shipped, int))


def answers_json(space: Answers) -> dict[str, Any]:
    """Answers as certificates state them."""
    if space.moves == "l2":
        refuse("answers that move in an ℓ2 ball")
    stated = {"inputs": "answers", "moves": space.moves, "by": str(space.by), "whole": space.whole, "size": space.size}
    if space.values is not None and all(v.denominator == 1 for v in space.values):
        return {**stated, "whole": True, "values": [str(v) for v in space.values]}
    return stated


__all__ = ["answers_json", "parameter", "path_of", "words_for"]
