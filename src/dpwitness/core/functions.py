"""exp, log, sqrt and logistic for programs: they work on plain numbers, on lanes and on symbolic values.

The logarithm of a rational is irrational. So that an exact reader need not guess from a double, the result is an
`Irrational`: a float for whoever samples, and a formula for whoever proves.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from dpwitness.core.errors import BadInput
from dpwitness.core.forms import Form, Symbol
from dpwitness.core.minimising import Term
from dpwitness.core.public import Public


class Irrational(float):
    """A float that remembers the exact expression it stands for.

    >>> x = sqrt(Fraction(2)) / 3
    >>> print(x.form)
    1/3·sqrt(2)
    """

    form: Form

    def __new__(cls, value: float, form: Form) -> Irrational:
        number = super().__new__(cls, value)
        number.form = form
        return number

    def _with(self, other: Any, function: Callable[[Any, Any], Any], *, swap: bool = False) -> Any:
        form = exact_form(other)
        if form is None:
            return NotImplemented
        left, right = (form, self.form) if swap else (self.form, form)
        x, y = (float(other), float(self)) if swap else (float(self), float(other))
        return Irrational(function(x, y), function(left, right))

    def __add__(self, other: Any) -> Any:
        return self._with(other, operator.add)

    def __radd__(self, other: Any) -> Any:
        return self._with(other, operator.add, swap=True)

    def __sub__(self, other: Any) -> Any:
        return self._with(other, operator.sub)

    def __rsub__(self, other: Any) -> Any:
        return self._with(other, operator.sub, swap=True)

    def __mul__(self, other: Any) -> Any:
        return self._with(other, operator.mul)

    def __rmul__(self, other: Any) -> Any:
        return self._with(other, operator.mul, swap=True)

    def __truediv__(self, other: Any) -> Any:
        form = exact_form(other)
        return NotImplemented if form is None else Irrational(float(self) / float(other), self.form * invert(form))

    def __rtruediv__(self, other: Any) -> Any:
        form = exact_form(other)
        return NotImplemented if form is None else Irrational(float(other) / float(self), form * invert(self.form))

    def __neg__(self) -> Irrational:
        return Irrational(-float(self), -self.form)

    def __pow__(self, other: Any, modulus: Any = None) -> Any:
        if isinstance(other, int | Fraction) and other == int(other) and 0 <= other <= 64:
            return Irrational(float(self) ** int(other), self.form.power(int(other)))
        return float(self) ** other


def exact_form(value: Any) -> Form | None:
    """A finite number as a form: rationals as they are, floats by their decimal text; None for anything else."""
    if isinstance(value, Irrational):
        return value.form
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Public):
        return Form.constant(Fraction(value.settled()))
    return Form.constant(Fraction(repr(float(value))) if isinstance(value, float) else Fraction(value))


def invert(form: Form) -> Form:
    """1/form, as an atom where it is not a single term."""
    if form.value() == 0:
        raise ZeroDivisionError("division by zero")
    return form.inverse() or Form.of_symbol(Symbol("atom", 0, "inverse", form))


def _apply(name: str, value: Any) -> Any:
    own = getattr(value, "apply_function", None)
    if own is not None:
        return own(name)
    try:
        number = getattr(math, name)(value)
    except (TypeError, ValueError, OverflowError):
        raise BadInput(f"{name}({value!r}) is not defined") from None
    if isinstance(value, Fraction | Irrational | int) and not isinstance(value, bool):
        form = exact_form(value)
        assert form is not None
        return Irrational(number, Form.of_symbol(Symbol("atom", 0, name, form)))
    return number


def exp(value: Any) -> Any:
    """e to the power `value`."""
    return _apply("exp", value)


def log(value: Any) -> Any:
    """Natural logarithm."""
    return _apply("log", value)


def sqrt(value: Any) -> Any:
    """Square root."""
    return _apply("sqrt", value)


def logistic(value: Any) -> Any:
    """1/(1 + e^(−value)).

    >>> print(logistic(2).form)
    inverse(1 + exp(-2))
    """
    return value.apply_function("logistic") if isinstance(value, Term) else 1 / (1 + exp(-value))
