"""A text that tells samplers and inputs apart, and is the same in every process.

A checkpoint is a sum over outputs of one sampler on one pair of inputs: continued with another, it would be evidence on
neither. So what identifies a run holds the code of the sampler, of the functions that it calls and the constants that
they use, and every entry of the inputs. What the code itself assigns to (counters, caches) is left out: it changes from
run to run.
"""

from __future__ import annotations

import contextlib
import dis
import functools
import hashlib
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, MethodType
from typing import Any

import numpy as np

from dpwitness.auditors.outputs.forms import plain_repr
from dpwitness.auditors.outputs.objects import array_parts
from dpwitness.auditors.sampling.source_code import foreign, names_in

_DEEP, _MANY = 8, 5000
_PLAIN = (bool, int, float, complex, str, bytes, type(None))


def likeness(value: Any) -> str:
    """The hash of a sampler or of an input.

    >>> a, b = np.zeros(5000), np.zeros(5000)
    >>> b[2500] = 1
    >>> likeness(a) == likeness(b), likeness(a) == likeness(np.zeros(5000))
    (False, True)
    """
    return hashlib.sha256("\n".join(_texts(value, 0, set())).encode(errors="replace")).hexdigest()


def _texts(value: Any, depth: int, seen: set[int]) -> Iterator[str]:
    if isinstance(value, _PLAIN):
        yield repr(value)
        return
    if id(value) in seen or depth > _DEEP or len(seen) > _MANY:
        yield "again"
        return
    seen.add(id(value))
    yield type(value).__qualname__
    if isinstance(value, np.ndarray):
        yield f"{value.dtype} {value.shape}"
        whole = value.dtype.hasobject
        if not whole:
            yield hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
        parts = value.tolist() if whole else ()
    elif (arrays := _arrays(value)) is not None:
        parts = tuple(arrays.items())
    elif isinstance(value, functools.partial):
        parts = (value.func, *value.args, *value.keywords.items())
    elif isinstance(value, MethodType):
        parts = (value.__self__, value.__func__)
    elif isinstance(value, FunctionType):
        yield f"{value.__module__}.{value.__qualname__}"
        parts = tuple(_of_function(value))
    elif isinstance(value, dict):
        parts = tuple(value.items())
    elif isinstance(value, set | frozenset):
        parts = tuple(sorted(value, key=plain_repr))
    elif isinstance(value, list | tuple):
        parts = tuple(value)
    else:
        yield f"{type(value).__module__} {plain_repr(value, short=False)}"
        parts = tuple(_of_object(value))
    for part in parts:
        yield from _texts(part, depth + 1, seen)


def _arrays(value: Any) -> dict[str, Any] | None:
    with contextlib.suppress(Exception):  # whatever a foreign object does when it is looked at
        return array_parts(value)
    return None


def _of_function(function: FunctionType) -> Iterator[Any]:
    code, assigned = function.__code__, set(_assigned(function.__code__, ("STORE_GLOBAL", "STORE_DEREF")))
    yield from _of_code(code)
    yield from (x for x in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).items()) if _fixed(x))
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=False):
        with contextlib.suppress(ValueError):  # not yet bound
            if name not in assigned and _fixed(cell.cell_contents):
                yield (name, cell.cell_contents)
    if not foreign(function.__module__ or ""):
        known = function.__globals__
        names = [name for name in names_in(code) if name in known and name not in assigned]
        yield from ((name, known[name]) for name in names if _fixed(known[name]))


def _of_code(code: CodeType) -> Iterator[Any]:
    yield code.co_code
    yield code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _of_code(constant)
        else:
            yield constant


def _assigned(code: CodeType, operations: tuple[str, ...]) -> Iterator[str]:
    yield from (str(step.argval) for step in dis.get_instructions(code) if step.opname in operations)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _assigned(constant, operations)


def _of_object(value: Any) -> Iterator[Any]:
    """The claim of a catalogue sampler; the attributes and methods of a foreign object."""
    claim: Any = getattr(value, "claim", None)
    if type(value).__module__.startswith("dpwitness."):
        if hasattr(claim, "describe"):
            yield claim.describe()
            yield getattr(claim.mechanism, "program", None) or getattr(claim.mechanism, "sampler", None)
        return
    if foreign(type(value).__module__) or not isinstance(getattr(value, "__dict__", None), dict):
        return
    methods = {name: f for name, f in vars(type(value)).items() if isinstance(f, FunctionType)}
    late = [f for name, f in methods.items() if name not in ("__init__", "__post_init__", "__new__")]
    assigned = {name for f in late for name in _assigned(f.__code__, ("STORE_ATTR",))}
    yield from ((name, x) for name, x in vars(value).items() if name not in assigned and _fixed(x))
    yield from methods.items()


def _fixed(value: Any) -> bool:
    """Whether a value is part of what the code does: no cache or list that it might fill, and no module."""
    return isinstance(value, (*_PLAIN, tuple, np.ndarray, FunctionType, MethodType, functools.partial)) or (
        isinstance(value, Callable) and not isinstance(value, type)  # type: ignore[arg-type]
    )
