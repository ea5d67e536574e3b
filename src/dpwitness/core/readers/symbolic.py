"""Symbolic values that a program computes with, and the tests between them."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from dpwitness.core.errors import OutsideFragment
from dpwitness.core.forms import Form, Symbol
from dpwitness.core.functions import exact_form, invert
from dpwitness.core.numbers import exact

if TYPE_CHECKING:
    from dpwitness.core.readers.paths import SymbolicRun

Op = Literal[">", ">=", "==", "!="]


def sign(form: Form) -> int | None:
    """The sign of a public form where it is plain: parameters are positive, atoms by their function."""
    number = form.value()
    if number is not None:
        return (number > 0) - (number < 0)
    signs = {_term_sign(mono, coefficient) for mono, coefficient in form.terms.items()}
    return signs.pop() if len(signs) == 1 else None


def _term_sign(mono: Any, coefficient: Fraction) -> int | None:
    result = 1 if coefficient > 0 else -1
    for symbol, power in mono:
        factor = _symbol_sign(symbol)
        if factor is None:
            return None
        if factor < 0 and power % 2:
            result = -result
    return result


def _symbol_sign(symbol: Symbol) -> int | None:
    if symbol.kind == "param":
        return 1  # the symbolic parameters (ε) are positive by declaration
    if symbol.kind != "atom" or symbol.of is None:
        return None
    if symbol.name in ("exp", "sqrt"):
        return 1
    inner = symbol.of.value()
    if symbol.name == "log" and inner is not None and inner != 1:
        return 1 if inner > 1 else -1
    return sign(symbol.of) if symbol.name == "inverse" else None


class Sym:
    """A symbolic number in a running program. Comparisons give a `Test`; ``bool()`` of a test forks the run."""

    __slots__ = ("form", "run")

    def __init__(self, run: SymbolicRun, form: Form) -> None:
        self.run = run
        self.form = form

    def _form(self, other: Any) -> Form:
        if isinstance(other, Sym):
            return other.form
        if isinstance(other, Test):
            return Form.constant(int(bool(other)))
        if isinstance(other, bool):
            return Form.constant(int(other))
        if isinstance(other, int | float | Fraction):
            if not math.isfinite(other):
                self.run.refuse(f"arithmetic or comparison with {other}")
            form = exact_form(other)
            assert form is not None
            return form
        self.run.refuse(f"arithmetic between a symbolic number and {type(other).__name__}")

    def _new(self, form: Form) -> Sym:
        return Sym(self.run, form)

    def __add__(self, other: Any) -> Sym:
        return self._new(self.form + self._form(other))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Sym:
        return self._new(self.form - self._form(other))

    def __rsub__(self, other: Any) -> Sym:
        return self._new(self._form(other) - self.form)

    def __mul__(self, other: Any) -> Sym:
        return self._new(self.form * self._form(other))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Sym:
        return self._new(self.form * self._invert(self._form(other)))

    def __rtruediv__(self, other: Any) -> Sym:
        return self._new(self._form(other) * self._invert(self.form))

    def _invert(self, form: Form) -> Form:
        if form.private:
            self.run.refuse("division by a value that depends on the data or on noise")
        return invert(form)

    def __pow__(self, other: Any) -> Sym:
        power = self._form(other).value()
        if power is None or power.denominator != 1 or abs(power) > 64:
            self.run.refuse("a power that is not a small whole number")
        base = self.form if power >= 0 else self._invert(self.form)
        return self._new(base.power(abs(power.numerator)))

    def __mod__(self, other: Any) -> Any:
        return self._whole("%", other)

    def __floordiv__(self, other: Any) -> Any:
        return self._whole("//", other)

    def _whole(self, op: str, other: Any) -> Any:
        left, right = self.form.value(), self._form(other).value()
        if left is None or right is None:
            self.run.refuse(f"{op} of a symbolic number")
        return exact(left % right if op == "%" else left // right)

    def __neg__(self) -> Sym:
        return self._new(-self.form)

    def __pos__(self) -> Sym:
        return self

    def __abs__(self) -> Sym:
        return self if self >= 0 else -self

    def __gt__(self, other: Any) -> Test:
        return Test(self.run, self.form - self._form(other), ">")

    def __ge__(self, other: Any) -> Test:
        return Test(self.run, self.form - self._form(other), ">=")

    def __lt__(self, other: Any) -> Test:
        return Test(self.run, self._form(other) - self.form, ">")

    def __le__(self, other: Any) -> Test:
        return Test(self.run, self._form(other) - self.form, ">=")

    def __eq__(self, other: object) -> Any:
        if other is None or isinstance(other, str | list | tuple | dict):
            return False
        return Test(self.run, self.form - self._form(other), "==")

    def __ne__(self, other: object) -> Any:
        if other is None or isinstance(other, str | list | tuple | dict):
            return True
        return Test(self.run, self.form - self._form(other), "!=")

    def __bool__(self) -> bool:
        return bool(Test(self.run, self.form, "!="))

    def apply_function(self, name: str) -> Sym:
        """exp, log or sqrt of a public value, kept as an atom."""
        if self.form.private:
            self.run.refuse(f"{name} of a value that depends on the data or on noise")
        return self._new(Form.of_symbol(Symbol("atom", 0, name, self.form)))

    def _constant(self, what: str) -> Fraction:
        number = self.form.value()
        if number is None:
            self.run.refuse(f"{what} of a symbolic number")
        return number

    def __index__(self) -> int:
        number = self._constant("use as an index")
        if number.denominator != 1:
            raise TypeError(f"{number} is not an integer")
        return number.numerator

    def __int__(self) -> int:
        return int(self._constant("conversion to int"))

    def __float__(self) -> float:
        return float(self._constant("conversion to float"))

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

    __slots__ = ("form", "op", "run")
    __test__ = False  # not a test case

    def __init__(self, run: SymbolicRun, form: Form, op: Op) -> None:
        self.run = run
        self.form = form
        self.op = op

    def __bool__(self) -> bool:
        return self.run.decide(self.form, self.op)

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
    """Replace tests inside an output by their truth values (forking where needed)."""
    if isinstance(value, Test):
        return bool(value)
    if isinstance(value, list):
        return [settle(x) for x in value]
    if isinstance(value, tuple):
        return tuple(settle(x) for x in value)
    return value


__all__ = ["OutsideFragment", "Sym", "Test", "settle", "sign"]
