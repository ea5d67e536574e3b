"""What a symbolic number is in the program that runs: Python's own numbers beside the exact form.

A form cancels where floats do not: ``(x + 1e20) - 1e20`` is x, and Python's result is 0 or a multiple of 16384. So
every symbolic number carries what Python would compute where that is known (public numbers), the type that Python's
number has, and the size of the largest constant that it met on the way.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from dpwitness.core.errors import OutsideFragment
from dpwitness.core.forms import Form, Monomial, floating
from dpwitness.core.public import close, python_number

LOST = 2.0**32  # a constant that is so many times larger than what it is added to leaves a relative error of 10⁻⁶
RANGE = Fraction(2) ** 400  # products beyond it (or below its inverse) come near the ends of the doubles


@dataclass(frozen=True, slots=True)
class Shipping:
    """What Python has in the place of a symbolic number.

    Attributes
    ----------
    number
        Its value where it is public (a parameter at the value that was asked for), else None.
    kind
        The type: ``"int"``, ``"float"``, ``"Fraction"``; ``"given"`` for that of the data as they are passed,
        ``"param"`` for that of the parameters, ``"both"`` where it depends on both.
    peak
        The largest constant that was added on the way, in the units of the result.
    rounded
        Whether a step on the way may have been rounded.
    nought
        Whether it is data or noise times zero: 0.0 or -0.0, as the sign has it.
    varies
        Whether `number` was computed from a symbolic parameter: at another value of it, it may be rounded otherwise.
    given
        Whether it is a parameter as it was passed.
    steady
        Whether rounding cannot give it the opposite sign: nothing was subtracted on the way.
    vanishing
        Whether Python may have 0.0 in the place of another number at some value of the parameters.
    cancelled
        Whether data or noise cancelled on the way, and left what rounding made of them.
    """

    number: int | float | Fraction | None
    kind: str
    peak: float = 0.0
    rounded: bool = False
    nought: bool = False
    varies: bool = False
    given: bool = False
    steady: bool = False
    vanishing: bool = False
    cancelled: bool = False


GIVEN = Shipping(None, "given")


def of_number(value: Any) -> Shipping:
    """Of a plain number."""
    python = python_number(value)
    assert python is not None
    kind = "int" if isinstance(python, int) else "float" if isinstance(python, float) else "Fraction"
    return Shipping(python, kind, _size(python), steady=True)


def _size(number: Any) -> float:
    try:
        return abs(float(number))
    except OverflowError:
        return math.inf


def _kind(left: str, right: str, *, divided: bool) -> str:
    kinds = {left, right}
    if "float" in kinds:
        return "float"
    if "Fraction" in kinds:
        return "Fraction"
    if divided:
        return "float"
    open_ = kinds - {"int"}
    return "both" if len(open_) > 1 else open_.pop() if open_ else "int"


def combine(function: Callable[[Any, Any], Any], left: Shipping, right: Shipping) -> Shipping:
    """The result of adding, subtracting, multiplying or dividing, as Python has it."""
    product = function in (operator.mul, operator.truediv)
    kind = _kind(left.kind, right.kind, divided=function is operator.truediv)
    if left.number is not None and right.number is not None:
        try:
            number = function(left.number, right.number)
        except (ZeroDivisionError, OverflowError) as error:
            raise OutsideFragment(f"exact numbers have a result where Python has none ({error})") from None
        if isinstance(number, float) and not math.isfinite(number):
            raise OutsideFragment(f"exact numbers have a result where Python has {number}")
        rounded, varies = left.rounded or right.rounded, left.varies or right.varies
        # what is an int at this value of a parameter is a float at another one
        return Shipping(number, kind if varies else of_number(number).kind, _size(number), rounded, varies=varies)
    if product:
        factor = left.number if left.number is not None else right.number
        if factor is not None and factor == 0 and (right.number is None or function is operator.mul):
            return Shipping(None, kind, nought=True)
        size = 1.0 if factor is None else _size(factor)
        if function is operator.truediv:
            size = 1 / size if right.number is not None and size else 1.0
        peak = max(left.peak if left.number is None else 0.0, right.peak if right.number is None else 0.0) * size
        idle = kind == "int" or factor in (1, -1)
        return Shipping(None, kind, peak, left.rounded or right.rounded or not idle)
    if left.nought or right.nought:
        return _beside_nought(function, left, right, kind)
    idle = kind == "int" or any(side.number is not None and side.number == 0 for side in (left, right))
    return Shipping(None, kind, max(left.peak, right.peak), left.rounded or right.rounded or not idle)


def with_cancelled(ships: Shipping, sides: tuple[Shipping, Shipping], size: float) -> Shipping:
    """A result that is not known, where data or noise of this size cancelled now, or on the way to one of its sides."""
    gone = size > 0 or any(side.cancelled for side in sides)
    return replace(ships, peak=max(ships.peak, size), cancelled=True) if gone else ships


def nothing(ships: Shipping) -> Shipping:
    """A number minus itself."""
    if ships.kind in ("given", "both"):
        return Shipping(None, ships.kind, nought=True)
    found = of_number(Fraction(0) if ships.kind == "Fraction" else 0 if ships.kind in ("int", "param") else 0.0)
    return replace(found, kind=ships.kind, varies=ships.varies)


def _beside_nought(function: Callable[[Any, Any], Any], left: Shipping, right: Shipping, kind: str) -> Shipping:
    """A sum of which one part is 0.0 or -0.0: known where the other part is a number, and that is not zero itself."""
    other = right if left.nought else left
    if other.number is None or kind not in ("int", "float"):
        return Shipping(None, kind, other.peak, other.rounded, other.nought)
    zero = 0 if kind == "int" else 0.0
    number = function(zero, other.number) if left.nought else function(other.number, zero)
    plain = number != 0 or (not left.nought and math.copysign(1, other.number) > 0)
    return Shipping(number if plain or kind == "int" else None, kind, _size(number), nought=not plain)


def compare(left: Shipping, right: Shipping, form: Form) -> None:
    """Raise where the comparison of two numbers, whose difference is `form`, would be decided by rounding."""
    if left.number is not None and right.number is not None:
        return
    kind, rounded = _kind(left.kind, right.kind, divided=False), left.rounded or right.rounded
    joint = Shipping(None, kind, max(left.peak, right.peak), rounded)
    check_cancelled(form, joint)
    check_peak(form, joint)


def check_range(form: Form) -> None:
    """Raise where a coefficient is so large or so small that doubles end."""
    for number in form.terms.values():
        if not 1 <= abs(number) * RANGE <= RANGE * RANGE:
            raise OutsideFragment("a factor so large or so small that doubles do not hold it")


def check_peak(form: Form, ships: Shipping, size: Callable[[Monomial, Fraction], float] | None = None) -> None:
    """Raise where constants were added to data or noise that are so much larger that floats lose the latter.

    `size` tells how large a private term is, as far as that is known.
    """
    if ships.kind == "int" or not ships.peak:
        return
    private = [(mono, number) for mono, number in form.terms.items() if any(s.private for s, _ in mono)]
    sizes = [min(float(abs(c)), math.inf if size is None else size(mono, c)) for mono, c in private]
    if sizes and ships.peak > LOST * min(sizes):
        raise OutsideFragment(f"{form} was computed beside a number of size {ships.peak:.3g}: floats lose it")


def check_cancelled(form: Form, ships: Shipping) -> None:
    """Raise where data or noise cancel exactly, after steps that floats round: what is left is rounding."""
    number = form.value()
    if number is None or ships.number is not None or not ships.rounded:
        return
    if number == 0 or float(abs(number)) * 2**30 <= ships.peak:
        raise OutsideFragment("data or noise cancel exactly, and in floating point leave a rest")


def check_left(name: str, form: Form, ships: Shipping) -> None:
    """Raise where a parameter of a law is what data or noise left when they cancelled, or was computed beside too much.

    What is left is refused however small it is beside the parameter, which may be an end that lies far away. Of a
    draw between two ends that move with a record the width is such a number too; there the ends are looked at.
    """
    if form.private:
        check_peak(form, ships)
    elif name != "high - low" and ships.number is None and ships.cancelled:
        raise OutsideFragment("data or noise cancel exactly, and in floating point leave a rest")


def check_drift(form: Form, ships: Shipping, params: Mapping[str, Any]) -> None:
    """Raise where a public number is another one in floating point, by more than rounding."""
    if ships.number is None or form.private:
        return
    number = form.value()
    value = Fraction(floating(form, params)) if number is None else number
    if not close(value, ships.number):
        raise OutsideFragment(f"{form} is {float(value):.6g}, and {ships.number!r} in floating point")
