r"""From a formula to a quotient of polynomials: what is not rational becomes a symbol with a range.

Symbols and their ranges:

* ``m`` = n − 1 ≥ fewest − 1; a public parameter, in its domain; ``pi``, e = exp(1) and other constants such as log(2),
  in a rational enclosure; exp(r) for whole r is a power of e;
* a record, in its interval;
* a function of one record whose range was verified (`ranges`): low + κ·(high − low) with κ in [0, 1];
* a comparison, in [0, 1]; \|E\| for E in [a, b], in [0, max(\|a\|, \|b\|)]; a remainder E % 2, in [0, 2].

A divisor must be positive or negative on the whole box, at the place where the division stands. So a formula that was
converted is defined for every dataset.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from dpwitness.proofs.kernel.algebra.cells import Box, intervals
from dpwitness.proofs.kernel.algebra.expr import Expr, num, var
from dpwitness.proofs.kernel.algebra.values import over
from dpwitness.proofs.kernel.arith import Rejected, lower, outward, precision, upper
from dpwitness.proofs.kernel.limits import TooMuch
from dpwitness.proofs.kernel.sensitivity.language import replaced
from dpwitness.proofs.kernel.sensitivity.ratios import Range, Ratio, nonnegative, same, sign_on
from dpwitness.proofs.kernel.sensitivity.values import enclosed, simplify

Known = Mapping[Expr, tuple[Expr, Expr]]  # a function of z, and its lower and upper bound
ZERO, UNIT = Fraction(0), (Fraction(0), Fraction(1))
DIGITS = 8


class Converter:
    """Formulas over records and public symbols as quotients; collects the ranges of the symbols it makes.

    Parameters
    ----------
    ranges
        Symbols that are known from the start: ``m`` and parameters.
    records
        Names of records, each in the interval `ends`.
    known
        Verified ranges of functions of one record, written with ``z``.
    size
        The number of records where it is one number; None where it is any.
    params
        The public parameters and their domains.
    """

    def __init__(
        self,
        ranges: Mapping[str, Range | None],
        records: frozenset[str],
        ends: tuple[Fraction, Fraction],
        known: Known,
        size: int | None,
        params: Box,
    ) -> None:
        self.ranges: dict[str, Range | None] = {**ranges, **dict.fromkeys(records, ends)}
        self.records, self.ends, self.known, self.size, self.params = records, ends, known, size, params
        self.given: dict[str, Ratio] = {}  # names that stand for quotients
        self._memo: dict[Expr, Ratio] = {}
        self._worth: dict[str, list[list[Ratio]]] = {}

    def add_record(self, name: str) -> None:
        """One more record."""
        self.records = self.records | {name}
        self.ranges[name] = self.ends

    def forget(self) -> None:
        """After names were given another meaning: formulas are read anew."""
        self._memo.clear()

    def count(self) -> Ratio:
        """n."""
        return Ratio.of(self.size) if self.size is not None else Ratio.symbol("m") + Ratio.of(1)

    def ratio(self, expr: Expr) -> Ratio:
        """The formula as a quotient of polynomials in symbols."""
        if expr not in self._memo:
            self._memo[expr] = self._ratio(expr)
        return self._memo[expr]

    def _ratio(self, expr: Expr) -> Ratio:
        if expr.op == "num":
            return Ratio.of(expr.value)
        if expr.op == "var":
            if expr.name == "n":
                return self.count()
            if expr.name in self.given:
                return self.given[expr.name]
            if expr.name not in self.ranges:
                raise Rejected(f"the symbol {expr.name} is unknown here")
            return Ratio.symbol(expr.name)
        found = self._of_one_record(expr)
        if found is not None:
            return found
        if expr.op == "pi" or (expr.op == "exp" and not expr.args[0].variables()) or expr.op == "E":
            return self._constant(expr)
        if expr.args and expr.op not in ("+", "-", "*", "/", "neg", "**", "gt", "ge", "mod"):
            if not expr.variables():
                return self._constant(_fold(expr))
            if expr.variables() <= set(self.params):
                return self._public(expr)
        args = [self.ratio(a) for a in expr.args]
        if expr.op == "neg":
            return Ratio.of(0) - args[0]
        if expr.op in ("+", "-", "*"):
            return {"+": Ratio.__add__, "-": Ratio.__sub__, "*": Ratio.__mul__}[expr.op](args[0], args[1])
        if expr.op == "/":
            return self._divided(args[0], args[1])
        if (
            expr.op == "**"
            and not expr.variables()
            and expr.args[1].op == "num"
            and expr.args[1].value.denominator != 1
        ):
            return self._constant(_fold(expr))
        if expr.op == "**" and expr.args[1].op == "num" and expr.args[1].value.denominator == 1:
            n = int(expr.args[1].value)
            if abs(n) > 12:
                raise Rejected(f"the power {n} is too high here: give the range of the function of one record")
            return args[0].power(n) if n >= 0 else self._divided(Ratio.of(1), args[0].power(-n))
        return self._symbol(expr, args)

    def _divided(self, top: Ratio, bottom: Ratio) -> Ratio:
        try:
            sign_on(bottom.top, self.ranges)  # the bottom of a quotient is never 0
        except TooMuch:
            raise
        except Rejected as error:
            raise Rejected(f"a denominator may be zero: {error}") from None
        return top.over(bottom)

    def _of_one_record(self, expr: Expr) -> Ratio | None:
        """low + κ·(high − low), where the formula is a function of one record with a verified range."""
        mine = expr.variables() & self.records
        if len(mine) != 1:
            return None
        (name,) = mine
        bounds = self.known.get(replaced(expr, {var(name): var("z")}))
        if bounds is None:
            return None
        low, high = (self.ratio(e) for e in bounds)
        return low + self.fresh(f"[{expr}]", UNIT) * (high - low)

    def span(self, expr: Expr) -> tuple[Ratio, Ratio]:
        """Bounds of a formula: those that were verified for a function of one record, else rational ones."""
        value = self.ratio(expr)
        mine = expr.variables() & self.records
        bounds = self.known.get(replaced(expr, {var(name): var("z") for name in mine})) if len(mine) == 1 else None
        if bounds is not None:
            low, high = (self.ratio(e) for e in bounds)
            return low, high
        least, most = self.bounds(value)
        return Ratio.of(least), Ratio.of(most)

    def show_same(self, a: Ratio, b: Ratio) -> None:
        """Raise unless two quotients are the same."""
        if not same(a, b):
            raise Rejected("two formulas are not the same")

    def show_positive(self, value: Ratio) -> None:
        """Raise unless a quotient is > 0 on the whole box."""
        if sign_on(value.top, self.ranges) * sign_on(value.bottom, self.ranges) != 1:
            raise Rejected("a number that must be positive is negative")

    def fresh(self, name: str, span: Range | None) -> Ratio:
        """A symbol with a range; the same name is the same symbol."""
        if self.ranges.setdefault(name, span) != span:
            raise Rejected(f"the symbol {name} has two ranges")
        return Ratio.symbol(name)

    def named(self, name: str, parts: list[Ratio]) -> str:
        """The name of a symbol for what is computed from `parts`: another one for each worth of them.

        A name in `given` stands for one quotient before a change and for another one after it, so that formulas of the
        same text may differ.
        """
        known = self._worth.setdefault(name, [])
        if parts not in known:
            known.append(parts)
        place = known.index(parts)
        return f"{name} {place + 1}" if place else name

    def _constant(self, expr: Expr) -> Ratio:
        """A number that is not rational, as a symbol in a small interval."""
        expr = Expr("exp", (num(1),)) if expr.op == "E" else expr
        if expr.op == "num":
            return Ratio.of(expr.value)
        if expr.op in ("+", "-", "*", "/", "neg"):
            return self.ratio(expr)
        if expr.op == "exp" and expr.args[0].op != "num":
            inner = _fold(expr.args[0])
            expr = Expr("exp", (inner,))
        if expr.op == "exp" and expr.args[0].op == "num":
            power = expr.args[0].value
            if power == 0:
                return Ratio.of(1)
            if power.denominator == 1 and abs(power) <= 12 and power != 1:
                whole = self._constant(Expr("exp", (num(1),))).power(abs(int(power)))
                return whole if power > 0 else Ratio.of(1).over(whole)
        value = enclosed(expr)
        low, high = outward(lower(value.lo), upper(value.hi), DIGITS)
        if low <= 0 <= high:
            raise Rejected(f"the sign of {expr} is not seen")
        return self.fresh(f"{{{expr}}}", (low, high))

    def _public(self, expr: Expr) -> Ratio:
        """A function of public parameters, as a symbol in its enclosure."""
        with precision(128):
            value = over(expr, intervals(self.params))
        if not value.lo.is_finite():
            raise Rejected(f"{expr} is not seen to be bounded from below")
        low = lower(value.lo)
        high = upper(value.hi) if value.hi.is_finite() else None
        low = outward(low, low, DIGITS)[0]
        return self.fresh(f"{{{expr}}}", (low, None if high is None else outward(high, high, DIGITS)[1]))

    def _symbol(self, expr: Expr, args: list[Ratio]) -> Ratio:
        name = self.named(f"<{expr}>", args)
        if expr.op in ("gt", "ge"):
            small, large = (args[1], args[0]) if expr.op == "ge" else (args[0], args[1])
            if self.at_least(large, small):  # a ≥ b everywhere, or b ≥ a everywhere, which is that a > b nowhere
                return Ratio.of(int(expr.op == "ge"))
            return self.fresh(name, UNIT)
        if expr.op == "mod":
            return self.fresh(name, (ZERO, Fraction(2)))
        if expr.op == "Abs":
            low, high = self.bounds(args[0])
            return self.fresh(name, (ZERO, max(abs(low), abs(high))))
        if expr.op in ("Min", "Max"):
            (a, b), (c, d) = self.bounds(args[0]), self.bounds(args[1])
            pick = min if expr.op == "Min" else max
            return self.fresh(name, (pick(a, c), pick(b, d)))
        raise Rejected(f"no range is known of {str(expr)[:80]}")

    def bounds(self, value: Ratio) -> tuple[Fraction, Fraction]:
        """Rationals a, b with a ≤ value ≤ b on the whole box, from a few guesses that are then verified."""
        low = next((c for c in _GUESSES if self.at_least(value, Ratio.of(c))), None)
        high = next((-c for c in _GUESSES if self.at_least(Ratio.of(-c), value)), None)
        if low is None or high is None:
            raise Rejected("no bounds of a part of the formula were found")
        return low, high

    def at_least(self, big: Ratio, small: Ratio) -> bool:
        """Whether big ≥ small is seen on the whole box."""
        try:
            self.show(big, small)
        except Rejected:
            return False
        return True

    def show(self, big: Ratio, small: Ratio, proof: object = None) -> None:
        """Raise unless big ≥ small on the whole box."""
        gap = big - small
        sign = sign_on(gap.bottom, self.ranges)
        nonnegative({mono: sign * c for mono, c in gap.top.items()}, self.ranges, proof)


_GUESSES = [
    Fraction(c) for c in (1, Fraction(1, 2), Fraction(1, 4), 0, Fraction(-1, 4), Fraction(-1, 2), -1, -2, -4, -8)
]


def _fold(expr: Expr) -> Expr:
    """A constant, simplified where that is exact."""
    if not expr.args:
        return Expr("exp", (num(1),)) if expr.op == "E" else expr
    return simplify(expr.op, tuple(_fold(a) for a in expr.args))


Convert = Callable[[Expr], Ratio]
__all__ = ["Converter", "Known"]
