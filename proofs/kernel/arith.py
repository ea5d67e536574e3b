"""Rationals and balls: the arithmetic on which every enclosure rests.

A number is a `Fraction`; a real number that is not rational is a python-flint ball `arb`, an interval that is
guaranteed to contain it. `lower` and `upper` leave the world of balls with exact rationals, rounded outward by
construction: they are the exact end points of the ball.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import flint
from flint import acb, arb, fmpq

from dpwitness.proofs.kernel.limits import Rejected, tick

MAX_BITS = 1 << 15
MAX_DIGITS = 4200  # Python reads no longer ones
_NUMBER = re.compile(r"-?[0-9]+(?:/[0-9]+)?", re.ASCII)


class Undecided(ArithmeticError):
    """The precision cap was reached before the question was decided. Undecided is not false."""


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Compute with `bits` bits inside the block; the previous precision is always restored."""
    if not 2 <= bits <= MAX_BITS:
        raise Undecided(f"{bits} bits of precision are outside 2..{MAX_BITS}")
    before = flint.ctx.prec
    flint.ctx.prec = bits
    try:
        yield
    finally:
        flint.ctx.prec = before


def number(text: object) -> Fraction:
    """Read ``"p/q"`` exactly, and nothing else (no floats, no exponents, no spaces).

    >>> number("-3/6")
    Fraction(-1, 2)
    """
    tick()
    if not isinstance(text, str) or len(text) > MAX_DIGITS or _NUMBER.fullmatch(text) is None:
        raise Rejected(f"{str(text)[:40]!r} is not exact number text such as '1' or '-3/4'")
    try:
        return Fraction(text)
    except (ZeroDivisionError, ValueError):
        raise Rejected(f"{text[:40]!r} is not a finite number") from None


def text(value: Fraction | int) -> str:
    """The exact text of a rational, as certificates carry it.

    >>> text(Fraction(1, 3)), text(2)
    ('1/3', '2')
    """
    return str(Fraction(value.numerator, value.denominator))


def ball(value: Fraction | int) -> Any:
    """The smallest ball around a rational at the current precision."""
    return arb(fmpq(value.numerator, value.denominator))


def between(low: Fraction, high: Fraction) -> Any:
    """A ball that contains the interval [low, high]."""
    if low > high:
        raise ValueError(f"low={low} must not exceed high={high}")
    if low == high:
        return ball(low)
    middle, half = (low + high) / 2, (high - low) / 2
    return ball(middle) + ball(half) * arb(0, 1)


def _dyadic(value: Any) -> Fraction:
    mantissa, exponent = value.man_exp()
    m, e = int(mantissa), int(exponent)
    if abs(e) > 64 * MAX_BITS:
        raise Undecided("the number is too large or too small to be written out")
    return Fraction(m << e) if e >= 0 else Fraction(m, 1 << -e)


def lower(value: Any) -> Fraction:
    """The exact lower end point of a ball.

    >>> lower(ball(Fraction(1, 3))) < Fraction(1, 3) < upper(ball(Fraction(1, 3)))
    True
    """
    if not value.is_finite():
        raise Undecided("an enclosure is not finite")
    return _dyadic(value.mid()) - _dyadic(value.rad())


def upper(value: Any) -> Fraction:
    """The exact upper end point of a ball."""
    if not value.is_finite():
        raise Undecided("an enclosure is not finite")
    return _dyadic(value.mid()) + _dyadic(value.rad())


def positive(value: Any) -> bool:
    """Whether every number of the ball is > 0."""
    return bool(value > 0)


def nonnegative(value: Any) -> bool:
    """Whether every number of the ball is ≥ 0."""
    return bool(value >= 0)


def enclose(
    compute: Callable[[], Any], relative: Fraction = Fraction(1, 10**15), *, start: int = 64, cap: int = 8192
) -> tuple[Fraction, Fraction]:
    """Enclose a real number to a relative width, doubling the precision until it is reached.

    Parameters
    ----------
    compute
        Returns a ball that contains the number, at the precision in force when it is called.
    relative
        Wanted width of the enclosure divided by the smaller magnitude in it.

    >>> low, high = enclose(lambda: arb(1).exp())
    >>> float(low), float(high)
    (2.718281828459045, 2.718281828459045)
    """
    bits = start
    while bits <= cap:
        tick()
        with precision(bits):
            value = compute()
        if value.is_finite():
            low, high = lower(value), upper(value)
            if high - low <= relative * min(abs(low), abs(high)):
                return low, high
        bits *= 2
    raise Undecided(f"not enclosed to a relative width of {float(relative):.1g} with {cap} bits")


def sign(compute: Callable[[], Any], *, start: int = 64, cap: int = 8192) -> int:
    """The sign of a real number that is known not to be zero: −1 or 1, at doubling precision.

    Raises `Undecided` where the cap is reached; a number that may be zero needs an exact argument first.

    >>> sign(lambda: arb(355) / 113 - arb.pi())
    1
    """
    bits = start
    while bits <= cap:
        tick()
        with precision(bits):
            value = compute()
            if value > 0:
                return 1
            if value < 0:
                return -1
        bits *= 2
    raise Undecided(f"the sign was not decided with {cap} bits")


def integrate(function: Callable[[Any, Any], Any], low: Fraction, high: Fraction, **options: Any) -> Any:
    """A ball around the integral of a complex function between two numbers, at the current precision.

    An error inside `function` does not come through python-flint as itself: where the time is up, it is raised again.
    """

    def timed(x: Any, analytic: Any) -> Any:
        tick()
        return function(x, analytic)

    try:
        return acb.integral(timed, acb(ball(low)), acb(ball(high)), **options)
    except SystemError as error:
        tick()
        raise Undecided(f"an integral failed: {error}") from error


def outward(low: Fraction, high: Fraction, digits: int = 20) -> tuple[Fraction, Fraction]:
    """Shorten the end points to about `digits` significant digits, rounding outward.

    >>> outward(Fraction(1001, 3002), Fraction(2002, 3001), 3)
    (Fraction(333, 1000), Fraction(167, 250))
    """
    return _round(low, digits, up=False), _round(high, digits, up=True)


def _digits(value: int) -> int:
    """The number of decimal digits; about that where Python writes no integer so long."""
    bits = value.bit_length()
    return len(str(value)) if bits < 10_000 else bits * 30_103 // 100_000 + 1


def _round(value: Fraction, digits: int, *, up: bool) -> Fraction:
    if value == 0 or _digits(value.denominator) <= digits // 2:
        return value
    size = _digits(abs(value.numerator)) - _digits(value.denominator)
    unit = Fraction(10) ** (size - digits)
    quotient = value / unit
    steps = -((-quotient.numerator) // quotient.denominator) if up else quotient.numerator // quotient.denominator
    return steps * unit


__all__ = [
    "MAX_BITS",
    "MAX_DIGITS",
    "Rejected",
    "Undecided",
    "ball",
    "between",
    "enclose",
    "integrate",
    "lower",
    "nonnegative",
    "number",
    "outward",
    "positive",
    "precision",
    "sign",
    "text",
    "upper",
]
