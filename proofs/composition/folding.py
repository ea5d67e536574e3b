"""Loops over the records: each adds numbers of one record to variables of the program.

Such a loop is run once for each cell with marks in place of its variables: each mark must come back as the mark plus a
number of the record.
"""

from __future__ import annotations

import ast

from dpwitness.proofs.composition.cells import RecordNumber
from dpwitness.proofs.composition.records import NOUGHT, Mark, Recordwise, Rows
from dpwitness.proofs.composition.values import Gone, Listing, Number, Value, refuse


class Folding(Recordwise):
    """The part of the reader that follows loops over the records."""

    def fold(self, node: ast.For, rows: Rows) -> None:
        """A loop over the records that adds numbers of one record to its variables."""
        if any(isinstance(x, ast.Break | ast.Return | ast.Lambda) for x in ast.walk(node)) or node.orelse:
            refuse("a loop over the records with break, return or else: its length would be private")
        targets = {x.id for x in ast.walk(node.target) if isinstance(x, ast.Name)}
        stored = _stored(node.body)
        names = [n for n in sorted(stored) if n not in targets and n in self.env]
        self._alone(names)
        sums: dict[str, list[Value]] = {name: [] for name in names}
        before = self.env
        for row, keep in zip(rows.values, rows.keep, strict=True):
            if keep is False:
                for name in names:
                    sums[name].append(_marked(name, before[name], self.runs + 1))
                continue
            found = self._step(node, row, names)
            for name, value in zip(names, found, strict=True):
                if keep is not True:
                    refuse("a loop over a filtered dataset: put the condition into the loop")
                sums[name].append(value)
        for name in names:
            self.env[name] = self._summed(rows, name, self.env[name], sums[name])
        for name in (stored | targets) - set(names):
            self.env[name] = Gone()

    def _step(self, node: ast.For, row: Value, names: list[str]) -> list[Value]:
        """The variables after one record, as marks with what was added to them."""
        outer = self.env

        def once() -> Value:
            self.env = {**outer}
            for name in names:
                self.env[name] = _marked(name, outer[name], self.inside)
            kept = {name: self.env[name] for name in names}
            self.bind(node.target, row)
            self.inline(node.body)
            for name, old in kept.items():
                if isinstance(old, Listing) and self.env[name] is not old:
                    refuse("a loop over the records makes a list anew, which may have other names: change its entries")
            return Listing([_added(self.env[name], name, outer[name]) for name in names], "tuple", -1)

        try:
            found = self.on_record(once)
        finally:
            self.env = outer
        return list(found.items)

    def _alone(self, names: list[str]) -> None:
        """Refuse lists that have another name: what a loop does to them would be seen there."""
        seen: dict[int, str] = {}
        todo: list[tuple[str, Value]] = list(self.env.items())
        while todo:
            name, value = todo.pop()
            if isinstance(value, Listing):
                if id(value) in seen and (name in names or seen[id(value)] in names):
                    refuse("two names of one list in a loop over the records")
                if id(value) not in seen:
                    seen[id(value)] = name
                    todo += [(f"{name}[]", part) for part in value.items]

    def _summed(self, rows: Rows, name: str, old: Value, found: list[Value]) -> Value:
        if isinstance(old, Listing):
            if any(not isinstance(f, Listing) or len(f.items) != len(old.items) for f in found):
                refuse("a loop over the records changes the length of a list: its length would be private")
            old.items[:] = [
                self._summed(rows, name, part, [f.items[k] for f in found]) for k, part in enumerate(old.items)
            ]
            return old
        if not isinstance(old, Number) or any(not isinstance(f, RecordNumber) for f in found):
            return Gone()
        more = self.total(Rows(rows.values, (True,) * len(rows.keep), rows.sample), tuple(found))
        whole = old.whole and more.whole
        return Number(old.form + more.form, whole, rough=not whole, lost=old.lost)


def _marked(name: str, value: Value, owner: int) -> Value:
    if isinstance(value, Listing):
        return Listing([_marked(f"{name}[{k}]", part, owner) for k, part in enumerate(value.items)], value.kind, owner)
    return Mark((name, 0), NOUGHT) if isinstance(value, Number) else Gone()


def _added(value: Value, name: str, old: Value) -> Value:
    """What was added to a variable: 0 where it was left alone; `Gone` where it was set to something else."""
    if isinstance(old, Listing):
        if not isinstance(value, Listing) or len(value.items) != len(old.items):
            refuse("a loop over the records changes the length of a list: its length would be private")
        parts = [_added(v, f"{name}[{k}]", o) for k, (v, o) in enumerate(zip(value.items, old.items, strict=True))]
        return Listing(parts, "list", -1)
    return value.added if isinstance(value, Mark) and value.name == (name, 0) else Gone()


def _stored(body: list[ast.stmt]) -> set[str]:
    """Names that statements set, or whose entries they set."""
    found = set()
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.add(node.id)
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
                base: ast.expr = node
                while isinstance(base, ast.Subscript):
                    base = base.value
                if isinstance(base, ast.Name):
                    found.add(base.id)
    return found


__all__ = ["Folding"]
