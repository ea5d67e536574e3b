"""Functions that no reader looks into, handed to ``noise.postprocess``: they may compute, and must not reach around.

Such a function gets copies of public values. It could still learn what it was not given: from frames of the program
that calls it, or from objects that the program shares with it. So it may use modules for computing, plain constants and
other functions of this kind, and nothing else from outside.
"""

from __future__ import annotations

import builtins
import dis
import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpwitness.core.errors import OutsideFragment

MODULES = {"numpy", "scipy", "math", "cmath", "statistics", "itertools", "functools", "operator", "fractions"}
NOT_HERE = {"ctypeslib", "f2py", "testing", "distutils", "random", "memmap", "load", "fromfile", "save"}
BUILTINS = {
    "abs", "all", "any", "bool", "complex", "dict", "divmod", "enumerate", "filter", "float", "frozenset", "int",
    "isinstance", "len", "list", "map", "max", "min", "pow", "range", "reversed", "round", "set", "slice", "sorted",
    "str", "sum", "tuple", "zip", "ValueError", "ZeroDivisionError", "ArithmeticError", "Exception", "OverflowError",
}  # fmt: skip
FRAMES = {"gi_frame", "cr_frame", "ag_frame", "f_back", "f_locals", "f_globals", "tb_frame", "tb_next", "format_map"}
CHANGES = {
    "STORE_GLOBAL",
    "DELETE_GLOBAL",
    "STORE_ATTR",
    "DELETE_ATTR",
    "IMPORT_STAR",
    "LOAD_BUILD_CLASS",
    "IMPORT_NAME",
}


@dataclass(frozen=True)
class Unread:
    """A function that is handed to ``noise.postprocess``."""

    function: Any


def refuse_reach(name: str, function: Any) -> None:
    """Raise `OutsideFragment` where a function may learn more than it is given, or leave something behind.

    >>> import math
    >>> refuse_reach("root", lambda x: math.sqrt(x))
    >>> log = []
    >>> refuse_reach("keep", lambda x: log.append(x))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    dpwitness.core.errors.OutsideFragment: keep, which is handed to noise.postprocess, refers to log, a list: ...
    """
    seen: set[int] = set()
    todo = [(name, function)]
    while todo:
        where, value = todo.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if not isinstance(value, types.FunctionType):
            if not _computes(value):
                told = str(getattr(value, "__module__", None) or type(value).__name__)
                raise OutsideFragment(
                    f"{where}, which is handed to noise.postprocess, is no function that only computes ({told})"
                )
            continue
        if str(value.__globals__.get("__name__", "")).partition(".")[0] in MODULES:  # its __module__ can be set
            continue
        defaults = [*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values()]
        if vars(value) or any(not _constant(x) for x in defaults):
            raise OutsideFragment(
                f"{where}, which is handed to noise.postprocess, has attributes or defaults of its own"
            )
        for inner in _nested(value.__code__):
            todo += _outside(where, inner, value)


def _outside(where: str, code: types.CodeType, function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """The functions that a code object refers to; what it must not refer to is refused."""
    told = f"{where}, which is handed to noise.postprocess,"
    advice = "it may use numpy, scipy, math, constants and functions alone"
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    module: types.ModuleType | None = None
    for step in dis.get_instructions(code):
        op, name = step.opname, str(step.argval)
        if op == "EXTENDED_ARG":
            continue
        if op in CHANGES:
            raise OutsideFragment(f"{told} imports or changes something outside it: {advice}, imported at the top")
        value: Any = None
        found = False
        if module is not None and op in ("LOAD_ATTR", "LOAD_METHOD"):
            value, found = vars(module).get(name), True
            if value is None:
                raise OutsideFragment(f"{told} uses {module.__name__}.{name}, which is made up when it is asked for")
        elif op in ("LOAD_GLOBAL", "LOAD_NAME"):
            value, found = function.__globals__.get(name, getattr(builtins, name, None)), True
        elif op in ("LOAD_DEREF", "LOAD_CLASSDEREF") and name in cells:
            value, found = cells[name].cell_contents, True
        elif op in ("LOAD_ATTR", "LOAD_METHOD") and (name.startswith("_") or name in FRAMES | NOT_HERE):
            raise OutsideFragment(f"{told} looks inside an object (.{name}): {advice}")
        module = value if isinstance(value, types.ModuleType) else None
        if not found:
            continue
        if name in NOT_HERE or (module is not None and module.__name__.partition(".")[0] not in MODULES):
            raise OutsideFragment(f"{told} uses {name}: {advice}")
        if isinstance(value, types.FunctionType):
            yield f"{where}, through {name}", value
        elif module is None and not (_constant(value) or _computes(value)):
            raise OutsideFragment(f"{told} refers to {name}, a {type(value).__name__}: {advice}")


def _home(value: Any) -> str:
    return str(getattr(value, "__module__", "") or "").partition(".")[0]


def _computes(value: Any) -> bool:
    """Whether something callable is a builtin that computes, or a part of a module that does."""
    name = getattr(value, "__name__", "")
    if NOT_HERE & {name, *str(getattr(value, "__module__", "")).split(".")}:
        return False
    if name in BUILTINS and getattr(builtins, name, None) is value:
        return True
    if isinstance(value, types.BuiltinFunctionType):  # a method of some object is of this type too
        return isinstance(value.__self__, types.ModuleType | None) and _home(value) in MODULES
    if isinstance(value, type):
        return _home(value) in MODULES
    return callable(value) and _home(type(value)) in MODULES and _is_part(value)


def _is_part(value: Any) -> bool:
    """Whether a module for computing holds this very object: what such modules make of other functions it does not."""
    known = [module for name, module in list(sys.modules.items()) if name.partition(".")[0] in MODULES]
    return any(part is value for module in known if module is not None for part in list(vars(module).values()))


def _constant(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(_constant, value))
    return value is None or isinstance(value, bool | int | float | complex | Fraction | str)


def _nested(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _nested(constant)


__all__ = ["Unread", "refuse_reach"]
