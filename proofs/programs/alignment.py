r"""The shift program of one event: the cheapest translation of the noise, and its dual.

For an event with rows :math:`A\eta + Bq + c \ge 0` (real outputs are rows of both signs) and a move d of the answers,

.. math:: v(d) = \min\{|x|_s : Ax + Bd \ge 0\} = \max\{-\lambda\cdot Bd : \lambda \ge 0,\ |(A^T\lambda)_k| \le 1/s_k\}.

The dual region does not depend on d, so one exact simplex tableau serves all moves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from dpwitness.proofs.kernel.algebra.polyhedra import Linear, Row, part, show
from dpwitness.proofs.kernel.moves import Part
from dpwitness.proofs.kernel.programs.trees import Leaf
from dpwitness.proofs.programs.simplex import Simplex, Solution

ZERO = Fraction(0)
Shift = dict[str, dict[str, Fraction]]  # draw -> form in the answers' moves


@dataclass(frozen=True)
class Event:
    """A polyhedron of draws and answers that gives one output: a leaf, or the union of several (`members`)."""

    rows: tuple[Row, ...]
    leaf: Leaf
    members: tuple[int, ...]
    merge: Mapping[str, object] | None = None

    @property
    def output(self) -> int:
        """The number of the output."""
        return self.leaf.output


class Alignment:
    """The shift program of an event, for any move."""

    def __init__(self, event: Event) -> None:
        self.event = event
        leaf = event.leaf
        both = [sign for value in leaf.values for sign in (value, {k: -v for k, v in value.items()})]
        self.forms: list[Linear] = [row.form for row in event.rows]
        self.forms += [*both, *(row.form for row in leaf.supports())]
        self.outputs = range(len(event.rows), len(event.rows) + len(both))
        self.draws = leaf.draws
        matrix = [[form.get(f"n{k}", ZERO) for form in self.forms] for k in range(len(self.draws))]
        limits = [1 / draw.scale for draw in self.draws]
        self.region = Simplex(matrix + [[-v for v in line] for line in matrix], limits + limits, len(self.forms))
        self.slopes = [{int(n[1:]): v for n, v in part(form, "q").items()} for form in self.forms]

    def solve(self, move: Sequence[Fraction]) -> Solution:
        """v(d) with the dual vector λ as `x`; value None (and a ray) where no shift exists."""
        return self.region.maximise([-sum((v * move[i] for i, v in s.items()), ZERO) for s in self.slopes])

    def shift(self, solution: Solution) -> dict[str, Fraction]:
        """The optimal translation of the draws."""
        k = len(self.draws)
        moved = {f"n{i}": solution.y[i] - solution.y[k + i] for i in range(k)}
        return {name: value for name, value in moved.items() if value}

    def uniform(self, piece: Part) -> Iterator[tuple[Shift, tuple[Fraction, ...]]]:
        """Shifts m + Y d that serve every move of a convex part, each with the move that it finds hardest.

        First Y only undoes the change of the real outputs and m is the cheapest constant that keeps all rows whatever
        the move. Then the draws that were shifted also undo the move of the answer that they are always added to.
        """
        undo = self._undo()
        if undo is None:
            return
        found = self._constant(piece, undo)
        if found is None:
            return
        yield found
        more = {**{n: own for n in found[0] if n not in undo and (own := self._own(n))}, **undo}
        if len(more) > len(undo):
            second = self._constant(piece, more)
            if second is not None:
                yield second

    def _constant(
        self, piece: Part, slopes_of: Mapping[str, Mapping[int, Fraction]]
    ) -> tuple[Shift, tuple[Fraction, ...]] | None:
        """The cheapest constants beside given slopes."""
        slopes = []
        for form, own in zip(self.forms, self.slopes, strict=True):
            slope = dict(own)
            for name, moved in slopes_of.items():
                for i, v in moved.items():
                    slope[i] = slope.get(i, ZERO) + form.get(name, ZERO) * v
            slopes.append(slope)
        weights = [ZERO if j in self.outputs else -piece.least(ZERO, slope) for j, slope in enumerate(slopes)]
        found = self.region.maximise(weights)
        if found.value is None:
            return None
        shift: Shift = {name: {"": value} for name, value in self.shift(found).items()}
        for name, moved in slopes_of.items():
            shift.setdefault(name, {}).update({f"q{i}": v for i, v in moved.items()})
        total = [ZERO] * piece.queries
        for factor, slope in zip(found.x, slopes, strict=True):
            for i, v in slope.items():
                total[i] += factor * v
        return {n: f for n, f in shift.items() if f}, worst_move(piece, total)

    def _own(self, name: str) -> dict[int, Fraction] | None:
        """The slope that undoes the move of the answer that a draw is added to in every row, where there is one."""
        common: dict[int, Fraction] | None = None
        for form, slope in zip(self.forms, self.slopes, strict=True):
            if name in form:
                ratios = {i: -v / form[name] for i, v in slope.items()}
                common = ratios if common is None else {i: v for i, v in common.items() if ratios.get(i) == v}
        return dict([next(iter(common.items()))]) if common else None

    def _undo(self) -> dict[str, dict[int, Fraction]] | None:
        """Y with F Y + G = 0, on draws that occur in as few rows as possible."""
        uses = {
            f"n{k}": sum(f"n{k}" in f for j, f in enumerate(self.forms) if j not in self.outputs)
            for k in range(len(self.draws))
        }
        system = [dict(value) for value in self.event.leaf.values]
        pivots: list[tuple[str, dict[str, Fraction]]] = []
        for value in system:
            line = dict(value)
            for name, row in pivots:
                factor = line.get(name, ZERO)
                if factor:
                    line = _minus(line, row, factor)
            names = [n for n in line if n[:1] == "n"]
            if not names:
                if any(n[:1] == "q" for n in line):
                    return None
                continue
            best = min(names, key=lambda n: (uses[n], -self.draws[int(n[1:])].scale, -int(n[1:])))
            line = {k: v / line[best] for k, v in line.items()}
            pivots = [(n, _minus(row, line, row.get(best, ZERO))) for n, row in pivots]
            pivots.append((best, line))
        return {name: {int(n[1:]): -v for n, v in row.items() if n[:1] == "q"} for name, row in pivots}


def _minus(line: Mapping[str, Fraction], other: Mapping[str, Fraction], factor: Fraction) -> dict[str, Fraction]:
    new = dict(line)
    for name, value in other.items():
        new[name] = new.get(name, ZERO) - factor * value
    return {name: value for name, value in new.items() if value}


def worst_move(piece: Part, slope: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """The vertex of a part where Σ slope_i d_i is least."""
    if piece.cross:
        at = max(range(piece.queries), key=lambda i: abs(slope[i]))
        step = -piece.half if slope[at] > 0 else piece.half
        return tuple(step if i == at else ZERO for i in range(piece.queries))
    return tuple(piece.centre - piece.half if v > 0 else piece.centre + piece.half for v in slope)


def shift_json(shift: Shift) -> dict[str, str]:
    """A shift as it stands in certificates."""
    return {name: show(form) for name, form in sorted(shift.items()) if any(form.values())}
