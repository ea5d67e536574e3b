"""The prover of releases that are piecewise linear in real records: maxima, clipping, order statistics, plus noise.

The program is run on unknown records. Each way through it is a polyhedron of datasets with a linear location. How far
the location can move between neighbours is a small linear program for every two pieces and every record; its dual
solution is the proof that the kernel re-checks.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.errors import DPWitnessError, OutsideFragment
from dpwitness.core.evidence import IDEAL_REALS, Evidence, Scope, Unsupported, UpperBound
from dpwitness.core.forms import Form
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.readers.paths import Path, symbolic_paths, unknown_inputs
from dpwitness.core.spaces import Interval, Records
from dpwitness.proofs.kernel.arith import Rejected, Undecided, text
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.kernel.releases.piecewise import Line, joined, lines
from dpwitness.proofs.laws.layouts import law_json
from dpwitness.proofs.laws.stamps import about, at_epsilon, guarantee_json
from dpwitness.proofs.programs.excluded import refuse_excluded
from dpwitness.proofs.programs.simplex import PivotLimit, Simplex
from dpwitness.proofs.sizes import for_each_size

METHOD = "piecewise linear release"
MAX_PIECES = 40
LARGE = Fraction(10**6)  # the price of leaving a piece


@dataclass(frozen=True)
class Piece:
    """Datasets with row·(1, x) ≥ 0 for all rows, and the location on them."""

    rows: tuple[Line, ...]
    value: Line


@dataclass(frozen=True)
class PieceProver:
    """Proves claims about one released number, piecewise linear in records of an interval, with constant noise."""

    name: str = "pieces"

    def supports(self, claim: Claim) -> str | None:
        """None where the prover can try, else the reason why it cannot."""
        space = claim.space
        if not isinstance(claim.mechanism, Mechanism):
            return "a black box has no program to read"
        if claim.numerics != IDEAL_REALS:
            return "the proof is about real-valued noise, not about doubles"
        if not isinstance(space, Records) or not isinstance(space.domain, Interval):
            return "the data are not records of an interval"
        return None if space.relation == "substitute" else "records come and go"

    def run(self, claim: Claim, budget: Any = None) -> Evidence:
        """An upper bound with its certificate, or why none was found."""
        return for_each_size(self._run, claim)

    def _run(self, claim: Claim) -> Evidence:
        start = time.monotonic()
        reason = self.supports(claim)
        if reason is None:
            try:
                certificate = self._prove(claim)
                verdict = examine(certificate)
                if verdict:
                    scope = Scope(claim.queries, at_epsilon(claim), IDEAL_REALS)
                    seconds = time.monotonic() - start
                    return UpperBound(claim.guarantee, scope, certificate, False, METHOD, None, seconds)
                reason = verdict.reason
            except (DPWitnessError, Rejected, Undecided, PivotLimit) as error:
                reason = str(error)
        return Unsupported(reason, None, METHOD, time.monotonic() - start)

    def _prove(self, claim: Claim) -> dict[str, Any]:
        space = claim.space
        assert isinstance(space, Records)
        assert isinstance(space.domain, Interval)
        low, high = Fraction(space.domain.low), Fraction(space.domain.high)
        pieces, law = read_pieces(claim, space.most)
        moves, proofs = [], []
        for here in pieces:
            for there in pieces:
                for i in range(space.most):
                    move, weights = largest_move(here, there, i, low, high)
                    moves.append(move)
                    used = max((k + 1 for k, w in enumerate(weights) if w), default=0)
                    proofs.append([text(w) for w in weights[:used]])
        return {
            "type": "piecewise-release",
            "records": [text(low), text(high)],
            "pieces": [{"rows": [_show(row) for row in p.rows], "value": _show(p.value)} for p in pieces],
            "step": text(max(moves)),
            "proofs": proofs,
            "law": law,
            "guarantee": guarantee_json(claim.guarantee),
            "about": about(claim),
        }


def _show(line: Line) -> list[str]:
    return [text(c) for c in line]


def read_pieces(claim: Claim, size: int) -> tuple[list[Piece], dict[str, str]]:
    """The pieces of the program's location, and its noise as certificates state it."""
    assert isinstance(claim.mechanism, Mechanism)
    table = symbolic_paths(
        claim.mechanism.program, unknown_inputs(size), claim.params, symbolic=(), max_paths=MAX_PIECES
    )
    if not table.complete:
        raise OutsideFragment(f"more than {MAX_PIECES} pieces")
    refuse_excluded(path.conditions for path in table.paths)
    found = [_read(path, size) for path in table.paths]
    laws = {str(law): law for _, law in found}
    if len(laws) != 1:
        raise OutsideFragment("the noise depends on the data")
    return [piece for piece, _ in found], next(iter(laws.values()))


