"""What Python's rounding may make of numbers that are read as exact ones.

Released numbers are symbols here and doubles in Python. Where they cancel, nothing is left here and a little there,
which a comparison shows and a factor makes large; no run need come across it. Such numbers can be returned and handed
to `noise.postprocess`, and privacy may not rest on them; noisy numbers that cancel are released before. A
comparison whose answer is known without following both ways must have that answer for doubles too. How much is left
of a number is measured by all that was added up to make it (`dpwitness.proofs.composition.remains`), and an answer to a
test is that to another one where both compare the same doubles: numbers that were computed alike.
"""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

from dpwitness.proofs.composition.cells import RecordNumber
from dpwitness.proofs.composition.closed import cancel
from dpwitness.proofs.composition.drawing import Drawing
from dpwitness.proofs.composition.remains import NEARLY, absolute, bulk_of, is_frail, slack, vanishing
from dpwitness.proofs.composition.values import Number, Value, constant, origin_of, refuse
from dpwitness.proofs.kernel.algebra.laurent import Poly
from dpwitness.proofs.kernel.composition.knowledge import INF

LOST = (
    "numbers cancel in this one, and what Python's rounding leaves of them would count: compute it without adding and "
    "taking away what is much larger"
)


OPERATORS = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "**": operator.pow,
    "%": operator.mod, "//": operator.floordiv,
}  # fmt: skip


