"""What is known at one place of a program: its variables, the ranges of public numbers, the draws that are left.

A state is copied where a program may go several ways. States that differ in public numbers alone are put together
again: each number in which they differ becomes a new one, whose range holds all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from dpwitness.proofs.composition.remains import bulk_of, is_frail
from dpwitness.proofs.composition.values import Gone, Helper, Listing, Number, Result, Value
from dpwitness.proofs.kernel.algebra.laurent import Poly, total
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
    origins: dict[tuple[str, Poly], Any] = field(default_factory=dict)  # of the rounded numbers that were compared
    picked: dict[str, int] = field(default_factory=dict)
    ways: dict[str, int] = field(default_factory=dict)  # outcomes of choices, by symbol
    made: dict[Any, str] = field(default_factory=dict)  # sums and computed numbers that have a name already
    counter: int = 0

    def copy(self) -> State:
        """Another state like this one, which shares no list with it."""
        memo: dict[int, Any] = {}
        return State(
            copy_env(self.env, memo), self.known.copy(), dict(self.draws), dict(self.decided), dict(self.origins),
            dict(self.picked), dict(self.ways), dict(self.made), self.counter,
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
    visible: set[str]  # symbols that mean the same in all of them
    ranges: dict[str, Any] = field(default_factory=dict)
    above: set[str] = field(default_factory=set)
    cache: dict[tuple[Poly, ...], Poly] = field(default_factory=dict)
    memo: dict[tuple[int, ...], Any] = field(default_factory=dict)
    lists: dict[tuple[int, int], tuple[int, ...]] = field(default_factory=dict)

    def value(self, values: Sequence[Value]) -> Value:
        """One value in place of several."""
        first = values[0]
        if isinstance(first, Number) and all(isinstance(v, Number) for v in values):
            form = self.form([v.form for v in values])
            kinds = (all(v.whole for v in values), all(v.truth for v in values), any(v.varies for v in values))
            lost, bulk = any(v.lost for v in values), None
            if any(v.bulk is not None for v in values):
                bulk = total(bulk_of(v.form, v.bulk) for v in values)
                if any(v.form != form for v in values):
                    pairs = zip(values, self.states, strict=True)
                    lost, bulk = lost or any(_is_frail(v, state.known) for v, state in pairs), None
            return Number(form, *kinds, any(v.rough for v in values), lost, bulk)
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
            for k, place in enumerate(key):  # two names of one list stay two names of one list
                if self.lists.setdefault((k, place), key) != key:
                    raise CannotJoin
            self.memo[key] = made = Listing([], first.kind, first.owner)
            made.items = [self.value(parts) for parts in zip(*(v.items for v in values), strict=True)]
        return self.memo[key]  # type: ignore[no-any-return]

    def form(self, forms: Sequence[Poly]) -> Poly:
        """One form in place of several with the same private part."""
        seen = all(s in self.visible for form in forms for s in form.symbols())
        if seen and all(form == forms[0] for form in forms):
            return forms[0]
        key = tuple(forms)
        if key in self.cache:
            return self.cache[key]
        private = [Poly({m: c for m, c in form.terms.items() if Poly.term(m).private}) for form in forms]
        if any(part != private[0] for part in private) or not private[0].symbols() <= self.visible:
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
                    made[name] = Gone() if any(isinstance(v, Gone) for v in values) else self.value(values)
        return self.memo[key]  # type: ignore[no-any-return]


def _is_frail(number: Number, known: Knowledge) -> bool:
    bulk = bulk_of(number.form, number.bulk)
    return not (number.form.private or bulk.private) and is_frail(number.form, bulk, known, weight=True)


def join(before: State, states: Sequence[State]) -> tuple[State, list[dict[str, Poly]]]:
    """One state in place of several that came from `before`, and what its new numbers are in each.

    Raises `CannotJoin` where they differ in more than public numbers.
    """
    names = (f"$j{k}" for k in range(max(s.counter for s in states) + 1, 10**9))
    bindings: list[dict[str, Poly]] = [{} for _ in states]
    visible = {*before.known.ranges, *before.known.params, *before.made.values(), *before.draws}
    visible |= {s for s in _symbols(before.env) if s.startswith("%")}
    work = Joining(states, lambda: next(names), bindings, visible)
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
    for symbol, bounds in work.ranges.items():
        known.define(symbol, bounds)
    known.above |= work.above
    answers = dict(before.decided), dict(before.origins), dict(before.picked), dict(before.ways)
    made = State(env, known, draws, *answers, {}, 0)
    made.counter = max(state.counter for state in states) + len(work.ranges) + 1
    made.made = dict(before.made)
    _check_results(made, before)
    return made, bindings


def _inside(env: Env) -> Iterator[Value]:
    """Everything that variables hold, lists entry by entry."""
    todo: list[Value] = list(env.values())
    seen: set[int] = set()
    while todo:
        value = todo.pop()
        inner = value.items if isinstance(value, Listing) else value.env if isinstance(value, Helper) else None
        if inner is None:
            yield value
        elif id(inner) not in seen:
            seen.add(id(inner))
            todo += inner.values() if isinstance(inner, dict) else inner


def _symbols(env: Env) -> set[str]:
    return {s for value in _inside(env) if isinstance(value, Number) for s in value.form.symbols()}


def noisy_numbers(state: State, before: State) -> list[Number]:
    """Numbers of the variables that hold draws which were not made before."""
    found = [value for value in _inside(state.env) if isinstance(value, Number)]
    return [n for n in found if any(s in state.draws and s not in before.draws for s in n.form.symbols())]


def settle_all(env: Env, settled: Callable[[Poly], Poly]) -> None:
    """Put what is known of draws into all numbers of the variables."""
    seen: set[int] = set()

    def settle(value: Value) -> Value:
        if isinstance(value, Number):
            return replace(value, form=settled(value.form))
        inner = value.items if isinstance(value, Listing) else value.env if isinstance(value, Helper) else None
        if inner is not None and id(inner) not in seen:
            seen.add(id(inner))
            for key, part in list(inner.items() if isinstance(inner, dict) else enumerate(inner)):
                inner[key] = settle(part)  # type: ignore[index, call-overload]
        return value

    for name, value in list(env.items()):
        env[name] = settle(value)


def _check_results(state: State, before: State) -> None:
    """Raise `CannotJoin` where a variable holds what a mechanism gave back inside a branch."""
    for value in _inside(state.env):
        if isinstance(value, Result) and value.symbol not in before.made.values():
            raise CannotJoin


def whole_number(value: Fraction | None) -> int | None:
    """A plain whole number as an int."""
    return int(value) if value is not None and value.denominator == 1 else None


__all__ = ["CannotJoin", "Drawn", "Env", "State", "copy_value", "join", "noisy_numbers", "settle_all", "whole_number"]
