r"""Lines of inputs that stay inside a half-bounded space, for lower bounds on ε*.

Where the answers are bounded on one side and the move d points outwards, the line of inputs is bent by a ray u such
that u and u + d point inwards and v(u + d) = v(u) + v(d). With λ optimal for d this is one linear program in u and the
shift x: Ax + Bu ≥ 0 and |x|_s ≤ −λ·Bu.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, lcm

from dpwitness.proofs.kernel.algebra.polyhedra import ONE, UNIT, Linear, Row, holds, plus
from dpwitness.proofs.kernel.programs.trees import Leaf, Tree
from dpwitness.proofs.programs.alignment import Alignment
from dpwitness.proofs.programs.points import Empty, decide_all
from dpwitness.proofs.programs.simplex import PivotLimit, Simplex

ZERO = Fraction(0)


@dataclass(frozen=True)
class Inside:
    """Where answers may lie: at least `low`, or at most `high`, or anywhere; only whole numbers where `whole`."""

    low: Fraction | None = None
    high: Fraction | None = None
    whole: bool = False

    @property
    def inward(self) -> int:
        """1 or −1 where answers may grow or fall without end but not both, 0 where there is no bound."""
        return 1 if self.low is not None else -1 if self.high is not None else 0

    def rows(self, queries: int) -> list[Row]:
        """The bounds as rows."""
        edge = self.low if self.low is not None else self.high
        if edge is None:
            return []
        return [Row({f"q{i}": Fraction(self.inward), ONE: -self.inward * edge}, False) for i in range(queries)]


EVERYWHERE = Inside()


def interior_point(tree: Tree, leaf: Leaf, system: Sequence[Row], whole: bool) -> dict[str, Linear] | None:
    """A strictly feasible point; draws of integer-valued laws, and whole answers, get whole coordinates."""
    answers = {f"q{i}" for i in range(tree.queries)}
    draws = {f"n{k}" for k in range(len(leaf.draws))}
    rounded = (answers | draws) if tree.discrete else answers if whole else set()
    # a point so far inside that rounding does not leave; where there is none, perhaps one that is whole by itself
    room = [{n: abs(v) for n, v in row.form.items() if n in rounded} for row in system]
    deep = [Row(plus(r.form, {ONE: -sum(m.values(), ZERO) / 2}), r.strict) for r, m in zip(system, room, strict=True)]
    for rows in [deep, system] if rounded else [system]:
        found = decide_all(rows)
        if found is None or isinstance(found, Empty):
            continue
        point: dict[str, Linear] = {name: found.get(name, {}) for name in (*draws, *answers)}
        for name in rounded:
            near = Fraction(round(point[name].get(ONE, ZERO)))
            if UNIT not in point[name]:
                point[name] = {ONE: near} if near else {}
        if any(UNIT in point[name] for name in rounded) or not all(holds(row, point) for row in system):
            continue
        return point
    return None


def bend(
    alignment: Alignment, move: Sequence[Fraction], inside: Inside, discrete: bool
) -> tuple[tuple[Fraction, ...], dict[str, Fraction]] | None:
    """A ray u with v(u + d) = v(u) + v(d) such that u and u + d point inwards, and the shift that follows u."""
    outward = [i for i, d in enumerate(move) if inside.inward * d < 0]
    zero = (ZERO,) * len(move)
    if not outward:
        return zero, {}
    dual = alignment.solve(move)
    if dual.value is None:
        return None
    n, k = len(move), len(alignment.draws)
    width = n + 2 * k + 1  # |u|, the two signs of x, and t
    lines: list[list[Fraction]] = []
    for form in alignment.forms:  # a·x + b·u ≥ 0
        xs = [form.get(f"n{j}", ZERO) for j in range(k)]
        us = [inside.inward * form.get(f"q{i}", ZERO) for i in range(n)]
        lines.append([*(-v for v in us), *(-v for v in xs), *xs, ZERO])
    drop = [sum((y * s.get(i, ZERO) for y, s in zip(dual.x, alignment.slopes, strict=True)), ZERO) for i in range(n)]
    prices = [1 / draw.scale for draw in alignment.draws]
    lines.append([*(inside.inward * v for v in drop), *prices, *prices, ZERO])  # |x|_s + λ·Bu ≤ 0
    for i in outward:
        lines.append([*(Fraction(-int(i == j)) for j in range(n)), *[ZERO] * (2 * k), Fraction(1)])
    lines.append([*[ZERO] * (width - 1), Fraction(1)])
    limits = [*[ZERO] * (len(lines) - 1), Fraction(1)]
    try:
        found = Simplex(lines, limits, width).maximise([*[ZERO] * (width - 1), Fraction(1)])
    except PivotLimit:
        return None
    if not found.value:
        return None
    size = max(abs(move[i]) for i in outward) / found.value
    if inside.whole or discrete:
        size = Fraction(lcm(*(x.denominator for x in found.x)) * ceil(size))
    ray = tuple(inside.inward * size * x for x in found.x[:n])
    along = {f"n{j}": size * (found.x[n + j] - found.x[n + k + j]) for j in range(k)}
    return ray, {name: x for name, x in along.items() if x}
