"""Symbolic values that a program computes with, and the tests between them."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from dpwitness.core.errors import OutsideFragment
from dpwitness.core.forms import Form, Symbol, deep_symbols
from dpwitness.core.functions import exact_form, invert
from dpwitness.core.numbers import Exact
from dpwitness.core.public import Public, as_public
from dpwitness.core.readers.asking import Side
from dpwitness.core.readers.cancelling import largest_cancelled, usual_size
from dpwitness.core.readers.shipping import (
    GIVEN,
    Shipping,
    check_cancelled,
    check_drift,
    check_peak,
    check_range,
    combine,
    compare,
    nothing,
    of_number,
    with_cancelled,
)
from dpwitness.core.readers.steadiness import check_rest, marked, marked_function, unrounded

if TYPE_CHECKING:
    from dpwitness.core.readers.paths import SymbolicRun

Op = Literal[">", ">=", "==", "!="]
OPS: dict[str, Callable[[Any, Any], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


class Sym:
    """A symbolic number in a running program. Comparisons give a `Test`; ``bool()`` of a test forks the run.

    `ships` is what Python has in its place, and `way` tells how it was computed: equal ones give equal doubles.
    """

    __slots__ = ("form", "run", "ships", "way")

    def __init__(self, run: SymbolicRun, form: Form, ships: Shipping | None = None, way: int | None = None) -> None:
        self.run = run
        self.form = form
        self.way = run.tests.way(form) if way is None else way
        number = form.value() if ships is None else None
        self.ships = ships or (GIVEN if number is None else of_number(Exact(number).shipped()))

    def _other(self, other: Any) -> tuple[Form, Shipping]:
        """The other operand as a form, with what Python has in its place."""
        if isinstance(other, Sym):
            return other.form, other.ships
        if isinstance(other, Test):
            other = bool(other)
        if isinstance(other, bool):
            return Form.constant(int(other)), of_number(int(other))
        if isinstance(other, int | float | Fraction):
            if isinstance(other, float) and not math.isfinite(other):
                self.run.refuse(f"arithmetic or comparison with {other}")
            form = exact_form(other)
            assert form is not None
            return form, of_number(other)
        self.run.refuse(f"arithmetic between a symbolic number and {type(other).__name__}")

    def _form(self, other: Any) -> Form:
        return self._other(other)[0]

    def _new(self, form: Form, ships: Shipping, way: int | None = None) -> Sym:
        return Sym(self.run, form, ships, way)

    def _way_of(self, other: Any) -> int:
        return other.way if isinstance(other, Sym) else self.run.tests.way(type(other).__name__, str(other))

    def _do(self, function: Callable[[Any, Any], Any], other: Any, *, swap: bool = False) -> Sym:
        (left, here), (right, there) = (self.form, self.ships), self._other(other)
        if swap:
            left, here, right, there = right, there, left, here
        form = left * self._invert(right) if function is operator.truediv else function(left, right)
        ships = combine(function, here, there)
        if function in (operator.mul, operator.truediv):
            check_range(form)
        if ships.number is None:
            ships = with_cancelled(ships, (here, there), self._gone(function, left, right, form, ships))
        if ships.varies:
            ships = marked(function, (left, here), (right, there), form, ships)
            if function in (operator.add, operator.sub):
                check_rest(form, left, right)
        ways = (self._way_of(other), self.way) if swap else (self.way, self._way_of(other))
        return self._new(form, ships, self.run.tests.way(function.__name__, *ways))

    def _gone(self, function: Callable[[Any, Any], Any], left: Form, right: Form, form: Form, ships: Shipping) -> float:
        """The size of what cancels in a sum that Python rounds."""
        sums = function in (operator.add, operator.sub) and ships.rounded
        return largest_cancelled(left, right, form, self.run) if sums else 0.0

    def __add__(self, other: Any) -> Sym:
        return self._do(operator.add, other)

    def __radd__(self, other: Any) -> Sym:
        return self._do(operator.add, other, swap=True)

    def __sub__(self, other: Any) -> Sym:
        alone = other is self
        if alone:  # nothing is rounded
            return self._new(Form(), nothing(self.ships))
        return self._do(operator.sub, other)

    def __rsub__(self, other: Any) -> Sym:
        return self._do(operator.sub, other, swap=True)

    def __mul__(self, other: Any) -> Sym:
        return self._do(operator.mul, other)

    def __rmul__(self, other: Any) -> Sym:
        return self._do(operator.mul, other, swap=True)

    def __truediv__(self, other: Any) -> Sym:
        return self._do(operator.truediv, other)

    def __rtruediv__(self, other: Any) -> Sym:
        return self._do(operator.truediv, other, swap=True)

    def _invert(self, form: Form) -> Form:
        if form.private:
            self.run.refuse("division by a value that depends on the data or on noise")
        return invert(form)

    def __pow__(self, other: Any) -> Sym:
        power = self._form(other).value()
        if power is None or power.denominator != 1 or abs(power) > 64 or isinstance(other, float):
            self.run.refuse("a power that is not a small whole number")
        if power == 0 and self.ships.varies:
            self.run.refuse("a parameter to the power 0: 2 ** 0 is 1, and 2.0 ** 0 is 1.0")
        one = of_number(1)
        result: Sym = self._new(Form.constant(1), one if power else replace(one, kind=self.ships.kind))
        for _ in range(abs(power.numerator)):
            result = result * self
        return result if power >= 0 else result.__rtruediv__(1)

    def __mod__(self, other: Any) -> Any:
        return self._whole("%", other)

    def __floordiv__(self, other: Any) -> Any:
        return self._whole("//", other)

    def _whole(self, op: str, other: Any) -> Any:
        right = other.as_public(op) if isinstance(other, Sym) else other
        left = self.as_public(op)
        return left % right if op == "%" else left // right

    def as_public(self, what: str) -> Public:
        """The number as a program gets it from outside, where it is one."""
        number = self.form.value()
        if number is None:
            self.run.refuse(f"{what} of a symbolic number")
        if self.ships.number is None:  # data or noise cancelled
            check_cancelled(self.form, self.ships)
            if self.ships.kind not in ("int", "float") or (number == 0 and self.ships.kind == "float"):
                self.run.refuse(f"{what} of a number in which data or noise cancel: its type or its sign may tell")
            return as_public(number, int(number) if self.ships.kind == "int" else float(number))
        if self.ships.varies:
            self.run.refuse(f"{what} of a number in which parameters cancel: Python rounds it at some of their values")
        return as_public(number, self.ships.number)

    def __neg__(self) -> Sym:
        return self * -1

    def __pos__(self) -> Sym:
        return self

    def __abs__(self) -> Sym:
        return self if self >= 0 else -self

    def _test(self, other: Any, op: Op, *, swap: bool = False) -> Test:
        form, ships = self._other(other)
        left, right, here, there = self.form, form, self.ships, ships
        if swap:
            left, right, here, there = right, left, there, here
        same_object = other is self
        if not (same_object or left.private or right.private or unrounded((left, here), (right, there))):
            self.run.refuse("a test of a public number that Python rounds at some values of the parameters")
        if same_object:  # nothing is rounded
            return Test(self.run, left - right, op)
        sides = Side(self.form, self.ships, self.way), Side(form, ships, self._way_of(other))
        return Test(self.run, left - right, op, sides[::-1] if swap else sides)

    def __gt__(self, other: Any) -> Test:
        return self._test(other, ">")

    def __ge__(self, other: Any) -> Test:
        return self._test(other, ">=")

    def __lt__(self, other: Any) -> Test:
        return self._test(other, ">", swap=True)

    def __le__(self, other: Any) -> Test:
        return self._test(other, ">=", swap=True)

    def __eq__(self, other: object) -> Any:
        if other is None or isinstance(other, str | list | tuple | dict):
            return False
        return self._test(other, "==")

    def __ne__(self, other: object) -> Any:
        if other is None or isinstance(other, str | list | tuple | dict):
            return True
        return self._test(other, "!=")

    def __bool__(self) -> bool:
        return bool(self != 0)

    def apply_function(self, name: str) -> Sym:
        """exp, log or sqrt of a public value, kept as an atom."""
        if self.form.private:
            self.run.refuse(f"{name} of a value that depends on the data or on noise")
        number = self.ships.number
        try:
            python = None if number is None else getattr(math, name)(number)
        except (ValueError, OverflowError) as error:
            self.run.refuse(f"{name} of {number}: {error}")
        ships = Shipping(None, "float", 0.0, True, cancelled=self.ships.cancelled)
        if python is not None:
            ships = of_number(python)
            if self.ships.varies:
                ships = marked_function(name, self.form, self.ships, ships)
        return self._new(Form.of_symbol(Symbol("atom", 0, name, self.form)), ships, self.run.tests.way(name, self.way))

    def __index__(self) -> int:
        return operator.index(self.as_public("use as an index"))

    def __int__(self) -> int:
        return int(self.as_public("conversion to int"))

    def __float__(self) -> float:
        return float(self.as_public("conversion to float"))

    def __round__(self, digits: int | None = None) -> NoReturn:
        self.run.refuse("rounding of a symbolic number")

    def __floor__(self) -> NoReturn:
        self.run.refuse("rounding of a symbolic number")

    __ceil__ = __trunc__ = __floor__

    def __hash__(self) -> int:
        self.run.refuse("use of a symbolic number as a key")

    def __str__(self) -> str:
        self.run.refuse("conversion of a symbolic number to text")

    __repr__ = __str__

    def __format__(self, spec: str) -> str:
        self.run.refuse("conversion of a symbolic number to text")


class Test:
    """A comparison of symbolic numbers: `form` `op` 0. Its truth forks the run."""

    __slots__ = ("form", "op", "run", "sides")
    __test__ = False  # not a test case

    def __init__(self, run: SymbolicRun, form: Form, op: Op, sides: Sequence[Side] | None = None) -> None:
        self.run = run
        self.form = form
        self.op = op
        self.sides = sides

    def __bool__(self) -> bool:
        if self.sides is None:
            return self.run.decide(self.form, self.op)
        here, there = (side.ships for side in self.sides)
        compare(here, there, self.form)
        with self.run.tests.asked(self.form, self.sides):
            answer = self.run.decide(self.form, self.op)
        left, right = here.number, there.number
        if left is not None and right is not None and OPS[self.op](left, right) != answer:
            words = f"{self.form} {self.op} 0 is {str(answer).lower()}"
            self.run.refuse(f"{words}, and for Python {left!r} {self.op} {right!r} is {str(not answer).lower()}")
        return answer

    def __invert__(self) -> NoReturn:
        self.run.refuse("~ of a test: of a plain True it is the number -2")

    def _truth(self, other: Any) -> bool:
        if not isinstance(other, Test | bool):
            self.run.refuse("& or | of a test and a number: they work on bits")
        return bool(other)

    def __and__(self, other: Any) -> bool:
        return bool(self) & self._truth(other)

    def __or__(self, other: Any) -> bool:
        return bool(self) | self._truth(other)

    __rand__ = __and__
    __ror__ = __or__

    def __int__(self) -> int:
        return int(bool(self))

    __index__ = __int__

    def __float__(self) -> float:
        return float(bool(self))

    def __add__(self, other: Any) -> Any:
        return int(self) + other

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return int(self) - other

    def __rsub__(self, other: Any) -> Any:
        return other - int(self)

    def __mul__(self, other: Any) -> Any:
        return int(self) * other

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        return bool(self) == (bool(other) if isinstance(other, Test) else other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(bool(self))

    def __str__(self) -> str:
        return str(bool(self))

    def __repr__(self) -> str:
        return repr(bool(self))

    def __format__(self, spec: str) -> str:
        return format(bool(self), spec)


def settle(value: Any) -> Any:
    """Replace tests inside an output by their truth values (forking where needed), and constants by Python's."""
    if isinstance(value, Test):
        return bool(value)
    if isinstance(value, Sym):
        return _settled(value)
    if isinstance(value, list):
        return [settle(x) for x in value]
    if isinstance(value, tuple):
        return tuple(settle(x) for x in value)
    return value


def _settled(value: Sym) -> Any:
    """A number of an output: Python's where it is public, and itself where it is not."""
    check_peak(value.form, value.ships, partial(usual_size, value.run))
    if value.form.value() is not None:
        return value.as_public("output").python
    if value.form.private or (value.run.keeps_formulas and value.ships.number is not None):
        return value
    if value.ships.number is None or any(s.kind == "param" for s in deep_symbols(value.form)):
        value.run.refuse(f"the output {value.form} is a public number, known at one value of its parameters only")
    check_drift(value.form, value.ships, {})
    return value.ships.number


__all__ = ["OutsideFragment", "Sym", "Test", "settle"]
