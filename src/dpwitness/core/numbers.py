"""Exact numbers.

Privacy parameters are rationals. `Exact` is a `Fraction` whose arithmetic stays exact against ints and which may be
used as an index when it is integral, so that a program can write both ``2 / eps`` and ``range(cutoff)``.
"""

from __future__ import annotations

import math
import numbers
import warnings
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from dpwitness.core.errors import BadInput, FloatRead

Number: TypeAlias = "int | float | str | Fraction"

_MAX_TEXT = 400
_MAX_EXPONENT = 4000


class Exact(Fraction):
    """A rational that stays exact: ``Exact(2) / 3`` and ``2 / Exact(3)`` are rationals, ``range(Exact(3))`` works.

    >>> 2 / Exact(3)
    Exact(2, 3)
    >>> list(range(Exact(1) + 2)), Exact(6) & 3
    ([0, 1, 2], Exact(2))
    """

    __slots__ = ()

    def __index__(self) -> int:
        if self.denominator != 1:
            raise TypeError(f"{self} is not an integer")
        return self.numerator

    def __hash__(self) -> int:  # type: ignore[override]
        return Fraction.__hash__(self)

    def shipped(self) -> int | float | Fraction:
        """The Python number that it stands for: whoever passes 2 passes an int, and whoever passes 1/2 a float."""
        return self.numerator if self.denominator == 1 else float(self)

    def as_read(self) -> Exact:
        """What `exact` makes of it."""
        return self

    if TYPE_CHECKING:  # the arithmetic is installed below; these are its types

        def __add__(self, other: Any) -> Exact: ...  # type: ignore[override]
        def __radd__(self, other: Any) -> Exact: ...  # type: ignore[override]
        def __sub__(self, other: Any) -> Exact: ...  # type: ignore[override]
        def __rsub__(self, other: Any) -> Exact: ...  # type: ignore[override]
        def __mul__(self, other: Any) -> Exact: ...  # type: ignore[override]
        def __rmul__(self, other: Any) -> Exact: ...  # type: ignore[override]
        def __truediv__(self, other: Any) -> Exact: ...  # type: ignore[override]
        def __rtruediv__(self, other: Any) -> Exact: ...  # type: ignore[override]
        def __and__(self, other: Any) -> Exact: ...
        def __or__(self, other: Any) -> Exact: ...
        def __neg__(self) -> Exact: ...
        def __abs__(self) -> Exact: ...

    def __repr__(self) -> str:
        return f"Exact({self.numerator})" if self.denominator == 1 else f"Exact({self.numerator}, {self.denominator})"


def _keep_exact(name: str) -> Any:
    plain = getattr(Fraction, name)

    def operation(self: Exact, *others: Any) -> Any:
        if others and hasattr(others[0], "form"):
            return NotImplemented  # a number that carries its formula knows how to stay exact
        result = plain(self, *others)
        return Exact(result) if type(result) is Fraction else result

    operation.__name__ = name
    return operation


for _name in ("add", "sub", "mul", "truediv", "mod", "pow"):  # Fraction's own results are plain Fractions
    setattr(Exact, f"__{_name}__", _keep_exact(f"__{_name}__"))
    setattr(Exact, f"__r{_name}__", _keep_exact(f"__r{_name}__"))


def _on_bits(name: str) -> Any:
    plain = getattr(int, name)

    def operation(self: Exact, other: Any) -> Any:
        mine, theirs = self.shipped(), other.shipped() if isinstance(other, Exact) else other
        if not isinstance(mine, int) or not isinstance(theirs, int):
            return NotImplemented  # as for the plain numbers that they stand for
        return Exact(plain(mine, theirs))

    operation.__name__ = name
    return operation


for _name in ("and", "or"):
    setattr(Exact, f"__{_name}__", _on_bits(f"__{_name}__"))
    setattr(Exact, f"__r{_name}__", _on_bits(f"__r{_name}__"))
for _name in ("neg", "pos", "abs"):
    setattr(Exact, f"__{_name}__", _keep_exact(f"__{_name}__"))
del _name


class Written(Exact):
    """An exact number that was written as a float or as a `Fraction`: 0.0 and 0 are equal, and not the same.

    >>> written(0.0), written(0.0).shipped(), written(0), written(Fraction(1, 2)).shipped()
    (0.0, 0.0, Exact(0), Fraction(1, 2))
    """

    __slots__ = ("_number",)
    _number: float | Fraction

    def shipped(self) -> float | Fraction:
        return self._number

    def __reduce__(self) -> tuple[Any, ...]:
        return written, (self._number,)

    def __copy__(self) -> Written:
        return self

    def __deepcopy__(self, memo: object) -> Written:
        return self

    def __str__(self) -> str:
        return str(self._number)

    def __repr__(self) -> str:
        return repr(self._number)


