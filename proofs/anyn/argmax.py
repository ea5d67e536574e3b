"""The index of the largest noisy value, by a lemma of its own.

The lemma and the shape of such a program stand in `dpwitness.proofs.kernel.loops.contests`; here the cheapest shift
of the winner's draws is found by a linear program.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpwitness.proofs.anyn.certificate import public_json, scales
from dpwitness.proofs.anyn.invariants import Known
from dpwitness.proofs.anyn.linear import DENOMINATORS, Linear, Problem, add, nearest
from dpwitness.proofs.anyn.model import END, FAIL, START, Model
from dpwitness.proofs.kernel.algebra.laurent import UNIT, Monomial, Poly, times, to_json
from dpwitness.proofs.kernel.loops import contests
from dpwitness.proofs.kernel.loops.contests import Contest
from dpwitness.proofs.kernel.loops.heads import Domains
from dpwitness.proofs.kernel.loops.shifts import boxes
from dpwitness.proofs.kernel.loops.trees import QUERIES, read_program


def possible(model: Model) -> bool:
    """Whether the lemma may apply, before impossible transitions are known."""
    inside = [t for t in model.transitions if t.source != START and t.target not in (END, FAIL)]
    private = {s for node in model.nodes.values() for s in node.private}
    one_loop = {node.loop for node in model.nodes.values()} == {1}
    return (
        one_loop
        and len(private) == 1
        and not any(t.released for t in model.transitions)
        and not any(list(parts) != [["old", k]] for t in inside for k, parts in enumerate(t.leaf["lists"]))
    )


def recognise(model: Model, known: Known) -> Contest | None:
    """The contest that the program holds, where the lemma applies."""
    steps = [t for k, t in enumerate(model.transitions) if k not in known.dead]
    atoms = {let.symbol for let in read_program(model.json).atoms}
    contest = contests.recognise(model.nodes, steps, model.counters, {*model.source.params, QUERIES, *atoms})
    return contest if contest is not None and contest.answer else None


def prove(
    model: Model, known: Known, contest: Contest, budget: Poly, moves: str, by: Fraction
) -> tuple[Fraction, dict[str, Any]] | None:
    """The least multiple of the budget and its certificate (type ``argmax-shift``)."""
    found = shifts(model.known, contest, budget, moves, by)
    rates = scales(model, known)
    if found is None or rates is None:
        return None
    multiple, orders = found
    made = {
        "type": "argmax-shift",
        **public_json(model, known, rates, budget * multiple, moves, by),
        "orders": orders,
    }
    return multiple, made


def shifts(
    known: Domains, contest: Contest, budget: Poly, moves: str, by: Fraction
) -> tuple[Fraction, list[dict[str, Any]]] | None:
    """The least multiple of the budget, and the shift of the winner for every direction of change."""
    orders, multiple = [], Fraction(0)
    for low, high in boxes(moves, by):
        found = _direction(known, contest, budget, low, high, moves in ("one", "l1"))
        if found is None:
            return None
        multiple = max(multiple, found[0])
        orders.append({s: {u: to_json(p) for u, p in a.items()} for s, a in found[1].items()})
    return multiple, orders


def _direction(
    known: Domains, contest: Contest, budget: Poly, low: Fraction, high: Fraction, single: bool
) -> tuple[Fraction, dict[str, dict[str, Poly]]] | None:
    """The cheapest shift of the winner's draws."""
    signed = known.signed
    over: set[Monomial] = {UNIT, *(m for m in contest.answer.terms if signed(m))}
    for _, b in contest.draws:
        if len(b.terms) != 1 or not signed(next(iter(b.terms))):
            return None
        ((mono, _),) = b.terms.items()
        inverse = tuple((s, -p) for s, p in mono)
        over |= {times(m, inverse) for m in contest.answer.terms if signed(m)}
    problem = Problem()
    problem.variable("E", nonnegative=True)
    zero = Fraction(0)
    corners = [(low, high), (high, low), (low, low), (high, high)]
    for mine, other in [(low, zero), (high, zero), (zero, low), (zero, high)] if single else corners:
        gain: dict[Monomial, Linear] = {m: {None: c * (mine - other)} for m, c in contest.answer.terms.items()}
        cost: dict[Monomial, Linear] = {m: {"E": -c} for m, c in budget.terms.items()}
        for draw, b in contest.draws:
            for w in over:
                shift = problem.variable((draw.symbol, "1", w)) | {(draw.symbol, "d", w): mine}
                problem.variable((draw.symbol, "d", w))
                size = problem.variable((draw.symbol, mine, "size", w), nonnegative=True)
                problem.at_most_zero(add(dict(shift), size, -1))
                problem.at_most_zero(add({v: -c for v, c in shift.items()}, size, -1))
                if draw.kind == "exponential":
                    problem.at_most_zero({v: -c for v, c in shift.items()})
                for m, c in b.terms.items():
                    add(gain.setdefault(times(m, w), {}), shift, c)
                for m, c in draw.rate.terms.items():
                    add(cost.setdefault(times(m, w), {}), size, c)
        for mono, expression in gain.items():
            if signed(mono):
                problem.at_most_zero({v: -c * contest.sign for v, c in expression.items()})
            else:
                problem.zero(expression)
        for expression in cost.values():
            problem.at_most_zero(expression)
    solution = problem.minimise({"E": 1, **{v: 1e-6 for v in problem.index if isinstance(v, tuple) and "size" in v}})
    if solution is None:
        return None
    values = solution[1]
    for denominator in DENOMINATORS:
        multiple = nearest(values["E"], denominator)
        if abs(float(multiple) - values["E"]) < 1e-4:
            shifts = {
                d.symbol: {u: Poly({w: nearest(values[d.symbol, u, w], denominator) for w in over}) for u in ("1", "d")}
                for d, _ in contest.draws
            }
            return multiple, shifts
    return None
