"""What one column of a dataset may hold, and the values at which functions of it are known to fail."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from dpwitness.core.errors import BadInput

Kind = Literal["real", "whole", "choice"]
Value = str | int | float | bool | tuple[Any, ...] | list[Any] | None  # a list stands for all that it holds
_WIDTHS = (7, 8, 15, 16, 31, 32, 63, 64)
_FEW = 16  # whole numbers of a range that are all tried
_LARGEST = 1.7976931348623157e308


@dataclass(frozen=True)
class Column:
    """Numbers within bounds, or a choice of values; made by `reals`, `wholes` and `choices`.

    Parameters
    ----------
    low, high
        Bounds of numbers; None: every number of the kind.
    allowed
        The values of a choice, in the order of interest.
    missing, nan, infinite
        Whether None, NaN and ±∞ may stand in the column too.
    """

    kind: Kind
    low: float | int | None = None
    high: float | int | None = None
    allowed: tuple[Any, ...] = ()
    missing: bool = False
    nan: bool = False
    infinite: bool = False

    def values(self) -> list[Any]:
        """Values worth trying, the simplest first: both ends, the middle, and what breaks arithmetic.

        >>> wholes(0, 10).values()
        [0, 1, 10, 5, 9, 2, 3, 4, 6, 7, 8]
        >>> choices("a", "b", missing=True).values()
        ['a', 'b', None]
        """
        found = list(self.allowed) if self.kind == "choice" else self._numbers()
        return found + [None] * self.missing

    def _numbers(self) -> list[Any]:
        low, high = self.low, self.high
        real = self.kind == "real"
        one: Any = 1.0 if real else 1
        wanted: list[Any] = [0 * one, one, low, high]
        if low is not None and high is not None:
            wanted.append((low + high) / 2 if real else (low + high) // 2)
        wanted += [-one, None if high is None else high - one, None if low is None else low + one, 2 * one]
        if real:
            wanted += [
                0.5,
                -0.5,
                -0.0,
                0.1,
                0.3,
                2.0**53,
                -(2.0**53),
                1e16,
                1e-9,
                5e-324,
                1e154,
                1e300,
                _LARGEST,
                -_LARGEST,
            ]
            wanted += [math.nextafter(x, -math.inf) for x in (high,) if x is not None and math.isfinite(x)]
            wanted += [math.inf, -math.inf] * self.infinite + [math.nan] * self.nan
        elif low is not None and high is not None and high - low <= _FEW:
            wanted += range(int(low), int(high) + 1)
        else:
            wanted += [sign * 2**width + by for width in _WIDTHS for sign, by in ((1, -1), (1, 0), (-1, 0))]
        found: dict[str, Any] = {}
        for value in wanted:
            if value is not None and self.holds(float(value) if real else int(value)):
                shown = float(value) if real else int(value)
                found.setdefault(repr(shown), shown)
        return list(found.values())

    def holds(self, value: Any) -> bool:
        """Whether a value may stand in the column.

        >>> reals(0, 1).holds(0.5), reals(0, 1).holds(float("nan")), wholes(0, 9).holds(True)
        (True, False, False)
        """
        if value is None:
            return self.missing
        if self.kind == "choice":
            return any(type(value) is type(x) and (value == x or _both_nan(value, x)) for x in self.allowed)
        if isinstance(value, bool):
            return False
        if self.kind == "whole":
            return _is_whole(value) and self._between(int(value))
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            return False
        if math.isnan(number):
            return self.nan
        return (self.infinite and math.isinf(number)) or (math.isfinite(number) and self._between(number))

    def _between(self, value: float | int) -> bool:
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)

    def describe(self) -> str:
        """The column in a few words."""
        if self.kind == "choice":
            return "one of " + ", ".join(map(repr, self.allowed[:6])) + (", …" if len(self.allowed) > 6 else "")
        bounds = "" if self.low is None and self.high is None else f" from {self.low} to {self.high}"
        also = [word for word, on in (("NaN", self.nan), ("±inf", self.infinite), ("None", self.missing)) if on]
        return f"{'real' if self.kind == 'real' else 'whole'} numbers{bounds}" + "".join(f", {word}" for word in also)


def _both_nan(one: Any, two: Any) -> bool:
    return isinstance(one, float) and math.isnan(one) and math.isnan(two)


def _is_whole(value: Any) -> bool:
    try:
        return bool(int(value) == value)
    except (TypeError, ValueError, OverflowError):
        return False


def reals(
    low: float | None = None, high: float | None = None, *, nan: bool = False, infinite: bool = False,
    missing: bool = False,
) -> Column:  # fmt: skip
    """Floats between two bounds, NaN and infinities only where they are asked for."""
    return Column("real", *_bounds(low, high), missing=missing, nan=nan, infinite=infinite)


def wholes(low: int | None = None, high: int | None = None, *, missing: bool = False) -> Column:
    """Whole numbers between two bounds."""
    return Column("whole", *_bounds(low, high), missing=missing)


def choices(*values: Value, missing: bool = False) -> Column:
    """One of the given values."""
    listed: Iterable[Any] = values[0] if len(values) == 1 and isinstance(values[0], list | tuple | set) else values
    allowed = tuple({f"{type(x).__name__} {x!r}": x for x in listed}.values())
    if not allowed:
        raise BadInput("choices() is empty: name at least one value")
    return Column("choice", allowed=allowed, missing=missing)


def _bounds(low: Any, high: Any) -> tuple[Any, Any]:
    if low is not None and high is not None and not low <= high:
        raise BadInput(f"low={low!r} must not be above high={high!r}")
    return low, high
