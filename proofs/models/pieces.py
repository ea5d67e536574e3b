"""Models of releases that are piecewise linear in real records: the piece of a dataset, its location, and the noise."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.coexecution.model import Computed, Model, Probe, Source, Trace, Unfaithful, UnknownInput
from dpwitness.core.evidence import Counterexample, UpperBound
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.numbers import Exact
from dpwitness.core.readers.paths import symbolic_paths, unknown_inputs
from dpwitness.core.spaces import Interval, Records
from dpwitness.proofs.kernel.algebra.polyhedra import ONE, Row
from dpwitness.proofs.laws.layouts import law_json
from dpwitness.proofs.laws.pieces import MAX_PIECES
from dpwitness.proofs.models.paths import PathTree, Way
from dpwitness.proofs.programs.points import Empty, decide

Line = tuple[Fraction, ...]


@dataclass
class PieceModel:
    """The pieces of a certificate; which of them a dataset takes is as the program was read.

    Attributes
    ----------
    pieces
        Rows that hold on a piece, and its location: linear forms of 1 and the records.
    noise
        For each way the draw of the released number, and the factor before it.
    """

    claim: Claim
    pieces: Sequence[tuple[Sequence[Line], Line]]
    tree: PathTree
    noise: Sequence[tuple[int, Fraction]]
    size: int
    reached: set[int] = field(default_factory=set)
    empty: set[int] = field(default_factory=set)

    def places(self) -> Collection[str]:
        """The pieces that hold a dataset."""
        return [f"piece {k}" for k in range(len(self.pieces)) if k not in self.empty]

    def run(self, data: Sequence[Any], params: Mapping[str, Any], source: Source) -> Trace:
        """The location of the piece, plus noise."""
        if len(data) != self.size:
            raise UnknownInput(f"the program was read on {self.size} records, and this input has {len(data)}")
        values: list[Any] = []

        def kept(law: Any) -> Any:
            values.append(source(law))
            return values[-1]

        run = self.tree.follow(data, params, kept)
        rows, location = self.pieces[run.way]
        if any(_dot(row, data) < 0 for row in rows):
            raise Unfaithful(f"{self.claim.target}: the records {tuple(data)} do not lie in piece {run.way}")
        place, factor = self.noise[run.way]
        self.reached.add(run.way)
        number = _dot(location, data) + factor * Fraction(values[place])
        return Trace(run.laws, Computed(number), (f"piece {run.way}",), run.doubt)

    def probes(self, claim: Claim, rng: random.Random) -> Iterator[Probe]:
        """A dataset in every piece that was not reached so far; inside it where it has an inside."""
        assert isinstance(claim.space, Records)
        assert isinstance(claim.space.domain, Interval)
        ends = claim.space.domain
        for k, (rows, _) in enumerate(self.pieces):
            if k in self.reached:
                continue
            for strict in (True, False):
                found = decide([_row(row, strict) for row in rows] + _bounds(ends.low, ends.high, self.size))
                if isinstance(found, dict):
                    data = tuple(Exact(found.get(f"q{j}", Fraction(ends.low))) for j in range(self.size))
                    yield Probe(data, claim.params, (), f"piece {k}")
                    if k in self.reached:
                        break
                elif isinstance(found, Empty) and not strict:
                    self.empty.add(k)


def _dot(line: Line, data: Sequence[Any]) -> Fraction:
    return line[0] + sum((c * Fraction(x) for c, x in zip(line[1:], data, strict=True)), Fraction(0))


def _row(line: Line, strict: bool) -> Row:
    return Row({ONE: line[0], **{f"q{j}": c for j, c in enumerate(line[1:])}}, strict)


def _bounds(low: Fraction, high: Fraction, size: int) -> list[Row]:
    rows = []
    for j in range(size):
        rows.append(Row({f"q{j}": Fraction(1), ONE: -Fraction(low)}, False))
        rows.append(Row({f"q{j}": Fraction(-1), ONE: Fraction(high)}, False))
    return rows


def proof(claim: Claim, evidence: UpperBound | Counterexample) -> Model:
    """``piecewise-release``: all datasets of one size."""
    certificate = evidence.certificate or {}
    assert isinstance(claim.mechanism, Mechanism)
    pieces = [
        ([tuple(map(Fraction, row)) for row in piece["rows"]], tuple(map(Fraction, piece["value"])))
        for piece in certificate["pieces"]
    ]
    size = len(pieces[0][1]) - 1
    table = symbolic_paths(
        claim.mechanism.program, unknown_inputs(size), claim.params, symbolic=(), max_paths=MAX_PIECES
    )
    noise = []
    for path in table.paths:
        parts = path.values[0].linear()
        drawn = [] if parts is None else [(s.index, c.value()) for s, c in parts[0].items() if s.kind == "draw"]
        if len(drawn) != 1 or path.output != ("slot",):
            raise Unfaithful(f"{claim.target}: the output is not one number with one draw")
        noise.append((drawn[0][0], Fraction(drawn[0][1] or 0)))
        if law_json(path.draws[drawn[0][0]].law, noise[-1][1]) != certificate["law"]:
            raise Unfaithful(f"{claim.target}: the noise is not that of the certificate")
    if len(table.paths) != len(pieces):
        raise Unfaithful(
            f"{claim.target}: the program has {len(table.paths)} ways, the certificate {len(pieces)} pieces"
        )
    return PieceModel(claim, pieces, PathTree(Way.of(path) for path in table.paths), noise, size)
