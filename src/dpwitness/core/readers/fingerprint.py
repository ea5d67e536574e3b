"""The fingerprint of a program: equal after a refactoring, different after a change of meaning."""

from __future__ import annotations

import ast
import hashlib
import inspect
import textwrap
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from types import FunctionType
from typing import Any

from dpwitness.core.errors import DPWitnessError
from dpwitness.core.readers.gate import is_ours, reachable
from dpwitness.core.readers.paths import PathTable, symbolic_paths


def of_paths(table: PathTable) -> str:
    """Hash of the sorted paths: conditions, draws, choices and outputs."""
    rows = sorted(
        "\n".join(
            [
                *sorted(str(c) for c in path.conditions),
                *(f"{d.symbol.name}~{d.law}" for d in path.draws),
                *(f"{law}={k}" for law, k in path.choices),
                repr(path.output),
                *(str(v) for v in path.values),
            ]
        )
        for path in table.paths
    )
    return hashlib.sha256("\n\n".join(rows).encode()).hexdigest()


def fingerprint(program: Callable[..., Any], data: Sequence[Any], params: Mapping[str, Any]) -> str:
    """``paths:...`` where the program can be read symbolically, else ``source:...``.

    The latter is the hash of its syntax tree, of those of the functions that it can reach and of the plain values that
    they refer to: a constant or a helper that changes is a change of the program. Functions of the readers
    and provers are named and not looked into: a report states the version of this package.
    """
    try:
        table = symbolic_paths(program, data, params, max_paths=4096, seconds=5)
        if table.complete:
            return "paths:" + of_paths(table)
    except DPWitnessError:
        pass
    texts = [_text(program)]
    todo, seen = [_bare(program)], {id(_bare(program))}
    while todo:
        function = todo.pop()
        for name, value in reachable(function) if isinstance(function, FunctionType) else ():
            if _plain(value):
                texts.append(f"{name}={value!r}"[:10_000])
            inner = _bare(value)
            if isinstance(inner, FunctionType) and id(inner) not in seen:
                seen.add(id(inner))
                if is_ours(inner):
                    texts.append(f"{inner.__module__}.{inner.__qualname__}")
                else:
                    todo.append(inner)
                    texts.append(_text(inner))
    return "source:" + hashlib.sha256("\n\n".join(texts).encode()).hexdigest()


def _bare(program: Any) -> Any:
    while hasattr(program, "__wrapped__"):
        program = program.__wrapped__
    return program


def _plain(value: Any) -> bool:
    """Whether a value's text is the same in every process."""
    if isinstance(value, list | tuple):
        return all(map(_plain, value))
    if isinstance(value, dict):
        return all(_plain(part) for item in value.items() for part in item)
    return value is None or isinstance(value, int | float | str | Fraction)


def _text(program: Any) -> str:
    """The syntax tree of a function as text, or its code where the source cannot be read."""
    function = _bare(program)
    try:
        return tree_text(ast.parse(textwrap.dedent(inspect.getsource(function))))
    except (OSError, TypeError, SyntaxError):
        code = getattr(function, "__code__", None)
        return repr(function) if code is None else repr((code.co_code, code.co_consts, code.co_names))


def tree_text(part: Any) -> str:
    """A syntax tree as text that is the same in every version of Python: fields without content are left out.

    `ast.dump` shows fields that newer versions added, such as the type parameters of a function.

    >>> print(tree_text(ast.parse("return n % 2")))
    Module(body=[Return(value=BinOp(left=Name(id='n', ctx=Load()), op=Mod(), right=Constant(value=2)))])
    """
    if isinstance(part, list):
        return f"[{', '.join(map(tree_text, part))}]"
    if not isinstance(part, ast.AST):
        return repr(part)
    fields = ((name, value) for name, value in ast.iter_fields(part) if value is not None and value != [])
    if isinstance(part, ast.Constant):  # whose None is content
        return f"Constant(value={part.value!r})"
    return f"{type(part).__name__}({', '.join(f'{name}={tree_text(value)}' for name, value in fields)})"
