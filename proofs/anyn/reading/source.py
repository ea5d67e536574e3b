"""The text of a program, and the assurance that it is the text of the very function that runs."""

from __future__ import annotations
import __future__

import ast
import builtins
import hashlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any, NoReturn

from dpwitness.core.errors import OutsideFragment
from dpwitness.core.readers.fingerprint import tree_text

BUILTINS = ("abs", "enumerate", "float", "len", "max", "min", "range", "sum")
"""The builtins that a program may use; each must still be Python's own."""

_OWN = {name: getattr(builtins, name) for name in (*BUILTINS, "list")}
_FUTURE = sum({getattr(__future__, name).compiler_flag for name in __future__.all_feature_names})


@dataclass(frozen=True)
class Source:
    """A function as a syntax tree with the line numbers of its file.

    Attributes
    ----------
    noise, queries
        The names of the first two arguments.
    params
        The names of the parameters.
    digest
        SHA-256 of the syntax tree.
    """

    name: str
    tree: ast.FunctionDef
    noise: str
    queries: str
    params: tuple[str, ...]
    digest: str


def refuse(reason: str, where: ast.AST | int | None = None) -> NoReturn:
    """Raise `OutsideFragment` with the line of a syntax node."""
    raise OutsideFragment(reason, where if isinstance(where, int) else getattr(where, "lineno", None))


def read(program: Callable[..., Any]) -> Source:
    """Read a function's source; refused where it is not certain that the text is what runs.

    The text is compiled and its code compared with the code of the function: a file that was edited after the import, a
    wrapper, a closure or replaced code are all noticed. Builtins must not be shadowed by globals.
    """
    tree = function_tree(program)
    assert isinstance(program, FunctionType)
    _check_globals(program, tree)
    noise, queries, params = _signature(tree)
    digest = hashlib.sha256(tree_text(tree).encode()).hexdigest()
    return Source(tree.name, tree, noise, queries, params, digest)


def function_tree(program: Callable[..., Any]) -> ast.FunctionDef:
    """The syntax tree of the very function that runs, with the line numbers of its file."""
    if not isinstance(program, FunctionType) or hasattr(program, "__wrapped__"):
        refuse("the program is not a plain Python function")
    code = program.__code__
    try:
        lines, first = inspect.getsourcelines(code)
    except (OSError, TypeError):
        refuse("the source of the program cannot be read")
    text = "".join(lines)
    indented = text[:1] in (" ", "\t")
    try:
        module = ast.parse("if True:\n" + text if indented else text)
    except (SyntaxError, ValueError):
        refuse("the source of the program cannot be parsed", first)
    ast.increment_lineno(module, first - (2 if indented else 1))
    body = module.body[0].body if indented and isinstance(module.body[0], ast.If) else module.body
    if len(body) != 1 or not isinstance(body[0], ast.FunctionDef):
        refuse("the source of the program is not one function", first)
    try:
        compiled = compile(module, "<program>", "exec", flags=code.co_flags & _FUTURE, dont_inherit=True)
    except (SyntaxError, ValueError):
        refuse("the source text does not stand alone (a closure)", first)
    same = any(_same(found, code) for found in _codes(compiled) if found.co_name == code.co_name)
    if not same or code.co_freevars:
        refuse("the source text is not the code that runs (a closure, a wrapper, or a file that was edited)", first)
    return body[0]


def _codes(code: CodeType) -> list[CodeType]:
    inner = [c for c in code.co_consts if isinstance(c, CodeType)]
    return inner + [c for part in inner for c in _codes(part)]


def _same(left: CodeType, right: CodeType) -> bool:
    """Whether two code objects do the same, whatever their file and line numbers."""
    fields = ("co_code", "co_names", "co_varnames", "co_freevars", "co_cellvars", "co_argcount", "co_kwonlyargcount")
    if any(getattr(left, f) != getattr(right, f) for f in fields) or len(left.co_consts) != len(right.co_consts):
        return False
    for a, b in zip(left.co_consts, right.co_consts, strict=True):
        if isinstance(a, CodeType) and isinstance(b, CodeType):
            if not _same(a, b):
                return False
        elif type(a) is not type(b) or repr(a) != repr(b):
            return False
    return True


def _check_globals(program: FunctionType, tree: ast.FunctionDef) -> None:
    used = {n.id: n for n in ast.walk(tree) if isinstance(n, ast.Name)}
    for name, own in _OWN.items():
        theirs = getattr(program, "__builtins__", {}).get(name)
        if name in used and (name in program.__globals__ or theirs is not own or getattr(builtins, name) is not own):
            refuse(f"{name} is not Python's own {name}", used[name])


def _signature(tree: ast.FunctionDef) -> tuple[str, str, tuple[str, ...]]:
    args = tree.args
    if args.vararg or args.kwarg:
        refuse("the program takes a variable number of arguments", tree)
    if args.defaults or any(d is not None for d in args.kw_defaults):
        refuse("the program has default arguments", tree)
    positional = [a.arg for a in (*args.posonlyargs, *args.args)]
    if len(positional) < 2:
        refuse("the first two arguments must be the noise and the queries", tree)
    names = [*positional, *(a.arg for a in args.kwonlyargs)]
    for name in names:
        if name in BUILTINS or not name.isascii() or not name.isidentifier():
            refuse(f"an argument called {name!r}", tree)
    return names[0], names[1], tuple(names[2:])
