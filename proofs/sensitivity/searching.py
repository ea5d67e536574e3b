r"""Find the sensitivity of a function: a pair that moves it far, a formula for that move, and a proof of it.

For every n ≥ n₀ the pairs are families: all other records equal, one record changes. The family that moves the function
furthest at a few n gives a formula in n, which is then tried as an upper bound with each rule of the kernel. Smaller n
are cases of their own. Where no bound is attained, multiples of the formula are tried, and the answer is an enclosure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any, Literal

from dpwitness.core.errors import BadInput, OutsideFragment
from dpwitness.core.numbers import exact
from dpwitness.core.records import Interval, Records
from dpwitness.proofs.kernel.arith import Rejected, Undecided, text
from dpwitness.proofs.kernel.check import check
from dpwitness.proofs.kernel.limits import limited
from dpwitness.proofs.kernel.sensitivity.bounds import check_bound, read_bound
from dpwitness.proofs.kernel.sensitivity.changes import Linear
from dpwitness.proofs.kernel.sensitivity.families import Family, attains
from dpwitness.proofs.kernel.sensitivity.functions import moved
from dpwitness.proofs.kernel.sensitivity.language import nodes
from dpwitness.proofs.kernel.sensitivity.orders import order_bounds
from dpwitness.proofs.kernel.sensitivity.setting import Setting, Sizes, read_setting
from dpwitness.proofs.sensitivity.agreement import compare_with_function
from dpwitness.proofs.sensitivity.floats import interesting, moves, random_pairs
from dpwitness.proofs.sensitivity.formulas import move_on
from dpwitness.proofs.sensitivity.proofs import proofs
from dpwitness.proofs.sensitivity.reading import ADVICE, read_python, read_text
from dpwitness.proofs.sensitivity.result import Sensitivity, SensitivityCase

Norm = Literal["l1", "l2", "linf"]
Function = str | Sequence[str] | Callable[..., Any]
STARTS, SECONDS, CANDIDATES = 4, 2.0, 4
PLACES = (Linear(), Linear(constant=Fraction(1)), Linear(n=Fraction(1), constant=Fraction(-1)))
FACTORS = ("1.000001", "1.01", "1.1", "1.25", "1.5", "2", "3", "4", "8")
WRONG = (Rejected, Undecided, ArithmeticError, ValueError)


def sensitivity(
    f: Function,
    space: Records | None = None,
    norm: Norm = "l1",
    *,
    params: Mapping[str, tuple[object, object]] | None = None,
    n: int | Literal["any"] | None = None,
) -> Sensitivity:
    r"""sup \|f(x) − f(x')\| over neighbouring datasets of real records, for every number of records.

    Parameters
    ----------
    f
        A formula such as ``"sum(x**2)/n"`` (several outputs: a list of formulas), or a Python function of the records.
    space
        ``Records(Interval(low, high), size, adjacency)``; records of [0, 1], one of them replaced, where None. Its
        sizes are those that are decided; with None the answer holds for every n.
    norm
        ``"l1"``, ``"l2"`` or ``"linf"``, where f has several outputs.
    params
        Public parameters of a formula and their ranges: ``{"mu": (0, 1)}``; None is an end at infinity.
    n
        ``"any"`` for every number of records, or a number; overrides the sizes of the space.

    Returns
    -------
    Sensitivity
        Cases by n with bounds, witnesses and a certificate that ``dpwitness check`` accepts.

    >>> sensitivity("sum(abs(x[i] - x[i+1]) for i in range(n-1))").lines()[2:]
    ['  n = 1: 0', '  n = 2: 1', '    attained at n = 2: (0, 0) and (1, 0)', '  every n >= 3: 2', \
'    attained at n = 3: (0, 0, 0) and (0, 1, 0)']
    """
    names = tuple(sorted(params or {}))
    texts = _texts(f, names)
    relation, ends, sizes = _space(space, n)
    setting = make_setting(texts, params or {}, ends, relation, norm)
    if callable(f):
        compare_with_function(f, setting)
    found = _Search(setting).run(sizes)
    certificate = {**as_json(setting), "type": "sensitivity", "cases": [item for item, _ in found]}
    try:
        statement = check(certificate, seconds=60.0).statement
    except Rejected as error:  # every case was checked alone
        raise OutsideFragment(f"the certificate is too large: {error}") from None
    cases = tuple(case for _, case in found)
    return Sensitivity(tuple(texts), norm, relation, setting, cases, certificate, statement)


def _texts(f: Function, params: tuple[str, ...]) -> list[str]:
    if callable(f):
        return read_python(f)
    if isinstance(f, str):
        return [read_text(f, params)]
    if isinstance(f, Sequence) and f and all(isinstance(part, str) for part in f):
        return [read_text(part, params) for part in f]
    raise BadInput(f"f={f!r} must be a formula, a list of formulas or a function of the records")


def _space(space: Records | None, n: object) -> tuple[str, tuple[Fraction, Fraction], Sequence[int] | None]:
    relation, ends = "substitute", (Fraction(0), Fraction(1))
    sizes: Sequence[int] | None = None
    if space is not None:
        if not isinstance(space, Records) or not isinstance(space.domain, Interval):
            raise BadInput(
                "the sensitivity of a function is found for records of an interval: Records(Interval(0, 1), 3)"
            )
        relation, ends = space.relation, (Fraction(space.domain.low), Fraction(space.domain.high))
        first = space.fewest if relation == "add-remove" else max(space.fewest, 1)
        sizes = range(first, space.most + (relation == "substitute"))
    if n == "any":
        return relation, ends, None
    if n is not None:
        if type(n) is not int or n < (relation == "substitute"):
            raise BadInput(f"n={n!r} must be 'any' or a positive number of records")
        sizes = [n]
    return relation, ends, sizes


def make_setting(
    texts: Sequence[str],
    params: Mapping[str, tuple[object, object]] | None = None,
    ends: tuple[Fraction, Fraction] = (Fraction(0), Fraction(1)),
    relation: str = "substitute",
    norm: str = "l1",
) -> Setting:
    """The setting of a certificate; formulas that the kernel does not read are refused with advice."""
    given = {
        name: [text(exact(low, name)), "inf" if high is None else text(exact(high, name))]
        for name, (low, high) in (params or {}).items()
    }
    try:
        return read_setting(
            {
                "formula": list(texts),
                "params": given,
                "records": [text(e) for e in ends],
                "relation": relation,
                "norm": norm,
            }
        )
    except Rejected as error:
        raise OutsideFragment(f"{error}. {ADVICE}") from None


def as_json(setting: Setting) -> dict[str, Any]:
    """The fields of a certificate that say what it speaks of."""
    params = {k: [text(a or 0), "inf" if b is None else text(b)] for k, (a, b) in setting.params.items()}
    return {
        "formula": list(setting.texts),
        "params": params,
        "records": [text(e) for e in setting.ends],
        "relation": setting.relation,
        "norm": setting.norm,
    }


Found = tuple[dict[str, Any], SensitivityCase]


class _Search:
    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.points = interesting(setting.whole, setting.ends)
        self.middle = {
            k: float(a or 0) + (float(b - (a or 0)) / 2 if b is not None else 1.0)
            for k, (a, b) in setting.params.items()
        }
        self.reason = "no rule fits"
        self.fewest = 1 if setting.relation == "substitute" else 0

    def run(self, sizes: Sequence[int] | None) -> list[Found]:
        if sizes is not None:
            return [self.at(n) for n in sizes]
        if self.setting.relation == "substitute" and any(node.op == "order" for node in nodes(self.setting.whole)):
            found = self.by_class()
            if found:
                return found
        for loose in (False, True):
            for first in range(self.fewest, self.fewest + STARTS):
                whole = self.case(Sizes(first, 1), loose=loose)
                if whole is not None:
                    small = [self.at(n) for n in range(self.fewest, first) if self.defined(n)]
                    return [*small, whole]
        raise OutsideFragment(
            f"no bound for every n was found ({self.reason}). Ask for one number of records, n=3, or simplify. {ADVICE}"
        )

    def defined(self, n: int) -> bool:
        """Whether the function has a value for so many records."""
        points = [float(p) for p in self.points]
        tries = [([p] * n, [p] * n) for p in points]
        return any(moves(self.setting.outputs, "l1", a, b, self.middle) >= 0 for a, b in tries)

    def at(self, n: int) -> Found:
        """The case of one number of records."""
        for loose in (False, True):
            found = self.case(Sizes(n), loose=loose)
            if found is not None:
                return found
        raise OutsideFragment(f"no bound was found for n = {n} ({self.reason}). {ADVICE}")

    def by_class(self) -> list[Found]:
        """Order statistics: the n of one parity, or of one remainder, have the same largest weight."""
        try:
            for period in (1, 2, 4, 3, 5, 6, 8, 10):
                bounds = [order_bounds(self.setting.outputs[0], Sizes(n, period)) for n in range(1, period + 1)]
                if all(low == high for low, high in bounds):
                    break
                late = [order_bounds(self.setting.outputs[0], Sizes(n + period, period)) for n in range(1, period + 1)]
                if period == 1 and all(low == high for low, high in late):
                    return [self.at(1), *self.made(Sizes(2, 1), late[0][1])]
            else:
                return []
        except Rejected as error:
            self.reason = str(error)
            return []
        return [f for n, (_, w) in enumerate(bounds, 1) for f in self.made(Sizes(n, period), w)]

    def made(self, sizes: Sizes, weight: Fraction) -> list[Found]:
        bound = text(weight * (self.setting.ends[1] - self.setting.ends[0]))
        found = self.proved(sizes, bound, "order" if weight else "none", [{"by": "order"}])
        return [] if found is None else [found]

    def case(self, sizes: Sizes, *, loose: bool) -> Found | None:
        """A case with a bound that is attained, or (`loose`) a bound above it."""
        tries = list(proofs(self.setting, one_size=sizes.only is not None))
        families = list(self.families(sizes))
        if not loose:
            done: set[str] = set()
            for bound, witness in self.candidates(sizes, families):
                if bound in done or len(done) >= CANDIDATES:
                    continue
                done.add(bound)
                found = self.proved(sizes, bound, witness, tries)
                if found is not None:
                    return found
            return None
        for bound, witness in self.loose(sizes, families):
            found = self.proved(sizes, bound, witness, tries)
            if found is not None:
                return found
        return None

    def proved(self, sizes: Sizes, bound: str, witness: Any, tries: Iterable[dict[str, Any]]) -> Found | None:
        """The case, where one of the proofs is accepted."""
        try:
            limit = read_bound(self.setting, bound)
        except Rejected as error:
            self.reason = str(error)
            return None
        for proof in tries:
            try:
                with limited(SECONDS):
                    check_bound(self.setting, sizes, limit, proof)
            except WRONG as error:
                self.reason = str(error)
                continue
            item = {"sizes": sizes.to_json(), "bound": bound, "proof": proof, "witness": witness}
            return item, SensitivityCase(sizes, bound, lower_of(bound, witness), witness)
        return None

    def families(self, sizes: Sizes) -> Iterator[tuple[float, Family]]:
        """Families of pairs and how far they move the function at the first of these n, best at later n first."""
        added = self.setting.relation != "substitute"
        tested = [sizes.first] if sizes.only is not None else [sizes.first, sizes.first + 1, sizes.first + 4, 13]
        scored: list[tuple[float, float, int, Family]] = []
        for others, (old, new), place in product(self.points, product(self.points, repeat=2), PLACES):
            if (old >= new and not added) or (place == PLACES[1] and sizes.first < 2):
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
        from dpwitness.proofs.sensitivity.floats import value

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
        number = move.value if move.op == "num" else Fraction(size * (1 - 1e-9)).limit_denominator(10**9)
        yield str(move), {"left": [*map(text, left)], "right": [*map(text, right)], "move": text(number)}

    def loose(self, sizes: Sizes, families: Sequence[tuple[float, Family]]) -> Iterator[tuple[str, Any]]:
        """Multiples of a formula that is not attained, or of the best pair."""
        n = sizes.first
        texts = [bound for _, (bound, _) in zip(range(2), self.candidates(sizes, families), strict=False)]
        witness = next((w for _, w in self.pairs(Sizes(n))), None)
        size = max(self.best_pair(max(n, 1), env)[0] for env in self.corners())
        if size > 0:
            near = Fraction(size).limit_denominator(1000)
            yield text(near), witness
            texts.append(text(Fraction(size * 1.000001).limit_denominator(10**7)))
        for factor, bound in product(FACTORS, dict.fromkeys(texts)):
            yield f"{factor}*({bound})", witness


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


__all__ = ["as_json", "family_json", "make_setting", "sensitivity"]
