r"""Two laws on outcomes with symbols in their masses: loss, δ(ε), and where single outcomes hold and sets fail.

Outcomes come in classes. A class has a number of outcomes (a formula, such as m) that all have the same masses p and q
on the two inputs; or, with a ratio 0 < r < 1, infinitely many with masses :math:`p\,r^j` and :math:`q\,r^j`, j ≥ 0,
which have the sums :math:`p/(1-r)` and :math:`q/(1-r)`. It is checked that masses are not negative and sum to 1.

``loss``     :math:`p \le e^B q` and :math:`q \le e^B p` in every class, one with equality: the pure loss is B.
``delta``    in each class the sign of :math:`p - e^\varepsilon q` (for ``left``) or of :math:`q - e^\varepsilon p` (for
             ``right``) is shown; the sum of its positive parts is the formula, so δ(ε) in that order is it.
``singles``  :math:`p \le e^\varepsilon q + \delta` and the same with p and q exchanged hold for each single outcome.
``fails``    a set of classes has :math:`P(S) > e^\varepsilon Q(S) + \delta` (or exchanged), strictly.

A number of outcomes is taken as a real number: what holds for all real m of the region holds for the whole ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpwitness.proofs.kernel.algebra.expr import Expr, num, parse
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.derivations.functions import decided, exp
from dpwitness.proofs.kernel.derivations.reading import read
from dpwitness.proofs.kernel.derivations.region import Values, cases, proofs_of
from dpwitness.proofs.kernel.derivations.ring import ONE, ZERO, Quotient
from dpwitness.proofs.kernel.derivations.trees import verify
from dpwitness.proofs.kernel.statements import NO_INPUTS, subject
from dpwitness.proofs.kernel.theorem import Theorem

MAX_CLASSES = 12


class _Class:
    def __init__(self, source: Mapping[str, Any]) -> None:
        count, left, right = fields(source, "count", "left", "right", optional=("ratio",))
        self.count, self.left, self.right = parse(count), parse(left), parse(right)
        self.ratio = parse(source["ratio"]) if "ratio" in source else None

    def variables(self) -> frozenset[str]:
        """The parameters that occur."""
        return frozenset().union(*(e.variables() for e in (self.count, self.left, self.right, self.ratio or num(0))))

    def masses(self, values: Values) -> tuple[Quotient, Quotient, Quotient]:
        """The factor by which one outcome counts, and its two masses (the largest ones, of infinitely many)."""
        count, p, q = (read(e, values) for e in (self.count, self.left, self.right))
        for what in (count, p, q):
            if decided(what) < 0:
                raise Rejected("a number of outcomes or a mass is negative")
        if self.ratio is not None:
            r = read(self.ratio, values)
            if r.sign != 1 or (ONE - r).sign != 1:
                raise Rejected("a ratio of masses lies between 0 and 1")
            count = count / (ONE - r)
        return count, p, q


def check_outcomes(certificate: Mapping[str, Any]) -> Theorem:
    """The checker of ``{"type": "derived-outcomes", "where", "classes", "claim", "formula", "order", "proof"}``."""
    where, listed, claim, formula, order, proof = fields(
        certificate, "type", "where", "classes", "claim", "formula", "order", "proof"
    )[1:]
    if not isinstance(listed, list | tuple) or not 1 <= len(listed) <= MAX_CLASSES:
        raise Rejected(f"one to {MAX_CLASSES} classes of outcomes")
    classes = [_Class(one) for one in listed]
    bound = None if formula is None else parse(formula)
    if order not in ("left", "right", "both") or claim not in ("loss", "delta", "singles", "fails"):
        raise Rejected("an unknown claim or order")
    names = frozenset().union(*(c.variables() for c in classes), bound.variables() if bound else ())
    if claim in ("delta", "singles", "fails"):
        names |= {"eps"}
    if claim in ("singles", "fails"):
        names |= {"delta"}
    if not isinstance(where, list | tuple):
        raise Rejected("conditions are a list")
    regions = cases(sorted(names), where)
    for values, part in zip(regions, proofs_of(proof, regions), strict=True):
        _case(classes, values, claim, bound, order, part)
    said = _words(certificate, claim, formula, order)
    model = subject(certificate, "where", "classes", "order")
    domains = {name: {"where": ", ".join(where)} for name in sorted(names)}
    return Theorem("derived-outcomes", said, model, claim == "fails", {}, NO_INPUTS, "any", domains)


def _case(classes: list[_Class], values: Values, claim: str, bound: Expr | None, order: str, proof: Any) -> None:
    rows = [c.masses(values) for c in classes]
    for side in (1, 2):
        total = ZERO
        for row in rows:
            total = total + row[0] * row[side]
        if total != ONE:
            raise Rejected("the masses of a law do not sum to 1")
    if claim == "loss":
        _loss(rows, values, bound, proof)
    elif claim == "delta":
        _delta(rows, values, bound, order, proof)
    elif claim == "singles":
        _singles(rows, values, order, proof)
    else:
        _fails(rows, values, order, proof)


def _loss(rows: list[tuple[Quotient, Quotient, Quotient]], values: Values, bound: Expr | None, proof: Any) -> None:
    trees, at = fields(proof, "trees", "equal")
    if bound is None or len(trees) != len(rows):
        raise Rejected("a formula, and two trees for each class, are needed")
    growth = exp(read(bound, values))
    gaps = []
    for (_, p, q), pair in zip(rows, trees, strict=True):
        left, right = fields(pair, "left", "right")
        verify(growth * q - p, left)
        verify(growth * p - q, right)
        gaps.append((growth * q - p, growth * p - q))
    i, side = fields(at, "class", "order")
    if not isinstance(i, int) or isinstance(i, bool) or not 0 <= i < len(rows) or side not in ("left", "right"):
        raise Rejected("there is no such class")
    if gaps[i][side == "right"] != ZERO or rows[i][1].sign != 1 or rows[i][0].sign != 1:
        raise Rejected("the loss is not reached there")


def _delta(
    rows: list[tuple[Quotient, Quotient, Quotient]], values: Values, bound: Expr | None, order: str, proof: Any
) -> None:
    (trees,) = fields(proof, "trees")
    if bound is None or order == "both" or len(trees) != len(rows):
        raise Rejected("a formula, one order, and a tree for each class, are needed")
    growth = exp(values["eps"])
    total = ZERO
    for (count, p, q), row in zip(rows, trees, strict=True):
        gap = p - growth * q if order == "left" else q - growth * p
        sign, tree = fields(row, "sign", "tree")
        if sign not in (1, -1):
            raise Rejected("a sign is 1 or -1")
        verify(gap if sign == 1 else -gap, tree)
        if sign == 1:
            total = total + count * gap
    if total != read(bound, values):
        raise Rejected("the formula is not the sum of the positive parts")


def _singles(rows: list[tuple[Quotient, Quotient, Quotient]], values: Values, order: str, proof: Any) -> None:
    (trees,) = fields(proof, "trees")
    if order != "both" or len(trees) != len(rows):
        raise Rejected("two trees for each class are needed, for both orders")
    growth, delta = exp(values["eps"]), values["delta"]
    if decided(delta) < 0:  # the first of infinitely many outcomes would not be the worst
        raise Rejected("delta is not below 0")
    for (_, p, q), pair in zip(rows, trees, strict=True):
        left, right = fields(pair, "left", "right")
        verify(growth * q + delta - p, left)
        verify(growth * p + delta - q, right)


def _fails(rows: list[tuple[Quotient, Quotient, Quotient]], values: Values, order: str, proof: Any) -> None:
    (chosen,) = fields(proof, "classes")
    if order == "both" or not isinstance(chosen, list | tuple) or len(set(chosen)) != len(chosen):
        raise Rejected("a list of different classes, and one order, are needed")
    growth, total = exp(values["eps"]), -values["delta"]
    for i in chosen:
        if not isinstance(i, int) or isinstance(i, bool) or not 0 <= i < len(rows):
            raise Rejected("there is no such class")
        count, p, q = rows[i]
        total = total + count * (p - growth * q if order == "left" else q - growth * p)
    if total.sign != 1:
        raise Rejected("the set is not seen to break the inequality")


def _words(certificate: Mapping[str, Any], claim: str, formula: str | None, order: str) -> str:
    laws = "; ".join(
        f"{c['count']} × ({c['left']}, {c['right']})" + (f" times ({c['ratio']})^j" if "ratio" in c else "")
        for c in certificate["classes"]
    )
    where = ", ".join(certificate["where"])
    head = f"laws with masses {laws}, for all {where}"
    way = {"left": "P against Q", "right": "Q against P", "both": "both ways"}[order]
    if claim == "loss":
        return f"{head}: the pure loss is exactly {formula}"
    if claim == "delta":
        return f"{head}: delta(eps), {way}, is exactly {formula}"
    if claim == "singles":
        return f"{head}: single outcomes satisfy p <= e^eps q + delta, {way}"
    return f"{head}: some set of outcomes breaks P(S) <= e^eps Q(S) + delta, {way}"


CHECKERS = {"derived-outcomes": check_outcomes}
