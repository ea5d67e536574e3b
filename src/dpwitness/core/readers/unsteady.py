"""What is not the same in every process, and so is no part of a state: the order of a set, and the text of an object.

Texts have other hashes in each process, and a set of texts another order; the text of a function, or of an iterator,
tells where it lies in memory. Nothing of the kind is in a picture of a program's variables (`pictures`), so programs
with loops that end by chance are read only without both.
"""

from __future__ import annotations

import dis
from collections.abc import Iterable, Iterator
from itertools import pairwise
from types import CodeType
from typing import Any

from dpwitness.core.readers.pictures import HiddenState
from dpwitness.core.readers.shown import combines, makes_a_set, makes_text


def refuse_unsteady(codes: Iterable[CodeType], outside: Iterable[Any]) -> None:
    """Raise where a program with loops by 'while' makes text of values, or has sets for more than to look something up.

    >>> def found(noise, k):
    ...     return k in {1, 2}
    >>> refuse_unsteady([found.__code__], [])
    >>> def listed(noise, k):
    ...     return [*{1, 2, k}]
    >>> refuse_unsteady([listed.__code__], [])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    dpwitness.core.readers.pictures.HiddenState: a set beside a loop by 'while': ...
    """
    text = (
        "text of values (str, or an f-string) beside a loop by 'while': that of a function or an iterator tells where "
        "it lies in memory"
    )
    order = (
        "a set beside a loop by 'while': its order is a state that cannot be seen, and need not be the same in "
        "another process; write a tuple, a list or a dictionary"
    )
    for code in codes:
        steps = [step for step in dis.get_instructions(code) if step.opname not in ("EXTENDED_ARG", "CACHE")]
        if any(map(makes_text, steps)):
            raise HiddenState(text)
        if any(makes_a_set(step) and after.opname != "CONTAINS_OP" for step, after in pairwise(steps)):
            raise HiddenState(order)
        if {"keys", "items"} & set(code.co_names) and any(combines(step) for step in steps):
            raise HiddenState(f"keys or items of a dictionary, which & | ^ and - make sets of; {order}")
    for value in _parts(outside):
        if value is str:
            raise HiddenState(text)
        if value in (set, frozenset) or isinstance(value, set | frozenset):
            raise HiddenState(order)


def _parts(values: Iterable[Any]) -> Iterator[Any]:
    """Values and what they hold; what lives outside a program does not contain itself (`memory`)."""
    for value in values:
        yield value
        if isinstance(value, list | tuple):
            yield from _parts(value)
        elif isinstance(value, dict):
            yield from _parts((*value.keys(), *value.values()))


__all__ = ["refuse_unsteady"]
