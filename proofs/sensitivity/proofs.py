"""Proofs of bounds that are worth trying: which rule, with which ranges of functions of one record."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from dpwitness.proofs.kernel.algebra.expr import Expr, num, var
from dpwitness.proofs.kernel.arith import Rejected, Undecided
from dpwitness.proofs.kernel.sensitivity.bounds import MAX_PARTS, NO_TEXT, addends, is_root, public_factor
from dpwitness.proofs.kernel.sensitivity.folds import Fold, read_fold
from dpwitness.proofs.kernel.sensitivity.language import nodes, replaced
from dpwitness.proofs.kernel.sensitivity.setting import Setting, Sizes
from dpwitness.proofs.kernel.sensitivity.terms import outer_sum
from dpwitness.proofs.sensitivity.ranges import range_of

RATIONAL = ("num", "var", "+", "-", "*", "/", "neg", "rec")
Proof = dict[str, Any]
Prove = Callable[[Setting, Sizes], "tuple[str, Proof] | None"]  # a bound and a proof of it


def proofs(setting: Setting, *, one_size: bool) -> Iterator[Proof]:
    """Proofs to try, cheap ones first."""
    f = setting.outputs[0]
    single = len(setting.outputs) == 1
    replaced_ = setting.relation == "substitute"
    if single and replaced_ and any(node.op == "order" for node in nodes(f)):
        yield {"by": "order"}
    if single and f.op in ("gt", "ge", "mod"):
        yield {"by": "range"}
    rule = "difference"
    if single and (f.op == "log" or is_root(f)):
        rule = "log" if f.op == "log" else "sqrt"
    bodies = one_record_terms(setting)
    seen: list[Any] = []
    for coarse in (True, False, None):
        ranges = [] if coarse is None else _ranges(setting, bodies, coarse=coarse)
        for shares in (_shares(setting), []):
            proof = {"by": rule, "ranges": ranges, "shares": shares, "written": False, "cuts": {}}
            if proof not in seen:
                seen.append(proof)
                yield proof
    if one_size:
        for proof in list(seen):
            if not proof["shares"]:
                yield {**proof, "written": True}
    if single and replaced_:
        yield from _terms(f)
        yield {"by": "range"}


def composed(setting: Setting, sizes: Sizes, prove: Prove) -> Iterator[tuple[str, Proof]]:
    """Bounds of a public multiple of a function, and of a sum of functions, from those of their parts."""
    if len(setting.outputs) != 1:
        return
    f = setting.outputs[0]
    if f.op == "Abs":
        inner = prove(replace(setting, outputs=f.args, texts=(NO_TEXT,)), sizes)
        if inner is not None:
            yield inner[0], {"by": "abs", "proof": inner[1]}
    try:
        factor, g = public_factor(f)
        inner = prove(replace(setting, outputs=(g,), texts=(NO_TEXT,)), sizes)
        if inner is not None:
            shown = f"({factor})*({inner[0]})"
            yield shown, {"by": "scaled", "bound": inner[0], "proof": inner[1]}
    except Rejected:
        pass
    parts = addends(f)
    if 2 <= len(parts) <= MAX_PARTS:
        found = [prove(replace(setting, outputs=(part,), texts=(NO_TEXT,)), sizes) for part in parts]
        known = [item for item in found if item is not None]
        if len(known) == len(parts):
            items = [{"bound": bound, "proof": proof} for bound, proof in known]
            yield " + ".join(f"({bound})" for bound, _ in known), {"by": "parts", "parts": items}


def folds_of(setting: Setting) -> list[Fold]:
    """The sums and products of a function that are read."""
    found = []
    for node in dict.fromkeys(part for f in setting.outputs for part in nodes(f)):
        if node.op in ("sum", "prod"):
            try:
                found.append(read_fold(node))
            except Rejected:
                continue
    return found


def one_record_terms(setting: Setting) -> list[Expr]:
    """The terms of sums and products, with one record and as a function of z; index and n do not occur."""
    found = []
    for fold in folds_of(setting):
        body = replaced(fold.node.args[0], dict.fromkeys((p[0] for p in fold.places), var("z")))
        if len({p[2:] for p in fold.places}) == 1 and not fold.indexed and "n" not in body.variables():
            found.append(body)
    return list(dict.fromkeys(found))


def _ranges(setting: Setting, bodies: list[Expr], *, coarse: bool) -> list[Any]:
    wanted: list[Expr] = []
    if coarse:
        wanted = [body for body in bodies if body != var("z")]
    else:
        for fold in folds_of(setting):
            wanted += _transcendental(fold.node.args[0], fold)
    found = (cached_range(expr, setting) for expr in dict.fromkeys(wanted))
    return [item for item in found if item is not None]


_CACHE: dict[tuple[Any, ...], Any] = {}


def cached_range(expr: Expr, setting: Setting) -> Any:
    """The range of a function of one record; found once."""
    key = (expr, setting.ends, tuple(sorted(setting.params.items())))
    if key not in _CACHE:
        if len(_CACHE) > 500:
            _CACHE.clear()
        _CACHE[key] = range_of(expr, setting)
    return _CACHE[key]


def _transcendental(node: Expr, fold: Fold) -> list[Expr]:
    """The largest parts that are not rational and hold one record."""
    records = {part for part in nodes(node) if part.op == "rec"}
    rational = node.op in RATIONAL or (
        node.op == "**" and node.args[1].op == "num" and node.args[1].value.denominator == 1
    )
    if not rational and len(records) == 1 and node.op not in ("gt", "ge", "mod"):
        body = replaced(node, dict.fromkeys(records, var("z")))
        if not body.variables() & {"n", fold.node.name}:
            return [body]
    return [] if node.op == "rec" else [part for a in node.args for part in _transcendental(a, fold)]


def _shares(setting: Setting) -> list[Any]:
    """Sums whose terms are a factor in z times the terms of another sum."""
    plain: list[tuple[str, Expr]] = []
    number = 0
    for node in dict.fromkeys(part for f in setting.outputs for part in nodes(f)):
        if node.op in ("sum", "prod"):
            try:
                fold = read_fold(node)
            except Rejected:
                return []
            if fold.plain and not fold.indexed and node.op == "sum":
                plain.append((f"rest:{number}", replaced(node.args[0], {p[0]: var("z") for p in fold.places})))
            number += 1
    found: list[Any] = []
    used: set[str] = set()
    for of, small in plain:
        for whole, large in plain:
            factor = _factor(small, large) if of != whole and not {of, whole} & used else None
            if factor is not None:
                found.append({"of": of, "factor": str(factor), "whole": whole})
                used |= {of, whole}
    return found


def _factor(small: Expr, large: Expr) -> Expr | None:
    """ψ with small = ψ·large, where that is plain to see."""
    if small.op == "*" and large in small.args:
        return small.args[1] if small.args[0] == large else small.args[0]
    if small.op == "**" and small.args[1].op == "num" and small.args[1].value > 1:
        if small.args[0] == large:
            power = small.args[1].value - 1
            return large if power == 1 else Expr("**", (large, num(power)))
        if large.op == "**" and large.args[0] == small.args[0] and large.args[1].op == "num":
            power = small.args[1].value - large.args[1].value
            if power > 0:
                return small.args[0] if power == 1 else Expr("**", (small.args[0], num(power)))
    return None


def _terms(f: Expr) -> Iterator[Proof]:
    try:
        node = outer_sum(f)
    except (Rejected, Undecided):
        return
    inner = [part for part in nodes(node.args[0]) if part.op == "sum"]
    if inner:
        yield {"by": "terms", "own": "1-1/n", "other": "1/n", "same": "0"}
        yield {"by": "terms", "own": "1", "other": "1/n", "same": "0"}
    for same in ("0", "1"):
        yield {"by": "terms", "own": "1", "other": "1", "same": same}


__all__ = ["Proof", "cached_range", "composed", "one_record_terms", "proofs"]
