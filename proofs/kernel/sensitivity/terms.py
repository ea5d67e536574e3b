r"""The rule for terms: f = Σ_i T(x_i, …) over all records, where a change moves every term.

E is T without an outer absolute value. It holds x_i and either sums over all records, of functions of one record, or
one record x_k with a fixed place. Verified are, as differences of quotients,

* own: E with the old and with the new record in its own term, sums changed as well (or x_k unchanged);
* other: E of another record y, when the sums change (or x_k does);
* same: E of x_k itself, when x_k changes; a comparison of x_k with itself is 0 or 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dpwitness.proofs.kernel.algebra.expr import Expr, num, var
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.sensitivity.changes import LEFT, RIGHT
from dpwitness.proofs.kernel.sensitivity.folds import check_places, read_fold
from dpwitness.proofs.kernel.sensitivity.language import nodes, replaced
from dpwitness.proofs.kernel.sensitivity.quotients import Converter
from dpwitness.proofs.kernel.sensitivity.rough import check_record
from dpwitness.proofs.kernel.sensitivity.setting import Setting, Sizes

OTHER = "x:other"
Begin = Callable[[frozenset[str]], Converter]


def outer_sum(f: Expr) -> Expr:
    """The sum of a function that is a sum, up to numbers that are added and a sign."""
    while f.op in ("+", "-", "neg"):
        rest = [a for a in f.args if a.op != "num"]
        if len(rest) != 1:
            break
        f = rest[0]
    if f.op != "sum":
        raise Rejected("the function is no sum over the records")
    return f


def check_terms(f: Expr, setting: Setting, sizes: Sizes, limits: Sequence[Expr], begin: Begin) -> bool:
    """Raise unless own, other and same are bounds; returns whether the terms hold a record with a fixed place."""
    node = outer_sum(f)
    body, index = node.args[0], node.name
    inner = [part for part in dict.fromkeys(nodes(body)) if part.op in ("sum", "prod", "order")]
    mine = Expr("rec", (var(index),))
    outer = replaced(node, {part: num(0) for part in inner})
    fixed = [p for p in dict.fromkeys(nodes(outer.args[0])) if p.op == "rec" and p != mine]
    if any(index in p.args[0].variables() for p in fixed):
        raise Rejected("the terms hold records at other places")
    fold = read_fold(replaced(outer, {p: num(0) for p in fixed}))
    if not fold.plain or fold.indexed or len(fixed) > 1 or (fixed and inner):
        raise Rejected("a sum over all records, of terms with sums over all records or with one fixed record")
    plain = body.args[0] if body.op == "Abs" else body
    own, other, same = limits
    if fixed:
        check_record(fixed[0].args[0], sizes)
        _fixed(plain, mine, fixed[0], (own, other, same), begin)
        return True
    before, after, names = {}, {}, []
    for j, part in enumerate(inner):
        small = read_fold(part)
        check_places(small, sizes.first)
        if part.op != "sum" or not small.plain or small.indexed:
            raise Rejected("the inner sums are over all records, without the index")
        term = replaced(part.args[0], {p[0]: var("z") for p in small.places})
        names.append(f"rest:{j}")
        before[part] = Expr("+", (var(f"rest:{j}"), replaced(term, {var("z"): var(LEFT)})))
        after[part] = Expr("+", (var(f"rest:{j}"), replaced(term, {var("z"): var(RIGHT)})))
    for limit, left, right in ((own, LEFT, RIGHT), (other, OTHER, OTHER)):
        convert = begin(frozenset({LEFT, RIGHT, OTHER}))
        for name in names:
            convert.fresh(name, None)
        old, new = replaced(plain, {**before, mine: var(left)}), replaced(plain, {**after, mine: var(right)})
        convert.show(convert.ratio(limit), convert.ratio(new) - convert.ratio(old))
    return False


def _fixed(plain: Expr, mine: Expr, fixed: Expr, limits: Sequence[Expr], begin: Begin) -> None:
    """The three differences where a record with a fixed place stands in every term."""
    ways = (((LEFT, OTHER), (RIGHT, OTHER)), ((OTHER, LEFT), (OTHER, RIGHT)), ((LEFT, LEFT), (RIGHT, RIGHT)))
    for limit, sides in zip(limits, ways, strict=True):
        convert = begin(frozenset({LEFT, RIGHT, OTHER}))
        old, new = (convert.ratio(replaced(plain, {mine: var(a), fixed: var(b)})) for a, b in sides)
        convert.show(convert.ratio(limit), new - old)


__all__ = ["check_terms", "outer_sum"]
