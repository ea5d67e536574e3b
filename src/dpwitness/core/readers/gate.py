"""What a program must not do, because it would look different to the symbolic reader than to whoever runs it.

The reader runs the program on stand-ins for numbers. A program that asks what kind of thing it was given, that compares
objects by identity, or that catches the reader's refusal, may behave well when it is read and badly when it is run. So
the compiled code of the program, and of every Python function that it can reach, is searched for such means; and state
outside the program must be the same after reading as before.
"""

from __future__ import annotations

import builtins
import dis
import types
from collections.abc import Iterator
from typing import Any

from dpwitness.core.errors import ImpureProgram, OutsideFragment
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.noise import Noise
from dpwitness.core.readers.paths import SymbolicRun
from dpwitness.core.readers.symbolic import Sym, Test
from dpwitness.core.readers.where import program_code

FORBIDDEN = {
    "type", "isinstance", "issubclass", "id", "hasattr", "getattr", "setattr", "delattr", "vars", "dir", "globals",
    "locals", "eval", "exec", "compile", "open", "input", "__import__", "callable", "object", "super", "memoryview",
    "breakpoint", "classmethod", "staticmethod", "property", "aiter", "anext",
}  # fmt: skip
MODULES = ("math", "fractions", "itertools", "functools", "operator", "statistics", "numpy", "dpwitness")
_PUBLIC = {name for name in vars(Noise) if not name.startswith("_")} - {"draw", "check"}
_INSIDE = {name for kind in (Sym, Test, SymbolicRun, Noise) for name in dir(kind)}
_INSIDE |= set(SymbolicRun([], [], None, None).__dict__) | {"run", "form", "op"}
ATTRIBUTES = _INSIDE - _PUBLIC  # what only the stand-ins have
ATTRIBUTES |= {"f_locals", "f_globals", "f_back", "f_code", "gi_frame", "cr_frame", "tb_frame", "imag", "real"}


def refuse_tricks(program: Any) -> None:
    """Raise `OutsideFragment` where the program may tell a symbolic run from a real one.

    >>> def honest(noise, answers, *, eps):
    ...     return [a + noise.laplace(1 / eps) for a in answers]
    >>> refuse_tricks(honest)
    >>> def sly(noise, answers, *, eps):
    ...     return answers[0] if isinstance(answers[0], float) else 0
    >>> refuse_tricks(sly)
    Traceback (most recent call last):
    dpwitness.core.errors.OutsideFragment: line 2: the program asks what kind of object it was given (isinstance)
    """
    todo: list[Any] = [_bare(program)]
    seen: set[types.CodeType] = set()
    own = program_code(program)
    while todo:
        one = todo.pop()
        code = getattr(one, "__code__", None)
        if code is None or code in seen:
            continue
        seen.add(code)
        for inner in _nested(code):
            seen.add(inner)
            reason = _first(inner, one)
            if reason is not None:
                words, line = reason
                raise OutsideFragment(words, line if code is own else None)
        for name, value in reachable(one):
            todo += _functions(name, value)


def reachable(function: Any) -> Iterator[tuple[str, Any]]:
    """Names and values outside a function that its code refers to: globals and closure cells."""
    names = {name for code in _nested(function.__code__) for name in code.co_names}
    for name in sorted(names):
        if name in function.__globals__:
            yield name, function.__globals__[name]
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield name, cell.cell_contents
        except ValueError:  # not yet bound
            continue


def outside_state(program: Any) -> list[tuple[str, str]]:
    """The changeable objects that a program refers to, as text: to be compared before and after it is read."""
    function = _bare(program)
    if not isinstance(function, types.FunctionType):
        return []
    kept = (list, dict, set, bytearray, int, float, str)
    return [(name, repr(value)[:100_000]) for name, value in reachable(function) if isinstance(value, kept)]


def same_state(program: Any, before: list[tuple[str, str]]) -> None:
    """Raise `ImpureProgram` where reading the program changed something outside it."""
    after = outside_state(program)
    if after != before:
        changed = [name for (name, new), old in zip(after, before, strict=False) if (name, new) != old] or ["a name"]
        raise ImpureProgram(f"the program changes {changed[0]!r}, which lives outside it")


def _bare(program: Any) -> Any:
    while hasattr(program, "__wrapped__"):
        program = program.__wrapped__
    return program


def _functions(name: str, value: Any) -> list[Any]:
    """The functions through which a value can act; an object whose code cannot be read is refused."""
    if isinstance(value, types.FunctionType):
        return [] if _known(value.__module__, "dpwitness.core") else [_bare(value)]
    if isinstance(value, Mechanism):
        return [_bare(value.program)]
    if isinstance(value, list | tuple | set | dict):
        inside = value.values() if isinstance(value, dict) else value
        return [f for entry in inside for f in _functions(name, entry)]
    kind = value if isinstance(value, type) else type(value)
    if isinstance(value, types.ModuleType) or _known(kind.__module__, "builtins", "dpwitness"):
        return []  # modules are judged where they are used
    raise OutsideFragment(f"the program uses {name}, an object of type {kind.__name__} whose code cannot be read")


def _known(module: str | None, *more: str) -> bool:
    return any(f"{module}.".startswith(f"{known}.") for known in (*(m for m in MODULES if m != "dpwitness"), *more))


def _nested(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _nested(constant)


def _first(code: types.CodeType, function: Any) -> tuple[str, int | None] | None:
    """The first forbidden thing in one code object, in words, with its line."""
    line: int | None = None
    before: dis.Instruction | None = None
    for step in dis.get_instructions(code):
        line = step.positions.lineno if step.positions is not None and step.positions.lineno is not None else line
        words = _trick(step, before, function)
        if words is not None:
            return words, line
        before = step
    return None


def _trick(step: dis.Instruction, before: dis.Instruction | None, function: Any) -> str | None:
    name, value = step.opname, step.argval
    if name == "PUSH_EXC_INFO" or name.startswith("SETUP_"):
        return "the program catches errors (try or with), among them the reader's own"
    if name == "IS_OP" and not (before is not None and before.opname == "LOAD_CONST" and before.argval is None):
        return "the program compares objects by identity (is)"
    if name in ("STORE_GLOBAL", "DELETE_GLOBAL", "IMPORT_STAR", "LOAD_BUILD_CLASS"):
        return "the program changes a global name or makes a class"
    if name == "IMPORT_NAME" and str(value).split(".")[0] not in MODULES:
        return f"the program imports {value}"
    if name == "MATCH_CLASS":
        return "the program asks what kind of object it was given (match)"
    hidden = value in ATTRIBUTES or (str(value).startswith("_") and value not in ("__getitem__", "__len__"))
    if name in ("LOAD_ATTR", "LOAD_METHOD", "STORE_ATTR", "LOAD_SUPER_ATTR") and hidden:
        return f"the program looks inside an object (.{value})"
    if name in ("LOAD_GLOBAL", "LOAD_NAME"):
        found = function.__globals__.get(value, getattr(builtins, str(value), None))
        if value in FORBIDDEN and found is getattr(builtins, str(value), None):
            return f"the program asks what kind of object it was given ({value})"
        if isinstance(found, types.ModuleType) and found.__name__.split(".")[0] not in MODULES:
            return f"the program uses the module {found.__name__}"
    return None
