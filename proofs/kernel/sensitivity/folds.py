r"""Sums and products over an index: which records they hold, and whether these exist for every n.

Bounds of a range and places of records are linear in n, in n//2 (between (n−1)/2 and n/2) and in the index.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from dpwitness.proofs.kernel.algebra.expr import Expr, num
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.sensitivity.language import nodes, replaced


@dataclass(frozen=True)
class Linear:
    """a·n + h·(n//2) + c, a bound of a range or a part of a place."""

    n: Fraction = Fraction(0)
    half: Fraction = Fraction(0)
    index: Fraction = Fraction(0)
    constant: Fraction = Fraction(0)

    def least(self, fewest: int) -> Fraction | None:
        """A lower bound for all n ≥ fewest, with (n−1)/2 ≤ n//2 ≤ n/2; None where there is none."""
        if self.n >= 0 and self.half >= 0:  # both rise with n
            return self.at(fewest)
        slope = self.n + self.half / 2
        if slope < 0:
            return None
        return slope * fewest + self.constant - (self.half / 2 if self.half > 0 else 0)

    def minus(self, other: Linear) -> Linear:
        """The difference."""
        return Linear(
            self.n - other.n, self.half - other.half, self.index - other.index, self.constant - other.constant
        )

    def at(self, n: int) -> Fraction:
        """The value at one n, without the index."""
        return self.n * n + self.half * (n // 2) + self.constant


def linear(expr: Expr, index: str = "") -> Linear:
    """Read a bound or a place; anything that is not linear is refused."""
    if expr.op == "num":
        return Linear(constant=expr.value)
    if expr.op == "half":
        return Linear(half=Fraction(1))
    if expr.op == "var" and expr.name == "n":
        return Linear(n=Fraction(1))
    if expr.op == "var" and expr.name == index and index:
        return Linear(index=Fraction(1))
    if expr.op in ("+", "-", "neg"):
        parts = [linear(a, index) for a in expr.args]
        if expr.op == "+":
            return parts[0].minus(Linear().minus(parts[1]))
        return Linear().minus(parts[0]) if expr.op == "neg" else parts[0].minus(parts[1])
    if expr.op == "*":
        for one, other in (expr.args, expr.args[::-1]):
            if one.op == "num":
                inner, c = linear(other, index), one.value
                return Linear(c * inner.n, c * inner.half, c * inner.index, c * inner.constant)
    raise Rejected(f"{expr} is not linear in n, n//2 and the index")


@dataclass(frozen=True)
class Fold:
    """A sum or product over an index: its body with the places of its records, and the bounds of the index."""

    node: Expr
    places: tuple[tuple[Expr, str, int, int], ...]  # the record, "plain" | "wrap" | "perm", stride and offset
    start: Linear
    stop: Linear
    step: int

    @property
    def plain(self) -> bool:
        """Whether every record enters once, alone: x[i] for all i, or x[perm(i)]."""
        whole = (self.start, self.stop, self.step) == (Linear(), Linear(n=Fraction(1)), 1)
        return (
            whole
            and all(kind == "perm" or (s, o) == (1, 0) for _, kind, s, o in self.places)
            and (len({(kind, s, o) for _, kind, s, o in self.places}) == 1)
        )

    @property
    def indexed(self) -> bool:
        """Whether the index occurs outside the places of records."""
        mute = replaced(self.node.args[0], {p[0]: num(0) for p in self.places})
        return self.node.name in mute.variables()


def read_fold(node: Expr) -> Fold:
    """The structure of a sum or product."""
    start, stop, step = linear(node.args[1]), linear(node.args[2]), int(node.args[3].value)
    places = []
    for part in dict.fromkeys(nodes(node.args[0])):
        if part.op != "rec":
            continue
        (place,) = part.args
        kind = place.op if place.op in ("wrap", "perm") else "plain"
        form = linear(place.args[0] if kind != "plain" else place, node.name)
        if form.index <= 0 or form.index.denominator != 1 or form.n or form.half or form.constant.denominator != 1:
            raise Rejected(f"x[{place}] in a sum is not x[s*{node.name} + o] with whole s > 0 and o")
        if kind == "wrap" and form.index != 1:
            raise Rejected("a place that wraps around is (i + o) % n")
        places.append((part, kind, int(form.index), int(form.constant)))
    return Fold(node, tuple(places), start, stop, step)


def check_places(fold: Fold, fewest: int) -> None:
    """Raise unless every record of the sum exists for all n ≥ fewest: places from 0 to n − 1."""
    for part, kind, stride, offset in fold.places:
        low = fold.start.least(fewest)
        first = None if low is None else stride * low + offset
        last = Linear(n=Fraction(1)).minus(
            Linear(
                stride * fold.stop.n, stride * fold.stop.half, Fraction(0), stride * (fold.stop.constant - 1) + offset
            )
        )
        room = last.least(fewest)
        if kind == "wrap":
            continue
        if kind == "perm" and not ((fold.start, fold.stop, fold.step) == (Linear(), Linear(n=Fraction(1)), 1)):
            raise Rejected("x[perm(i)] stands in a sum over range(n)")
        if first is None or first < 0:
            raise Rejected(f"{part.args[0]} may be negative: records are counted from 0")
        if room is None or room < 1:
            raise Rejected(f"x[{part.args[0]}] may lie beyond the last record, x[n-1]: check the range of the index")


def check_wraps(fold: Fold, fewest: int) -> None:
    """Raise unless different places of a sum that wrap around are different records for all n ≥ fewest."""
    offsets = [o for _, _, _, o in fold.places]
    if not any(kind == "wrap" for _, kind, _, _ in fold.places):
        return
    if fewest <= max(offsets) - min(offsets):
        raise Rejected(f"x[({fold.node.name} + o) % n] needs more than {max(offsets) - min(offsets)} records")
    if (fold.start, fold.stop, fold.step) != (Linear(), Linear(n=Fraction(1)), 1):
        raise Rejected("a place that wraps around stands in a sum over range(n)")
