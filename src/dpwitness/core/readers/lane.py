"""A value of many runs at once."""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from dpwitness.core.readers.lanes import Lanes


class NeedsScalar(Exception):
    """The program uses a value in a way that only a single number allows."""


class Lane:
    """An array with one entry for each run, that behaves like a number in a program.

    Arithmetic is elementwise. ``bool()`` and use as an index ask the runner, which splits the runs where they disagree.
    """

    __slots__ = ("array", "run")
    __array_ufunc__ = None  # numpy leaves mixed arithmetic to this class

    def __init__(self, run: Lanes, array: NDArray[Any]) -> None:
        self.run = run
        self.array = array

    def _operand(self, other: Any) -> Any:
        if isinstance(other, Lane):
            return other.array
        if isinstance(other, Fraction):
            return other.numerator if other.denominator == 1 else float(other)
        if isinstance(other, int | float | np.number):
            return other
        raise NeedsScalar(f"arithmetic between lanes and {type(other).__name__}")

    def _do(self, function: Callable[[Any, Any], Any], other: Any, *, swap: bool = False) -> Lane:
        right = self._operand(other)
        left = self.array
        return Lane(self.run, function(right, left) if swap else function(left, right))

    def __add__(self, other: Any) -> Lane:
        return self._do(operator.add, other)

    def __radd__(self, other: Any) -> Lane:
        return self._do(operator.add, other, swap=True)

    def __sub__(self, other: Any) -> Lane:
        return self._do(operator.sub, other)

    def __rsub__(self, other: Any) -> Lane:
        return self._do(operator.sub, other, swap=True)

    def __mul__(self, other: Any) -> Lane:
        return self._do(operator.mul, other)

    def __rmul__(self, other: Any) -> Lane:
        return self._do(operator.mul, other, swap=True)

    def __truediv__(self, other: Any) -> Lane:
        return self._do(operator.truediv, other)

    def __rtruediv__(self, other: Any) -> Lane:
        return self._do(operator.truediv, other, swap=True)

    def __floordiv__(self, other: Any) -> Lane:
        return self._do(operator.floordiv, other)

    def __mod__(self, other: Any) -> Lane:
        return self._do(operator.mod, other)

    def __pow__(self, other: Any) -> Lane:
        return self._do(operator.pow, other)

    def __rpow__(self, other: Any) -> Lane:
        return self._do(operator.pow, other, swap=True)

    def __neg__(self) -> Lane:
        return Lane(self.run, -self.array)

    def __pos__(self) -> Lane:
        return self

    def __abs__(self) -> Lane:
        return Lane(self.run, np.abs(self.array))

    def __lt__(self, other: Any) -> Lane:
        return self._do(operator.lt, other)

    def __le__(self, other: Any) -> Lane:
        return self._do(operator.le, other)

    def __gt__(self, other: Any) -> Lane:
        return self._do(operator.gt, other)

    def __ge__(self, other: Any) -> Lane:
        return self._do(operator.ge, other)

    def __eq__(self, other: object) -> Any:
        if other is None or isinstance(other, str):
            return False
        return self._do(operator.eq, other)

    def __ne__(self, other: object) -> Any:
        if other is None or isinstance(other, str):
            return True
        return self._do(operator.ne, other)

    def __and__(self, other: Any) -> Lane:
        return self._do(operator.and_, other)

    def __or__(self, other: Any) -> Lane:
        return self._do(operator.or_, other)

    def __invert__(self) -> Lane:
        return Lane(self.run, ~self.array)

    def __floor__(self) -> Lane:
        return Lane(self.run, np.floor(self.array).astype(np.int64))

    def __ceil__(self) -> Lane:
        return Lane(self.run, np.ceil(self.array).astype(np.int64))

    def __round__(self, digits: int | None = None) -> Lane:
        rounded = np.round(self.array, digits or 0)
        return Lane(self.run, rounded.astype(np.int64) if digits is None else rounded)

    def apply_function(self, name: str) -> Lane:
        """exp, log or sqrt."""
        with np.errstate(all="ignore"):
            return Lane(self.run, getattr(np, name)(self.array))

    def __bool__(self) -> bool:
        return bool(self.run.decide(self.array != 0 if self.array.dtype != np.bool_ else self.array))

    def __index__(self) -> int:
        if self.array.dtype.kind not in "iub":
            raise NeedsScalar("an index that is not an integer")
        return int(self.run.decide(self.array))

    __int__ = __index__

    def __float__(self) -> NoReturn:
        raise NeedsScalar("conversion to float")

    def __hash__(self) -> NoReturn:
        raise NeedsScalar("use as a key")

    def __str__(self) -> NoReturn:
        raise NeedsScalar("conversion to text")

    __repr__ = __str__
