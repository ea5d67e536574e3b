"""Certificates put to the test: the certified shift applied to real runs of the original function.

A run with random rational data and draws is followed along the certificate's transitions, every draw is shifted as the
certificate says, and the function is run again on the neighbouring data with the shifted draws. In exact arithmetic the
two outputs must be identical, and the cost must stay within the bound. This tests the front end, which the kernel
cannot check.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpwitness.core import laws
from dpwitness.core.claims import Claim
from dpwitness.core.coexecution.model import NoWay
from dpwitness.core.domains import Domain
from dpwitness.core.errors import BadInput
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.noise import Noise
from dpwitness.core.numbers import Exact
from dpwitness.proofs.anyn import flipping, ranking
from dpwitness.proofs.anyn.executable import LoopModel
from dpwitness.proofs.anyn.model import START, Model, Step
from dpwitness.proofs.anyn.rederive import Diverged, rederive
from dpwitness.proofs.kernel.algebra.laurent import Poly, from_json, total
from dpwitness.proofs.kernel.loops.contests import Contest

MAX_DRAWS = 400


@dataclass(frozen=True)
class Replayed:
    """How the runs went: `ratio` is the largest cost divided by the bound."""

    runs: int
    different: int
    too_dear: int
    ratio: Fraction

    def __bool__(self) -> bool:
        return self.runs > 0 and self.different == 0 and self.too_dear == 0


class Scripted(Noise):
    """Hands out prepared draws, exact numbers only, and keeps them; one-sided draws must not be negative.

    Where `free`, the sign of a one-sided draw is dropped.
    """

    def __init__(self, values: Sequence[Fraction], *, free: bool) -> None:
        self.values = list(values)
        self.free = free
        self.used: list[Fraction] = []

    def draw(self, law: laws.Law) -> Any:
        if len(self.used) >= len(self.values):
            raise Diverged("more draws than were prepared")
        value = self.values[len(self.used)]
        if isinstance(law, laws.Exponential):
            if value < 0 and not self.free:
                raise Diverged("one-sided noise was shifted below zero")
            value = abs(value)
        self.used.append(value)
        return Exact(value)

    def check(self, name: str, value: Any, *, above: int | None, below: int | None = None, closed: bool = False) -> Any:
        if above is not None and not (value > above or (closed and value == above)):
            raise BadInput(f"{name}={value} must exceed {above}")
        return value

    def argmax(self, values: Sequence[Any]) -> Any:
        return max(range(len(values)), key=lambda i: (values[i], -i))

    def max(self, values: Sequence[Any]) -> Any:
        return max(values)


@dataclass
class _Walk:
    """The path of one run: transitions with the values of all symbols there."""

    steps: list[tuple[Step, Mapping[str, Fraction]]]


def replay(
    claim: Claim, certificate: Mapping[str, Any], *, runs: int = 100, seed: int = 0, longest: int = 6
) -> Replayed:
    """Apply a certificate of this package to random runs of the claim's program.

    Parameters
    ----------
    longest
        The largest number of queries.
    """
    assert isinstance(claim.mechanism, Mechanism)
    model, contest = rederive(claim.mechanism, certificate)
    program = claim.mechanism.program
    if contest is not None and certificate["type"] == "permute-and-flip":
        program = flipping.stand_in(contest)
    rng = random.Random(seed)
    bound = from_json(certificate["bound"])
    different = dear = 0
    ratio = Fraction(0)
    for k in range(runs):
        params = {n: _parameter(model.domains.get(n, Domain()), rng) for n in model.source.params}
        # a ranking of more values than there are fails in both runs
        count = certificate["model"].get("count")
        fewest = 1 if count is None else max(2, int(from_json(count).evaluate(params)))
        queries = [_number(rng) for _ in range(rng.randint(fewest, max(fewest, longest)))]
        order = certificate["orders"][k % len(certificate["orders"])] if "orders" in certificate else {}
        changes = _changes(certificate, order, len(queries), rng, k)
        noise = Scripted([_number(rng) for _ in range(MAX_DRAWS)], free=True)
        output = program(noise, [Exact(q) for q in queries], **params)
        draws = noise.used
        walk = _follow(model, params, queries, draws)
        if contest is None:
            shifts, cost = _shifted(order, walk, changes)
        elif certificate["type"] == "ranking-shift":
            shifts, cost = ranking.shifts(certificate, contest, queries, changes, draws, params, output)
        else:
            shifts, cost = _winner(order, contest, walk, changes)
        again = Scripted([v + s for v, s in zip(draws, shifts, strict=True)], free=False)
        moved = [Exact(q + d) for q, d in zip(queries, changes, strict=True)]
        different += not _repeats(program, again, moved, params, output)
        limit = bound.evaluate({**params, "#n": Fraction(len(queries))})
        dear += cost > limit
        ratio = max(ratio, cost / limit)
    return Replayed(runs, different, dear, ratio)


def _repeats(
    program: Callable[..., Any], noise: Scripted, data: list[Exact], params: Mapping[str, Exact], output: Any
) -> bool:
    """Whether the second run gives the same output with the same number of draws."""
    try:
        second = program(noise, data, **params)
    except Diverged:
        return False
    return repr(output) == repr(second) and len(noise.used) == len(noise.values)


def _number(rng: random.Random) -> Fraction:
    return Fraction(rng.randint(-3 * 10**9, 3 * 10**9), 10**9 + 7)


def _parameter(domain: Domain, rng: random.Random) -> Exact:
    bounds = [b for b in (domain.above, domain.least) if b is not None]
    low = Fraction(max(bounds)) if bounds else Fraction(-2)
    high = Fraction(domain.below) if domain.below is not None else low + 4
    if domain.whole:
        return Exact(int(low) + rng.randint(0, 3))
    return Exact(low + (high - low) * Fraction(rng.randint(1, 39), 40))


def _changes(
    certificate: Mapping[str, Any], order: Mapping[str, Any], count: int, rng: random.Random, k: int
) -> list[Fraction]:
    """Changes of the data within the adjacency, often at its corners."""
    moves, by = certificate["adjacency"]["moves"], Fraction(certificate["adjacency"]["by"])
    low, high = Fraction(order.get("low", -by)), Fraction(order.get("high", by))
    if certificate["type"] != "loop-shift" and moves in ("up", "down"):
        low, high = [(Fraction(0), by), (-by, Fraction(0))][k % 2]
    pick = [low, high, low + (high - low) * Fraction(rng.randint(0, 10), 10)]
    if order.get("single") or moves in ("one", "l1"):
        changes = [Fraction(0)] * count
        changes[rng.randrange(count)] = rng.choice(pick)
        return changes
    return [rng.choice([*pick, low + (high - low) * Fraction(rng.randint(0, 10), 10)]) for _ in range(count)]


def _follow(model: Model, params: Mapping[str, Fraction], queries: list[Fraction], draws: list[Fraction]) -> _Walk:
    """The transitions that a run takes, as the executable model has them."""
    machine = LoopModel({"model": model.json})
    by_place = {place: t for t in model.transitions for place in (t.place, *t.also)}
    values = iter(draws)
    walk, run = _Walk([]), machine.begin(queries, params)

    def source(_: laws.Law) -> Fraction:
        value = next(values, None)
        if value is None:
            raise Diverged("the model draws more noise than a real run")
        return value

    try:
        while run.at:
            here = machine.advance(run, source)
            walk.steps.append((by_place[run.places[-1]], here))
    except NoWay as error:
        raise Diverged(str(error)) from None
    if next(values, None) is not None:
        raise Diverged("a real run draws more noise than its path")
    return walk


def _shifted(order: Mapping[str, Any], walk: _Walk, changes: list[Fraction]) -> tuple[list[Fraction], Fraction]:
    """The certified shifts along a path, and what they cost."""
    moves = {(m["on"], m["phase"], m["changed"]): m for m in order["moves"]}
    phase, last, cost = START, Fraction(0), Fraction(0)
    shifts: list[Fraction] = []
    single = bool(order["single"])
    for t, value in walk.steps:
        read_now = [changes[int(p.evaluate(value))] for p in t.reads]
        changed = single and any(read_now)
        if (t.place, phase, changed) not in moves:
            changed = False
        move = moves[t.place, phase, changed]
        at = {"D": next((d for d in changes if d), Fraction(0)), "g": last}
        at |= {f"d{j}": d for j, d in enumerate(read_now)}
        for draw in t.draws:
            affine = {u: from_json(p) for u, p in move["shift"].get(draw.symbol, {}).items()}
            amount = _value(affine, at).evaluate(value)
            shifts.append(amount)
            cost += abs(amount) * draw.rate.evaluate(value)
        phase = move["to"]
        last = read_now[-1] if read_now else Fraction(0)
    return shifts, cost


def _winner(
    order: Mapping[str, Any], contest: Contest, walk: _Walk, changes: list[Fraction]
) -> tuple[list[Fraction], Fraction]:
    """Shift the winner's draws only."""
    winner = 0
    reading = [(t, value) for t, value in walk.steps if t.reads]
    for j, (t, _) in enumerate(reading):
        best = next(s for s in t.updates if s[0] == "%")
        if t.updates[best] != Poly.symbol(best):
            winner = j
    shifts, cost = [], Fraction(0)
    for j, (_, value) in enumerate(reading):
        for draw, _ in contest.draws:
            affine = {u: from_json(p) for u, p in order[draw.symbol].items()}
            amount = _value(affine, {"d": changes[winner]}).evaluate(value) if j == winner else Fraction(0)
            shifts.append(amount)
            cost += abs(amount) * draw.rate.evaluate(value)
    return shifts, cost


def _value(affine: Mapping[str, Poly], at: Mapping[str, Fraction]) -> Poly:
    return total(p * (Fraction(1) if u == "1" else at[u]) for u, p in affine.items())
