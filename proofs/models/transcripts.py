"""The model of a proof by composition: the transcript itself, run on data and draws.

Sums over records are computed record by record from the expressions that the certificate states for their cells; every
law, every scale, everything that noise is added to and the output are then those of the certificate.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.coexecution.inputs import inputs as inputs_of
from dpwitness.core.coexecution.inputs import named_numbers
from dpwitness.core.coexecution.model import Model, Probe, Source, Trace, Unfaithful, UnknownInput
from dpwitness.core.evidence import Counterexample, Scope, UpperBound
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.numbers import Exact
from dpwitness.core.spaces import REAL, Answers, Box, Records
from dpwitness.proofs.kernel.check import check
from dpwitness.proofs.kernel.composition.inputs import Inputs, read_inputs
from dpwitness.proofs.labels import label
from dpwitness.proofs.models.transcript_guides import Again, Guide
from dpwitness.proofs.models.transcript_runs import Run, read_poly, resolve

TRIES, MORE_RECORDS, MOST_CELLS = 400, (7, 12), 240
BOUNDARIES, MOST_EDGES, NEARBY = 12, 60, 1e-8
ULPS, FEW_ENDS = (*range(1, 13), 16, 20, 24, 28, 32), 6  # how far from a double others are tried as records
MOST_WAYS, ON_A_WAY = 24, 8  # ways on which other data are tried, and how many of them
MOST_MIXED = 3  # coordinates of which each may be a double or not
MOST_STEPS = 32_000  # of the runs on inputs from the whole space together


@dataclass
class TranscriptModel:
    """A transcript that runs.

    Attributes
    ----------
    names
        Globals of the program: functions and mechanisms are known by their names there.
    """

    claim: Claim
    stated: Inputs
    points: Mapping[str, int]
    steps: Sequence[Any]
    names: Mapping[str, Any]
    opened: Sequence[str]
    reached: set[str] = field(default_factory=set)
    tables: dict[int, tuple[Mapping[int, Any], Any]] = field(default_factory=dict)

    @property
    def runs(self) -> int:
        """How many runs on inputs from the whole space are enough: fewer where one takes long."""
        return max(4, MOST_STEPS // max(1, _length(self.steps)))

    def table(self, data: Any) -> tuple[Mapping[int, Any], Any]:
        """The expression on each cell, and that on all of them where it is the same."""
        if id(data) not in self.tables:
            by_cell = {k: expr for places, expr in data if places != "*" for k in places}
            self.tables[id(data)] = by_cell, next((expr for places, expr in data if places == "*"), None)
        return self.tables[id(data)]

    def places(self) -> Collection[str]:
        """Every branch of the transcript."""
        return list(_places(self.steps, "start"))

    def probes(self, claim: Claim, rng: random.Random) -> Iterator[Probe]:
        """More records than the claim has, and draws that lead into branches that were not reached."""
        if isinstance(claim.space, Records) and claim.space.relation == "add-remove":
            for size in MORE_RECORDS:
                some = Records(claim.space.domain, (size, size + 1), claim.space.relation)
                few = 1 if self.runs < 16 else 3
                for data in inputs_of(some, rng, few, few):
                    yield Probe(data, claim.params)
        for data in self._inside_cells(claim, rng):
            yield Probe(data, claim.params, plain=True, nearby=tuple(_as_doubles(data)))
        for data in self._at_doubles(claim, rng):
            yield Probe(data, claim.params, plain=True, nearby=tuple(_as_doubles(data)))
        offered = inputs_of(claim.space, rng, 24, 24)
        levels = sorted(_levels(self.steps))
        wanted = set(self.places())
        beside: set[str] = set()
        ways: set[tuple[str, ...]] = set()
        few = self.runs < 16
        for k in range(self.runs if few else TRIES):
            if wanted <= self.reached and k >= (0 if few and not beside else BOUNDARIES):
                return
            data = offered[k % len(offered)]
            guide = Guide(rng, levels)
            run = Run(self, data, claim.params, guide.source)
            run.guide = guide
            try:
                trace = run.trace()
            except (ArithmeticError, Unfaithful, ValueError):
                continue
            if not set(trace.places) <= self.reached:
                yield Probe(data, claim.params, tuple(guide.values))
            if trace.places not in ways and len(ways) < MOST_WAYS:
                ways.add(trace.places)
                for other in offered[:: max(1, len(offered) // ON_A_WAY)]:
                    yield from self._again(other, guide, trace.places)
            for name, (place, move) in run.edges.items():
                if name not in beside and len(beside) < MOST_EDGES and isinstance(guide.values[place], float):
                    beside.add(name)
                    yield from self._beside(data, guide.values, place, move)

    def _again(self, data: Sequence[Any], first: Guide, places: tuple[str, ...]) -> Iterator[Probe]:
        """Other data on the same way: what its output shows beside numbers, such as types, may not depend on them."""
        again = Again(first)
        run = Run(self, data, self.claim.params, again.source)
        run.guide = again
        try:
            trace = run.trace()
        except (ArithmeticError, Unfaithful, ValueError):
            return
        if trace.places == places:
            space = self.claim.space
            real = isinstance(space, Records) and isinstance(space.domain, REAL)
            nearby = tuple(_as_doubles(data)) if real else ()
            yield Probe(tuple(data), self.claim.params, tuple(again.values), plain=True, nearby=nearby)

    def _inside_cells(self, claim: Claim, rng: random.Random) -> Iterator[tuple[Any, ...]]:
        """Datasets that together have a record in every cell of an interval or a box, as far as these are not many."""
        space, cells = claim.space, self.stated.cells
        if not isinstance(space, Records) or not isinstance(space.domain, REAL) or cells is None:
            return
        chosen = list(cells) if len(cells) <= MOST_CELLS else rng.sample(list(cells), MOST_CELLS)
        records = [tuple(low + (high - low) * Fraction(rng.randrange(1, 16), 16) for low, high in c) for c in chosen]
        size = max(space.fewest, min(max(MORE_RECORDS), space.most))
        for k in range(0, len(records), size):
            some = records[k : k + size]
            some += records[: max(0, space.fewest - len(some))]
            some += some[:1] * max(0, space.fewest - len(some))
            yield space.validate([r if isinstance(space.domain, Box) else r[0] for r in some])

    def _at_doubles(self, claim: Claim, rng: random.Random) -> Iterator[tuple[Any, ...]]:
        """Datasets of equal records, at the doubles nearest to each cut and beside them.

        Tests that are equal for real numbers may be different ones for doubles, and cancel in the transcript: a record
        shows it that lies between the numbers which Python compares with.
        """
        space, cells = claim.space, self.stated.cells
        if not isinstance(space, Records) or not isinstance(space.domain, REAL) or cells is None:
            return
        assert isinstance(claim.mechanism, Mechanism)
        sides = space.domain.sides if isinstance(space.domain, Box) else (space.domain,)
        named = [Fraction(repr(float(x))) for x in named_numbers(claim.mechanism.program)]
        for axis, side in enumerate(sides):
            ends = sorted({*named, *(end for cell in cells for end in cell[axis])})
            ends = [x for x in ends if side.low <= x <= side.high]
            if len(ends) > MOST_CELLS:
                ends = sorted(rng.sample(ends, MOST_CELLS))
            steps = ULPS if len(ends) * len(sides) <= FEW_ENDS else ULPS[:2]
            for x in dict.fromkeys(_doubles(ends, steps)):
                if side.low <= x <= side.high:
                    row = [s.low + (s.high - s.low) * Exact(rng.randrange(17), 16) for s in sides]
                    row[axis] = Exact(x)
                    record = tuple(row) if isinstance(space.domain, Box) else row[0]
                    yield space.validate([record] * max(1, space.fewest))

    def _beside(self, data: Sequence[Any], draws: Sequence[Any], place: int, move: float) -> Iterator[Probe]:
        """Runs on both sides of the boundary of a test, so near that no other number lies between."""
        for step in (-NEARBY, NEARBY):
            moved = list(draws)
            moved[place] += move + step * (1 + abs(moved[place] + move))
            yield Probe(tuple(data), self.claim.params, tuple(moved))

    def run(self, data: Sequence[Any], params: Mapping[str, Any], source: Source) -> Trace:
        """One run on given draws."""
        trace = Run(self, data, params, source).trace()
        self.reached.update(trace.places)
        return trace

    def cell(self, record: Any) -> int:
        """The cell in which a record lies."""
        cells = self.stated.cells
        assert cells is not None
        if self.points:
            name = label(record)
            if name not in self.points:
                raise UnknownInput(f"the record {record!r} is not in the domain")
            return self.points[name]
        parts = record if isinstance(record, tuple) else (record,)
        for k, cell in enumerate(cells):
            if all(low == x == high or low < x < high for x, (low, high) in zip(parts, cell, strict=True)):
                return k
        raise UnknownInput(f"the record {record!r} is not in the domain")


def _as_doubles(data: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """A dataset with the doubles that a caller passes, exactly, in some or all coordinates.

    A double 0.3 is read as 3/10 beside other doubles, and lies below it beside exact numbers.
    """
    sides = len(data[0]) if data and isinstance(data[0], tuple) else 0
    yield tuple(tuple(map(_exactly, row)) if sides else _exactly(row) for row in data)
    if 1 < sides <= MOST_MIXED:
        for chosen in itertools.product((False, True), repeat=sides):
            if any(chosen) and not all(chosen):
                yield tuple(tuple(_exactly(x) if c else x for x, c in zip(row, chosen, strict=True)) for row in data)


def _exactly(value: Any) -> Exact:
    return Exact(Fraction(float(value)))


def _doubles(numbers: Sequence[Fraction], steps: Sequence[int]) -> Iterator[Fraction]:
    """Numbers, for the doubles that are nearest to them, and doubles that lie so many steps beside them."""
    for number in numbers:
        yield number
        near = float(number)
        for far in (math.inf, -math.inf):
            gap = Fraction(math.nextafter(near, far)) - Fraction(near)
            for step in steps:
                yield Fraction(near) + gap * step


def _length(steps: Sequence[Any]) -> int:
    """How many steps a run takes at most, about."""
    total = 0
    for name, *given in steps:
        if name == "repeat":
            total += given[0] * _length(given[2])
        elif name in ("if", "pick"):
            total += max(map(_length, given[2:4] if name == "if" else given[1]), default=0)
        total += 1
    return total


def _places(steps: Sequence[Any], place: str) -> Iterator[str]:
    """The names of all branches, as a run notes them."""
    yield place
    for k, (name, *given) in enumerate(steps):
        where = f"{place}.{k}"
        if name == "if":
            yield from _places(given[2], f"{where} yes")
            yield from _places(given[3], f"{where} no")
        elif name == "pick":
            for way, branch in enumerate(given[1]):
                yield from _places(branch, f"{where} {way}")
        elif name == "repeat":
            yield from (p for p in _places(given[2], where) if p != where)


def _levels(steps: Any) -> set[float]:
    """The numbers that tests of a transcript compare with."""
    found: set[float] = set()
    for name, *given in steps:
        if name in ("if", "let"):
            for form in given[1:2] if name == "if" else given[2]:
                found |= {-float(c) for mono, c in read_poly(form).terms.items() if not mono}
        for part in given:
            if (
                isinstance(part, list)
                and part
                and isinstance(part[0], list)
                and part[0]
                and isinstance(part[0][0], str)
            ):
                found |= _levels(part)
            if name == "pick" and isinstance(part, list):
                found |= {x for branch in part for x in _levels(branch)}
    return found


def proof(claim: Claim, evidence: UpperBound | Counterexample) -> Model:
    """The transcript of a certificate; mechanisms that it runs are compared with their own models first."""
    certificate = evidence.certificate or {}
    assert isinstance(claim.mechanism, Mechanism)
    stated = read_inputs(certificate["inputs"])
    points: dict[str, int] = {}
    if isinstance(claim.space, Records) and not isinstance(claim.space.domain, REAL):
        points = {name: k for k, name in enumerate(certificate["inputs"]["points"])}
    names = claim.mechanism.program.__globals__
    for step in _runs(certificate["transcript"]):
        _compare_part(claim, step, certificate["parts"][step[3]], names)
    return TranscriptModel(claim, stated, points, certificate["transcript"], names, certificate["open"])


def _runs(steps: Any) -> Iterator[Any]:
    for step in steps:
        if step[0] == "run":
            yield step
        branches = {"if": step[3:5], "pick": step[2] if step[0] == "pick" else (), "repeat": step[3:4]}.get(step[0], ())
        for branch in branches:
            yield from _runs(branch)


def _compare_part(claim: Claim, step: Any, part: Mapping[str, Any], names: Mapping[str, Any]) -> None:
    """Run the model of a mechanism's proof beside the mechanism; raises where they differ."""
    from dpwitness.core.coexecution import coexecute
    from dpwitness.core.readers.door import reading
    from dpwitness.proofs.models.registry import model_of

    mechanism = resolve(step[2], names)
    if not isinstance(mechanism, Mechanism):
        raise Unfaithful(f"{step[2]} is no mechanism")
    inner = sub_claim(mechanism, step[5], len(step[4]), claim.params)
    theorem = check(part, seconds=60.0)
    evidence = UpperBound(inner.guarantee, Scope(), part)
    with reading(mechanism.program):
        model = model_of(inner, evidence)
        if model is None:
            raise Unfaithful(f"there is no executable model of a certificate of type {theorem.kind}")
        coexecute(inner, model)


def sub_claim(mechanism: Mechanism, params: Mapping[str, Any], count: int, outer: Mapping[str, Any]) -> Claim:
    """The first claim of a mechanism that is run, at these parameters and on so many answers."""
    values = {name: read_poly(form).evaluate(lambda s: Fraction(outer[s])) for name, form in params.items()}
    made = mechanism.claims(**values)[0]
    if not isinstance(made.space, Answers):
        raise Unfaithful(f"{mechanism.name} does not read answers")
    return replace(made, space=made.space.of_size(count))


__all__ = ["TranscriptModel", "proof", "sub_claim"]
