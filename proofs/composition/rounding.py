"""What Python's rounding may make of numbers that are read as exact ones.

Released numbers are symbols here and doubles in Python. Where they cancel, nothing is left here and a little there,
which a comparison shows and a factor makes large; no run need come across it. Such numbers can be returned and handed
to `noise.postprocess`, and privacy may not rest on them; noisy numbers that cancel are released before. A
comparison whose answer is known without following both ways must have that answer for doubles too.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from dpwitness.proofs.composition.drawing import Drawing
from dpwitness.proofs.composition.values import Number, Value, refuse
from dpwitness.proofs.kernel.algebra.laurent import Poly

NEARLY = Fraction(1, 10**6)  # numbers that differ by this share of their size have an order that no rounding changes


class Rounding(Drawing):
    """The part of the reader that keeps exact numbers and doubles apart."""

    record: Any

    def cancelling(self, op: str, one: Poly, two: Poly) -> list[Poly]:
        """The unknowns of which hardly anything is left in a sum or difference: Python's rounding is as large."""
        left, right = self.settled(one).terms, self.settled(two).terms
        sign = 1 if op == "+" else -1
        both = [(mono, left[mono], sign * right[mono]) for mono in left if mono and mono in right]
        return [Poly.term(mono) for mono, a, b in both if abs(a + b) < NEARLY * (abs(a) + abs(b))]

    def shown_first(self, op: str, one: Number, two: Number) -> tuple[Number, Number]:
        """Two numbers that are added, released where draws cancel in the sum: the rounding of both may be in it."""
        noisy = any(s[0] == "~" for form in self.cancelling(op, one.form, two.form) for s in form.symbols())
        if noisy:
            for number in sorted((one, two), key=lambda n: len(self.parts(self.settled(n.form))[1])):
                self.observe(number, "a difference in which noise cancels")
        return replace(one, form=self.settled(one.form)), replace(two, form=self.settled(two.form))

    def sure(self, value: Value) -> Number:
        """A number on which privacy may rest; refused where numbers cancel in it."""
        number: Number = self.number(value)
        if number.lost:
            refuse("numbers cancel in this one, and what Python's rounding leaves of them would count")
        return number

    def seen_in_python(self, op: str, one: Number, two: Number, form: Poly) -> bool:
        """Whether a comparison of rounded numbers whose answer is known in advance has that answer in Python too."""
        if not (one.rough or two.rough) or (op, form) in self.state.decided:
            return True
        if self.cancelling("-", one.form, two.form):
            return False
        signs = {c > 0 for c in form.terms.values()}
        known = self.state.known
        if len(signs) == 1 and all(known.nonnegative(Poly.term(mono)) for mono in form.terms):
            return True  # nothing is subtracted
        ends = [known.range(Poly.term(mono, c)) for mono, c in form.terms.items()]
        low, high = sum(e[0] for e in ends), sum(e[1] for e in ends)
        return bool(
            low > NEARLY * sum(abs(e[0]) for e in ends) > 0 or high < -NEARLY * sum(abs(e[1]) for e in ends) < 0
        )

    def part_in(self, left: Value, right: Value, op: str) -> None:
        """Refuse released numbers that cancel in a function of one record."""
        one, two = self.record(left).expr, self.record(right).expr
        if isinstance(one, Poly) and isinstance(two, Poly) and self.cancelling(op, one, two):
            refuse("released numbers cancel in a function of one record, and Python's rounding is what is left of them")

    def check_cancelled(self, *numbers: Number) -> None:
        """Refuse a public number that is left of private ones without noise."""
        forms = [self.settled(n.form) for n in numbers if n.form.private]
        if any(form.private and not self.parts(form)[1] for form in forms):
            refuse("private numbers cancel: the type or the sign of what is left may tell")

    def check_varies(self, form: Poly, *numbers: Number) -> None:
        """Refuse a decision about public numbers that Python may round otherwise at some value of a parameter."""
        if any(n.varies for n in numbers) and all(self.state.known.is_closed(s) for s in form.symbols()):
            refuse("a decision that depends on ε, or that Python's rounding makes at some ε: ask with --epsilon")


__all__ = ["Rounding"]
