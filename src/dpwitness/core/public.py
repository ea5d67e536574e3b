"""Public numbers of a running program: exact, and as Python would compute them.

A reader hands parameters and data to a program as `Public` numbers. Each carries its exact value and the Python number
(an int, a float, a `Fraction`) that the same steps give to whoever runs the program with plain numbers. Where the two
decide a test, an index or a size differently, the program is refused: what would be proved is not what runs.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from dpwitness.core.errors import OutsideFragment
from dpwitness.core.numbers import Exact

CLOSE = Fraction(1, 10**9)  # how far rounding may move a size, relative to it


class Public(Exact):
    """An exact number together with what Python computes in its place.

    >>> x = public(Exact(1)) / 10
    >>> x * 3 > x + x
    True
    >>> x * 3 > public(Exact(3)) / 10
    Traceback (most recent call last):
    dpwitness.core.errors.OutsideFragment: 3/10 > 3/10 is false, and for Python 0.30000000000000004 > 0.3 is true
    """

    __slots__ = ("python",)
    python: int | float | Fraction

    def shipped(self) -> int | float | Fraction:
        return self.python

    def settled(self) -> Exact:
        """The exact value, where Python's is as good as equal to it."""
        if not close(self, self.python):
            raise OutsideFragment(f"a number that is {Fraction(self)} exactly, and {self.python!r} in floating point")
        return Exact(self)

    def _with(self, other: Any, function: Callable[[Any, Any], Any], *, swap: bool = False) -> Any:
        python = python_number(other)
        if python is None or hasattr(other, "form"):
            return NotImplemented  # numbers of readers, and numbers that carry a formula, know what to do
        mine, yours = (python, self.python) if swap else (self.python, python)
        if isinstance(other, float):
            return function(mine, yours)
        left, right = Fraction(self), Fraction(other)
        try:
            value = function(right, left) if swap else function(left, right)
        except ZeroDivisionError:
            function(mine, yours)
            raise _differ("division by zero", mine, yours) from None
        return _both(value, lambda: function(mine, yours))

    def _compared(self, other: Any, function: Callable[[Any, Any], Any], sign: str) -> Any:
        python = python_number(other)
        if python is None:
            return NotImplemented
        answer = function(self.python, python)
        if not isinstance(other, float) and function(Fraction(self), Fraction(other)) != answer:
            words = f"{Fraction(self)} {sign} {Fraction(other)} is {str(not answer).lower()}"
            raise OutsideFragment(f"{words}, and for Python {self.python!r} {sign} {python!r} is {str(answer).lower()}")
        return answer

    def __lt__(self, other: Any) -> Any:
        return self._compared(other, operator.lt, "<")

    def __le__(self, other: Any) -> Any:
        return self._compared(other, operator.le, "<=")

    def __gt__(self, other: Any) -> Any:
        return self._compared(other, operator.gt, ">")

    def __ge__(self, other: Any) -> Any:
        return self._compared(other, operator.ge, ">=")

    def __eq__(self, other: object) -> Any:
        return self._compared(other, operator.eq, "==")

    def __ne__(self, other: object) -> Any:
        return self._compared(other, operator.ne, "!=")

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(self.python)

    def __bool__(self) -> bool:
        return bool(self != 0)

    def __float__(self) -> float:
        return float(self.python)

    def _whole(self, function: Callable[[Any], Any]) -> int:
        exact, python = function(Fraction(self)), function(self.python)
        if exact != python:
            raise _differ(f"a number that is rounded to {exact}", self.python, python)
        return int(python)

    def __int__(self) -> int:  # type: ignore[override]
        return self._whole(int)

    def __trunc__(self) -> int:
        return self._whole(math.trunc)

    def __floor__(self) -> int:
        return self._whole(math.floor)

    def __ceil__(self) -> int:
        return self._whole(math.ceil)

    def __round__(self, digits: int | None = None) -> Any:
        if digits is None:
            return self._whole(round)
        return _both(round(Fraction(self), digits), lambda: round(self.python, digits))

    def __index__(self) -> int:
        return operator.index(self.python)  # type: ignore[arg-type]  # a float is no index, however whole it is

    def __str__(self) -> str:
        return str(self.python)

    def __repr__(self) -> str:
        return repr(self.python)

    def __format__(self, spec: str) -> str:
        return format(self.python, spec)

    def __reduce__(self) -> tuple[Any, ...]:
        return as_public, (Fraction(self), self.python)

    def __copy__(self) -> Public:
        return self

    def __deepcopy__(self, memo: object) -> Public:
        return self


def _install(name: str) -> None:
    function = getattr(operator, name)
    if name in ("neg", "pos", "abs"):
        setattr(Public, f"__{name}__", lambda self: as_public(function(Fraction(self)), function(self.python)))
        return
    setattr(Public, f"__{name}__", lambda self, other: self._with(other, function))
    setattr(Public, f"__r{name}__", lambda self, other: self._with(other, function, swap=True))


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "neg", "pos", "abs"):
    _install(_name)
del _name


def _divmod(self: Public, other: Any) -> Any:
    return self // other, self % other


def _rdivmod(self: Public, other: Any) -> Any:
    return other // self, other % self


Public.__divmod__, Public.__rdivmod__ = _divmod, _rdivmod  # type: ignore[method-assign, assignment]


def as_public(value: Fraction, python: int | float | Fraction) -> Public:
    """An exact number, and what Python has in its place."""
    result = Public(value)
    result.python = python
    return result


def _both(value: Any, compute: Callable[[], Any]) -> Any:
    """An exact result with Python's; where one is no rational number, Python's alone."""
    try:
        python = compute()
    except (ZeroDivisionError, OverflowError) as error:
        raise OutsideFragment(f"{value} exactly, and no number in floating point ({error})") from None
    if isinstance(value, float | complex) or isinstance(python, complex):
        return python
    if isinstance(python, float) and not math.isfinite(python):
        raise OutsideFragment(f"{value} exactly, and {python} in floating point")
    return as_public(Fraction(value), python)


def _differ(what: str, left: object, right: object) -> OutsideFragment:
    return OutsideFragment(f"{what} of exact numbers, and not of Python's ({left!r}, {right!r})")


def close(value: Fraction, python: float | Fraction) -> bool:
    """Whether two numbers differ by rounding alone."""
    difference = abs(Fraction(value) - Fraction(python))
    return difference <= CLOSE * max(abs(Fraction(value)), abs(Fraction(python)))


def python_number(value: Any) -> int | float | Fraction | None:
    """The Python number that a plain or an exact number is; None for anything else.

    >>> python_number(public(Exact(1, 3))), python_number(True), python_number("1")
    (0.3333333333333333, True, None)
    """
    if isinstance(value, Exact):
        return value.shipped()
    return value if isinstance(value, int | float | Fraction) else None


def public(value: Any) -> Any:
    """A number as a program gets it; what is no exact number is handed out as it is, records part by part.

    >>> public(Exact(1, 2)) + 1, str(public(Exact(1, 2))), public((Exact(1), "a"))
    (1.5, '0.5', (1, 'a'))
    """
    if isinstance(value, Public):
        return value
    if isinstance(value, Exact):
        return as_public(Fraction(value), value.shipped())
    return tuple(map(public, value)) if type(value) is tuple else value
