"""What is known at one place of a program: its variables, the ranges of public numbers, the draws that are left.

A state is copied where a program may go several ways. States that differ in public numbers alone are put together
again: each number in which they differ becomes a new one, whose range holds all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from dpwitness.proofs.composition.values import Gone, Helper, Listing, Number, Result, Value
from dpwitness.proofs.kernel.algebra.laurent import Poly
from dpwitness.proofs.kernel.composition.knowledge import Knowledge, hull

Env = dict[str, Value]


@dataclass(frozen=True)
class Drawn:
    """A draw: `known` is what it is in public and private numbers, once it was released or given away.

    `state` is "fresh", "known" or "burnt"; a burnt draw has gone into a selection or another coin.
    """

    law: str
    scale: Poly | None = None
    chance: Poly | None = None
    state: str = "fresh"
    known: Poly | None = None


@dataclass
class State:
    """One place of one way through the program."""

    env: Env
    known: Knowledge
    draws: dict[str, Drawn] = field(default_factory=dict)
    decided: dict[tuple[str, Poly], bool] = field(default_factory=dict)
    picked: dict[str, int] = field(default_factory=dict)
    ways: dict[str, int] = field(default_factory=dict)  # outcomes of choices, by symbol
    made: dict[Any, str] = field(default_factory=dict)  # sums and computed numbers that have a name already
    counter: int = 0

    def copy(self) -> State:
        """Another state like this one, which shares no list with it."""
        memo: dict[int, Any] = {}
        return State(
            copy_env(self.env, memo), self.known.copy(), dict(self.draws), dict(self.decided), dict(self.picked),
            dict(self.ways), dict(self.made), self.counter,
        )  # fmt: skip

    def fresh_name(self, mark: str) -> str:
        """A name that nothing has yet."""
        self.counter += 1
        return f"{mark}{self.counter}"


def copy_env(env: Env, memo: dict[int, Any]) -> Env:
    """Variables with lists of their own; two names of one list stay two names of one list."""
    if id(env) in memo:
        return memo[id(env)]  # type: ignore[no-any-return]
    made: Env = {}
    memo[id(env)] = made
    made.update({name: copy_value(value, memo) for name, value in env.items()})
    return made


def copy_value(value: Value, memo: dict[int, Any]) -> Value:
    """A value whose lists are its own."""
    if isinstance(value, Listing):
        if id(value) not in memo:
            memo[id(value)] = made = Listing([], value.kind, value.owner)
            made.items = [copy_value(part, memo) for part in value.items]
        return memo[id(value)]
    if isinstance(value, Helper) and value.env:
        return replace(value, env=copy_env(value.env, memo))
    return value


class CannotJoin(Exception):
    """The states differ in more than public numbers."""


@dataclass
class Joining:
    """States under way to becoming one: the new numbers, and what each of them is in each state."""

    states: Sequence[State]
    name: Callable[[], str]
    bindings: list[dict[str, Poly]]
    ranges: dict[str, Any] = field(default_factory=dict)
    above: set[str] = field(default_factory=set)
    cache: dict[tuple[Poly, ...], Poly] = field(default_factory=dict)
    memo: dict[tuple[int, ...], Any] = field(default_factory=dict)

    def value(self, values: Sequence[Value]) -> Value:
        """One value in place of several."""
        first = values[0]
        if isinstance(first, Number) and all(isinstance(v, Number) for v in values):
            return Number(
                self.form([v.form for v in values]), all(v.whole for v in values), all(v.truth for v in values)
            )
        if any(type(v) is not type(first) for v in values):
            raise CannotJoin
        if isinstance(first, Listing):
            return self._listing(list(values))
        if isinstance(first, Helper):
            if any(v.tree is not first.tree for v in values):
                raise CannotJoin
            return replace(first, env=self.env([v.env for v in values])) if first.env else first
        if any(v != first for v in values):
            raise CannotJoin
        return first

    def _listing(self, values: list[Listing]) -> Listing:
        key = tuple(map(id, values))
        if key not in self.memo:
            first = values[0]
            if any((v.kind, v.owner, len(v.items)) != (first.kind, first.owner, len(first.items)) for v in values):
                raise CannotJoin
            self.memo[key] = made = Listing([], first.kind, first.owner)
            made.items = [self.value(parts) for parts in zip(*(v.items for v in values), strict=True)]
        return self.memo[key]  # type: ignore[no-any-return]

    def form(self, forms: Sequence[Poly]) -> Poly:
        """One form in place of several with the same private part."""
        if all(form == forms[0] for form in forms):
            return forms[0]
        key = tuple(forms)
        if key in self.cache:
            return self.cache[key]
        private = [Poly({m: c for m, c in form.terms.items() if Poly.term(m).private}) for form in forms]
        if any(part != private[0] for part in private):
            raise CannotJoin
        symbol = self.name()
        public = [form - private[0] for form in forms]
        for k, form in enumerate(public):
            self.bindings[k][symbol] = form
        pairs = list(zip(self.states, public, strict=True))
        self.ranges[symbol] = hull([state.known.range(form) for state, form in pairs])
        if all(state.known.positive(form) for state, form in pairs):
            self.above.add(symbol)
        self.cache[key] = found = Poly.symbol(symbol) + private[0]
        return found

    def env(self, envs: Sequence[Env]) -> Env:
        """Variables that all of them have."""
        key = tuple(map(id, envs))
        if key not in self.memo:
            self.memo[key] = made = {}
            for name in envs[0]:
                if all(name in env for env in envs):
                    values = [env[name] for env in envs]
                    made[name] = values[0] if any(isinstance(v, Gone) for v in values) else self.value(values)
        return self.memo[key]  # type: ignore[no-any-return]


def join(before: State, states: Sequence[State]) -> tuple[State, list[dict[str, Poly]]]:
    """One state in place of several that came from `before`, and what its new numbers are in each.

    Raises `CannotJoin` where they differ in more than public numbers.
    """
    names = (f"$j{k}" for k in range(max(s.counter for s in states) + 1, 10**9))
    bindings: list[dict[str, Poly]] = [{} for _ in states]
    work = Joining(states, lambda: next(names), bindings)
    draws = {}
    for name in before.draws:
        ends = [state.draws[name] for state in states]
        if any(end.state != ends[0].state or end.law != ends[0].law for end in ends):
            raise CannotJoin
        if ends[0].known is None:
            draws[name] = ends[0]
        else:
            draws[name] = replace(ends[0], known=work.form([e.known for e in ends]))  # type: ignore[misc]
    env = work.env([state.env for state in states])
    known = before.known.copy()
    seen = set(known.ranges) | set(known.params)
    for symbol, bounds in work.ranges.items():
        known.define(symbol, bounds)
    known.above |= work.above
    made = State(env, known, draws, dict(before.decided), dict(before.picked), dict(before.ways), {}, 0)
    made.counter = max(state.counter for state in states) + len(work.ranges) + 1
    made.made = dict(before.made)
    _check_names(made, before, seen | set(work.ranges))
    return made, bindings


def _check_names(state: State, before: State, public: set[str]) -> None:
    """Raise `CannotJoin` where a variable speaks of what was made inside a branch alone."""
    atoms = {name for name in before.made.values() if name.startswith("%")}
    todo: list[Value] = [*state.env.values(), *(d.known for d in state.draws.values() if d.known is not None)]
    seen: set[int] = set()
    while todo:
        value = todo.pop()
        if isinstance(value, Listing):
            if id(value) not in seen:
                seen.add(id(value))
                todo += value.items
            continue
        if isinstance(value, Helper):
            if id(value.env) not in seen:
                seen.add(id(value.env))
                todo += value.env.values()
            continue
        form = value.form if isinstance(value, Number) else value
        if isinstance(form, Poly):
            for symbol in form.symbols():
                known = symbol in public or symbol in atoms or symbol in before.draws or symbol.startswith("%q")
                if not known:
                    raise CannotJoin
        elif isinstance(value, Result) and value.symbol not in before.made.values():
            raise CannotJoin


def whole_number(value: Fraction | None) -> int | None:
    """A plain whole number as an int."""
    return int(value) if value is not None and value.denominator == 1 else None


__all__ = ["CannotJoin", "Drawn", "Env", "State", "copy_value", "join", "whole_number"]
