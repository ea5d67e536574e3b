"""Names of records and outputs in certificates: by type and exact value, so that no two of them are one.

In Python ``0 == False`` and ``1 == 1.0``, but a program can tell them apart. A label says both what type a value has
and which value it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from dpwitness.core.errors import OutsideFragment


def label(value: Any) -> str:
    """The label of a record or of an output without unknown numbers.

    Exact whole numbers have the label of an integer, other exact numbers that of a fraction.

    >>> [label(x) for x in (0, False, 0.0, "0", None, Fraction(1, 2))]
    ['int:0', 'bool:False', 'float:0.0', "str:'0'", 'NoneType:None', 'Fraction:1/2']
    >>> label((1, [True, "a"]))
    "tuple:(int:1, list:[bool:True, str:'a'])"
    """
    if isinstance(value, Fraction):
        return f"int:{value}" if value.denominator == 1 else f"Fraction:{value}"
    if value is None or type(value) in (bool, int, float, str):
        return f"{type(value).__name__}:{value!r}"
    if type(value) in (list, tuple):
        parts = ", ".join(label(part) for part in value)
        return f"list:[{parts}]" if type(value) is list else f"tuple:({parts})"
    raise OutsideFragment(f"a value of type {type(value).__name__} has no name in certificates")


def labels(values: Sequence[Any]) -> tuple[str, ...]:
    """The labels of several values, which must differ."""
    found = tuple(label(value) for value in values)
    if len(set(found)) != len(found):
        raise OutsideFragment("two records of the domain cannot be told apart")
    return found
