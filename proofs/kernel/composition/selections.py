"""Steps that select: an outcome by scores, the largest of noisy numbers, a count that must pass a threshold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from dpwitness.proofs.kernel.algebra.laurent import Poly
from dpwitness.proofs.kernel.arith import Rejected, lower, precision, upper
from dpwitness.proofs.kernel.composition.costs import BITS, Cost, number_of, pure, rounded
from dpwitness.proofs.kernel.composition.releases import MEMORYLESS, NOTHING, Costs, Releases, inverse_of
from dpwitness.proofs.kernel.composition.spans import NOUGHT, Span, largest, minus, plus, smallest


class Selections(Releases):
    """The part of a walk that selects."""

    def choose(self, symbol: Any, how: Any, forms: Any) -> bool:
        """An outcome with probability in proportion to weights, or to e^(log weight); of one log-odds 1 or 0."""
        scope = self.scope
        read = [scope.form(form) for form in forms]
        if how == "odds" and len(read) == 1:
            read.append(Poly())
        elif how not in ("log", "plain") or not read:
            raise Rejected("a choice has weights or log-weights")
        if how == "plain" and any(form.private for form in read):
            raise Rejected("private weights")
        self._spread(read, Poly.constant(1), bounded=True)
        self._outcome(symbol, len(read))
        return True

    def _outcome(self, symbol: Any, ways: int) -> None:
        self.scope.known.define(self.scope.new(symbol, "$"), (Fraction(0), Fraction(ways - 1)))
        self.scope.outcomes[symbol] = ways

    def _spread(self, forms: Sequence[Poly], factor: Poly, *, bounded: bool) -> None:
        """Charge a choice by scores: the largest of their moves minus the smallest."""
        scope = self.scope
        if any(scope.parts(form)[1] for form in forms):
            raise Rejected("scores with noise of their own")
        shifts = [scope.shift(form, factor) for form in forms]
        costs: Costs = {}
        memo: dict[Any, Cost] = {}
        for move in dict.fromkeys(m for shift in shifts for m in shift):
            spans = [shift.get(move, NOUGHT) for shift in shifts]
            key = tuple(spans)
            if key not in memo:
                top, bottom = largest(spans, scope.known), smallest(spans, scope.known)
                size = scope.size(plus(Span(top.high, top.high), minus(Span(bottom.low, bottom.low))))
                amount = scope.amount(size)
                memo[key] = pure(amount, bounded=bounded) if amount.terms else NOTHING
            if memo[key] != NOTHING:
                costs[move] = memo[key]
        self.charge(costs, scope.sample_of(forms))

    def contest(self, symbol: Any, entries: Any) -> bool:
        """The largest of forms plus fresh draws of one law and scale, one each; the draws are used up.

        Only the winner's draw is shifted, upwards and by at most the spread of the moves, so that noise on one side
        will do.
        """
        scope = self.scope
        forms = [scope.form(form) for form, _ in entries]
        draws = [self.fresh(draw) for _, draw in entries]
        scales = {(d.law, d.scale) for d in draws}
        if len(scales) != 1 or len({id(d) for d in draws}) != len(draws) or draws[0].law not in MEMORYLESS:
            raise Rejected("the entries of a contest have independent noise of one law and scale")
        scale = draws[0].scale
        if scale is None:
            raise Rejected("the entries of a contest have noise with a scale")
        self._spread(forms, inverse_of(scope, scale), bounded=False)
        for draw in draws:
            draw.fresh = False
        self._outcome(symbol, len(forms))
        return True

    def present(self, symbol: Any, count: Any, scale: Any, threshold: Any, whole: Any, passes: Any = ">=") -> bool:
        r"""A whole count with noise where it is above 0 and the sum reaches (or exceeds) the threshold T, else 0.

        Two counts above 0 are told apart as by their noise, by 1/b. Of 0 and 1, the one gives 0 for certain and the
        other does with probability 1 − δ, δ = P[Z ≥ T − 1].
        """
        scope = self.scope
        form, level = scope.form(count), scope.public(threshold)
        if not scope.is_whole(form) or type(whole) is not bool or passes not in (">", ">="):
            raise Rejected("a present count is a whole number")
        inverse = inverse_of(scope, scope.public(scale))
        loss, far = scope.amount(inverse), (level - 1) * inverse
        with precision(BITS):
            if not (scope.known.enclose(inverse) > 0 and scope.known.enclose(level) >= 1):
                raise Rejected("the threshold of a present count is at least 1, and its noise has a positive scale")
            if whole:
                least = lower(scope.known.enclose(level))  # the first whole number that passes is at least as large
                steps = math.floor(least) if passes == ">" else math.ceil(least) - 1
                a = (-scope.known.enclose(inverse)).exp()
                delta = rounded(upper(a**steps / (1 + a)))
            else:
                delta = (self._exactly(far) or rounded(upper((-scope.known.enclose(far)).exp()))) / 2
        one = Cost(pure=loss, rho=loss * loss * Fraction(1, 2), delta=delta)
        costs: Costs = {}
        for move, moved in scope.shift(form).items():
            size = number_of(scope.amount(scope.size(moved)))
            if size > 1:
                raise Rejected("a present count moves by at most 1")
            if size:
                costs[move] = one
        if costs and scope.sample_of([form]):
            raise Rejected("no rule for a present count of a sample")
        self.charge(costs)
        scope.known.define(scope.new(symbol, "$"))
        return True

    def _exactly(self, form: Poly) -> Fraction | None:
        """e^−form, where the form is a whole multiple of the logarithm of a rational number."""
        if len(form.terms) != 1:
            return None
        ((mono, c),) = form.terms.items()
        made = self.scope.known.lets.get(mono[0][0]) if len(mono) == 1 and mono[0][1] == 1 else None
        value = made.forms[0].value() if made is not None and made.operation == "log" else None
        return None if value is None or c.denominator != 1 or not 0 < c <= 64 else value ** -int(c)


__all__ = ["Selections"]
