"""exp, log and sqrt for programs: they work on plain numbers, on lanes and on symbolic values."""

from __future__ import annotations

import math
from typing import Any

from dpwitness.core.errors import BadInput


def _apply(name: str, value: Any) -> Any:
    own = getattr(value, "apply_function", None)
    if own is not None:
        return own(name)
    try:
        return getattr(math, name)(value)
    except (TypeError, ValueError):
        raise BadInput(f"{name}({value!r}) is not defined") from None


def exp(value: Any) -> Any:
    """e to the power `value`."""
    return _apply("exp", value)


def log(value: Any) -> Any:
    """Natural logarithm."""
    return _apply("log", value)


def sqrt(value: Any) -> Any:
    """Square root."""
    return _apply("sqrt", value)
