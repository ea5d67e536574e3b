"""What a program may use: nothing that would look different to a symbolic reader than to whoever runs it.

The reader runs the program on stand-ins for numbers. A program that asks what kind of thing it was given, that compares
objects by identity, or that catches the reader's refusal, may behave well when it is read and badly when it is run.
There are too many such means to list (``operator.attrgetter``, ``"{0.__class__}".format``, a default argument that
holds ``type``), so the compiled code of the program, and of every Python function that it can reach, may use only the
names, attributes and values that are listed here as harmless. What the program can reach must be the same after
reading as before (see `memory`). Programs are read through `door` alone, which applies both.
"""

from __future__ import annotations

import builtins
import dis
import fractions
import functools
import itertools
import math
import operator
import sys
import types
from collections.abc import Iterator
from typing import Any, cast

from dpwitness.core import functions
from dpwitness.core.errors import OutsideFragment
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.noise import Noise
from dpwitness.core.numbers import Exact, exact
from dpwitness.core.readers.memory import UNBOUND, Fetch, Place, read_cell
from dpwitness.core.readers.shown import refuse_shown
from dpwitness.core.readers.unread import Unread, refuse_reach
from dpwitness.core.readers.where import program_code

BUILTINS = (
    "abs", "all", "any", "bool", "dict", "divmod", "enumerate", "filter", "float", "frozenset", "int", "iter", "len",
    "list", "map", "max", "min", "next", "pow", "range", "reversed", "round", "set", "slice", "sorted", "str", "sum",
    "tuple", "zip",
)  # fmt: skip
ASKS_FOR_KINDS = {
    "type", "isinstance", "issubclass", "id", "hasattr", "getattr", "vars", "dir", "callable", "repr", "ascii",
    "format", "hash", "print",
}  # fmt: skip
ARITHMETIC = (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "neg", "pos", "abs", "lt", "le", "eq", "ne", "ge", "gt",
    "not_", "truth", "itemgetter", "getitem",
)  # fmt: skip
_USABLE: list[Any] = [
    *(getattr(builtins, name) for name in BUILTINS),
    *(getattr(math, name) for name in dir(math) if callable(getattr(math, name)) and not name.startswith("_")),
    *(getattr(operator, name) for name in ARITHMETIC),
    *(getattr(itertools, name) for name in dir(itertools) if not name.startswith("_")),
    *(functools.reduce, functools.partial, fractions.Fraction, Exact, exact),
    *(functions.exp, functions.log, functions.sqrt, functions.logistic),
]
USABLE = {id(value): value for value in _USABLE}  # by identity: whatever name the program knows it by
_METHODS = {name for kind in (list, dict, set, str, int) for name in dir(kind) if not name.startswith("_")}
_TEXT = {"format", "format_map"}  # they look inside objects
_PARTS = {"real", "imag"}  # plain numbers have them, stand-ins do not
# of 0.1 they speak of a binary fraction, and of the exact number that a reader has in its place, of 1/10
_PARTS |= {"numerator", "denominator", "as_integer_ratio", "is_integer"}
_NOISE = {name for name in vars(Noise) if not name.startswith("_")} - {"draw", "check"}
VARIED = {
    "argmax",
    "binomial",
    "max",
    "minimiser",
    "spherical",
    "subsample",
    "sample",
    "postprocess",
}  # readers have their own; their text tells
ATTRIBUTES = (_METHODS - _TEXT - _PARTS) | _NOISE | {"from_iterable", "__getitem__", "__len__"}
PLAIN = (bool, int, float, fractions.Fraction, types.NoneType, types.EllipsisType)


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
    own = program_code(program)
    functions = []
    for function in _reached(program):
        functions.append(function)
        for code in _nested(function.__code__):
            reason = _first(code, function)
            if reason is not None:
                words, line = reason
                raise OutsideFragment(words, line if function.__code__ is own else None)
    refuse_shown((f, list(_nested(f.__code__)), list(reachable(f))) for f in functions)


def places(function: types.FunctionType) -> Iterator[Place]:
    """Where a function refers to values outside it: globals, parts of modules, closure cells and default arguments.

    What is taken from a module counts, and not the module itself.
    """
    for code in _nested(function.__code__):
        for step, value, fetch in _loads(code, function):
            if not isinstance(value, types.ModuleType | types.CodeType | None) and step.opname != "LOAD_CONST":
                yield Place(str(step.argval), fetch, isinstance(value, Unread))
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        yield Place(name, functools.partial(read_cell, cell))
    yield Place("a default argument", lambda: function.__defaults__)
    yield Place("a default argument", lambda: function.__kwdefaults__)


