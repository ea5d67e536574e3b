"""Runs of a loop model that reach every leaf, and points on and beside the boundaries between leaves.

A run is led from loop head to loop head: among the leaves whose public conditions hold one is chosen, and the draws and
the answers that are read for the first time are chosen such that its private tests come out as they should. Nothing
here is trusted: which leaves a run passes is what the model's own run says.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpwitness.core.claims import Claim
from dpwitness.core.coexecution.model import NoWay, Probe
from dpwitness.core.laws import Law
from dpwitness.core.numbers import Exact
from dpwitness.proofs.anyn.executable import divided, law_of
from dpwitness.proofs.anyn.points import GRID, answer, answers, draw, parameters, value_of
from dpwitness.proofs.kernel.algebra.laurent import Poly
from dpwitness.proofs.kernel.loops.trees import FAIL, Step, read_program

if TYPE_CHECKING:
    from dpwitness.proofs.anyn.executable import LoopModel

RANDOM, LED, LONG = 24, 160, (9, 17, 40, 130)
MARGINS = (Fraction(0), Fraction(1, GRID), Fraction(1, GRID), Fraction(1, 8), Fraction(1), Fraction(6))


def probes(model: LoopModel, claim: Claim, rng: random.Random) -> Iterator[Probe]:
    """Random runs, then led ones until every leaf and the neighbourhood of every boundary was met."""
    search = _Search(model, claim, rng)
    for k in range(RANDOM):
        probe = search.random(k % 7, claim.params if k % 2 else None)
        if probe is not None:
            yield probe
    for k in range(LED):
        if k > 40 and not search.missing():
            break
        size = 1 + k % 6 if k < LED // 2 else LONG[k % len(LONG)]
        probe = search.led(size, claim.params if k % 3 == 0 else None)
        if probe is not None:
            yield probe


@dataclass
class _Search:
    model: LoopModel
    claim: Claim
    rng: random.Random
    seen: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.domains = self.model.model["params"]
        self.steps: dict[str, list[Step]] = {}
        for step in read_program(self.model.model).steps:
            if step.target != FAIL and step.place not in self.model.dead:
                self.steps.setdefault(step.source, []).append(step)
        self.places = {step.place for steps in self.steps.values() for step in steps}
        public = [p for steps in self.steps.values() for step in steps for p, _ in step.public]
        self.hints = sorted({abs(c) for p in public for c in p.terms.values()})[:40]

    def missing(self) -> bool:
        """Whether a leaf was not reached."""
        return not self.places <= self.seen

    def random(self, size: int, given: Mapping[str, Any] | None) -> Probe | None:
        """A run with data and draws that are chosen beforehand."""
        params = parameters(self.domains, self.rng, given, self.hints)
        ties = 0 if self.rng.random() < 0.3 else None
        made: list[Any] = []

        def source(law: Law) -> Any:
            made.append(draw(law, self.rng, ties))
            return made[-1]

        return self._tried(answers(self.claim, size, self.rng), params, made, source)

    def led(self, size: int, given: Mapping[str, Any] | None) -> Probe | None:
        """A run that is led towards leaves that were not reached yet."""
        lead = _Lead(self, size, parameters(self.domains, self.rng, given, self.hints))
        lead.go()
        made = list(lead.draws)
        values = iter(lead.draws)

        def source(law: Law) -> Any:
            value = next(values, None)
            if value is None:
                value = draw(law, self.rng)
                made.append(value)
            return value

        return self._tried(lead.filled(), lead.params, made, source)

    def _tried(self, data: list[Exact], params: dict[str, Exact], made: list[Any], source: Any) -> Probe | None:
        try:
            trace = self.model.run(data, params, source)
        except NoWay:
            return None
        self.seen.update(trace.places)
        return Probe(tuple(data), params, tuple(made))


class _Lead:
    """One run that is led."""

    def __init__(self, search: _Search, size: int, params: dict[str, Exact]) -> None:
        self.search, self.rng, self.params = search, search.rng, params
        self.data: dict[int, Exact] = {}
        self.size = size
        self.draws: list[Any] = []
        self.walk = search.model.begin(answers(search.claim, size, self.rng), params)
        self.guess = list(self.walk.data)

    def filled(self) -> list[Exact]:
        """The answers: those that were chosen on the way, and others as they were guessed."""
        return [self.data.get(i, Exact(q)) for i, q in enumerate(self.guess)]

    def go(self) -> None:
        """Go from head to head until the end, or until no leaf can be reached."""
        while self.walk.at:
            step, values = self._choose()
            if step is None:
                return
            for index, value in values.reads.items():
                self.data[index] = Exact(value)
            self.walk.data = [Fraction(x) for x in self.filled()]
            made = iter(values.draws)
            self.draws += values.draws
            try:
                self.search.model.advance(self.walk, lambda _, made=made: next(made, 0))
            except (NoWay, ZeroDivisionError):
                return

    def _choose(self) -> tuple[Step | None, _Values]:
        """A leaf that can be reached from here, new ones first, with the values that lead to it."""
        steps = list(self.search.steps.get(self.walk.at, ()))
        self.rng.shuffle(steps)
        steps.sort(key=lambda s: s.place in self.search.seen and self.rng.random() < 0.8)
        for step in steps:
            values = _Values.solve(self, step)
            if values is not None:
                return step, values
        return None, _Values({}, [])


@dataclass
class _Values:
    """The answers and draws that lead through one tree to a leaf."""

    reads: dict[int, Fraction]
    draws: list[Any]

    @staticmethod
    def solve(lead: _Lead, step: Step) -> _Values | None:
        """Values for a step, by correcting one unknown after another; None where the conditions cannot be met."""
        here = dict(lead.walk.state)
        try:
            for let in step.lets:
                here[let.symbol] = divided(let.op, let.left.evaluate(here), let.right.evaluate(here))
            public = [(p.evaluate(here), strict) for p, strict in step.public]
            if any(v < 0 or (strict and v == 0) for v, strict in public):
                return None
            if any(p.evaluate(here) == 0 for p in step.unequal):
                return None
            places = [p.evaluate(here) for p in step.reads]
            laws = [law_of(d.kind, d.rate.evaluate(here)) for d in step.draws]
        except (NoWay, ZeroDivisionError):
            return None
        if any(i.denominator != 1 or not 0 <= i < lead.size for i in places):
            return None
        free: dict[str, Any] = {}
        for k, index in enumerate(places):
            here[f"?{k}"] = Fraction(lead.data.get(int(index), lead.guess[int(index)]))
            if int(index) not in lead.data:
                free[f"?{k}"] = None
        for k, law in enumerate(laws):
            here[f"~{k}"] = Fraction(draw(law, lead.rng, 0 if lead.rng.random() < 0.3 else None))
            free[f"~{k}"] = law
        if not _corrected(lead, step, here, free):
            return None
        reads = {int(index): here[f"?{k}"] for k, index in enumerate(places) if f"?{k}" in free}
        return _Values(reads, [value_of(law, here[f"~{k}"]) for k, law in enumerate(laws)])


def _corrected(lead: _Lead, step: Step, here: dict[str, Fraction], free: Mapping[str, Law | None]) -> bool:
    """Move unknowns until all private tests of the step come out as they should."""
    rng = lead.rng
    tests = [(a.poly if a.outcome else -a.poly, a.outcome, a.poly.linear()) for a in step.sides[0]]
    goal = {k: rng.choice(MARGINS) for k in range(len(tests))}
    for attempt in range(40):
        wrong = []
        for k, (poly, closed, _) in enumerate(tests):
            value = poly.evaluate(here)
            if value < 0 or (value == 0 and not closed) or (attempt == 0 and rng.random() < 0.7):
                wrong.append(k)
        if not wrong:
            return True
        k = rng.choice(wrong)
        poly, closed, _ = tests[k]
        margin = goal[k] if attempt < 20 else rng.choice(MARGINS)
        _move(lead, poly, here, free, margin if closed else max(margin, Fraction(1, GRID)))
    return False


def _move(lead: _Lead, poly: Poly, here: dict[str, Fraction], free: Mapping[str, Law | None], margin: Fraction) -> None:
    """Set one unknown such that poly = margin, as far as its kind allows."""
    factors = {s: c.evaluate(here) for s, c in poly.linear().items() if s in free}
    choices = [s for s, c in factors.items() if c]
    if not choices:
        return
    symbol = lead.rng.choice(choices)
    factor = factors[symbol]
    wanted = here[symbol] + (margin - poly.evaluate(here)) / factor
    law = free[symbol]
    if law is None:
        here[symbol] = Fraction(answer(lead.search.claim, lead.rng, _on_grid(wanted, factor)))
    elif law.support == "integers":
        here[symbol] = Fraction(-(-wanted // 1) if factor > 0 else wanted // 1)
    else:
        value = _on_grid(wanted, factor)
        here[symbol] = max(Fraction(0), value) if law.support == "nonnegative" else value


def _on_grid(value: Fraction, factor: Fraction) -> Fraction:
    """The next multiple of the grid's step, on the side on which the test holds."""
    scaled = value * GRID
    return Fraction(-(-scaled // 1) if factor > 0 else scaled // 1) / GRID
