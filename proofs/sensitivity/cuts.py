"""Where a polynomial is not seen to be non-negative at once: cuts of the box, found by looking at each symbol."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpwitness.proofs.kernel.algebra.expr import Expr
from dpwitness.proofs.kernel.arith import Rejected, text
from dpwitness.proofs.kernel.limits import TooMuch
from dpwitness.proofs.kernel.sensitivity.bounds import duties
from dpwitness.proofs.kernel.sensitivity.ratios import Poly, Range, in_positive_symbols, sign_on
from dpwitness.proofs.kernel.sensitivity.setting import Setting, Sizes

MAX_DEPTH, MAX_NODES = 6, 60
Box = Mapping[str, Range | None]


def with_cuts(setting: Setting, sizes: Sizes, bound: Expr, proof: Mapping[str, Any]) -> dict[str, Any] | None:
    """The same proof with cuts that make its inequalities plain; None where there are none."""
    if proof["by"] not in ("difference", "log", "sqrt"):
        return None
    found: dict[str, Any] = {}
    for duty in duties(setting, sizes, bound, proof):
        gap = duty.big - duty.small
        sign = sign_on(gap.bottom, duty.convert.ranges)
        poly = {mono: sign * c for mono, c in gap.top.items()}
        tree = _Cuts(poly).tree(duty.convert.ranges, 0)
        if tree is not None and found.setdefault(str(duty.case), tree) != tree:
            return None  # one tree serves all inequalities of a case
    return {**proof, "cuts": found}


class _Cuts:
    def __init__(self, poly: Poly) -> None:
        self.poly, self.left = poly, MAX_NODES

    def worst(self, box: Box) -> Fraction:
        return min(in_positive_symbols(self.poly, box)[1].values(), default=Fraction(0))

    def tree(self, box: Box, depth: int) -> dict[str, Any] | None:
        """A tree of cuts, None where none is needed; raises where it would be too large."""
        self.left -= 1
        if self.worst(box) >= 0:
            return None
        if depth >= MAX_DEPTH or self.left <= 0:
            raise Rejected("the bound is not shown with a few cuts")
        name, at = self.best(box)
        low, high = box[name] or (Fraction(0), None)
        parts = [self.tree({**box, name: part}, depth + 1) for part in ((low, at), (at, high))]
        return {"cut": name, "at": text(at), "parts": parts}

    def best(self, box: Box) -> tuple[str, Fraction]:
        """The symbol and the place after whose cut the worse half is best."""
        names = {name for mono in self.poly for name, power in mono if power}
        found: list[tuple[Fraction, str, Fraction]] = []
        for name in sorted(names):
            span = box.get(name)
            if span is None:
                raise Rejected("a symbol without a range")
            low, high = span
            if high is not None and high - low < Fraction(1, 1000):
                continue
            at = low + 1 if high is None else (low + high) / 2
            try:
                halves = [self.worst({**box, name: part}) for part in ((low, at), (at, high))]
            except TooMuch:
                raise
            found.append((min(halves) + max(halves) / 1000, name, at))
        if not found:
            raise Rejected("no symbol to cut")
        _, name, at = max(found)
        return name, at