def reachable(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """Names and values outside a function that its code refers to."""
    for place in places(function):
        value = place.fetch()
        if value is not UNBOUND and value is not None:
            yield place.name, Unread(value) if place.unread else value


def memory(program: Any) -> list[Place]:
    """All places from which the program, and the functions that it can reach, take values."""
    return [place for function in _reached(program) for place in (_code_of(function), *places(function))]


def codes(program: Any) -> list[types.CodeType]:
    """The compiled code of the program, of the functions that it can reach, and of those inside them."""
    return [code for function in _reached(program) for code in _nested(function.__code__)]


def _code_of(function: types.FunctionType) -> Place:
    return Place(f"the code of {function.__name__}", lambda: function.__code__)


def _reached(program: Any) -> Iterator[types.FunctionType]:
    """The program and every Python function that it can reach; a wrapper counts, and not only what it wraps."""
    seen: set[int] = set()  # by identity: two functions of one code may refer to different values
    while hasattr(program, "__wrapped__") and is_ours(program):
        program = program.__wrapped__
    todo = _inside("the program", program)
    while todo:
        function = todo.pop()
        if id(function) in seen:
            continue
        seen.add(id(function))
        yield function
        for name, value in reachable(function):
            todo += _inside(name, value)


def is_ours(function: Any) -> bool:
    """Whether a function was written in a prover: one that seals the data and hands on the rest of a program."""
    name = getattr(function, "__globals__", {}).get("__name__", "")
    return name.startswith(("dpwitness.proofs.", "dpwitness.core.")) and function.__globals__ is vars(
        sys.modules.get(name, sys)
    )


def _inside(name: str, value: Any) -> list[types.FunctionType]:
    """The functions through which a value can act; a value that is not known to be harmless is refused."""
    if isinstance(value, Unread):
        refuse_reach(name, value.function)
        return []
    if isinstance(value, Mechanism):
        value = value.program
    if id(value) in USABLE or type(value) in (*PLAIN, Exact, functions.Irrational):
        return []
    if type(value) in (str, bytes):
        if "%" in str(value):
            raise OutsideFragment(f"{name} is text with a % in it, which could show what kind of object it is given")
        return []
    if isinstance(value, types.FunctionType):
        _refuse_disguise(name, value)
        return [value]
    if type(value) in (list, tuple, set, frozenset, dict):
        entries = [*value.keys(), *value.values()] if isinstance(value, dict) else value
        return [f for entry in entries for f in _inside(name, entry)]
    if isinstance(value, type) and issubclass(value, Exception) and value.__module__ == "builtins":
        return []
    known = getattr(value, "__name__", "")
    if known in ASKS_FOR_KINDS and value is getattr(builtins, known):
        raise OutsideFragment(f"the program asks what kind of object it was given ({known})")
    if type(value).__module__.partition(".")[0] == "numpy" or getattr(value, "__module__", "") == "numpy":
        raise OutsideFragment(f"the program uses {name} of numpy: hand it released values by noise.postprocess")
    kind = f"the type {value.__name__}" if isinstance(value, type) else f"an object of type {type(value).__name__}"
    raise OutsideFragment(f"the program uses {name}, {kind}, of which it is not known whether it is harmless")


def _refuse_disguise(name: str, function: types.FunctionType) -> None:
    """A function with attributes can hide values behind the name of a harmless method; so can odd name spaces."""
    if type(function) is not types.FunctionType or set(vars(function)) - {"__wrapped__"}:
        raise OutsideFragment(f"{name} is a function with attributes of its own, which could hide anything")
    if type(function.__globals__) is not dict or type(cast(Any, function).__builtins__) is not dict:
        raise OutsideFragment(f"{name} is a function whose global names are not kept in a plain dictionary")


def _part(module: types.ModuleType, name: str) -> Any:
    """A part of a module; one that is made up at each request could be another one next time."""
    if module is sys.modules.get("dpwitness"):
        return getattr(module, name, None)  # imported on first use
    if type(module) is not types.ModuleType or (name not in vars(module) and hasattr(module, name)):
        raise OutsideFragment(f"the module {module.__name__} makes up {name} when it is asked for")
    return vars(module).get(name)


def _nested(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _nested(constant)


def _first(code: types.CodeType, function: types.FunctionType) -> tuple[str, int | None] | None:
    """The first forbidden thing in one code object, in words, with its line."""
    line: int | None = None
    before: dis.Instruction | None = None
    module: types.ModuleType | None = None
    steps = _loads(code, function)
    while True:
        try:
            step, found, _ = next(steps)
        except StopIteration:
            return None
        except OutsideFragment as error:
            return error.reason, line
        line = step.positions.lineno if step.positions is not None and step.positions.lineno is not None else line
        try:
            words = _trick(step, before, module) or _outer_write(step, function)
            if words is None and not isinstance(found, types.ModuleType | types.CodeType | None):
                _inside(str(step.argval), found)
        except OutsideFragment as error:
            words = error.reason
        if words is not None:
            return words, line
        before, module = step, found if isinstance(found, types.ModuleType) else None


def _loads(code: types.CodeType, function: types.FunctionType) -> Iterator[tuple[dis.Instruction, Any, Fetch]]:
    """Every instruction, with the value from outside that it loads: a global, a constant, or a part of a module."""
    module: types.ModuleType | None = None  # what the last instruction left on the stack, if that was a module
    unread = False  # whether the next value is the function that is handed to noise.postprocess
    built_in = cast(Any, function).__builtins__  # its own, which need not be Python's
    for step in dis.get_instructions(code):
        if step.opname == "EXTENDED_ARG":
            continue
        fetch: Fetch = _nothing
        if module is not None and step.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            fetch = functools.partial(_part, module, str(step.argval))
        elif step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            fetch = functools.partial(_global, function.__globals__, built_in, step.argval)
        elif step.opname == "LOAD_CONST":
            fetch = functools.partial(_same, step.argval)
        found = fetch()
        module = found if isinstance(found, types.ModuleType) else None
        if unread and fetch is not _nothing and module is None and callable(found):
            yield step, Unread(found), fetch
        else:
            yield step, found, fetch
        unread = (unread and module is not None) or (
            step.opname in ("LOAD_ATTR", "LOAD_METHOD") and step.argval == "postprocess"
        )


def _nothing() -> None:
    return None


def _same(value: Any) -> Any:
    return value


def _global(names: dict[str, Any], built_in: dict[str, Any], name: str) -> Any:
    return names.get(name, built_in.get(name))


def _outer_write(step: dis.Instruction, function: types.FunctionType) -> str | None:
    """A write to a variable of the function around the program: it would outlive the run."""
    if step.opname in ("STORE_DEREF", "DELETE_DEREF") and step.argval in function.__code__.co_freevars:
        return f"the program changes {step.argval}, which lives outside it (nonlocal)"
    return None


def _trick(step: dis.Instruction, before: dis.Instruction | None, module: types.ModuleType | None) -> str | None:
    name, value = step.opname, step.argval
    if name == "PUSH_EXC_INFO" or name.startswith("SETUP_"):
        return "the program catches errors (try or with), among them the reader's own"
    if name == "IS_OP" and not (before is not None and before.opname == "LOAD_CONST" and before.argval is None):
        return "the program compares objects by identity (is)"
    if name in ("STORE_GLOBAL", "DELETE_GLOBAL", "STORE_ATTR", "DELETE_ATTR", "IMPORT_STAR", "LOAD_BUILD_CLASS"):
        return "the program changes something outside it or makes a class"
    if name.startswith("IMPORT_"):
        return f"the program imports {value}: imports stand outside a program"
    if name == "MATCH_CLASS":
        return "the program asks what kind of object it was given (match)"
    if module is not None:
        if name not in ("LOAD_ATTR", "LOAD_METHOD"):
            return f"the program uses the module {module.__name__} as a value"
        return None
    if name in ("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR") and value not in ATTRIBUTES:
        return f"the program looks inside an object (.{value})"
    if value in VARIED and name == "LOAD_ATTR" and not (sys.version_info >= (3, 12) and (step.arg or 0) & 1):
        return f"the program does not call noise.{value} but keeps it: its text names the reader"
    return None
