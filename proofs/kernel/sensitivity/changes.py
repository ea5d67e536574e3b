r"""What one changed record does to a function: the function before and after, over the other records' contributions.

A sum (or product) over the records is its changed terms plus (times) the rest, which is the same on both sides. Where
the terms are functions of one record and all records enter, the rest of a sum is one number A_j between
(n−1)·low and (n−1)·high of its terms, and that of a product with terms in [0, 1] a number in [0, 1]. Otherwise the rest
is a number of which nothing is known; it has to cancel.

Which terms change? x[s·i + o] is the changed record p for i = (p − o)/s, so of the places x[s·i + o_1], x[s·i + o_2], …
of a sum those with the same o mod s can be p in one term each. Every set of them is a case: the true one is among
them, at the ends of the range as well. Other records in these terms are named by their distance to p, which says more
datasets than there are only where a place wraps around; then n must exceed the largest distance.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, product

from dpwitness.proofs.kernel.algebra.expr import Expr, num, var
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.sensitivity.language import nodes, replaced

LEFT, RIGHT = "x:old", "x:new"
MAX_CASES, MAX_STATED = 64, 40


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


@dataclass
class Case:
    """The function before (`old`) and after (`new`) one change, and the ranges of the symbols that stand in both.

    ``rests`` are the parts of sums and products that do not change: symbol, kind, the body in ``z`` (of a sum or
    product whose terms are functions of one record, without the index), and the whole body.
    """

    old: Expr
    new: Expr
    records: frozenset[str]
    indices: Mapping[str, tuple[Linear, Linear, int]]
    rests: Sequence[tuple[str, str, Expr | None, Expr]] = field(default_factory=tuple)


def cases(f: Expr, fewest: int) -> Iterator[Case]:
    """Every way in which one record of n ≥ fewest changes, as formulas over symbols.

    >>> from dpwitness.proofs.kernel.sensitivity.language import parse_function
    >>> [str(c.new) for c in cases(parse_function("sum(x[i]**2 for i in range(n))/n"), 1)]
    ['(A0 + x:new**2)/n']
    """
    folds = []
    for node in dict.fromkeys(nodes(f)):
        if node.op in ("sum", "prod"):
            fold = read_fold(node)
            check_places(fold, fewest)
            if any(part.op in ("sum", "prod", "order") for part in nodes(node.args[0])):
                raise Rejected("a sum whose terms hold another sum: use the rule for terms")
            folds.append(fold)
        if node.op == "order":
            raise Rejected("an order statistic inside a formula: only sums of them are read")
    inside = {part for fold in folds for part in nodes(fold.node.args[0])}
    if any(node.op == "rec" and node not in inside for node in nodes(f)):
        raise Rejected("a record outside of sums: state the number of records")
    options = [_options(fold, fewest) for fold in folds]
    for count, choice in enumerate(product(*options)):
        if count >= MAX_CASES:
            raise Rejected(f"more than {MAX_CASES} cases of changed terms")
        yield _case(f, folds, choice)


Touched = tuple[int, ...]  # which places of a sum are the changed record, each in a term of its own


def _options(fold: Fold, fewest: int) -> list[Touched]:
    """All sets of places that may be the changed record at once."""
    if not fold.places:
        raise Rejected("a sum without records: write a product with a number instead")
    if fold.plain:
        return [tuple(range(len(fold.places)))[:1]]
    if any(kind == "perm" for _, kind, _, _ in fold.places):
        raise Rejected("x[perm(i)] stands alone in a sum")
    offsets = [o for _, _, _, o in fold.places]
    wraps = any(kind == "wrap" for _, kind, _, _ in fold.places)
    if wraps and fewest <= max(offsets) - min(offsets):
        raise Rejected(f"x[({fold.node.name} + o) % n] needs more than {max(offsets) - min(offsets)} records")
    if wraps and (fold.start, fold.stop, fold.step) != (Linear(), Linear(n=Fraction(1)), 1):
        raise Rejected("a place that wraps around stands in a sum over range(n)")
    groups: dict[tuple[int, int], list[int]] = {}
    for k, (_, _, stride, offset) in enumerate(fold.places):
        groups.setdefault((stride, offset % stride), []).append(k)
    if len({s for s, _ in groups}) > 1:
        raise Rejected("places of different strides in one sum")
    found: list[Touched] = [()]
    for members in groups.values():
        for size in range(1, len(members) + 1):
            found += combinations(members, size)
    return found


def _case(f: Expr, folds: Sequence[Fold], choice: Sequence[Touched]) -> Case:
    old: dict[Expr, Expr] = {}
    new: dict[Expr, Expr] = {}
    records, indices, rests = {LEFT, RIGHT}, {}, []
    for j, (fold, touched) in enumerate(zip(folds, choice, strict=True)):
        op = "+" if fold.node.op == "sum" else "*"
        name = f"A{j}"
        before = after = var(name)
        body = fold.node.args[0]
        for k in touched:
            offset = fold.places[k][3]
            index = f"i{j}.{k}"
            others: dict[Expr, Expr] = {}
            for part, _, _, o in fold.places:
                distance = o - offset
                if fold.plain or distance == 0:
                    continue
                others[part] = var(f"x:{distance:+d}")
                records.add(f"x:{distance:+d}")
            mine = [p[0] for p in fold.places if p[0] not in others]
            if fold.indexed:
                indices[index] = (fold.start, fold.stop, fold.step)
            sides = []
            for record in (LEFT, RIGHT):
                term = replaced(body, {**others, **dict.fromkeys(mine, var(record))})
                sides.append(replaced(term, {var(fold.node.name): var(index)}))
            before, after = Expr(op, (before, sides[0])), Expr(op, (after, sides[1]))
        old[fold.node], new[fold.node] = before, after
        alone = fold.plain and not fold.indexed
        inner = replaced(body, dict.fromkeys((p[0] for p in fold.places), var("z"))) if alone else None
        rests.append((name, fold.node.op, inner, body))
    return Case(replaced(f, old), replaced(f, new), frozenset(records), indices, tuple(rests))


def added_case(f: Expr) -> Case:
    """One record added to n of them: sums and products over all records gain a term, and n becomes n + 1."""
    old: dict[Expr, Expr] = {}
    new: dict[Expr, Expr] = {var("n"): Expr("+", (var("n"), num(1)))}
    rests = []
    for j, node in enumerate(dict.fromkeys(part for part in nodes(f) if part.op in ("sum", "prod", "order", "half"))):
        if node.op in ("order", "half"):
            raise Rejected("with records added or removed, only sums and products over all records are read")
        fold = read_fold(node)
        body = replaced(node.args[0], {p[0]: var("z") for p in fold.places})
        if not fold.plain or fold.indexed or "n" in body.variables():
            raise Rejected("with records added or removed, a term holds one record, and neither its index nor n")
        if any(part.op in ("sum", "prod", "order") for part in nodes(body)):
            raise Rejected("with records added or removed, sums are not nested")
        name, op = f"A{j}", "+" if node.op == "sum" else "*"
        old[node] = var(name)
        new[node] = Expr(op, (var(name), replaced(body, {var("z"): var(RIGHT)})))
        rests.append((name, node.op, body, body))
    if any(part.op == "rec" for part in nodes(replaced(f, old))):
        raise Rejected("with records added or removed, a record has no fixed place")
    return Case(replaced(f, old), replaced(f, new), frozenset({RIGHT}), {}, tuple(rests))


def stated_cases(f: Expr, n: int) -> Iterator[Case]:
    """The same for one number of records, with every sum written out."""
    if n > MAX_STATED:
        raise Rejected(f"at most {MAX_STATED} records are written out")
    whole = _expanded(f, n, {})
    for p in range(n):
        names = {var(f"x:{k}"): var(f"x:{k}") for k in range(n)}
        old = replaced(whole, {**names, var(f"x:{p}"): var(LEFT)})
        new = replaced(whole, {**names, var(f"x:{p}"): var(RIGHT)})
        if old != new:
            yield Case(old, new, frozenset({LEFT, RIGHT, *(f"x:{k}" for k in range(n) if k != p)}), {})


def _expanded(node: Expr, n: int, env: Mapping[str, Fraction]) -> Expr:
    if node.op == "var" and (node.name == "n" or node.name in env):
        return num(Fraction(n) if node.name == "n" else env[node.name])
    if node.op == "half":
        return num(n // 2)
    if node.op == "order":
        raise Rejected("an order statistic is not written out")
    if node.op == "rec":
        place = node.args[0]
        form = _expanded(place.args[0] if place.op in ("wrap", "perm") else place, n, env)
        at = linear(form).constant
        k = at % n if place.op == "wrap" else at
        if k.denominator != 1 or not 0 <= k < n:
            raise Rejected(f"there is no record x[{k}] among {n}: records are counted from 0 to n-1")
        return var(f"x:{k}")
    if node.op in ("sum", "prod"):
        bounds = [linear(_expanded(a, n, env)).constant for a in node.args[1:]]
        if any(b.denominator != 1 for b in bounds):
            raise Rejected("a bound of a range is not a whole number")
        steps = range(*(int(b) for b in bounds))
        if len(steps) > 4 * MAX_STATED:
            raise Rejected("a sum of too many terms")
        parts = [_expanded(node.args[0], n, {**env, node.name: Fraction(i)}) for i in steps]
        total: Expr = num(0 if node.op == "sum" else 1)
        for number, part in enumerate(parts):
            total = part if number == 0 else Expr("+" if node.op == "sum" else "*", (total, part))
        return total
    return Expr(node.op, tuple(_expanded(a, n, env) for a in node.args), node.value, node.name)


__all__ = ["LEFT", "RIGHT", "Case", "Fold", "Linear", "added_case", "cases", "linear", "read_fold", "stated_cases"]
