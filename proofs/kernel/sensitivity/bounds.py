r"""Upper bounds of \|f(x) − f(x')\| over neighbours: the rules, each with its reason.

* ``difference``: f is a quotient of polynomials in sums, products and functions of one record. `changes` writes f
  before and after the change in symbols, `quotients` gives these ranges, and bound − (f(x) − f(x')) is a polynomial
  over a positive one whose non-negativity `ratios` shows. Exchanging the old and the new record changes the sign, so
  one sign is enough where a record is replaced; several outputs: every pattern of signs (ℓ1), each output (ℓ∞), or
  bound² − Σ D² (ℓ2).
* ``log``: f = log g, g > 0: f(x) − f(x') ≤ log c exactly where g(x) ≤ c·g(x').
* ``sqrt``: f = √g, g ≥ 0: √a − √b ≤ √(a − b) for a ≥ b ≥ 0, so g(x) − g(x') ≤ bound² is enough.
* ``range``: low ≤ f ≤ high by interval arithmetic, for every n: the bound is high − low.
* ``order``: f = Σ c_r x_(r), sorted. Replacing t by u > t moves the r-th smallest record by the length of
  [t, u] ∩ [y_r, y_(r+1)], where y are the other records in order with the ends of the interval around them. These
  intervals do not overlap, so f moves by at most (high − low)·max \|c_r\|; y_r = low, y_(r+1) = high attains it.
* ``terms``: f = Σ_i \|E_i\| or Σ_i E_i over all records, where E_i holds x_i and sums of all records, or one fixed
  record x_k. \|\|a\| − \|b\|\| ≤ \|a − b\|, so f moves by at most own + (n−1)·other; where x_k itself changes, by
  at most same + (n−1)·other, with ``same`` for the term of x_k.
* ``scaled``: f = c·g with c ≥ 0 that does not look at the records; ``parts``: f is a sum of functions, whose bounds
  are added; ``abs``: f = \|g\|, and \|\|a\| − \|b\|\| ≤ \|a − b\|.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

from dpwitness.proofs.kernel.algebra.expr import Expr, num, var
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.sensitivity.changes import LEFT, RIGHT, Case, added_case, cases, stated_cases
from dpwitness.proofs.kernel.sensitivity.folds import Linear
from dpwitness.proofs.kernel.sensitivity.language import nodes, parse_function, replaced
from dpwitness.proofs.kernel.sensitivity.orders import order_bounds
from dpwitness.proofs.kernel.sensitivity.quotients import Converter, Known
from dpwitness.proofs.kernel.sensitivity.ranges import check_range
from dpwitness.proofs.kernel.sensitivity.ratios import Ratio
from dpwitness.proofs.kernel.sensitivity.rough import rough_range
from dpwitness.proofs.kernel.sensitivity.setting import Setting, Sizes
from dpwitness.proofs.kernel.sensitivity.terms import check_terms

ZERO = Fraction(0)
MAX_PARTS = 6
NO_TEXT = "0"  # of a part of a function: it is not written alone


def check_bound(setting: Setting, sizes: Sizes, bound: Expr, proof: Mapping[str, Any]) -> None:
    """Raise unless `bound` is shown to be an upper bound for all these numbers of records."""
    rule = proof.get("by")
    if not isinstance(rule, str) or rule not in RULES:
        raise Rejected(f"unknown rule {str(rule)[:40]!r}; known: {', '.join(RULES)}")
    if sizes.first < 1 and setting.relation == "substitute":
        raise Rejected("no record can be replaced where there is none: sizes begin with 1")
    RULES[rule](setting, sizes, bound, proof)


def read_bound(setting: Setting, source: object) -> Expr:
    """The bound: a formula in n and public parameters."""
    if not isinstance(source, str):
        raise Rejected("a bound is the text of a formula")
    return parse_function(source, tuple(sorted(setting.params)))


def read_known(setting: Setting, items: object) -> Known:
    """The functions of one record whose ranges the certificate shows."""
    if not isinstance(items, list) or len(items) > 20:
        raise Rejected("at most 20 ranges of functions of one record")
    return {expr: (low, high) for expr, low, high in (check_range(i, setting.ends, setting.params) for i in items)}


def start(setting: Setting, sizes: Sizes, records: frozenset[str], known: Known) -> Converter:
    """A converter with the symbols that every statement has."""
    ranges = setting.ranges()
    if sizes.only is None:
        ranges["m"] = (Fraction(sizes.first - 1), None)
    return Converter(ranges, records, setting.ends, known, sizes.only, setting.params)


def changed(setting: Setting, sizes: Sizes, f: Expr, written: bool) -> Iterator[Case]:
    """All cases of one changed record."""
    if setting.relation == "add-remove":
        return iter([added_case(f)])
    if written:
        if sizes.only is None:
            raise Rejected("sums are written out for one number of records")
        return stated_cases(f, sizes.only)
    return cases(f, sizes.first)


def sides(setting: Setting, sizes: Sizes, case: Case, known: Known, shares: object) -> tuple[Converter, Rests]:
    """A converter in which the symbols of a case have their ranges, and what the rests are."""
    convert = start(setting, sizes, case.records, known)
    for name, (low, high, _) in case.indices.items():
        first, last = (_linear(convert, form) for form in (low, high.minus(Linear(constant=Fraction(1)))))
        alpha = convert.fresh(f"{name}:share", (ZERO, Fraction(1)))
        convert.given[name] = first + alpha * (last - first)
    count = convert.count() if setting.relation == "add-remove" else convert.count() - Ratio.of(1 + case.held)
    inner: dict[str, Expr] = {}
    for name, op, body, whole in case.rests:
        if body is not None and op == "sum":
            inner[name] = body
        elif body is None and op == "sum" and never_negative(whole):
            convert.fresh(name, (ZERO, None))
            continue
        convert.given[name] = _rest(convert, name, op, body, count)
    _share(convert, inner, shares)
    return convert, inner


Rests = Mapping[str, Expr]


def _linear(convert: Converter, form: Linear) -> Ratio:
    total = convert.count() * Ratio.of(form.n) + Ratio.of(form.constant)
    if form.half:  # n//2 = (n − odd)/2 with odd 0 or 1
        odd = convert.fresh("n:odd", (ZERO, Fraction(1)))
        total = total + (convert.count() - odd) * Ratio.of(form.half / 2)
    return total


def _rest(convert: Converter, name: str, op: str, body: Expr | None, count: Ratio) -> Ratio:
    """The part of a sum or product that does not change."""
    if body is None:
        return convert.fresh(name, None)
    convert.add_record("x:rest")
    term = replaced(body, {var("z"): var("x:rest")})
    low, high = convert.span(term)
    if op == "sum":
        return count * (low + convert.fresh(f"{name}:share", (ZERO, Fraction(1))) * (high - low))
    convert.show(low, Ratio.of(0))
    convert.show(Ratio.of(1), high)
    return convert.fresh(name, (ZERO, Fraction(1)))


def _share(convert: Converter, inner: Rests, shares: object) -> None:
    """A rest that is a share of another: φ_j = ψ·φ_k with φ_k ≥ 0 and ψ in [a, b] puts A_j between a·A_k and b·A_k."""
    if not isinstance(shares, list) or len(shares) > 10:
        raise Rejected("at most 10 shares")
    done: set[str] = set()
    for item in shares:
        of, factor, whole = fields(item, "of", "factor", "whole")
        if of not in inner or whole not in inner or of == whole or {of, whole} & done:
            raise Rejected("a share names two different sums over all records, each of them once")
        done |= {of}
        psi = replaced(parse_function(factor, ("z",)), {var("z"): var("x:rest")})
        small, large = (convert.ratio(replaced(inner[k], {var("z"): var("x:rest")})) for k in (of, whole))
        convert.show(large, Ratio.of(0))
        convert.show_same(small, convert.ratio(psi) * large)
        low, high = convert.span(psi)
        alpha = convert.fresh(f"{of}:part", (ZERO, Fraction(1)))
        convert.given[of] = (low + alpha * (high - low)) * convert.given[whole]


@dataclass(frozen=True)
class Duty:
    """What a proof has to show in one case: big ≥ small on the box of a converter."""

    case: int
    convert: Converter
    big: Ratio
    small: Ratio


def duties(setting: Setting, sizes: Sizes, bound: Expr, proof: Mapping[str, Any]) -> Iterator[Duty]:
    """All inequalities of a proof by ``difference``, ``log`` or ``sqrt``; what needs no cuts is shown on the way."""
    rule, items, shares, written, _ = fields(proof, "by", "ranges", "shares", "written", "cuts")
    known = read_known(setting, items)
    f = setting.whole if rule == "difference" else inside(setting, rule)
    if rule == "log" and bound.op != "log":
        raise Rejected("the bound of a logarithm is log(c)")
    for k, case in enumerate(changed(setting, sizes, f, bool(written))):
        convert, _ = sides(setting, sizes, case, known, shares)
        if rule == "difference":
            moves = [convert.ratio(b) - convert.ratio(a) for a, b in zip(case.old.args, case.new.args, strict=True)]
            long = setting.norm == "l2" and len(moves) > 1
            if long and bound.op != "sqrt":
                convert.show(convert.ratio(bound), Ratio.of(0))
            limit = convert.ratio(squared(bound) if long else bound)
            yield from (Duty(k, convert, limit, total) for total in totals(setting, moves))
            continue
        old, new = convert.ratio(case.old), convert.ratio(case.new)
        for side in (old, new):
            if rule == "log":
                convert.show_positive(side)
            elif not never_negative(written_inside(setting)):
                convert.show(side, Ratio.of(0))
        if rule == "sqrt" and bound.op != "sqrt":
            convert.show(convert.ratio(bound), Ratio.of(0))
        for before, after in [(old, new)] + ([(new, old)] if setting.relation == "add-remove" else []):
            if rule == "log":
                yield Duty(k, convert, convert.ratio(bound.args[0]) * before, after)
            else:
                yield Duty(k, convert, convert.ratio(squared(bound)), after - before)


def _difference(setting: Setting, sizes: Sizes, bound: Expr, proof: Mapping[str, Any]) -> None:
    cuts = proof.get("cuts")
    if not isinstance(cuts, Mapping):
        raise Rejected("cuts name a case each")
    for duty in duties(setting, sizes, bound, proof):
        duty.convert.show(duty.big, duty.small, cuts.get(str(duty.case)))


def totals(setting: Setting, moves: Sequence[Ratio]) -> Iterator[Ratio]:
    """What the bound (for ℓ2 of several outputs its square) has to exceed."""
    signs = (1, -1) if setting.relation == "add-remove" else (1,)
    if len(moves) == 1 or setting.norm == "linf":
        for move in moves:
            for sign in signs:
                yield move * Ratio.of(sign)
    elif setting.norm == "l2":
        yield _sum(move * move for move in moves)
    else:
        for pattern in product((1, -1), repeat=len(moves)):
            if len(signs) == 2 or pattern[0] == 1:
                yield _sum(move * Ratio.of(s) for move, s in zip(moves, pattern, strict=True))


def _sum(parts: Iterator[Ratio]) -> Ratio:
    total = Ratio.of(0)
    for part in parts:
        total = total + part
    return total


def only_output(setting: Setting) -> Expr:
    """The function, where it has one output."""
    if len(setting.outputs) != 1:
        raise Rejected("this rule is for functions with one output")
    return setting.outputs[0]


def is_root(f: Expr) -> bool:
    """Whether a function is a square root."""
    return f.op == "sqrt" or (f.op == "**" and f.args[1] == num(Fraction(1, 2)))


def never_negative(expr: Expr) -> bool:
    """Whether a formula is ≥ 0 by its shape, wherever it is defined: even powers, absolute values, sums of such."""
    if expr.op == "num":
        return expr.value >= 0
    if expr.op == "**":
        power = expr.args[1]
        return never_negative(expr.args[0]) or (
            power.op == "num" and power.value.denominator == 1 and not power.value % 2
        )
    if expr.op in ("+", "*", "/", "Min"):
        return all(never_negative(a) for a in expr.args)
    if expr.op == "Max":
        return any(never_negative(a) for a in expr.args)
    if expr.op in ("sum", "prod"):
        return never_negative(expr.args[0])
    return expr.op in ("Abs", "exp", "cosh", "gt", "ge", "mod", "sqrt", "pi", "E", "half") or expr == var("n")


def inside(setting: Setting, name: str) -> Expr:
    """g of a function log(g) or sqrt(g)."""
    f = only_output(setting)
    if not (is_root(f) if name == "sqrt" else f.op == name):
        raise Rejected(f"the function is no {name}")
    return f.args[0]


def written_inside(setting: Setting) -> Expr:
    """What stands under the root as it is written: a sum of squares is seen to be one before it is multiplied out."""
    f = parse_function(setting.texts[0], tuple(sorted(setting.params)))
    return f.args[0] if is_root(f) else num(-1)


def squared(bound: Expr) -> Expr:
    """The square of a bound."""
    return bound.args[0] if bound.op == "sqrt" else Expr("**", (bound, num(2)))


def _range(setting: Setting, sizes: Sizes, bound: Expr, proof: Mapping[str, Any]) -> None:
    fields(proof, "by")
    low, high = rough_range(only_output(setting), setting, sizes)
    convert = start(setting, sizes, frozenset(), {})
    convert.show(convert.ratio(bound), Ratio.of(high - low))


def _order(setting: Setting, sizes: Sizes, bound: Expr, proof: Mapping[str, Any]) -> None:
    fields(proof, "by")
    if setting.relation != "substitute":
        raise Rejected("order statistics are compared for one replaced record")
    _, weight = order_bounds(only_output(setting), sizes)
    convert = start(setting, sizes, frozenset(), {})
    convert.show(convert.ratio(bound), Ratio.of(weight * (setting.ends[1] - setting.ends[0])))


def _terms(setting: Setting, sizes: Sizes, bound: Expr, proof: Mapping[str, Any]) -> None:
    _, own, other, same = fields(proof, "by", "own", "other", "same")
    limits = [read_bound(setting, text) for text in (own, other, same)]
    if setting.relation != "substitute":
        raise Rejected("the rule for terms is for one replaced record")
    fixed = check_terms(only_output(setting), setting, sizes, limits, lambda r: start(setting, sizes, r, {}))
    convert = start(setting, sizes, frozenset(), {})
    a, b, c, limit = (convert.ratio(e) for e in (*limits, bound))
    others = (convert.count() - Ratio.of(1)) * b
    if fixed:
        convert.show(limit, a)
        convert.show(limit, c + others)
    else:
        convert.show(limit, a + others)


def _scaled(setting: Setting, sizes: Sizes, bound: Expr, proof: Mapping[str, Any]) -> None:
    _, shown, inner = fields(proof, "by", "bound", "proof")
    factor, g = public_factor(only_output(setting))
    if setting.relation != "substitute" and "n" in factor.variables():
        raise Rejected("where records are added or removed, a factor that depends on n changes as well")
    small = read_bound(setting, shown)
    check_bound(replace(setting, outputs=(g,), texts=(NO_TEXT,)), sizes, small, inner)
    convert = start(setting, sizes, frozenset(), {})
    convert.show(convert.ratio(factor), Ratio.of(0))
    convert.show(convert.ratio(bound), convert.ratio(factor) * convert.ratio(small))


def _abs(setting: Setting, sizes: Sizes, bound: Expr, proof: Mapping[str, Any]) -> None:
    _, inner = fields(proof, "by", "proof")
    f = only_output(setting)
    if f.op != "Abs":
        raise Rejected("the function is no absolute value")
    check_bound(replace(setting, outputs=f.args, texts=(NO_TEXT,)), sizes, bound, inner)


def public_factor(f: Expr) -> tuple[Expr, Expr]:
    """c and g of a function c·g or g/d, where c = 1/d and c do not depend on the records."""
    if f.op in ("*", "/"):
        a, b = f.args
        if not depends(b):
            return (b if f.op == "*" else Expr("/", (num(1), b))), a
        if f.op == "*" and not depends(a):
            return a, b
    raise Rejected("the function is no public multiple of another")


def depends(f: Expr) -> bool:
    """Whether a formula looks at the records."""
    return any(part.op in ("rec", "order") for part in nodes(f))


def addends(f: Expr) -> list[Expr]:
    """The parts of a sum or difference of functions."""
    if f.op in ("+", "-"):
        return [part for a in f.args for part in addends(a)]
    return addends(f.args[0]) if f.op == "neg" else [f]


def _parts(setting: Setting, sizes: Sizes, bound: Expr, proof: Mapping[str, Any]) -> None:
    _, items = fields(proof, "by", "parts")
    parts = addends(only_output(setting))
    if not isinstance(items, list) or len(items) != len(parts) or not 2 <= len(parts) <= MAX_PARTS:
        raise Rejected(f"each of the 2 to {MAX_PARTS} parts of a sum has a bound and a proof")
    convert = start(setting, sizes, frozenset(), {})
    total = Ratio.of(0)
    for part, item in zip(parts, items, strict=True):
        shown, inner = fields(item, "bound", "proof")
        small = read_bound(setting, shown)
        check_bound(replace(setting, outputs=(part,), texts=(NO_TEXT,)), sizes, small, inner)
        total = total + convert.ratio(small)
    convert.show(convert.ratio(bound), total)


RULES: Mapping[str, Callable[[Setting, Sizes, Expr, Mapping[str, Any]], None]] = {
    "difference": _difference, "log": _difference, "sqrt": _difference, "range": _range, "order": _order,
    "terms": _terms, "scaled": _scaled, "parts": _parts, "abs": _abs,
}  # fmt: skip
__all__ = ["LEFT", "RIGHT", "check_bound", "inside", "read_bound", "read_known", "squared", "start"]
