"""Comparisons of sealed values, and what is true of them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpwitness.proofs.composition.cells import RecordNumber, RecordTest, add, compare, negative
from dpwitness.proofs.composition.observing import ROUNDED_TESTS
from dpwitness.proofs.composition.records import NO_DATA, Mark, PerCell, Rows
from dpwitness.proofs.composition.remains import constants_vanish
from dpwitness.proofs.composition.rounding import Rounding
from dpwitness.proofs.composition.values import Gone, Listing, Number, Result, Test, Value, constant, origin_of, refuse

RECORD = (RecordNumber, RecordTest)


class Comparing(Rounding):
    """The part of the reader that compares."""

    wanted: set[tuple[int, Fraction]]  # cuts of cells that would decide a test
    _no_number: Any

    def compared(self, op: str, left: Value, right: Value) -> Value:
        """``left op right`` as a truth, or as a test."""
        if isinstance(left, PerCell) or isinstance(right, PerCell):
            for value in (left, right):
                if isinstance(value, Number) and self.settled(value.form).private:
                    return self.compared(op, self.number(left), self.number(right))
            return self.per_cell(lambda a, b: self.compared(op, a, b), left, right)
        if op in ("==", "!="):
            plain = self._plain_equal(left, right)
            if plain is not None:
                return plain == (op == "==")
        if isinstance(left, RECORD) or isinstance(right, RECORD):
            if op in ("<", "<="):
                left, right, op = right, left, {"<": ">", "<=": ">="}[op]
            change = self.part_in(left, right, "-", add(self.record(left), negative(self.record(right))))
            answer = compare(change, op, self.state.known, self.wanted)
            if isinstance(answer, bool) and not self.clear_record(change):
                refuse(ROUNDED_TESTS)
            return answer
        one, two = self.sure(left), self.sure(right)
        if op in ("<", "<="):
            one, two, op = two, one, {"<": ">", "<=": ">="}[op]
        form = self.observe(Number(one.form - two.form), "a comparison")
        self.check_varies(form, one, two)
        origin = origin_of(one, two)
        found = self.foreseen(op, form, origin)
        if found is not None and not self.seen_in_python(op, one, two, form):
            refuse("a comparison whose answer is known in advance, and that Python's rounding may answer otherwise")
        if found is None and (one.rough or two.rough) and constants_vanish(form, self.bulk(one) + self.bulk(two)):
            refuse("plain numbers cancel in a comparison: take them out, as rounding would count")
        if found is not None:
            return found
        return RecordTest(op, form) if self.inside else Test(op, form, origin)

    def _plain_equal(self, left: Value, right: Value) -> bool | None:
        """Whether two values are equal, where one of them is no number."""
        if isinstance(left, Listing) and isinstance(right, Listing):
            if left.kind != right.kind or len(left.items) != len(right.items):
                return False
            return all(self.truth(self.compared("==", a, b)) for a, b in zip(left.items, right.items, strict=True))
        kinds = (str, type(None), Listing)
        if isinstance(left, kinds) or isinstance(right, kinds):
            for value in (left, right):
                if isinstance(value, Rows | Mark | Gone | Result):
                    self._no_number(value)
            return type(left) is type(right) and bool(left == right)
        return None

    def truth(self, value: Value) -> bool:
        """The truth of a value; both ways are followed where it is not known."""
        if isinstance(value, bool):
            return value
        if value is None:
            return False
        if isinstance(value, str):
            return bool(value)
        if isinstance(value, Listing):
            return bool(value.items)
        if isinstance(value, Test):
            return bool(self.decide(value))
        if isinstance(value, RecordTest):
            return self._record_truth(value)
        if isinstance(value, RecordNumber):
            return self.truth(compare(value, "!=", self.state.known, self.wanted))
        if isinstance(value, PerCell):
            found = [self.on_record(lambda v=v: self.truth(v)) for v in value.values]  # type: ignore[misc]
            if any(not isinstance(answer, bool) or answer != found[0] for answer in found):
                refuse("a branch on a private record: write it as arithmetic, or as the chance of noise.bernoulli")
            return bool(found[0])
        if isinstance(value, Rows):
            refuse(f"whether there are records is private; {NO_DATA}")
        return self.truth(self.compared("!=", value, constant(0)))

    def _record_truth(self, test: RecordTest) -> bool:
        if self.ways is None:
            refuse("a branch on a private record")
        assert self.ways is not None
        return self.ways.fork(test.op, test.expr)


__all__ = ["RECORD", "Comparing"]
