r"""The change of a function on a family of pairs, one for every n: all other records equal c, one record u becomes v.

``{"others": "0", "old": "0", "new": "1", "place": "n-1"}``. Sums over the records are (n−1) equal terms and the changed
one; where terms hold several records or their index, the unchanged terms are the same on both sides and have to
cancel. What a comparison is, is decided for all n at once. So the change is a formula in n, and a lower bound of the
sensitivity for every n of the case.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpwitness.proofs.kernel.algebra.expr import Expr, num, var
from dpwitness.proofs.kernel.arith import Rejected, number
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.sensitivity.bounds import inside, is_root, squared, start
from dpwitness.proofs.kernel.sensitivity.changes import RIGHT, added_case
from dpwitness.proofs.kernel.sensitivity.folds import Fold, Linear, check_places, check_wraps, linear, read_fold
from dpwitness.proofs.kernel.sensitivity.language import nodes, parse_function, replaced
from dpwitness.proofs.kernel.sensitivity.quotients import Converter
from dpwitness.proofs.kernel.sensitivity.ratios import Ratio, same, sign_on
from dpwitness.proofs.kernel.sensitivity.rough import check_record
from dpwitness.proofs.kernel.sensitivity.setting import Setting, Sizes
from dpwitness.proofs.kernel.sensitivity.values import sign_of, simplify

OTHERS = "x:others"


@dataclass(frozen=True)
class Family:
    """One pair of neighbours for every n; where records are added, `new` is added at the end and `old` is not used."""

    others: Fraction
    old: Fraction
    new: Fraction
    place: Linear

    def datasets(self, n: int, relation: str) -> tuple[list[Fraction], list[Fraction]]:
        """The two datasets of n records, or of n and n + 1."""
        if relation != "substitute":
            return [self.others] * n, [*[self.others] * n, self.new]
        p = int(self.place.at(n))
        return tuple([[*[self.others] * p, value, *[self.others] * (n - 1 - p)] for value in (self.old, self.new)])  # type: ignore[return-value]


def read_family(value: Any, setting: Setting, sizes: Sizes) -> Family:
    """Read a family; its records lie in the interval, and its place exists for all n of the case."""
    others, old, new, place = fields(value, "others", "old", "new", "place")
    records = (number(others), number(old), number(new))
    if any(not setting.ends[0] <= v <= setting.ends[1] for v in records):
        raise Rejected("a record of the witness lies outside its interval")
    form = linear(parse_function(place))
    if setting.relation != "substitute":
        return Family(*records, form)
    first, room = form.least(sizes.first), Linear(n=Fraction(1)).minus(form).least(sizes.first)
    if form.half or form.n not in (0, 1) or form.constant.denominator != 1:
        raise Rejected("the place of the witness is a whole number or n minus one")
    if first is None or first < 0 or room is None or room < 1:
        raise Rejected("the place of the witness does not exist for all these n")
    return Family(*records, form)


def attains(setting: Setting, sizes: Sizes, bound: Expr, family: Family) -> None:
    """Raise unless the function moves by exactly the bound on the family, for all n of the case and all parameters."""
    convert = start(setting, sizes, frozenset(), {})
    f = setting.outputs[0]
    if len(setting.outputs) > 1:
        moves = [
            _size(b - a, convert) for a, b in (values(g, setting, family, sizes, convert) for g in setting.outputs)
        ]
        if setting.norm == "l2":
            total = _sum([m * m for m in moves])
        elif setting.norm == "l1":
            total = _sum(moves)
        else:
            total = next((m for m in moves if all(convert.at_least(m, other) for other in moves)), Ratio.of(0))
        if same(total, convert.ratio(squared(bound) if setting.norm == "l2" else bound)):
            return
    elif is_root(f) or f.op == "log":
        rule = "sqrt" if is_root(f) else "log"
        old, new = values(inside(setting, rule), setting, family, sizes, convert)
        for one, two in ((old, new), (new, old)):
            if rule == "log" and bound.op == "log" and one.top and same(convert.ratio(bound.args[0]) * one, two):
                return
            if rule == "sqrt" and not one.top and same(convert.ratio(squared(bound)), two):
                return
    else:
        old, new = values(f, setting, family, sizes, convert)
        limit = convert.ratio(bound)
        if same(new - old, limit) or same(old - new, limit):
            return
    raise Rejected("the function does not move by the bound on the witness")


def _size(move: Ratio, convert: Converter) -> Ratio:
    """|move|, where its sign is seen for all n."""
    if convert.at_least(move, Ratio.of(0)):
        return move
    convert.show(Ratio.of(0), move)
    return Ratio.of(0) - move


def _sum(parts: Sequence[Ratio]) -> Ratio:
    total = Ratio.of(0)
    for part in parts:
        total = total + part
    return total


def values(f: Expr, setting: Setting, family: Family, sizes: Sizes, convert: Converter) -> tuple[Ratio, Ratio]:
    """The values of a function on both sides of a family, as quotients in n; what does not change may be a symbol."""
    if setting.relation == "substitute":
        old, new = (_Value(v, family, sizes, convert).of(f) for v in (family.old, family.new))
        return old, new
    case = added_case(f)
    for name, op, body, _ in case.rests:
        term = convert.ratio(constant(replaced(body or num(0), {var("z"): num(family.others)})))
        if op == "prod" and term.value() not in (0, 1):
            raise Rejected("a product whose other terms are neither 0 nor 1")
        if op == "prod" and not term.top and sizes.first < 1:
            raise Rejected("a product of no terms is 1")
        convert.given[name] = term if op == "prod" else convert.count() * term
    convert.forget()
    sides = []
    for side in (case.old, case.new):
        sides.append(convert.ratio(constant(replaced(side, {var(RIGHT): num(family.new)}))))
    return sides[0], sides[1]


class _Value:
    def __init__(self, mine: Fraction, family: Family, sizes: Sizes, convert: Converter) -> None:
        self.mine, self.family, self.sizes, self.convert = mine, family, sizes, convert

    def of(self, node: Expr) -> Ratio:
        if node.op == "rec":
            return Ratio.of(self.record(node.args[0]))
        if node.op in ("sum", "prod"):
            return self.fold(node)
        if node.op in ("order", "half"):
            raise Rejected("an order statistic or n//2 on a family")
        if not node.args or not any(
            part.op in ("rec", "sum", "prod", "gt", "ge", "mod", "Abs") for part in nodes(node)
        ):
            return self.convert.ratio(constant(node))
        args = [self.of(a) for a in node.args]
        if node.op in ("gt", "ge"):
            gap = args[0] - args[1]
            if not gap.top:
                return Ratio.of(node.op == "ge")
            return Ratio.of(int(self.sign(gap) > 0))
        if node.op == "Abs":
            return args[0] if self.convert.at_least(args[0], Ratio.of(0)) else self.negative(args[0])
        values = [a.value() for a in args]
        if all(v is not None for v in values):
            made = simplify(node.op, tuple(num(v) for v in values if v is not None))
            return self.convert.ratio(made)
        if node.op == "**":
            n = values[1]
            if n is None or n.denominator != 1 or not 0 <= n <= 12:
                raise Rejected("a power on a family")
            return args[0].power(int(n))
        if node.op == "neg":
            return Ratio.of(0) - args[0]
        if node.op == "/":
            self.sign(args[1])
            return args[0].over(args[1])
        if node.op in ("+", "-", "*"):
            return {"+": Ratio.__add__, "-": Ratio.__sub__, "*": Ratio.__mul__}[node.op](args[0], args[1])
        raise Rejected(f"{node.op} of a number that depends on n")

    def sign(self, value: Ratio) -> int:
        return sign_on(value.top, self.convert.ranges) * sign_on(value.bottom, self.convert.ranges)

    def negative(self, value: Ratio) -> Ratio:
        """−value, where value ≤ 0 is seen for all n."""
        self.convert.show(Ratio.of(0), value)
        return Ratio.of(0) - value

    def always(self, form: Linear) -> bool:
        """Whether a form is ≥ 0 for all n of the case; raises where it is so for some."""
        low = form.least(self.sizes.first)
        if low is not None and low >= 0:
            return True
        opposite = Linear().minus(form).least(self.sizes.first)
        if opposite is not None and opposite > 0:
            return False
        raise Rejected("which terms change depends on n")

    def record(self, where: Expr) -> Fraction:
        check_record(where, self.sizes)
        place = linear(where)
        gap = place.minus(self.family.place)
        if gap == Linear():
            return self.mine
        if self.always(gap.minus(Linear(constant=Fraction(1)))) or self.always(
            Linear().minus(gap).minus(Linear(constant=Fraction(1)))
        ):
            return self.family.others
        raise Rejected("which record is meant depends on n")

    def fold(self, node: Expr) -> Ratio:
        fold = self.without_fixed(node)
        check_places(fold, self.sizes.first)
        check_wraps(fold, self.sizes.first)
        body, op = fold.node.args[0], fold.node.op
        ends = {"mine": num(self.mine), "others": num(self.family.others)}
        if fold.plain and not fold.indexed:
            mine, others = (self.of(replaced(body, {p[0]: end for p in fold.places})) for end in ends.values())
            if op == "sum":
                return mine + (self.convert.count() - Ratio.of(1)) * others
            if others.value() not in (0, 1) or (others.value() == 0 and self.sizes.first < 2):
                raise Rejected("a product whose other terms are neither 0 nor 1")
            return mine * others
        if op == "prod":
            raise Rejected("a product of part of the records")
        if len({stride for _, _, stride, _ in fold.places}) > 1:  # equal offsets are then no equal records
            raise Rejected("places of different strides in one sum")
        terms: list[Ratio] = []
        for k, (_, kind, stride, offset) in enumerate(fold.places):
            index = self.touched(fold, kind, stride, offset)
            if index is None or any(fold.places[j][2:] == (stride, offset) for j in range(k)):
                continue
            put = {p[0]: ends["mine" if p[3] == offset else "others"] for p in fold.places}
            term = replaced(replaced(body, put), {var(fold.node.name): var("i:touched")})
            count = self.convert.count() * Ratio.of(index.n) + Ratio.of(index.constant)
            self.convert.given["i:touched"] = count
            self.convert.forget()
            terms.append(self.of(term))
        unchanged = self.unchanged(fold, body, len(terms))
        for one in terms:
            unchanged = unchanged + one
        return unchanged

    def unchanged(self, fold: Fold, body: Expr, changed: int) -> Ratio:
        """The terms that do not change: equal ones, or a symbol that has to cancel."""
        length = fold.stop.minus(fold.start)
        if fold.indexed or fold.step > 1 or length.half:
            # terms that hold another sum change with it, so that they do not cancel
            inside = [self.convert.given[name] for name in sorted(body.variables() & self.convert.given.keys())]
            return self.convert.fresh(self.convert.named(f"rest {fold.node}", inside), None)
        count = self.convert.count() * Ratio.of(length.n) + Ratio.of(length.constant - changed)
        self.convert.show(count, Ratio.of(0))
        return count * self.of(replaced(body, dict.fromkeys((p[0] for p in fold.places), num(self.family.others))))

    def without_fixed(self, node: Expr) -> Fold:
        """The sum with records at fixed places, and sums inside it, put in."""
        inner: dict[Expr, Expr] = {}
        for j, part in enumerate(dict.fromkeys(p for p in nodes(node.args[0]) if p.op in ("sum", "prod"))):
            self.convert.given[f"inner:{j}"] = self.fold(part)
            inner[part] = var(f"inner:{j}")
        body = replaced(node.args[0], inner)
        put = {
            part: num(self.record(part.args[0]))
            for part in dict.fromkeys(nodes(body))
            if part.op == "rec"
            and part.args[0].op not in ("wrap", "perm")
            and node.name not in part.args[0].variables()
        }
        self.convert.forget()
        return read_fold(Expr(node.op, (replaced(body, put), *node.args[1:]), name=node.name))

    def touched(self, fold: Fold, kind: str, stride: int, offset: int) -> Linear | None:
        """The index of the term in which this place is the changed record, or None."""
        if kind == "perm":
            raise Rejected("x[perm(i)] with weights on a family")
        gap = self.family.place.minus(Linear(constant=Fraction(offset)))
        if kind == "wrap":
            index = gap if self.always(gap) else gap.minus(Linear(n=Fraction(-1)))
            last = Linear(n=Fraction(1), constant=Fraction(-1)).minus(index)
            if not self.always(index) or not self.always(last):
                raise Rejected("a place wraps around more than once")
            return index
        if stride > 1 and gap.n:
            raise Rejected("the place n - 1 in a sum with a stride")
        if gap.constant % stride:
            return None
        index = Linear(n=gap.n, constant=gap.constant / stride)
        if not self.always(index.minus(fold.start)):
            return None
        if not self.always(fold.stop.minus(index).minus(Linear(constant=Fraction(1)))):
            return None
        steps = index.minus(fold.start)
        if fold.step > 1 and (steps.n or steps.constant % fold.step):
            if steps.n:
                raise Rejected("the place n - 1 in a range with steps")
            return None
        return index


def constant(node: Expr) -> Expr:
    """Parts without names as numbers, where that is exact."""
    if not node.args or node.op in ("sum", "prod"):
        return node
    args = tuple(constant(a) for a in node.args)
    if any(a.variables() for a in args):
        return Expr(node.op, args, node.value, node.name)
    if node.op in ("gt", "ge"):
        gap = sign_of(simplify("-", args))
        return num(int(gap > 0 or (gap == 0 and node.op == "ge")))
    return simplify(node.op, args)


def describe(value: Mapping[str, Any], relation: str) -> str:
    """The family in words.

    >>> describe({"others": "0", "old": "0", "new": "1", "place": "n-1"}, "substitute")
    'all other records 0, x[n-1] from 0 to 1'
    >>> describe({"others": "0", "old": "0", "new": "1", "place": "n-1"}, "add-remove")
    'all other records 0, a record 1 more'
    """
    if relation != "substitute":
        return f"all other records {value['others']}, a record {value['new']} more"
    return f"all other records {value['others']}, x[{value['place']}] from {value['old']} to {value['new']}"


__all__ = ["Family", "attains", "describe", "read_family", "values"]
