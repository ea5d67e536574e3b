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
from dpwitness.proofs.kernel.sensitivity.folds import Fold, Linear, check_places, check_wraps, linear, read_fold
from dpwitness.proofs.kernel.sensitivity.language import nodes, replaced

LEFT, RIGHT = "x:old", "x:new"
MAX_CASES, MAX_STATED = 64, 40


@dataclass
class Case:
    """The function before (`old`) and after (`new`) one change, and the ranges of the symbols that stand in both.

    ``rests`` are the parts of sums and products that do not change: symbol, kind, the body in ``z`` (of a sum or
    product whose terms are functions of one record, without the index), and the whole body. ``held`` records with fixed
    places are not in them.
    """

    old: Expr
    new: Expr
    records: frozenset[str]
    indices: Mapping[str, tuple[Linear, Linear, int]]
    rests: Sequence[tuple[str, str, Expr | None, Expr]] = field(default_factory=tuple)
    held: int = 0


def cases(f: Expr, fewest: int) -> Iterator[Case]:
    """Every way in which one record of n ≥ fewest changes, as formulas over symbols.

    >>> from dpwitness.proofs.kernel.sensitivity.language import parse_function
    >>> [str(c.new) for c in cases(parse_function("sum(x[i]**2 for i in range(n))/n"), 1)]
    ['(rest:0 + x:new**2)/n']
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
    fixed = _fixed_records(f, folds, fewest)
    options = [_options(fold, fewest) for fold in folds]
    count = 0
    for choice in product(*options):
        for mine in (None, *fixed):  # which of the records with fixed places is the changed one
            count += 1
            if count > MAX_CASES:
                raise Rejected(f"more than {MAX_CASES} cases of changed terms")
            yield _case(f, folds, choice, fixed, mine)


def _fixed_records(f: Expr, folds: Sequence[Fold], fewest: int) -> list[Expr]:
    """The records outside of sums: they exist, and are different ones, for all n ≥ fewest."""
    inside = {part for fold in folds for part in nodes(fold.node.args[0])}
    found = [part for part in dict.fromkeys(nodes(f)) if part.op == "rec" and part not in inside]
    forms = [linear(part.args[0]) for part in found]
    one = Linear(constant=Fraction(1))
    for k, form in enumerate(forms):
        if form.n.denominator != 1 or form.half or form.constant.denominator != 1:
            raise Rejected(f"x[{found[k].args[0]}] has no fixed place")
        low, room = form.least(fewest), Linear(n=Fraction(1)).minus(form).least(fewest)
        if low is None or low < 0 or room is None or room < 1:
            raise Rejected(f"x[{found[k].args[0]}] does not exist for all these n: records are counted from 0 to n-1")
        for other in forms[:k]:
            gaps = (form.minus(other).minus(one).least(fewest), other.minus(form).minus(one).least(fewest))
            if not any(gap is not None and gap >= 0 for gap in gaps):
                raise Rejected("two records with fixed places may be the same")
    return found


Touched = tuple[int, ...]  # which places of a sum are the changed record, each in a term of its own


def _options(fold: Fold, fewest: int) -> list[Touched]:
    """All sets of places that may be the changed record at once."""
    if not fold.places:
        raise Rejected("a sum without records: write a product with a number instead")
    if fold.plain:
        return [tuple(range(len(fold.places)))[:1]]
    if any(kind == "perm" for _, kind, _, _ in fold.places):
        raise Rejected("x[perm(i)] stands alone in a sum")
    check_wraps(fold, fewest)
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


def _case(f: Expr, folds: Sequence[Fold], choice: Sequence[Touched], fixed: Sequence[Expr], mine: Expr | None) -> Case:
    held = {part: var(f"x:fixed{k}") for k, part in enumerate(fixed) if part != mine}
    old: dict[Expr, Expr] = {**held} | ({} if mine is None else {mine: var(LEFT)})
    new: dict[Expr, Expr] = {**held} | ({} if mine is None else {mine: var(RIGHT)})
    records = {LEFT, RIGHT, *(name.name for name in held.values())}
    indices, rests = {}, []
    for j, (fold, touched) in enumerate(zip(folds, choice, strict=True)):
        op = "+" if fold.node.op == "sum" else "*"
        name = f"rest:{j}"
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
            here = [p[0] for p in fold.places if p[0] not in others]
            if fold.indexed:
                indices[index] = (fold.start, fold.stop, fold.step)
            sides = []
            for record in (LEFT, RIGHT):
                term = replaced(body, {**others, **dict.fromkeys(here, var(record))})
                sides.append(replaced(term, {var(fold.node.name): var(index)}))
            before, after = Expr(op, (before, sides[0])), Expr(op, (after, sides[1]))
        alone = fold.plain and not fold.indexed
        for other in held.values() if alone else ():  # records with fixed places are not part of the rest
            term = replaced(body, dict.fromkeys((p[0] for p in fold.places), other))
            before, after = Expr(op, (before, term)), Expr(op, (after, term))
        old[fold.node], new[fold.node] = before, after
        inner = replaced(body, dict.fromkeys((p[0] for p in fold.places), var("z"))) if alone else None
        rests.append((name, fold.node.op, inner, body))
    return Case(replaced(f, old), replaced(f, new), frozenset(records), indices, tuple(rests), len(held))


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
        name, op = f"rest:{j}", "+" if node.op == "sum" else "*"
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
    # x[perm(i)] is read as x[i], which is right for every permutation where no record is named otherwise
    if len({part.args[0].op == "perm" for part in nodes(f) if part.op == "rec"}) > 1:
        raise Rejected("x[perm(i)] beside records at places of their own is not written out")
    whole = _expanded(f, n, {})
    for p in range(n):
        names = {var(f"x:{k}"): var(f"x:{k}") for k in range(n)}
        old = replaced(whole, {**names, var(f"x:{p}"): var(LEFT)})
        new = replaced(whole, {**names, var(f"x:{p}"): var(RIGHT)})
        if old != new or p == 0:  # at least once, so that every part is seen to be defined
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
