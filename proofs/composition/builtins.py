"""Builtin functions."""

from __future__ import annotations

from dataclasses import replace

from dpwitness.proofs.composition.cells import RecordNumber
from dpwitness.proofs.composition.lists import Lists
from dpwitness.proofs.composition.records import NO_DATA, PerCell, Rows
from dpwitness.proofs.composition.values import Listing, Number, Value, constant, refuse

BUILTINS = (
    "abs", "all", "any", "bool", "enumerate", "float", "int", "len", "list", "max", "min", "range", "reversed", "round",
    "set", "sorted", "sum", "tuple", "zip",
)  # fmt: skip


class Builtins(Lists):
    """The part of the reader that calls builtins."""

    def builtin(self, name: str, args: list[Value], named: dict[str, Value]) -> Value:
        """A builtin function."""
        if named and not (name == "range" or set(named) == {"sum": {"start"}, "zip": {"strict"}}.get(name)):
            refuse(f"named arguments of {name}")
        method = getattr(self, f"call_{name}", None)
        if method is not None:
            return method(*args, **named)
        if name in ("exp", "log", "sqrt") and len(args) == 1:
            return self.smooth(name, args[0])
        if name in ("int", "round", "floor", "ceil") and len(args) == 1:
            return self.rounded(name, args[0])
        if name in ("max", "min"):
            return self.extreme(name, self.items(args[0]) if len(args) == 1 else args)
        if name == "abs" and len(args) == 1:
            return self.size(args[0])
        return refuse(f"{name} with these arguments")

    def call_float(self, value: Value) -> Value:
        """float(x): the number itself."""
        if isinstance(value, PerCell | RecordNumber):
            return value
        number = self.number(value)
        return replace(number, whole=False, truth=False, rough=True)

    def call_bool(self, value: Value) -> Value:
        """bool(x)."""
        return self.truth(value)

    def call_exact(self, value: Value, *_: Value) -> Value:
        """exact(x), Exact(a, b) and Fraction(a, b)."""
        first = self.number(value)
        if not _:
            return first
        return self.operate("/", first, _[0])

    call_Exact = call_Fraction = call_exact

    def call_len(self, value: Value) -> Value:
        """len(x)."""
        return self.count_of(value) if isinstance(value, Rows) else constant(len(self.items(value)))

    def call_sum(self, value: Value, start: Value = None) -> Value:
        """sum(x)."""
        if isinstance(value, Rows):
            found: Value = self.total(value, value.values)
            return found if start is None else self.operate("+", found, start)
        total: Value = constant(0) if start is None else start
        for item in self.items(value):
            total = self.operate("+", total, item)
        return total

    def call_any(self, value: Value) -> Value:
        """any(x)."""
        return any(self.truth(item) for item in self.items(value))

    def call_all(self, value: Value) -> Value:
        """all(x)."""
        return all(self.truth(item) for item in self.items(value))

    def call_range(self, *args: Value) -> Value:
        """range(...)."""
        return Listing([constant(k) for k in range(*(self._index(a) for a in args))], "tuple", -1)

    def call_enumerate(self, value: Value, start: Value = None) -> Value:
        """enumerate(x, start)."""
        first = 0 if start is None else self._index(start)
        pairs = [Listing([constant(k), item], "tuple", -1) for k, item in enumerate(self.each(value), first)]
        return Listing(list(pairs), "tuple", -1)

    def call_zip(self, *values: Value, strict: Value = False) -> Value:
        """zip(x, y, strict=True)."""
        lists = [self.each(value) for value in values]
        if not isinstance(strict, bool):
            refuse("the argument strict of zip is True or False")
        if strict and len({len(items) for items in lists}) > 1:
            refuse("zip of lists of different lengths, with strict=True")
        return Listing([Listing(list(row), "tuple", -1) for row in zip(*lists, strict=False)], "tuple", -1)

    def call_reversed(self, value: Value) -> Value:
        """reversed(x)."""
        return Listing(self.items(value)[::-1], "tuple", -1)

    def call_list(self, value: Value = None) -> Value:
        """list(x)."""
        if isinstance(value, Rows):
            return value
        return Listing([] if value is None else self.items(value), "list", self.inside)

    def call_tuple(self, value: Value = None) -> Value:
        """tuple(x)."""
        if isinstance(value, Rows):
            return value
        return Listing([] if value is None else self.items(value), "tuple", self.inside)

    def call_set(self, value: Value = None) -> Value:
        """set(x)."""
        return self.make_set([] if value is None else self.items(value))

    def call_sorted(self, value: Value) -> Value:
        """sorted(x) of plain numbers."""
        if isinstance(value, Rows):
            refuse(f"sorted records: {NO_DATA}")
        items = self.items(value)
        if any(not isinstance(x, Number) or x.constant is None for x in items):
            refuse("sorted of something else than plain numbers: wrap it in noise.postprocess")
        return Listing(sorted(items, key=lambda n: n.constant), "list", self.inside)


__all__ = ["BUILTINS", "Builtins"]
