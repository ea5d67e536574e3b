"""The fingerprint of a program: equal after a refactoring, different after a change of meaning."""

from __future__ import annotations

import ast
import hashlib
import inspect
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dpwitness.core.errors import DPWitnessError
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
    """``paths:...`` where the program can be read symbolically, else ``source:...`` (hash of its syntax tree)."""
    try:
        table = symbolic_paths(program, data, params, max_paths=4096, seconds=5)
        if table.complete:
            return "paths:" + of_paths(table)
    except DPWitnessError:
        pass
    while hasattr(program, "__wrapped__"):
        program = program.__wrapped__
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(program)))
        text = ast.dump(tree)
    except (OSError, TypeError, SyntaxError):
        code = getattr(program, "__code__", None)
        text = repr(program) if code is None else repr((code.co_code, code.co_consts, code.co_names))
    return "source:" + hashlib.sha256(text.encode()).hexdigest()
