"""Pairs that move a function far, and the bounds that they suggest; chosen in floating point, evaluated exactly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import floor
from typing import Any

from dpwitness.proofs.kernel.arith import Rejected, Undecided, text
from dpwitness.proofs.kernel.sensitivity.bounds import read_bound, start
from dpwitness.proofs.kernel.sensitivity.families import Family, attains
from dpwitness.proofs.kernel.sensitivity.folds import Linear
from dpwitness.proofs.kernel.sensitivity.functions import moved
from dpwitness.proofs.kernel.sensitivity.language import nodes
from dpwitness.proofs.kernel.sensitivity.setting import Setting, Sizes
from dpwitness.proofs.sensitivity.floats import extremes, interesting, moves, random_pairs, value
from dpwitness.proofs.sensitivity.formulas import move_on, text_of
from dpwitness.proofs.sensitivity.proofs import folds_of, one_record_terms

PLACES = (Linear(), Linear(constant=Fraction(1)), Linear(n=Fraction(1), constant=Fraction(-1)))
FACTORS = ("1.000001", "1.01", "1.1", "1.25", "1.5", "2", "3", "4", "8")
DIGITS = 10**6  # of a lower bound that is not rational
WRONG = (Rejected, Undecided, ArithmeticError, ValueError)


class Candidates:
    """Pairs and bounds worth trying for one function; `reason` says why the last one was given up."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        turns = extremes(one_record_terms(setting), setting.ends)
        self.points = [*interesting(setting.whole, setting.ends), *turns][:7]
        self.middle = {
            k: float(a or 0) + (float(b - (a or 0)) / 2 if b is not None else 1.0)
            for k, (a, b) in setting.params.items()
        }
        self.reason = "no rule fits"
        offsets = [[p[3] for p in fold.places] or [0] for fold in folds_of(setting)]
        self.spread = max((max(o) - min(o) for o in offsets), default=0)
        self.places = PLACES if self.spread < 2 else (*PLACES, Linear(constant=Fraction(self.spread)))
        self.fewest = 1 if setting.relation == "substitute" else 0

    def families(self, sizes: Sizes) -> Iterator[tuple[float, Family]]:
        """Families of pairs and how far they move the function at the first of these n, best at later n first."""
        added = self.setting.relation != "substitute"
        tested = [sizes.first] if sizes.only is not None else [sizes.first, sizes.first + 1, sizes.first + 4, 13]
        scored: list[tuple[float, float, int, Family]] = []
        for others, (old, new), place in product(self.points, product(self.points, repeat=2), self.places):
            if not added and (old >= new or place.at(sizes.first) >= sizes.first):
                continue
            if added and (place != PLACES[0] or old != others):
                continue
            family = Family(others, old, new, place)
            found = []
            for n in tested:
                left, right = family.datasets(n, self.setting.relation)
                found.append(
                    moves(
                        self.setting.outputs, self.setting.norm, [*map(float, left)], [*map(float, right)], self.middle
                    )
                )
            if min(found) >= 0:
                scored.append((round(found[-1], 9), round(found[0], 9), -len(scored), family))
        scored.sort(key=lambda s: s[:3], reverse=True)
        yield from ((late, family) for late, _, _, family in scored)

    def candidates(self, sizes: Sizes, families: Sequence[tuple[float, Family]]) -> Iterator[tuple[str, Any]]:
        """Bounds with the witness that attains them."""
        if (families and families[0][0] == 0) or (not families and self.constant(sizes)):
            yield "0", "none"
        for late, family in families[:12]:
            if late < families[0][0] * (1 - 1e-9):
                break
            for up in (True, False):
                try:
                    bound = move_on(self.setting, sizes, family, up=up)
                    attains(self.setting, sizes, read_bound(self.setting, bound), family)
                except WRONG as error:
                    self.reason = str(error)
                    continue
                if not self.negative(bound, sizes):
                    yield bound, family_json(family)
        if sizes.only is not None:
            yield from self.pairs(sizes)

    def negative(self, bound: str, sizes: Sizes) -> bool:
        env = {**self.middle, "n": float(sizes.first + 3 if sizes.step else sizes.first)}
        try:
            return value(read_bound(self.setting, bound), [], env) < -1e-12
        except (ArithmeticError, ValueError):
            return True

    def constant(self, sizes: Sizes) -> bool:
        return not any(node.op in ("rec", "order") for node in nodes(self.setting.whole))

    def corners(self) -> list[dict[str, float]]:
        """Values of the public parameters: in the middle and at the ends."""
        ends = [[float(v) for v in pair if v is not None] for pair in self.setting.params.values()]
        return [self.middle, *(dict(zip(self.setting.params, c, strict=True)) for c in product(*ends))][:9]

    def best_pair(self, n: int, env: dict[str, float]) -> tuple[float, list[Fraction], list[Fraction]]:
        """The neighbours that move the function furthest, among families and random ones."""
        best: tuple[float, list[Fraction], list[Fraction]] = (0.0, [], [])
        for left, right in self.neighbours(n):
            size = moves(self.setting.outputs, self.setting.norm, [*map(float, left)], [*map(float, right)], env)
            if size > best[0] * (1 + 1e-12):
                best = (size, left, right)
        return best

    def neighbours(self, n: int) -> Iterator[tuple[list[Fraction], list[Fraction]]]:
        if self.setting.relation == "substitute":
            yield from ([[*[c] * p, v, *[c] * (n - 1 - p)] for v in (a, b)] for c, a, b, p in  # type: ignore[misc]
                        product(self.points, self.points, self.points, {0, n - 1, n // 2}) if a < b)  # fmt: skip
            yield from random_pairs(n, self.points, 1, 300)
        else:
            for c, v in product(self.points, repeat=2):
                yield [c] * n, [*[c] * n, v]

    def pairs(self, sizes: Sizes) -> Iterator[tuple[str, Any]]:
        """The exact move of the best pair at one n as a bound, and the pair."""
        if self.setting.params:
            return
        size, left, right = self.best_pair(sizes.first, self.middle)
        if not left and not right:
            return
        try:
            move = moved(self.setting, left, right)
        except WRONG as error:
            self.reason = str(error)
            return
        number = move.value if move.op == "num" else Fraction(floor(size * (1 - 1e-9) * DIGITS), DIGITS)
        yield str(move), {"left": [*map(text, left)], "right": [*map(text, right)], "move": text(number)}

    def loose(self, sizes: Sizes, families: Sequence[tuple[float, Family]]) -> Iterator[tuple[str, Any]]:
        """Multiples of a formula that is not attained, or of the best pair."""
        n = sizes.first
        texts = [bound for _, (bound, _) in zip(range(2), self.candidates(sizes, families), strict=False)]
        witness = self.one_pair(sizes)
        size = max(self.best_pair(max(n, 1), env)[0] for env in self.corners())
        if size == 0:
            yield "1", None
        if size > 0:
            near = Fraction(size).limit_denominator(1000)
            yield text(near), witness
            texts.append(text(Fraction(size * 1.000001).limit_denominator(10**7)))
        for factor, bound in product(FACTORS, dict.fromkeys(texts)):
            yield f"{factor}*({bound})", witness

    def one_pair(self, sizes: Sizes) -> Any:
        """A pair at the first n."""
        return next((witness for _, witness in self.pairs(Sizes(sizes.first))), None)

    def short(self, bound: str, sizes: Sizes) -> str:
        """A bound in lowest terms, where it is a quotient of polynomials."""
        try:
            return text_of(start(self.setting, sizes, frozenset(), {}).ratio(read_bound(self.setting, bound)))
        except WRONG:
            return bound


def lower_of(bound: str, witness: Any) -> str | None:
    """The lower bound that a witness shows: the bound itself, a number at one pair, or nothing."""
    if witness is None:
        return None
    return str(witness["move"]) if isinstance(witness, Mapping) and "move" in witness else bound


def family_json(family: Family) -> dict[str, str]:
    """A family as it stands in a certificate."""
    place = family.place
    shown = text(place.constant) if not place.n else f"n{'+' if place.constant > 0 else '-'}{text(abs(place.constant))}"
    if place.n and not place.constant:
        shown = "n"
    return {"others": text(family.others), "old": text(family.old), "new": text(family.new), "place": shown}
