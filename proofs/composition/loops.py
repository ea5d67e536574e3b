"""Loops of the program's own body. One whose turns all do the same to a state becomes one step that is repeated."""

from __future__ import annotations

import ast
from dataclasses import replace
from fractions import Fraction
from typing import Any

from dpwitness.proofs.composition.observing import form_json
from dpwitness.proofs.composition.records import Rows
from dpwitness.proofs.composition.state import CannotJoin, State, join, noisy_numbers
from dpwitness.proofs.composition.statements import Statements
from dpwitness.proofs.composition.trees import Leaf, Steps, differences, is_used
from dpwitness.proofs.composition.values import Refused, Value, refuse
from dpwitness.proofs.kernel.composition.knowledge import INF

MOST_LEAVES, MOST_STEPS, REPEATED = 600, 60_000, 12


def without_continue(body: list[ast.stmt]) -> list[ast.stmt]:
    """The body of a loop, where ``if v not in data: continue`` with what follows is ``if v in data:`` around it."""
    for k, node in enumerate(body):
        test = node.test if isinstance(node, ast.If) else None
        leaves = isinstance(node, ast.If) and not node.orelse and [type(x) for x in node.body] == [ast.Continue]
        if leaves and isinstance(test, ast.Compare) and [type(op) for op in test.ops] == [ast.NotIn] and body[k + 1 :]:
            turned = ast.copy_location(ast.Compare(test.left, [ast.In()], test.comparators), test)
            return [*body[:k], ast.copy_location(ast.If(turned, without_continue(body[k + 1 :]), []), node)]
    return body


class Loops(Statements):
    """The part of the reader that follows loops of the program's own body."""

    joining: bool
    count: int
    block: Any
    follow: Any
    simple: Any
    together: Any
    show: Any

    def while_loop(self, node: ast.While, leaf: Leaf) -> list[Leaf]:
        if node.orelse:
            refuse("else of a loop", node.lineno)
        live, done = [leaf], []
        turned = ast.copy_location(ast.If(node.test, node.body, [ast.copy_location(ast.Break(), node)]), node)
        for _ in range(MOST_STEPS):
            found = [new for one in live for new in self.follow(turned, one)]
            live = [replace(one, kind="next") for one in found if one.kind in ("next", "continue")]
            done += [one for one in found if one.kind in ("return", "break")]
            if not live:
                return [replace(one, kind="next") if one.kind == "break" else one for one in done]
            if len(live) + len(done) > MOST_LEAVES:
                refuse(f"a loop that is left in more than {MOST_LEAVES} ways, or never: bound its turns", node.lineno)
        return refuse("a loop that does not end", node.lineno)  # type: ignore[no-any-return]

    def loop(self, node: ast.For, leaf: Leaf) -> list[Leaf]:
        found = []
        for one in self.simple(lambda: self._source(node), leaf.state, leaf.out, node):
            if one.value is None:
                found.append(replace(one, kind="next"))
            else:
                found += self._turns(node, one, one.value)
        return found

    def _source(self, node: ast.For) -> list[Value] | None:
        """What a loop runs over; None where that were the records, and the loop is done."""
        source = self.value(node.iter)
        if isinstance(source, Rows):
            self.release_names(node)
            try:
                self.fold(node, source)
            except Refused as error:
                raise Refused(error.reason, error.line or node.lineno) from None
            return None
        return self.each(source)

    def _turns(self, node: ast.For, leaf: Leaf, items: list[Value]) -> list[Leaf]:
        if self.joining and len(items) >= REPEATED and not is_used(node):
            repeated = self._repeated(node, leaf, items)
            if repeated is not None:
                return [repeated]
        live, done = [Leaf("next", leaf.state, leaf.out)], []
        for item in items:
            turned = []
            for one in live:
                found = []
                for start in self.simple(lambda item=item: self.bind(node.target, item), one.state, one.out, node):
                    found += self.block(without_continue(node.body), start.state, start.out)
                found = [replace(f, kind="next") if f.kind == "continue" else f for f in found]
                turned += self.together(one, found)
            live = [one for one in turned if one.kind == "next"]
            done += [one for one in turned if one.kind != "next"]
            if len(live) > MOST_LEAVES:
                refuse(
                    f"more than {MOST_LEAVES} ways: hand what is computed from released values to noise.postprocess",
                    node.lineno,
                )
        ended = []
        for one in live:
            ended += self.block(node.orelse, one.state, one.out)
        broken = [replace(one, kind="next") if one.kind == "break" else one for one in done]
        joined: list[Leaf] = self.together(leaf, [*ended, *broken])
        return joined

    def _repeated(self, node: ast.For, leaf: Leaf, items: list[Value]) -> Leaf | None:
        """The loop as one step that is repeated, where a turn changes nothing but public numbers."""
        target = node.target.id if isinstance(node.target, ast.Name) else None
        if target is None:
            return None
        start = leaf.state.copy()
        start.env.pop(target, None)
        kept = self.count
        bounds: dict[str, tuple[Any, Any, bool]] = {}
        for _ in range(4):
            found = self._one_turn(node, start, items, bounds)
            if found is None:
                return None
            state, names, begin, wider, steps = found
            if wider == bounds:
                stated = {}
                for name in names:
                    low, high, strict = bounds[name]
                    ends = [None if end in (INF, -INF) else str(end) for end in (low, high)]
                    stated[name] = [form_json(begin[name]), *ends, strict]
                leaf.out.append(["repeat", len(items), stated, steps])
                return Leaf("next", state, leaf.out)
            bounds = wider
            self.count = kept
        return None

    def _one_turn(self, node: ast.For, start: State, items: list[Value], bounds: dict[str, Any]) -> Any:
        """One turn from a state whose changing numbers are unknown, within `bounds`; None where it is no such loop."""
        try:
            first = self._turn(node, start.copy(), [])
            if first is None:
                return None
            merged, bindings = join(start, [start, first.state])
            names = list(bindings[0])
            if not names:
                return None
            for name in names:
                low, high, strict = bounds.get(name, (*merged.known.of(name), name in merged.known.above))
                bounds.setdefault(name, (low, high, strict))
                merged.known.ranges[name] = (low, high)
                merged.known.above.discard(name)
                if strict:
                    merged.known.above.add(name)
            head = merged.copy()
            head.draws = {}
            steps: Steps = []
            after = self._turn(node, head, steps)
            if after is None:
                return None
            values = differences(merged.env, after.state.env, set(names))
            if values is None or any(n not in values for n in names):
                return None
            wider = {}
            for name in names:
                low, high, strict = bounds[name]
                known = after.state.known
                one, two = known.range(values[name])
                wider[name] = (
                    low if low <= one else (Fraction(0) if low >= 0 and one >= 0 else -INF),
                    high if high >= two else INF,
                    strict and known.positive(values[name]),
                )
            steps.append(["join", {name: form_json(form) for name, form in values.items()}])
            merged.counter = max(merged.counter, after.state.counter)
            return merged, names, bindings[0], wider, steps
        except (CannotJoin, Refused, KeyError):  # a draw from before the loop is no draw of a turn
            return None

    def _turn(self, node: ast.For, state: State, out: Steps) -> Leaf | None:
        found = self.block(without_continue(node.body), state, out)
        if len(found) != 1 or found[0].kind not in ("next", "continue") or found[0].out is not out:
            return None
        noisy = noisy_numbers(found[0].state, state)
        ends = self.simple(lambda: self.show(noisy), found[0].state, out, node)
        return ends[0] if len(ends) == 1 and ends[0].out is out else None


__all__ = ["MOST_LEAVES", "MOST_STEPS", "Loops"]
