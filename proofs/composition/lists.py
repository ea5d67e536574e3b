"""Lists, their entries and methods; assignments to names and to entries."""

from __future__ import annotations

import ast
from typing import Any

from dpwitness.proofs.composition.arithmetic import Arithmetic
from dpwitness.proofs.composition.cells import RecordNumber, RecordTest
from dpwitness.proofs.composition.records import NO_DATA, PerCell, Rows
from dpwitness.proofs.composition.values import Listing, Number, Test, Value, constant, refuse

MOST_ENTRIES = 100_000


class Lists(Arithmetic):
    """The part of the reader that handles lists."""

    value: Any

    def make_set(self, items: list[Value]) -> Value:
        plain = (isinstance(x, str | None | bool) or (isinstance(x, Number) and x.constant is not None) for x in items)
        if not all(plain):
            refuse("a set of something else than constants")
        kept: list[Value] = []
        for item in items:
            if not any(self.compared("==", item, old) is True for old in kept):
                kept.append(item)
        return Listing(kept, "set", self.inside)

    def entry(self, base: Value, place: ast.expr) -> Value:
        """An entry or a slice of a list."""
        if isinstance(base, Rows):
            if self.is_local and base.sample is None and all(k is True for k in base.keep):
                index = self.value(place)
                if isinstance(index, Number) and index.constant in (0, -1):
                    return self.lift(list(base.values))
            refuse(f"a single record is private; {NO_DATA}")
        if isinstance(place, ast.Slice):
            ends = [None if p is None else self._index(self.value(p)) for p in (place.lower, place.upper, place.step)]
            return Listing(self._slice(base).items[slice(*ends)], self._slice(base).kind, self.inside)
        index = self.value(place)
        if isinstance(base, PerCell) or isinstance(index, PerCell):
            return self.per_cell(self._at, base, index)
        return self._at(base, index)

    def _slice(self, base: Value) -> Listing:
        return base if isinstance(base, Listing) else refuse("a slice of something that is no list")

    def _at(self, base: Value, index: Value) -> Value:
        items = self.items(base)
        place = self._index(index)
        if not -len(items) <= place < len(items):
            refuse(f"the index {place} is out of range")
        return items[place]

    def _index(self, value: Value) -> int:
        if isinstance(value, bool):
            return int(value)
        if isinstance(value, RecordNumber | RecordTest):
            refuse("an index that depends on a record: sum indicators, sum(r == v for r in data), for each v")
        if not isinstance(value, Number | Test):
            refuse("an index that is no whole number")
        if isinstance(value, Number):
            self.sure(value)
        form = self.observe(value, "an index")
        if isinstance(value, Number):
            self.check_varies(form, value)
        return self.index(form, "an index")

    def list_method(self, base: Listing, name: str, args: list[Value]) -> Value:
        """A method of a list."""
        if name in ("append", "extend", "insert", "pop"):
            self.may_change(base)
        if name == "append" and len(args) == 1:
            base.items.append(args[0])
            return None
        if name == "extend" and len(args) == 1:
            base.items.extend(self.items(args[0]))
            return None
        if name == "insert" and len(args) == 2:
            base.items.insert(self._index(args[0]), args[1])
            return None
        if name == "pop" and len(args) <= 1:
            return base.items.pop(self._index(args[0]) if args else -1)
        if name == "copy" and not args:
            return Listing(list(base.items), base.kind, self.inside)
        if name == "count" and len(args) == 1:
            return constant(sum(self.truth(self.compared("==", item, args[0])) for item in base.items))
        return refuse(f"the method .{name} of a list is not followed here")

    def may_change(self, base: Listing) -> None:
        """Refuse to change a list from inside a function of one record that did not make it."""
        if base.kind != "list" or base.owner == -1 or (self.inside and base.owner != self.inside):
            refuse("a list that is not its own is changed, in a function of one record or by the program")

    def each(self, source: Value) -> list[Value]:
        """What a loop runs over."""
        if isinstance(source, Rows):
            refuse(NO_DATA)
        if isinstance(source, PerCell):
            refuse("a loop over something private")
        items = self.items(source)
        if len(items) > MOST_ENTRIES:
            refuse(f"a loop of more than {MOST_ENTRIES} steps")
        return items

    def bind(self, target: ast.expr, value: Value) -> None:
        """Assign to a name, to several, or to an entry of a list."""
        if isinstance(target, ast.Name):
            self.env[target.id] = value
        elif isinstance(target, ast.Tuple | ast.List):
            if isinstance(value, PerCell):
                refuse("parts of a private record: take them by index")
            items = self.items(value)
            if len(items) != len(target.elts) or any(isinstance(t, ast.Starred) for t in target.elts):
                refuse("an assignment to several names of another number of values")
            for part, item in zip(target.elts, items, strict=True):
                self.bind(part, item)
        elif isinstance(target, ast.Subscript):
            base = self.value(target.value)
            if not isinstance(base, Listing):
                refuse("an assignment to a part of something that is no list")
            place = self._index(self.value(target.slice))
            self.may_change(base)
            if not -len(base.items) <= place < len(base.items):
                refuse(f"the index {place} is out of range")
            base.items[place] = value
        else:
            refuse("an assignment to something else than names and entries of lists")


__all__ = ["Lists"]
