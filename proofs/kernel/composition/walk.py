"""A transcript, step by step: what each of them costs, summed along every path.

A transcript is a list of steps. Branches hold lists of their own, so that a tree is complete by its form: a test has
two of them, an outcome of a choice as many as it has values. A list that does not end with ``return`` or ``stop`` falls
through to the step after its branch; what it has computed is seen there under the names of its ``join``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from dpwitness.proofs.kernel.algebra.laurent import Poly
from dpwitness.proofs.kernel.arith import Rejected, number
from dpwitness.proofs.kernel.composition.knowledge import INF, OPERATIONS, Let, hull
from dpwitness.proofs.kernel.composition.releases import Costs, join_costs, most
from dpwitness.proofs.kernel.composition.scope import Scope
from dpwitness.proofs.kernel.composition.selections import Selections
from dpwitness.proofs.kernel.limits import tick

MAX_REPEAT = 10**9


class Walk(Selections):
    """One list of steps, its branches among them."""

    def run(self, steps: Any) -> Costs | None:
        """The costs of falling through the list; None where every path ends inside."""
        if not isinstance(steps, list):
            raise Rejected("a list of steps")
        for k, step in enumerate(steps):
            tick()
            self.step = step
            name, *given = step
            if name in ("return", "stop"):
                if k != len(steps) - 1:
                    raise Rejected("steps after the end of a path")
                if name == "return":
                    self._skeleton(*given)
                self.flush()
                self.ended = most(self.ended, self.before)
                return None
            if name == "join" and k != len(steps) - 1:
                raise Rejected("steps after the end of a branch")
            if name not in STEPS:
                raise Rejected(f"the step {str(name)[:40]!r} is unknown")
            if not getattr(self, STEPS[name].__name__)(*given):  # what a subclass has in its place
                return None
        self.flush()
        return self.before

    # public steps

    def define(self, symbol: Any, operation: Any, forms: Any) -> bool:
        """A public number that is computed from public ones."""
        if operation not in OPERATIONS or not isinstance(forms, list) or not forms:
            raise Rejected(f"the operation {str(operation)[:40]!r} is unknown")
        made = Let(operation, tuple(self.scope.public(form) for form in forms))
        self.scope.known.let(self.scope.new(symbol, "$"), made)
        if operation == "argmax":
            self.scope.outcomes[symbol] = len(forms)
        return True

    def post(self, symbols: Any, name: Any, arguments: Any, several: Any) -> bool:
        """Numbers that some function computes from public values."""
        self._skeleton(arguments)
        for symbol in symbols:
            self.scope.known.define(self.scope.new(symbol, "$"))
        return True

    def total(self, symbol: Any, table: Any, sample: Any = None) -> bool:
        """A sum over records."""
        self.scope.atoms[self.scope.new(symbol, "%")] = self.scope.sum_atom(table, sample)
        return True

    def extreme(self, symbol: Any, which: Any, forms: Any) -> bool:
        """The largest or smallest of private numbers without noise."""
        read = [self.scope.form(form) for form in forms]
        if which not in ("max", "min") or not read or any(self.scope.parts(form)[1] for form in read):
            raise Rejected("a maximum or minimum of private numbers")
        self.scope.atoms[self.scope.new(symbol, "%")] = self.scope.extreme(read, which == "min")
        return True

    def _skeleton(self, value: Any) -> None:
        """An output or an argument: constants, public forms, and results of any kind, in lists and tuples."""
        tick()
        kind, *parts = value
        if kind in ("list", "tuple"):
            for part in parts:
                self._skeleton(part)
        elif kind in ("number", "truth"):
            self.scope.public(parts[0])
        elif kind == "result":
            if parts[0] not in self.scope.texts:
                raise Rejected("a result that is not there")
        elif kind not in ("text", "bool", "none"):
            raise Rejected(f"the value {str(kind)[:40]!r} is unknown")

    # branches

    def test(self, op: Any, form: Any, yes: Any, no: Any) -> bool:
        """Two ways, by the sign of a public form."""
        read = self.scope.public(form)
        if op not in (">", ">=", "==", "!="):
            raise Rejected("an unknown comparison")
        branches = []
        for taken, steps in ((True, yes), (False, no)):
            inner = self.scope.inner()
            if op in (">", ">="):
                inner.known.refine(read if taken else -read, strict=(op == ">") == taken)
            branches.append((inner, steps))
        return self._fork(branches)

    def pick(self, symbol: Any, ways: Any) -> bool:
        """A way for each outcome of a choice."""
        if symbol not in self.scope.outcomes or len(ways) != self.scope.outcomes[symbol]:
            raise Rejected("a way for each outcome")
        branches = []
        for k, steps in enumerate(ways):
            inner = self.scope.inner()
            inner.known.ranges[symbol] = (Fraction(k), Fraction(k))
            branches.append((inner, steps))
        return self._fork(branches)

    def _fork(self, branches: Sequence[tuple[Scope, Any]]) -> bool:
        self.flush()
        self.branches = []
        fall: Costs | None = None
        fallen: list[Walk] = []
        for scope, steps in branches:
            walk = type(self)(scope, self.parts, corners=self.corners)
            found = walk.run(steps)
            self.branches.append(walk)
            if walk.ended is not None:
                self.ended = most(self.ended, join_costs(self.before, walk.ended, lambda a, b: a + b))
            if found is not None:
                fall = most(fall, found)
                fallen.append(walk)
        if fall is None:
            return False
        self.before = join_costs(self.before, fall, lambda a, b: a + b)
        self._meet(fallen)
        return True

    def _meet(self, fallen: Sequence[Walk]) -> None:
        """What is known after a fork: the names of the joins; a draw is fresh where it is on every way."""
        for name, draw in self.scope.draws.items():
            draw.fresh = all(walk.scope.draws[name].fresh for walk in fallen)
        for name in set.intersection(*(set(walk.bound) for walk in fallen)):
            forms = [(walk.scope.known, walk.bound[name]) for walk in fallen]
            self.scope.known.define(self.scope.new(name, "$"), hull([known.range(form) for known, form in forms]))
            if all(known.positive(form) for known, form in forms):
                self.scope.known.above.add(name)

    def join(self, names: Mapping[str, Any]) -> bool:
        """The names under which the numbers of a branch are seen after it."""
        self.bound = {name: self.scope.public(form) for name, form in names.items()}
        return True

    def repeat(self, count: Any, names: Mapping[str, Any], steps: Any) -> bool:
        """The same steps so many times: `names` are numbers that each time sets anew, with ranges that it keeps."""
        if type(count) is not int or not 1 <= count <= MAX_REPEAT:
            raise Rejected("how often steps are repeated is a whole number")
        self.flush()
        inner = self.scope.inner(draws=False)
        stated = {}
        for name, (start, low, high, strict) in names.items():
            bounds = (-INF if low is None else number(low), INF if high is None else number(high))
            stated[self.scope.new(name, "$")] = (bounds, bool(strict))
            self._inside(self.scope, self.scope.public(start), bounds, strict)
        for scope in (inner, self.scope):
            for name, (bounds, strict) in stated.items():
                scope.known.define(name, bounds)
                if strict:
                    scope.known.above.add(name)
        walk = type(self)(inner, self.parts, corners=self.corners)
        found = walk.run(steps)
        self.branches = [walk]
        if found is None or walk.ended is not None or set(walk.bound) != set(stated):
            raise Rejected("steps that are repeated end with new values of their numbers")
        for name, (bounds, strict) in stated.items():
            self._inside(inner, walk.bound[name], bounds, strict)
        self.before = join_costs(self.before, {m: c.times(count) for m, c in found.items()}, lambda a, b: a + b)
        return True

    @staticmethod
    def _inside(scope: Scope, form: Poly, bounds: Any, strict: Any) -> None:
        low, high = scope.known.range(form)
        if low < bounds[0] or high > bounds[1] or (strict and not scope.known.positive(form)):
            raise Rejected("a number that is set anew leaves its range")


STEPS: Mapping[str, Callable[..., bool]] = {
    "let": Walk.define, "post": Walk.post, "sum": Walk.total, "extreme": Walk.extreme, "draw": Walk.draw,
    "coin": Walk.coin, "sample": Walk.take, "release": Walk.release, "give": Walk.give, "choose": Walk.choose,
    "contest": Walk.contest, "present": Walk.present, "run": Walk.sub, "if": Walk.test, "pick": Walk.pick,
    "join": Walk.join, "repeat": Walk.repeat,
}  # fmt: skip

__all__ = ["STEPS", "Walk"]
