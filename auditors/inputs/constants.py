"""Numbers and texts that a program names: lengths, limits and categories at which it may change its mind."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any

MOST = 24


def constants_of(function: Callable[..., Any]) -> list[Any]:
    """Constants of a function's code, of functions defined in it, of its defaults, and plain globals that it reads.

    >>> constants_of(lambda data: len(data) > 1492)
    [1492]
    """
    found: dict[str, Any] = {}
    for value in _all(inspect.unwrap(function)):
        if isinstance(value, int | float | str) and not isinstance(value, bool) and len(str(value)) <= 24:
            found.setdefault(f"{type(value).__name__} {value!r}", value)
    return list(found.values())[:MOST]


def _all(function: Any) -> Iterator[Any]:
    code = getattr(function, "__code__", None)
    if not isinstance(code, CodeType):
        return
    yield from _of_code(code, skip_docstring=True)
    yield from function.__defaults__ or ()
    everything = getattr(function, "__globals__", {})
    home = code.co_filename
    for name in code.co_names:
        value = everything.get(name)
        if isinstance(value, int | float | tuple | list):
            yield from _inside(value)
        inner = getattr(value, "__code__", None)
        if isinstance(inner, CodeType) and inner.co_filename == home:
            yield from _of_code(inner, skip_docstring=True)


def _of_code(code: CodeType, *, skip_docstring: bool) -> Iterator[Any]:
    for place, value in enumerate(code.co_consts):
        if isinstance(value, CodeType):
            yield from _of_code(value, skip_docstring=True)
        elif not (place == 0 and skip_docstring and isinstance(value, str)):
            yield from _inside(value)


def _inside(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple | list | frozenset):
        for part in sorted(value, key=repr) if isinstance(value, frozenset) else value:
            yield from _inside(part)
    else:
        yield value
