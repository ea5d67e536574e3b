"""Whether a certificate about a report of one record states something true: laws on grids of records, in doubles.

Nothing of the kernel is used but its parser and its intervals.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from dpwitness.proofs.kernel.algebra.expr import parse
from dpwitness.proofs.kernel.algebra.interval import Interval
from dpwitness.proofs.kernel.algebra.values import over
from dpwitness.proofs.kernel.arith import precision

Margin = tuple[float, float]
EPSILONS = (Fraction(1, 8), Fraction(1), Fraction(4))
SLIVER = 1e-10  # pieces of outputs that are shorter may come from rounding


class Wrong(Exception):
    """The program of the certificate fails for some record."""


@lru_cache(maxsize=100_000)
def value(text: str, eps: Fraction) -> float:
    """A formula at one ε."""
    with precision(100):
        found = over(parse(text, frozenset({"eps"})), {"eps": Interval.of(eps, eps)})
        return float((found.lo + found.hi) / 2)


class Law:
    """Densities and single outputs of a tree at one record."""

    def __init__(self, tree: Any, x: float, eps: Fraction) -> None:
        self.x, self.eps = x, eps
        self.pieces: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
        self.atoms: dict[tuple[str, Any], float] = defaultdict(float)
        for chance, draws, leaf in self._leaves(tree, 1.0, []):
            self._add(chance, draws, leaf)

    def _form(self, form: Mapping[str, str], size: int) -> tuple[float, list[float]]:
        rest, parts = 0.0, [0.0] * size
        for name, text in form.items():
            words = name.split(" ")
            c = value(text, self.eps) * (self.x if "x" in words else 1.0)
            if words[-1][0] == "v":
                parts[int(words[-1][1:])] += c
            else:
                rest += c
        return rest, parts

    def _leaves(self, node: Any, chance: float, draws: list[Any]) -> Iterator[tuple[float, list[Any], Any]]:
        """Ways with their chances; a draw is [low, high] of its law and [low, high] of what tests leave of it."""
        if "output" in node:
            yield chance, draws, node
        elif "uniform" in node:
            low, high = (self._form(end, 0)[0] for end in node["uniform"])
            if high - low < 1e-12:
                raise Wrong
            yield from self._leaves(node["then"], chance, [*draws, (low, high, low, high)])
        elif "test" in node:
            rest, parts = self._form(node["test"], len(draws))
            used = [k for k, part in enumerate(parts) if abs(part) > 1e-13]
            if not used:
                first = rest > 1e-13 or (abs(rest) <= 1e-13 and not node["strict"])
                yield from self._leaves(node["then"][0 if first else 1], chance, draws)
                return
            (k,) = used
            low, high, least, most = draws[k]
            bound = -rest / parts[k]
            up, down = (low, high, max(least, bound), most), (low, high, least, min(most, bound))
            for then, draw in zip(node["then"], (up, down) if parts[k] > 0 else (down, up), strict=True):
                if draw[3] - draw[2] > 1e-13:
                    yield from self._leaves(then, chance, [*draws[:k], draw, *draws[k + 1 :]])
        else:
            weights = [self._form(w, 0)[0] for w in node.get("choose", ())]
            if "coin" in node:
                p = self._form(node["coin"], 0)[0]
                weights = [p, 1 - p]
            if min(weights) < -1e-13 or sum(weights) <= 0:
                raise Wrong
            for weight, then in zip(weights, node["then"], strict=True):
                if weight > 1e-13:
                    yield from self._leaves(then, chance * weight / sum(weights), draws)

    def _add(self, chance: float, draws: list[Any], leaf: Any) -> None:
        label = json.dumps(leaf["output"])
        rest, parts = self._form(leaf["values"][0], len(draws)) if leaf["values"] else (None, [0.0] * len(draws))
        used = [k for k, part in enumerate(parts) if abs(part) > 1e-13]
        for k, (low, high, least, most) in enumerate(draws):
            if k not in used:
                chance *= (most - least) / (high - low)
        if not used:
            self.atoms[label, None if rest is None else round(rest, 9)] += chance
            return
        (k,) = used
        low, high, least, most = draws[k]
        assert rest is not None
        ends = sorted((parts[k] * least + rest, parts[k] * most + rest))
        self.pieces[label].append((ends[0], ends[1], chance / (abs(parts[k]) * (high - low))))

    def mass(self, label: str, ends: tuple[float, float] | None) -> float:
        """The probability of a label with a number between two ends, or of a single output without a number."""
        if ends is None:
            return self.atoms.get((label, None), 0.0)
        inside = sum(d * max(0.0, min(b, ends[1]) - max(a, ends[0])) for a, b, d in self.pieces.get(label, ()))
        single = [c for (name, at), c in self.atoms.items() if name == label and at is not None]
        return inside + (sum(single) if single else 0.0)


def log_ratio(one: Law, two: Law) -> float:
    """The largest ln of a density, or a probability, of one law over that of the other."""
    worst = 0.0
    for outcome, p in one.atoms.items():
        q = two.atoms.get(outcome, 0.0)
        worst = max(worst, math.inf if q <= 0 < p else math.log(p / q) if p > 0 else 0.0)
    for label, pieces in one.pieces.items():
        others = two.pieces.get(label, [])
        points = sorted({end for a, b, _ in (*pieces, *others) for end in (a, b)})
        for a, b in pairwise(points):
            if b - a > SLIVER:
                y = (a + b) / 2
                p, q = (sum(d for low, high, d in each if low < y < high) for each in (pieces, others))
                worst = max(worst, math.inf if q <= 0 < p else math.log(p / q) if p > 0 else 0.0)
    return worst


def report(certificate: Mapping[str, Any]) -> Margin:
    """Every two records of a grid, at several ε where it is open."""
    opened = certificate["unit"] == "eps"
    low, high = (float(Fraction(end)) for end in certificate["records"])
    if low >= high:
        return -math.inf, 0.0
    least = math.inf
    for eps in EPSILONS if opened else EPSILONS[1:2]:
        cuts = [value(cut, eps) for cut in certificate["cuts"]]
        grid = sorted({*np.linspace(low, high, 9).tolist(), low + (high - low) * 0.3819, *cuts})
        try:
            laws = [Law(certificate["tree"], float(x), eps) for x in grid]
        except Wrong:
            return -math.inf, 0.0
        claimed = float(Fraction(certificate["epsilon"])) * (float(eps) if opened else 1.0)
        least = min([least, *(claimed - log_ratio(a, b) for a in laws for b in laws)])
    return least, 1e-7


def violation(certificate: Mapping[str, Any]) -> Margin:
    """The probabilities of the event on both records."""
    try:
        laws = [Law(certificate["tree"], float(Fraction(side[0])), Fraction(1)) for side in certificate["inputs"]]
    except Wrong:
        return -math.inf, 0.0
    between = certificate["between"]
    ends = None if between is None else (float(Fraction(between[0])), float(Fraction(between[1])))
    p, q = (law.mass(certificate["label"], ends) for law in laws)
    if p <= 0:
        return -math.inf, 0.0
    return (math.inf if q <= 0 else math.log(p / q) - float(Fraction(certificate["epsilon"]))), 1e-9


MARGINS = {"local-report": report, "local-report-violation": violation}
