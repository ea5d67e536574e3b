"""Functions that are computed from public values, and that no reader looks into."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from numbers import Real
from typing import Any

from dpwitness.core.errors import BadInput, OutsideFragment
from dpwitness.core.numbers import Exact
from dpwitness.core.public import Public


def plain_value(value: Any, reader: str = "the reader") -> Any:
    """A copy of a value as a function gets it that is not read: plain numbers, texts, lists and tuples.

    >>> plain_value([Exact(1, 2), (Exact(3), "a")])
    [0.5, (3, 'a')]
    """
    if isinstance(value, Public):
        return value.python
    if isinstance(value, Exact):
        return value.shipped()
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, float):
        return float(value)  # without what it may remember of its origin
    if isinstance(value, int | Fraction):
        return value
    if isinstance(value, list | tuple):
        parts = [plain_value(part, reader) for part in value]
        return parts if isinstance(value, list) else tuple(parts)
    raise OutsideFragment(
        f"{reader} has no plain number to hand to a function that it does not read: the composition prover and the "
        "samplers follow noise.postprocess"
    )


def computed(function: Callable[..., Any], values: Sequence[Any], size: int | None) -> Any:
    """The result of a function as a float, or as a tuple of `size` floats; what is no finite number is refused.

    >>> computed(max, [1, 2], None), computed(sorted, [[2, 1]], 2)
    (2.0, (1.0, 2.0))
    """
    if not callable(function):
        raise BadInput(f"postprocess(function={function!r}) wants a function as its first argument")
    result = function(*values)
    if size is None:
        return finite(result, "the result")
    parts = list(result)
    if len(parts) != size:
        raise BadInput(f"the function given to postprocess returned {len(parts)} numbers where size={size}")
    return tuple(finite(part, f"number {k} of the result") for k, part in enumerate(parts))


def finite(value: Any, what: str) -> float:
    """A finite number as a float."""
    if not isinstance(value, Real) or not math.isfinite(value):
        raise BadInput(f"{what} of the function given to postprocess is {value!r}, which is no finite number")
    return float(value)


__all__ = ["computed", "finite", "plain_value"]