def _read(path: Path, size: int) -> tuple[Piece, dict[str, str]]:
    if path.choices or len(path.values) != 1 or path.output != ("slot",):
        raise OutsideFragment("the program does not release one number")
    parts = path.values[0].linear()
    noisy = [] if parts is None else [symbol for symbol in parts[0] if symbol.kind == "draw"]
    if parts is None or len(noisy) != 1:
        raise OutsideFragment("the output is not a linear form of the records plus one draw")
    factor = parts[0].pop(noisy[0]).value()
    if factor is None:
        raise OutsideFragment("the noise is multiplied by an irrational number")
    law = next(draw.law for draw in path.draws if draw.symbol == noisy[0])
    rows = tuple(_line(condition.form.linear(), size) for condition in path.conditions)
    return Piece(rows, _line(parts, size)), law_json(law, Fraction(factor))


def _line(parts: Any, size: int) -> Line:
    if parts is None:
        raise OutsideFragment("a test is not linear in the records")
    coefficients, rest = parts
    line = [_rational(rest)] + [Fraction(0)] * size
    for symbol, c in coefficients.items():
        if symbol.kind != "input":
            raise OutsideFragment("a test depends on the noise")
        line[1 + symbol.index] = _rational(c)
    return tuple(line)


def _rational(form: Form) -> Fraction:
    value = form.value()
    if value is None:
        raise OutsideFragment(f"{form} is not rational")
    return Fraction(value)


def largest_move(
    here: Piece, there: Piece, record: int, low: Fraction, high: Fraction
) -> tuple[Fraction, Sequence[Fraction]]:
    """The most by which here(x) exceeds there(y) where x and y differ in one record; and the multipliers of the rows.

    The variables are shifted to start at 0. One more variable, which costs `LARGE`, lets the search start outside the
    pieces; where it cannot be brought to 0 the pieces do not meet, and the multipliers prove any bound.
    """
    rows = lines(here.rows, None) + lines(there.rows, record)
    goal = [a - b for a, b in zip(joined(here.value, None), joined(there.value, record), strict=True)]
    n, width = len(goal) - 1, high - low
    limits = [row[0] + low * sum(row[1:], Fraction(0)) for row in rows]  # −coefficients·z ≤ limit
    depth = max([Fraction(0), *(-limit for limit in limits)])
    matrix = [[*(-c for c in row[1:]), Fraction(limit < 0)] for row, limit in zip(rows, limits, strict=True)]
    bounds = [limit + depth if limit < 0 else limit for limit in limits]
    for j in range(n):
        matrix.append([Fraction(k == j) for k in range(n + 1)])
        bounds.append(width)
    matrix.append([*([Fraction(0)] * n), Fraction(1)])
    bounds.append(depth)
    solved = Simplex(matrix, bounds).maximise([*goal[1:], LARGE])
    if solved.value is None:
        raise OutsideFragment("the location is not bounded")
    offset = goal[0] + low * sum(goal[1:], Fraction(0))
    return max(Fraction(0), solved.value - LARGE * depth + offset), solved.y[: len(rows)]
