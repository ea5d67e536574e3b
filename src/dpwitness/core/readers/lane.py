"""A value of many runs at once."""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from dpwitness.core.minimising import Term
from dpwitness.core.numbers import Exact

if TYPE_CHECKING:
    from dpwitness.core.readers.lanes import Lanes


_DEEP = 60  # longer chains of lazy values are computed at once, so that evaluation does not recurse too far


class NeedsScalar(Exception):
    """The program uses a value in a way that only a single number allows."""


class Lane:
    """A column with one entry for each run, that behaves like a number in a program.

    Arithmetic is elementwise and lazy: on a re-run most values only led to decisions that are already known, and are
    never needed again. ``bool()`` and use as an index ask the runner, which splits the runs where they disagree.
    """

    __slots__ = ("_arguments", "_array", "_function", "depth", "run")
    __array_ufunc__ = None  # numpy leaves mixed arithmetic to this class

    def __init__(self, run: Lanes, function: Callable[..., Any], *arguments: Any) -> None:
        self.run = run
        self._function = function
        self._arguments = arguments
        self._array: NDArray[Any] | None = None
        self.depth: int = 1 + max((a.depth for a in arguments if isinstance(a, Lane)), default=0)
        if self.depth > _DEEP:
            self._array = self.array
            self.depth = 0

    @classmethod
    def known(cls, run: Lanes, values: NDArray[Any]) -> Lane:
        """A column that is there already: nothing is left to compute, for all lanes or for the first one."""
        lane = cls(run, lambda: values)
        lane._array = values
        return lane

    @property
    def array(self) -> NDArray[Any]:
        """The values of all lanes."""
        if self._array is None:
            result = np.asarray(self._function(*(a.array if isinstance(a, Lane) else a for a in self._arguments)))
            size = self.run.lanes.size
            self._array = result if result.shape == (size,) else np.broadcast_to(result, (size,))
            self._arguments = ()
        return self._array

    def first(self) -> Any:
        """The value of the first lane alone."""
        if self._array is not None:
            return self._array[0]
        return self._function(*(a.first() if isinstance(a, Lane) else a for a in self._arguments))

    def _operand(self, other: Any) -> Any:
        if isinstance(other, Lane | int | float | np.number):
            return other
        if isinstance(other, Exact):
            other = other.shipped()
            if not isinstance(other, Fraction):
                return other
        if isinstance(other, Fraction):
            if self.array.dtype.kind in "iub":
                raise NeedsScalar("an integer and a Fraction make a Fraction")
            return float(other)
        raise NeedsScalar(f"arithmetic between lanes and {type(other).__name__}")

    def _do(self, function: Callable[[Any, Any], Any], other: Any, *, swap: bool = False) -> Lane:
        if isinstance(other, Term):
            return NotImplemented  # type: ignore[no-any-return]
        right = self._operand(other)
        return Lane(self.run, function, right, self) if swap else Lane(self.run, function, self, right)

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
        return Lane(self.run, operator.neg, self)

    def __pos__(self) -> Lane:
        return self

    def __abs__(self) -> Lane:
        return Lane(self.run, np.abs, self)

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
        return Lane(self.run, np.logical_not, self)

    def __floor__(self) -> Lane:
        return Lane(self.run, lambda x: np.floor(x).astype(np.int64), self)

    def __ceil__(self) -> Lane:
        return Lane(self.run, lambda x: np.ceil(x).astype(np.int64), self)

    def __round__(self, digits: int | None = None) -> Lane:
        if digits is None:
            return Lane(self.run, lambda x: np.round(x).astype(np.int64), self)
        return Lane(self.run, lambda x: np.round(x, digits), self)

    def apply_function(self, name: str) -> Lane:
        """exp, log or sqrt."""
        return Lane(self.run, getattr(np, name), self)

    def __bool__(self) -> bool:
        return bool(self.run.decide(self, boolean=True))

    def __index__(self) -> int:
        return int(self.run.decide(self, boolean=False))

    __int__ = __index__

    def __float__(self) -> NoReturn:
        raise NeedsScalar("conversion to float")

    def __hash__(self) -> NoReturn:
        raise NeedsScalar("use as a key")

    def __str__(self) -> NoReturn:
        raise NeedsScalar("conversion to text")

    __repr__ = __str__
