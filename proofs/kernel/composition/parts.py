"""What running another mechanism costs, by the theorem about it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

from dpwitness.proofs.kernel.algebra.laurent import Poly
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.composition.costs import Cost, number_of
from dpwitness.proofs.kernel.composition.inputs import Move
from dpwitness.proofs.kernel.composition.scope import Scope
from dpwitness.proofs.kernel.composition.spans import NOUGHT, Span
from dpwitness.proofs.kernel.theorem import Formula, Theorem


def part_cost(scope: Scope, theorem: Theorem, forms: Sequence[Poly], params: Mapping[str, Poly]) -> dict[Move, Cost]:
    """The cost under each move: none where no input moves, else that of as many neighbouring steps as the move has.

    Inputs that move t times as far as the theorem's neighbours lie t steps apart, by the straight way between them; the
    theorem is about all real answers, or about whole ones, between which t steps of whole numbers are found as well.
    """
    relation, held = theorem.relation, theorem.guarantee
    if theorem.refutes or relation.get("inputs") != "answers" or held["kind"] not in ("pure", "approximate"):
        raise Rejected("a mechanism that is run is proved to be private in ε or (ε, δ), on answers")
    if any(relation.get(name) is not None for name in ("low", "high", "values")):
        raise Rejected("a mechanism that is run holds for all answers")
    if theorem.sizes != "any" and len(forms) not in theorem.sizes:
        raise Rejected("a mechanism is run on another number of answers than its proof is about")
    if relation["whole"] and not all(map(scope.is_whole, forms)):
        raise Rejected("a mechanism that is run wants whole numbers")
    if any(scope.parts(form)[1] for form in forms):
        raise Rejected("an input of a mechanism has noise of its own")
    epsilon = scope.amount(_formula(theorem, held["epsilon"], params, scope))
    delta = number_of(_formula(theorem, held["delta"], params, scope)) if "delta" in held else Fraction(0)
    shifts = [scope.shift(form) for form in forms]
    costs: dict[Move, Cost] = {}
    for move in dict.fromkeys(m for shift in shifts for m in shift):
        steps = _steps(scope, relation, [shift.get(move, NOUGHT) for shift in shifts])
        if not steps:
            continue
        if steps > 1 and (delta or relation["whole"]):
            raise Rejected("the inputs of a mechanism move further than its neighbours, and its guarantee has a δ")
        loss = epsilon * steps
        costs[move] = Cost(pure=loss, rho=loss * loss * Fraction(1, 2), delta=delta)
    return costs


def _steps(scope: Scope, relation: Mapping[str, object], spans: Sequence[Span]) -> int:
    """How many neighbouring steps a move of the inputs is."""
    sizes = [number_of(scope.amount(scope.size(span))) for span in spans]
    moved = [(span, size) for span, size in zip(spans, sizes, strict=True) if size]
    kind, by = relation["moves"], Fraction(str(relation["by"]))
    if kind == "one" and len(moved) > 1:
        raise Rejected("more than one input of a mechanism moves")
    if kind in ("up", "down"):
        known = scope.known
        rise = all(span.low is not None and known.nonnegative(span.low) for span, _ in moved)
        fall = all(span.high is not None and known.nonnegative(-span.high) for span, _ in moved)
        if not rise and not fall:
            raise Rejected("the inputs of a mechanism do not move the same way")
    total = sum(sizes, Fraction(0)) if kind in ("one", "l1", "l2") else max(sizes, default=Fraction(0))
    return math.ceil(total / by)


def _formula(theorem: Theorem, formula: Formula, params: Mapping[str, Poly], scope: Scope) -> Poly:
    """A number of the guarantee, with forms for the parameters that the theorem leaves open."""
    total = Poly()
    fixed = [name for name, form in params.items() if form.value() is None and name not in theorem.open]
    if fixed:
        raise Rejected(f"the proof of a mechanism is about one value of {fixed[0]}, which is no plain number here")
    for name, domain in theorem.open.items():
        if name not in params:
            raise Rejected(f"the parameter {name} of a mechanism is not given")
        if domain != {"above": "0"} or not scope.known.positive(params[name]):
            value = params[name].value()
            if value is None or not _in_domain(value, domain):
                raise Rejected(f"{name} may lie outside the domain of a mechanism's proof")
    for coefficient, powers in formula:
        term = Poly.constant(coefficient)
        for name, power in powers:
            term = term * params[name].power(power)
        total = total + term
    return total


def _in_domain(value: Fraction, domain: Mapping[str, object]) -> bool:
    bounds = {key: Fraction(str(domain[key])) for key in ("equals", "above", "least", "below") if domain.get(key)}
    return (
        set(domain) <= {"equals", "above", "least", "below", "whole"}
        and value == bounds.get("equals", value)
        and value > bounds.get("above", value - 1)
        and value >= bounds.get("least", value)
        and value < bounds.get("below", value + 1)
        and (not domain.get("whole") or value.denominator == 1)
    )


__all__ = ["part_cost"]
