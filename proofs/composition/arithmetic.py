"""Operators, comparisons and builtins on sealed values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from dpwitness.proofs.composition.cells import (
    RecordNumber,
    RecordTest,
    add,
    as_record,
    extreme,
    in_steps,
    multiply,
    negative,
    size_of,
)
from dpwitness.proofs.composition.comparing import RECORD, Comparing
from dpwitness.proofs.composition.observing import Observing, form_json
from dpwitness.proofs.composition.records import NO_DATA, Mark, PerCell, Rows
from dpwitness.proofs.composition.remains import NEARLY, slack
from dpwitness.proofs.composition.rounding import LOST, is_rounded
from dpwitness.proofs.composition.values import (
    Gone,
    Listing,
    Number,
    Origin,
    Refused,
    Result,
    Test,
    Value,
    constant,
    made_by,
    refuse,
)
from dpwitness.proofs.kernel.algebra.laurent import Poly
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.composition import spans
from dpwitness.proofs.kernel.composition.knowledge import INF

ROUGH = {"%": "mod", "//": "floordiv"}
STEPS = {"%": "mod", "//": "floor"}


class Arithmetic(Comparing):
    """The part of the reader that computes."""

    guarded: bool  # inside a branch that the presence of a record decides

    def number(self, value: Value) -> Number:
        """A value as a number of the program."""
        if isinstance(value, Number):
            return value
        if isinstance(value, bool):
            return constant(int(value))
        if isinstance(value, Test):
            return Observing.test_number(self, value)
        if isinstance(value, PerCell):
            found: Number = self.local_number(value)
            return found
        self._no_number(value)
        raise AssertionError

    def record(self, value: Value) -> RecordNumber:
        """A value as a number of one record; numbers that were released are public."""
        if isinstance(value, Number):
            form = self.settled(self.weighed(value).form)
            if value.varies and form.value() is not None:
                refuse("a number in which ε cancels, in a function of one record: Python rounds it at some ε")
            return as_record(Number(form, value.whole))
        return as_record(value)

    def _no_number(self, value: Value) -> None:
        if isinstance(value, Gone):
            refuse("a name that a loop over the records has set: what one record left behind is private")
        if isinstance(value, Rows):
            refuse(NO_DATA)
        if isinstance(value, Mark):
            refuse("a loop over the records looks at the sum so far: only += and -= of numbers of the record follow")
        if isinstance(value, Result):
            refuse("the result of noise.run can be returned and handed to noise.postprocess, which gives numbers")
        refuse("something that is no number is used as one")

    def released(self, value: Number, what: str) -> Number:
        """A number without draws: noisy ones are released."""
        form = self.settled(value.form)
        found = self.observe(Number(form), what) if self.parts(form)[1] else form
        return replace(value, form=found, truth=False)

    # operators

    def operate(self, op: str, left: Value, right: Value) -> Value:
        """``left op right``."""
        if isinstance(left, PerCell) or isinstance(right, PerCell):
            return self._local(op, left, right)
        if isinstance(left, Mark) or isinstance(right, Mark):
            return self._mark(op, left, right)
        if isinstance(left, Listing) or isinstance(right, Listing):
            return self._listings(op, left, right)
        if op in ("&", "|"):
            return self._of_bits(op, left, right)
        if isinstance(left, RECORD) or isinstance(right, RECORD):
            return self._of_record(op, left, right)
        one, two = self.number(left), self.number(right)
        found: Value = self._plain(op, one, two)
        if op in ("+", "-", "*") and not found.form.private:
            self.check_cancelled(one, two)
        known = one.constant is not None and two.constant is not None
        rough, lost = one.rough or two.rough or not (found.whole or known), one.lost or two.lost
        rough = rough or (known and not found.whole and is_rounded(op, one, two, found))
        if rough and op in ("+", "-") and self.cancelling(op, one, two):
            one, two = self.shown_first(op, one, two)
            found, lost = self._plain(op, one, two), True
        if not (rough or one.varies or two.varies):
            return found
        if rough and op in ("+", "-"):
            lost = lost or self.nothing_left(op, one, two)
        if op == "/" and rough:
            lost = lost or self._frail(two, weight=True)
        bulk = self.combined(op, one, two, found.form) if rough else None
        return replace(
            found,
            varies=one.varies or two.varies,
            rough=rough,
            lost=lost,
            bulk=bulk,
            origin=hash((op, made_by(one), made_by(two))) if rough else None,
        )

    def _plain(self, op: str, one: Number, two: Number) -> Number:
        """An operator on two numbers of the program."""
        whole = one.whole and two.whole
        if op in ("+", "-"):
            return Number(one.form + two.form if op == "+" else one.form - two.form, whole)
        if op == "*":
            return self._product(one, two, whole)
        if op == "/":
            return self._quotient(one, two)
        if op == "**":
            return self._power(one, two)
        if op in ROUGH:
            return self._rough(op, one, two, whole)
        return refuse(f"the operator {op} is not followed here")  # type: ignore[no-any-return]

    def _product(self, one: Number, two: Number, whole: bool) -> Number:
        left, right = self.settled(one.form), self.settled(two.form)
        if left.private or right.private:
            self.weighed(one)
            self.weighed(two)
        if left.private and right.private:
            left = self.observe(Number(left), "a product") if self.parts(left)[1] else left
            right = self.observe(Number(right), "a product") if left.private and self.parts(right)[1] else right
            if left.private and right.private:
                if self.parts(right)[1]:
                    right = self.observe(Number(right), "a product")
                else:
                    refuse("a product of two private numbers, which has no known bound: release one of them first")
        public = right if left.private else left
        noisy = left if left.private else right
        if noisy.private and not all(self.state.known.is_closed(s) for s in public.symbols()):
            atoms, draws, _ = self.parts(noisy)
            if atoms and draws:  # better released alone than mixed with others
                noisy = self.observe(Number(noisy), "a product with a released number")
        return Number(public * noisy, whole)

    def _quotient(self, one: Number, two: Number) -> Number:
        form = self.observe(two, "a division")
        if (self.inside or self.guarded) and not self.state.known.nonzero(form):
            refuse("a division that may fail, and whose failure would tell: use max(x, 1) or a test before it, outside")
        inverse = self.inverse(form, "a divisor")
        return self._product(one, Number(inverse), False)

    def _power(self, one: Number, two: Number) -> Number:
        power = two.constant
        if power is None or power.denominator != 1 or not -16 <= power <= 16:
            refuse("a power that is no small whole number")
        assert power is not None
        if power < 0:
            return self._quotient(constant(1), self._power(one, constant(-power)))
        result = constant(1)
        for _ in range(int(power)):
            result = self._product(result, one, result.whole and one.whole)
        return result

    def _rough(self, op: str, one: Number, two: Number, whole: bool) -> Number:
        left, right = (self.observe(self.sure(n), f"the operator {op}") for n in (one, two))
        self.check_varies(left - right, one, two)
        a, b = left.value(), right.value()
        if b == 0:
            refuse("division by zero")
        if a is not None and b is not None:
            return constant(a % b if op == "%" else Fraction(a // b), whole=whole)
        if self.inside or not self.state.known.nonzero(right):
            refuse(f"the operator {op} that may fail: use max(x, 1) before it")
        return self.let(ROUGH[op], left, right, whole=whole, origin=_in_order(op, one, two))

    def _mark(self, op: str, left: Value, right: Value) -> Mark:
        if isinstance(left, Mark) and not isinstance(right, Mark) and op in ("+", "-"):
            more = self.record(right)
            return Mark(left.name, add(left.added, more if op == "+" else negative(more)))
        if isinstance(right, Mark) and not isinstance(left, Mark) and op == "+":
            return Mark(right.name, add(right.added, self.record(left)))
        self._no_number(left if isinstance(left, Mark) else right)
        raise AssertionError

    def _listings(self, op: str, left: Value, right: Value) -> Listing:
        if isinstance(left, Listing) and isinstance(right, Listing) and op == "+" and left.kind == right.kind:
            return Listing([*left.items, *right.items], left.kind, self.inside)
        listing, other = (left, right) if isinstance(left, Listing) else (right, left)
        if op == "*" and isinstance(listing, Listing) and isinstance(other, Number):
            times = self.index(self.observe(other, "a length"), "a length")
            return Listing(listing.items * times, listing.kind, self.inside)
        return refuse(f"the operator {op} between a list and something else")  # type: ignore[no-any-return]

    def _of_record(self, op: str, left: Value, right: Value) -> RecordNumber:
        one, two = self.record(left), self.record(right)
        known = self.state.known
        if op in ("+", "-"):
            return self.part_in(left, right, op, add(one, two if op == "+" else negative(two)))
        if op == "*":
            return multiply(one, two, known)
        if op == "/" and isinstance(two.expr, Poly):
            if not known.nonzero(two.expr):
                refuse("a division that may fail, in a function of one record: bound the divisor before, by max(x, 1)")
            return multiply(one, self.record(Number(self.inverse(two.expr, "a divisor"))), known)
        power = two.expr.value() if isinstance(two.expr, Poly) else None
        if op in STEPS and power is not None and power > 0:
            return in_steps(STEPS[op], one, power)
        if op in STEPS:
            refuse(f"the operator {op} on a number of one record wants a plain number above 0 on its right")
        if op == "**" and power is not None and power.denominator == 1 and 0 <= power <= 8:
            result = self.record(constant(1))
            if power == 2:
                return multiply(one, one, known)
            for _ in range(int(power)):
                result = multiply(result, one, known)
            return result
        return refuse(f"the operator {op} on a number of one record")  # type: ignore[no-any-return]

    def _of_bits(self, op: str, left: Value, right: Value) -> Value:
        """``&`` and ``|`` of tests, or of plain whole numbers."""
        plain = [_bits(value) for value in (left, right)]
        if plain[0] is not None and plain[1] is not None:
            found = plain[0] & plain[1] if op == "&" else plain[0] | plain[1]
            return bool(found) if isinstance(left, bool) and isinstance(right, bool) else constant(found)
        if not all(
            isinstance(v, bool | Test | RecordTest) or (isinstance(v, Number) and v.truth) for v in (left, right)
        ):
            refuse(f"the operator {op} is for tests and for plain whole numbers")
        if isinstance(left, RecordTest) or isinstance(right, RecordTest):
            a, b = self.record(left), self.record(right)
            common = multiply(a, b, self.state.known)
            return RecordTest("!=", (common if op == "&" else add(add(a, b), negative(common))).expr)
        one, two = self.number(left), self.number(right)
        both = self._product(one, two, True).form
        return Number(both if op == "&" else one.form + two.form - both, True, True)

    def _local(self, op: str, left: Value, right: Value) -> Value:
        """An operator on the one record of a local program."""
        for value in (left, right):
            if isinstance(value, Number) and self.settled(value.form).private:
                one, two = (self.number(v) for v in (left, right))
                return self.operate(op, one, two)
        return self.per_cell(lambda a, b: self.operate(op, a, b), left, right)

    def negate(self, value: Value) -> Value:
        """``-value``."""
        if isinstance(value, RECORD):
            return negative(self.record(value))
        return self.operate("*", value, constant(-1))

    # builtins

    def extreme(self, which: str, values: Sequence[Value]) -> Value:
        """The largest or smallest of several values."""
        if not values:
            refuse(f"{which} of nothing")
        if any(isinstance(v, PerCell) for v in values):
            return self.per_cell(lambda *parts: self.extreme(which, parts), *values)
        known = self.state.known
        if any(isinstance(v, RECORD) for v in values):
            return extreme(which, [self.record(v) for v in values], known)
        numbers = [self.released(self.sure(v), which) for v in values]
        forms = [self.settled(n.form) for n in numbers]
        whole = all(n.whole for n in numbers)
        if all(not form.private for form in forms):
            for form in forms:
                if all(known.at_most(*((o, form) if which == "max" else (form, o))) for o in forms):
                    chosen = numbers[forms.index(form)]
                    pairs = [(chosen, n) if which == "max" else (n, chosen) for n in numbers if n.form != chosen.form]
                    if not all(self.seen_in_python(">=", a, b, a.form - b.form) for a, b in pairs):
                        continue
                    flags = any(n.varies for n in numbers), any(n.rough for n in numbers)
                    return replace(chosen, whole=whole, truth=False, varies=flags[0], rough=flags[1])
            rough = any(n.rough for n in numbers)
            found = replace(
                self.let(which, *forms, whole=whole),
                varies=any(n.varies for n in numbers),
                rough=rough,
                origin=hash((which, *map(made_by, numbers))) if rough else None,
            )
            self._keeps_bounds(numbers, found)
            return found
        key = ("extreme", which, tuple(forms))
        if key not in self.state.made:
            symbol = self.state.fresh_name("%")
            self.emit("extreme", symbol, which, [form_json(form) for form in forms])
            self.state.made[key] = symbol
            if whole:
                self.state.made["int", symbol] = symbol
        return Number(Poly.symbol(self.state.made[key]), whole)

    def _keeps_bounds(self, numbers: Sequence[Number], found: Number) -> None:
        """Refuse the largest of numbers whose bounds are smaller than what rounding leaves of one of them."""
        low, high = self.state.known.range(found.form)
        for number in numbers:
            if number.rough and abs(low) != INF and abs(high) != INF:
                *ends, below, above = slack(number.form, self.bulk(number), self.state.known)
                far = max([far for end, far in zip(ends, (below, above), strict=True) if abs(end) != INF], default=0)
                if max(abs(low), abs(high)) < NEARLY * far:
                    refuse(LOST)

    def size(self, value: Value) -> Value:
        """``abs(value)``."""
        if isinstance(value, PerCell):
            return self.per_cell(self.size, value)
        if isinstance(value, RECORD):
            return size_of(self.record(value), self.state.known, self.wanted)
        return self.extreme("max", [value, self.negate(value)])

    def rounded(self, name: str, value: Value) -> Value:
        """int, round, floor or ceil of a public number."""
        if isinstance(value, PerCell):
            return self.per_cell(lambda v: self.rounded(name, v), value)
        if isinstance(value, RecordTest) and name == "int":
            return self.record(value)
        if isinstance(value, RecordNumber):
            if value.whole:
                return value
            refuse(f"{name} of a number of one record: make the domain finite, or test it by comparisons")
        one = self.sure(value)
        if one.whole:
            return Number(one.form, True, varies=one.varies)
        form = self.observe(one, name)
        self.check_varies(form, one)
        number = form.value()
        if number is not None:
            found = {"int": int(number), "round": round(number), "floor": math.floor(number), "ceil": math.ceil(number)}
            return constant(found[name])
        return self.let(name, form, whole=True, origin=_in_order(name, one))

    def smooth(self, name: str, value: Value) -> Value:
        """exp, log or sqrt."""
        if isinstance(value, PerCell):
            return self.per_cell(lambda v: self.smooth(name, v), value)
        if isinstance(value, RECORD):
            one = self.record(value)
            try:
                return RecordNumber([name, one.expr], spans.smooth(name, one.span, self.state.known))
            except Rejected as error:
                raise Refused(f"{error}: clip it first") from None
        number = self.sure(value)
        form = self.observe(number, name)
        if not self.close(number) or (name == "log" and form.terms and self.state.known.range(form) == (1, 1)):
            refuse(LOST)
        if name == "exp" and not form.terms:
            return Number(constant(1).form, varies=number.varies)
        origin = hash((name, made_by(number))) if number.rough else None
        return replace(self.let(name, form), varies=number.varies, rough=number.rough, origin=origin)

    def items(self, value: Value) -> list[Value]:
        """The entries of a list."""
        if isinstance(value, Listing):
            return list(value.items)
        if isinstance(value, Rows):
            refuse(NO_DATA)
        return refuse("a list is wanted here")  # type: ignore[no-any-return]


def _in_order(name: str, *numbers: Number) -> Origin | None:
    """How a number was computed by a step that rounding may change."""
    return frozenset({hash((name, *map(made_by, numbers)))}) if any(n.rough for n in numbers) else None


def _bits(value: Value) -> int | None:
    """A plain whole number, or a truth as one; None for everything else."""
    if isinstance(value, bool):
        return int(value)
    known = isinstance(value, Number) and value.whole and not value.varies and value.constant is not None
    return int(value.constant) if known else None


__all__ = ["Arithmetic"]
