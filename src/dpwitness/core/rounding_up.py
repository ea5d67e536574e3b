r"""Irrational claims: the least number of forty digits that is not below the number asked for.

A claim such as ``PureDP(2 * log(3))`` speaks of an irrational number, and everything that decides claims computes with
rationals. The number is enclosed in decimals of sixty digits, every operation rounded outward, and its upper end is
rounded up to forty digits. The claim that is decided is then weaker than the one asked for by less than a part in
:math:`10^{39}`, and says so where it is printed. `decimal` rounds exp, ln and sqrt correctly to the nearest number, so
one more unit in the last place on each side encloses them.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from dpwitness.core.errors import BadInput
from dpwitness.core.forms import Form, Symbol
from dpwitness.core.numbers import Exact

DIGITS, WORKING, RANGE = 40, 60, 5000
LARGEST = 10**4  # of what exp is taken
_DOWN = Context(prec=WORKING, rounding=ROUND_FLOOR, Emin=-RANGE, Emax=RANGE)
_UP = Context(prec=WORKING, rounding=ROUND_CEILING, Emin=-RANGE, Emax=RANGE)
_SHORT = Context(prec=DIGITS, rounding=ROUND_CEILING, Emin=-RANGE, Emax=RANGE)
Span = tuple[Decimal, Decimal]


class RoundedUp(Exact):
    """A number of forty digits that stands for an irrational one just below it.

    >>> from dpwitness.core import log
    >>> number = round_up(log(3), "eps")
    >>> print(number.formula, float(number))
    log(3) 1.0986122886681098
    """

    __slots__ = ("formula",)
    formula: str

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, (self.numerator, self.denominator, self.formula)


def _restore(numerator: int, denominator: int, formula: str) -> RoundedUp:
    made = Fraction.__new__(RoundedUp, numerator, denominator)
    made.formula = formula
    return made


def round_up(value: object, name: str) -> RoundedUp:
    """The least number of forty digits above an irrational number, from the formula that it carries."""
    form: Form = value.form  # type: ignore[attr-defined]
    try:
        low, exact_high = _enclose(form)
        high = _SHORT.plus(exact_high)
    except ArithmeticError:  # an overflow, a logarithm of what may be negative, a division by what may be zero
        raise BadInput(f"{name}={form} could not be enclosed; write it as a decimal") from None
    if low <= 0:
        raise BadInput(f"{name}={form} must be positive")
    made = Fraction(high)
    return _restore(made.numerator, made.denominator, str(form))


def _constant(value: Fraction) -> Span:
    top, bottom = Decimal(value.numerator), Decimal(value.denominator)
    return _DOWN.divide(top, bottom), _UP.divide(top, bottom)


def _multiply(one: Span, two: Span) -> Span:
    low = min(_DOWN.multiply(x, y) for x in one for y in two)
    return low, max(_UP.multiply(x, y) for x in one for y in two)


def _invert(span: Span) -> Span:
    if span[0] <= 0 <= span[1]:
        raise ZeroDivisionError
    one = Decimal(1)
    return _DOWN.divide(one, span[1]), _UP.divide(one, span[0])


def _enclose(form: Form) -> Span:
    low, high = Decimal(0), Decimal(0)
    for powers, factor in form.terms.items():
        part = _constant(Fraction(factor))
        for symbol, power in powers:
            base = _enclose_symbol(symbol)
            base = _invert(base) if power < 0 else base
            for _ in range(abs(power)):
                part = _multiply(part, base)
        low, high = _DOWN.add(low, part[0]), _UP.add(high, part[1])
    return low, high


def _enclose_symbol(symbol: Symbol) -> Span:
    if symbol.of is None or symbol.kind != "atom":
        raise ArithmeticError("not a number")
    low, high = _enclose(symbol.of)
    if symbol.name == "inverse":
        return _invert((low, high))
    if symbol.name == "exp":
        if max(abs(low), abs(high)) > LARGEST:
            raise OverflowError
        return _DOWN.next_minus(_DOWN.exp(low)), _UP.next_plus(_UP.exp(high))
    if symbol.name == "log" and low > 0:
        return _DOWN.next_minus(_DOWN.ln(low)), _UP.next_plus(_UP.ln(high))
    if symbol.name == "sqrt" and low >= 0:
        return max(Decimal(0), _DOWN.next_minus(_DOWN.sqrt(low))), _UP.next_plus(_UP.sqrt(high))
    raise ArithmeticError(f"{symbol.name} of {low}")