class Rounding(Drawing):
    """The part of the reader that keeps exact numbers and doubles apart."""

    record: Any
    _quotient: Any

    def bulk(self, number: Number) -> Poly:
        """Everything that was added up to make a number, with what is known of its draws put in."""
        form = self.settled(number.form)
        if number.bulk is None:
            return absolute(form)
        return bulk_of(form, Poly({m: abs(c) for m, c in self.settled(number.bulk).terms.items()}))

    def combined(self, op: str, one: Number, two: Number, form: Poly) -> Poly:
        """The bulk of the result of an operator."""
        a, b = self.bulk(one), self.bulk(two)
        if op in ("+", "-"):
            return a + b
        if op == "*":
            return a * b
        if op == "/":
            return a * absolute(self._quotient(constant(1), two).form)
        return absolute(form)

    def cancelling(self, op: str, one: Number, two: Number) -> list[Poly]:
        """The unknowns of which hardly anything is left in a sum or difference: Python's rounding is as large."""
        left, right = self.settled(one.form), self.settled(two.form)
        return vanishing(left + right if op == "+" else left - right, self.bulk(one) + self.bulk(two))

    def nothing_left(self, op: str, one: Number, two: Number) -> bool:
        """Whether two numbers that depend on parameters alone cancel at all values of these."""
        left, right = self.settled(one.form), self.settled(two.form)
        return cancel(left, right if op == "+" else -right, self.state.known)

    def shown_first(self, op: str, one: Number, two: Number) -> tuple[Number, Number]:
        """Two numbers that are added, released where draws cancel in the sum: the rounding of both may be in it."""
        noisy = any(s[0] == "~" for form in self.cancelling(op, one, two) for s in form.symbols())
        if noisy:
            for number in sorted((one, two), key=lambda n: len(self.parts(self.settled(n.form))[1])):
                self.observe(number, "a difference in which noise cancels")
        return replace(one, form=self.settled(one.form)), replace(two, form=self.settled(two.form))

    def sure(self, value: Value) -> Number:
        """A number on which privacy may rest; refused where numbers cancel in it."""
        number: Number = self.number(value)
        if number.lost or self._frail(number, weight=False):
            refuse(LOST)
        return number

    def weighed(self, value: Value) -> Number:
        """A number whose multiples count, such as a weight or a scale."""
        number = self.sure(value)
        if self._frail(number, weight=True):
            refuse(LOST)
        return number

    def _frail(self, number: Number, *, weight: bool) -> bool:
        if not number.rough:
            return False
        form, bulk = self.settled(number.form), self.bulk(number)
        return not (form.private or bulk.private) and is_frail(form, bulk, self.state.known, weight=weight)

    def close(self, number: Number) -> bool:
        """Whether what rounding leaves of a number is small beside 1."""
        form = self.settled(number.form)
        if not number.rough or form.private:
            return True
        low, high, below, above = slack(form, self.bulk(number), self.state.known)
        return all(abs(end) == INF or NEARLY * far <= 1 for end, far in ((low, below), (high, above)))

    def weights(self, form: Poly) -> None:
        """Refuse factors of private numbers in which released numbers cancel."""
        for c in self.parts(form)[0].values():
            if len(c.terms) > 1 and is_frail(c, absolute(c), self.state.known, weight=True):
                refuse(LOST)

    def seen_in_python(self, op: str, one: Number, two: Number, form: Poly) -> bool:
        """Whether a comparison of rounded numbers whose answer is known in advance has that answer in Python too."""
        if not (one.rough or two.rough):
            return True
        if (op, form) in self.state.decided and self.state.origins.get((op, form)) == origin_of(one, two):
            return True
        if self.cancelling("-", one, two):
            return False
        return self.clear(form)

    def clear(self, form: Poly) -> bool:
        """Whether the sign of a public form is plain whatever rounding does."""
        signs = {c > 0 for c in form.terms.values()}
        known = self.state.known
        if len(signs) == 1 and all(known.nonnegative(Poly.term(mono)) for mono in form.terms):
            return True  # nothing is subtracted
        ends = [known.range(Poly.term(mono, c)) for mono, c in form.terms.items()]
        low, high = sum(e[0] for e in ends), sum(e[1] for e in ends)
        return bool(
            low > NEARLY * sum(abs(e[0]) for e in ends) > 0 or high < -NEARLY * sum(abs(e[1]) for e in ends) < 0
        )

    def part_in(self, left: Value, right: Value, op: str, found: RecordNumber) -> RecordNumber:
        """Refuse released numbers that cancel in a function of one record."""
        one, two = self.record(left), self.record(right)
        known = self.state.known
        for a, b, form in zip(_ends(one), _ends(two) if op == "+" else _ends(two)[::-1], _ends(found), strict=True):
            if a is None or b is None or form is None:
                continue
            plain = isinstance(one.expr, Poly) and isinstance(two.expr, Poly)
            if not plain and all(known.is_closed(s) for s in form.symbols()):
                continue
            bulk = absolute(a) + absolute(b)
            if vanishing(form, bulk) or is_frail(form, bulk, known, weight=False):
                refuse(
                    "released numbers cancel in a function of one record, and Python's rounding is what is left of them"
                )
        return found

    def clear_record(self, number: RecordNumber) -> bool:
        """Whether the sign of a number of one record is plain whatever rounding does to released numbers in it."""
        ends = [end for end in _ends(number) if end is not None]
        known = self.state.known
        return all(known.is_closed(s) for end in ends for s in end.symbols()) or any(map(self.clear, ends))

    def check_cancelled(self, *numbers: Number) -> None:
        """Refuse a public number that is left of private ones without noise."""
        forms = [self.settled(n.form) for n in numbers if n.form.private]
        if any(form.private and not self.parts(form)[1] for form in forms):
            refuse("private numbers cancel: the type or the sign of what is left may tell")

    def check_varies(self, form: Poly, *numbers: Number) -> None:
        """Refuse a decision about public numbers that Python may round otherwise at some value of a parameter."""
        if any(n.varies for n in numbers) and all(self.state.known.is_closed(s) for s in form.symbols()):
            refuse("a decision that depends on ε, or that Python's rounding makes at some ε: ask with --epsilon")


def is_rounded(op: str, one: Number, two: Number, found: Number) -> bool:
    """Whether Python's number for an operator on two plain numbers is not the double that is nearest to the exact one.

    >>> from fractions import Fraction
    >>> is_rounded("+", constant(Fraction(1, 10)), constant(Fraction(1, 5)), constant(Fraction(3, 10)))
    True
    """
    a, b, exact = one.constant, two.constant, found.constant
    if a is None or b is None or exact is None:
        return False
    try:
        return bool(OPERATORS[op](float(a), float(b)) != float(exact))
    except ArithmeticError:  # no doubles there
        return True


def _ends(number: RecordNumber) -> tuple[Poly | None, Poly | None]:
    return number.span.low, number.span.high


__all__ = ["LOST", "Rounding", "is_rounded"]
