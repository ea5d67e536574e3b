"""The index of the largest noisy value, by a lemma of its own.

The path of a running maximum tells which values were the largest so far, and that is more than is released. So the
paths are not kept: {w wins} = {v_w > v_l for all l ≠ w}, up to ties, and only the winner's draws are shifted. Ties go
to the first or to the last of the largest values throughout, because every later iteration makes the same test: so w
wins as well wherever each v_w − v_l is no smaller than it was. Whole noise, where ties are likely, needs whole shifts.
The lemma applies where

* one loop over the queries has one private variable b; every iteration reads the query at the loop's counter and forms
  v = a·q + Σ_k b_k·η_k + (public) with fresh draws;
* the first iteration sets b := v; every later one either sets b := v (on v > b, or on v < b throughout) or changes
  nothing private;
* public variables are updated alike on both paths, or are set on "new largest" only, to the same formula of the former;
  the latter occur in no test and no scale; nothing is written to the output inside the loop;
* after the loop nothing private is tested or released and nothing is drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpwitness.proofs.anyn.certificate import program_json
from dpwitness.proofs.anyn.invariants import Known
from dpwitness.proofs.anyn.linear import DENOMINATORS, Linear, Problem, add, nearest
from dpwitness.proofs.anyn.model import END, FAIL, START, Model, Transition
from dpwitness.proofs.anyn.values import Draw
from dpwitness.proofs.kernel.laurent import UNIT, Monomial, Poly, times, to_json
from dpwitness.proofs.kernel.loop_shifts import boxes


@dataclass(frozen=True)
class Contest:
    """The values that compete: coefficient of the answer, draws with their coefficients, and which end wins."""

    answer: Poly
    draws: tuple[tuple[Draw, Poly], ...]
    sign: int


def possible(model: Model) -> bool:
    """Whether the lemma may apply, before impossible transitions are known."""
    inside = [t for t in model.transitions if t.source != START and t.target not in (END, FAIL)]
    private = {s for node in model.nodes.values() for s in node.private}
    one_loop = {node.loop for node in model.nodes.values()} == {1}
    return (
        one_loop
        and len(private) == 1
        and not any(t.released for t in model.transitions)
        and not any(t.effects for t in inside)
    )


def recognise(model: Model, known: Known) -> Contest | None:
    """The contest that the program holds, where the lemma applies."""
    steps = [t for k, t in enumerate(model.transitions) if k not in known.dead]
    if {n.loop for n in model.nodes.values()} != {1} or any(t.target == FAIL or t.released for t in steps):
        return None
    if any((t.guards or t.draws or t.reads) and (t.source == START or t.target == END) for t in steps):
        return None
    inside = [t for t in steps if t.source != START and t.target != END]
    if not inside or any(t.effects for t in inside):
        return None
    loops = [t for t in inside if t.source == t.target]
    entries = [t for t in inside if t.source != t.target]
    homes = {t.target for t in inside}
    if len(homes) != 1 or len(loops) != 2 or len(entries) != 1 or entries[0].source in homes:
        return None
    (home,) = homes
    if len(model.nodes[home].private) != 1 or any(t.target == home for t in steps if t.source == START):
        return None
    return _contest(model, model.nodes[home].private[0], loops, entries[0])


def _contest(model: Model, best: str, loops: list[Transition], entry: Transition) -> Contest | None:
    taking = [t for t in loops if t.updates[best] != Poly.symbol(best)]
    keeping = [t for t in loops if t.updates[best] == Poly.symbol(best)]
    if len(taking) != 1 or len(keeping) != 1:
        return None
    take, keep = taking[0], keeping[0]
    value = take.updates[best]
    reads = (Poly.symbol("#1"),)
    same = all(
        t.draws == take.draws and t.reads == reads and model.counters.get(1) == "#1" for t in (take, keep, entry)
    )
    if not same or entry.updates[best] != value or entry.guards or len(take.guards) != 1 or len(keep.guards) != 1:
        return None
    ahead = value - Poly.symbol(best)
    sign = 1 if take.guards[0] == ahead else -1 if take.guards[0] == -ahead else 0
    if sign == 0 or keep.guards[0] != -take.guards[0] or set(take.public) != set(keep.public):
        return None
    if not _public_alike(model, best, take, keep, entry):
        return None
    parts = value.linear()
    if best in parts or set(parts) - {"?0"} != {d.symbol for d in take.draws}:
        return None
    return Contest(parts.get("?0", Poly()), tuple((d, parts[d.symbol]) for d in take.draws), sign)


def _public_alike(model: Model, best: str, take: Transition, keep: Transition, entry: Transition) -> bool:
    """Whether public variables either ignore who leads, or only note the leader and are otherwise unused."""
    fixed = {*model.source.params, "#n"}
    alike = {s for s in take.updates if s != best and take.updates[s] == keep.updates[s] and s in entry.updates}
    while True:
        good = {
            s for s in alike
            if entry.updates[s] == take.updates[s] and take.updates[s].symbols() <= alike | fixed
        }  # fmt: skip
        if good == alike:
            break
        alike = good
    notes = {s for s in take.updates if s != best} - alike
    for s in notes:
        formula = take.updates[s]
        if (
            keep.updates[s] != Poly.symbol(s)
            or entry.updates.get(s) != formula
            or not formula.symbols() <= alike | fixed
        ):
            return False
    tested = {s for t in model.transitions for p, _ in t.public for s in p.symbols()}
    scales = {s for t in (take, keep, entry) for d in t.draws for s in d.rate.symbols()}
    offset = {s for s in take.updates[best].symbols() if s[0] not in "?~"}
    return not notes & (tested | scales | offset) and offset <= alike | fixed and scales <= fixed


def prove(
    model: Model, contest: Contest, budget: Poly, moves: str, by: Fraction
) -> tuple[Fraction, dict[str, Any]] | None:
    """The least multiple of the budget and its certificate (type ``argmax-shift``)."""
    orders, multiple = [], Fraction(0)
    for low, high in boxes(moves, by):
        found = _direction(model, contest, budget, low, high, moves in ("one", "l1"))
        if found is None:
            return None
        multiple = max(multiple, found[0])
        orders.append({s: {u: to_json(p) for u, p in a.items()} for s, a in found[1].items()})
    return multiple, {
        "type": "argmax-shift",
        "program": program_json(model),
        "params": model.params_json(),
        "adjacency": {"moves": moves, "by": str(by)},
        "bound": to_json(budget * multiple),
        "answer": to_json(contest.answer),
        "draws": [[d.symbol, to_json(d.rate), d.kind, to_json(b)] for d, b in contest.draws],
        "sign": contest.sign,
        "orders": orders,
        "trusts": ["dpwitness.proofs.anyn.front and argmax: the program is such a contest"],
    }


def _direction(
    model: Model, contest: Contest, budget: Poly, low: Fraction, high: Fraction, single: bool
) -> tuple[Fraction, dict[str, dict[str, Poly]]] | None:
    """The cheapest shift of the winner's draws."""
    signed = model.known.signed
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
