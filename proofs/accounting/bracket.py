"""A number known from both sides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import floor, inf, log10

TINY = Fraction(1, 10**300)  # what lies below is written without the help of floats


@dataclass(frozen=True)
class Bracket:
    """Exact numbers low ≤ x ≤ high; the upper end may be infinite. Printed with the digits that the width justifies.

    >>> print(Bracket(Fraction("1.8282366665162"), Fraction("1.8282366665167")))
    1.8282366665162..7
    >>> print(Bracket(Fraction(1, 2), Fraction(1, 2)), Bracket(Fraction(2), inf))
    0.5 2..inf
    """

    low: Fraction | float
    high: Fraction | float

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise ArithmeticError(f"the lower end {float(self.low)} exceeds the upper end {float(self.high)}")

    @property
    def width(self) -> Fraction | float:
        """high − low."""
        return self.high - self.low if self.low != self.high else Fraction(0)

    @property
    def relative(self) -> float:
        """The width over the upper end; 0 where both ends are the same."""
        return float(self.width / self.high) if self.width and self.high < inf else float(self.width)

    def __iter__(self) -> Iterator[Fraction | float]:
        return iter((self.low, self.high))

    def __contains__(self, value: Fraction | float) -> bool:
        return self.low <= value <= self.high

    def __str__(self) -> str:
        if not isinstance(self.low, Fraction):
            return "inf"
        if not isinstance(self.high, Fraction):
            return f"{_decimal(self.low, 6, up=False)}..inf"
        if self.low == self.high:
            return f"{float(self.low):.15g}" if not self.low or self.low > TINY else _decimal(self.low, 15, up=False)
        size = floor(_log10(self.high))
        digits = max(1, min(size - floor(_log10(self.high - self.low)), 30))
        if self.low == 0 or self.high / self.low > Fraction(3, 2):
            return f"{_decimal(self.low, 3, up=False)}..{_decimal(self.high, 3, up=True)}"
        low, high = _decimal(self.low, digits, up=False, at=size), _decimal(self.high, digits, up=True, at=size)
        mantissa, mark, power = low.partition("e")
        other = high.partition("e")[0]
        same = next((i for i, (a, b) in enumerate(zip(mantissa, other, strict=False)) if a != b), len(mantissa))
        if len(mantissa) != len(other) or "." in other[same:]:
            return f"{low}..{high}"
        return f"{mantissa}..{other[same:]}{mark}{power}"


def _log10(value: Fraction | float) -> float:
    exact = Fraction(value)
    return log10(exact.numerator) - log10(exact.denominator)


def _decimal(value: Fraction, digits: int, *, up: bool, at: int | None = None) -> str:
    """`digits` significant digits after the leading one, rounded up or down."""
    if value == 0:
        return "0"
    size = floor(_log10(value)) if at is None else at
    unit = Fraction(10) ** (size - digits)
    steps = value / unit
    whole = -((-steps.numerator) // steps.denominator) if up else steps.numerator // steps.denominator
    if -4 <= size < 12:
        places = max(digits - size, 0)
        text = f"{int(whole * unit * 10**places)}".rjust(places + 1, "0")
        return text if not places else _trim(f"{text[:-places]}.{text[-places:]}", at)
    text = str(whole).rjust(digits + 1, "0")
    return f"{_trim(text[:-digits] + '.' + text[-digits:], at)}e{size:+03d}"


def _trim(text: str, at: int | None) -> str:
    return text.rstrip("0").rstrip(".") if at is None else text