def written(value: int | float | Fraction) -> Exact:
    """A number as an exact one that still knows its type; an int, or a float that is no whole number, needs no more."""
    number = exact(value)
    if type(value) is not Fraction and not (isinstance(value, float) and number.denominator == 1):
        return number
    result = Written(number)
    result._number = value if isinstance(value, Fraction) else float(value)
    return result


def exact(value: object, name: str = "value") -> Exact:
    """Read a number exactly.

    Parameters
    ----------
    value
        An int, a `Fraction`, a sympy rational, a numpy integer, text such as ``"1/3"``, ``"0.1"`` or ``"1e-5"``, or a
        float. A float is read by its decimal text, so 0.1 is 1/10; where that differs from the binary value a
        `FloatRead` warning says so.
    name
        What to call the number in an error message.

    >>> exact("1/3"), exact(2), exact("1e-5")
    (Exact(1, 3), Exact(2), Exact(1, 100000))
    """
    if isinstance(value, Exact):
        return value.as_read()
    if isinstance(value, bool):
        raise BadInput(f"{name}={value!r} is a truth value; a number such as 1, '1/3' or Fraction(1, 3) is needed")
    if isinstance(value, numbers.Rational):
        return Exact(int(value.numerator), int(value.denominator))
    if isinstance(value, str):
        return _from_text(value, name)
    if hasattr(value, "form"):
        raise BadInput(f"{name}={value!r} stands for the irrational number {value.form}, which cannot be read exactly")
    if isinstance(value, float) or type(value).__module__ == "numpy":
        return _from_float(value, name)
    top, bottom = getattr(value, "p", None), getattr(value, "q", None)  # sympy.Rational
    if isinstance(top, int) and isinstance(bottom, int) and bottom != 0:
        return Exact(top, bottom)
    raise BadInput(f"{name}={value!r} is not a number that can be read exactly; use an int, '1/3' or Fraction(1, 3)")


def _from_text(text: str, name: str) -> Exact:
    shown = text if len(text) <= 40 else text[:37] + "..."
    exponent = text.lower().partition("e")[2].strip().lstrip("+-")
    huge = len(text) > _MAX_TEXT or (exponent.isdecimal() and int(exponent) > _MAX_EXPONENT)
    if not huge:
        try:
            return Exact(text.strip())
        except (ValueError, ZeroDivisionError):
            pass
    raise BadInput(f"{name}={shown!r} is not a finite number; write it as '1/3', '0.1' or '1e-5'")


def _from_float(value: Any, name: str) -> Exact:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise BadInput(f"{name}={value!r} is not one number") from None
    if not math.isfinite(number):
        raise BadInput(f"{name}={number!r} must be finite")
    result = Exact(repr(number))
    if result != Fraction(number):
        warnings.warn(
            f"{name}={number!r} is a float: read by its decimal text as {result}; write '{result}' to say so exactly",
            FloatRead,
            stacklevel=3,
        )
    return result


def positive(value: object, name: str) -> Exact:
    """`exact`, and strictly positive."""
    number = exact(value, name)
    if number <= 0:
        raise BadInput(f"{name}={number} must be positive")
    return number


def brief(value: object, most: int = 40) -> str:
    """A value in few characters, for messages; Python writes no integers of more than a few thousand digits.

    >>> brief(Fraction(1, 3)), brief(Fraction(10**5000))
    ('1/3', 'a number of 16610 bits')
    """
    try:
        text = str(value)
    except ValueError:
        exact = value if isinstance(value, int | Fraction) else Fraction(0)
        return f"a number of {max(exact.numerator.bit_length(), exact.denominator.bit_length())} bits"
    return text if len(text) <= most else text[: most - 1] + "…"


def show(value: Fraction, digits: int = 6) -> str:
    """A rational as people write it: ``1/3``, ``2``, ``0.1``; long ones as decimals.

    >>> show(Fraction(1, 3)), show(Fraction(1, 100000)), show(Fraction(123456789, 1000))
    ('1/3', '1e-05', '123457')
    """
    if value.denominator == 1 and abs(value.numerator) < 10**digits:
        return str(value.numerator)
    if value.denominator <= 1000 and abs(value.numerator) < 10**digits:
        return f"{value.numerator}/{value.denominator}"
    return f"{float(value):.{digits}g}"
