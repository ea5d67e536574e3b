"""The index of the largest noisy value, for any number of queries: only the winner's draws are shifted.

The path of a running maximum tells which values were the largest so far, and that is more than is released. So the
paths are not kept: {w wins} = {v_w > v_l for all l ≠ w, or ≥ where w has the better place}. Ties go to the first or to
the last of the largest values throughout, because every later iteration makes the same test. `recognise` finds such a
contest in the transitions of a program:

* one loop over the queries has one private variable b; every iteration reads the answer at the loop's counter and forms
  v = a·q + Σ_k b_k·η_k + (public) with fresh draws and factors that are the same in every iteration;
* the first iteration sets b := v; every later one either sets b := v (on v > b, or on v < b throughout) or changes
  nothing private;
* public variables are updated alike on both paths, or are set on "new largest" only, to the same formula of the former;
  the latter occur in no test and no scale; nothing is written to a list inside the loop;
* before the loop and after it nothing private is tested or released, nothing is read and nothing is drawn.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpwitness.proofs.kernel.algebra.laurent import Poly, from_json, total
from dpwitness.proofs.kernel.arith import Rejected, number
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.loops.heads import Domains, Loops, read_domains
from dpwitness.proofs.kernel.loops.shifts import boxes, limit_of, read_affine, theorem, value_at
from dpwitness.proofs.kernel.loops.trees import END, FAIL, LAWS, QUERIES, START, Draw, Node, Step
from dpwitness.proofs.kernel.theorem import Theorem

SAME_LAW = (
    "permute-and-flip has the law of noisy max with exponential noise "
    "(Ding, Kifer, Steinke, Wang, Xiao and Zhang 2021, theorem 5)"
)


@dataclass(frozen=True)
class Contest:
    """The values that compete: coefficient of the answer, draws with their coefficients, and which end wins."""

    answer: Poly
    draws: tuple[tuple[Draw, Poly], ...]
    sign: int
    value: Poly


def recognise(
    nodes: Mapping[str, Node], steps: Sequence[Step], counters: Mapping[int, str], params: set[str]
) -> Contest | None:
    """The contest that the live transitions of a program hold, where it is one."""
    if {n.loop for n in nodes.values()} != {1} or any(s.target == FAIL or s.released for s in steps):
        return None
    if any((s.guards or s.draws or s.reads) and (s.source == START or s.target == END) for s in steps):
        return None
    inside = [s for s in steps if s.source != START and s.target != END]
    if not inside or any(list(parts) != [["old", k]] for s in inside for k, parts in enumerate(s.leaf["lists"])):
        return None
    loops = [s for s in inside if s.source == s.target]
    entries = [s for s in inside if s.source != s.target]
    homes = {s.target for s in inside}
    if len(homes) != 1 or len(loops) != 2 or len(entries) != 1 or entries[0].source in homes:
        return None
    (home,) = homes
    if len(nodes[home].private) != 1 or any(s.target == home for s in steps if s.source == START):
        return None
    if counters.get(1) != "#1":
        return None
    return _contest(nodes[home].private[0], loops, entries[0], steps, params)


def _contest(best: str, loops: list[Step], entry: Step, steps: Sequence[Step], fixed: set[str]) -> Contest | None:
    taking = [s for s in loops if s.updates[best] != Poly.symbol(best)]
    keeping = [s for s in loops if s.updates[best] == Poly.symbol(best)]
    if len(taking) != 1 or len(keeping) != 1:
        return None
    take, keep = taking[0], keeping[0]
    value, now = take.updates[best], Poly.symbol("#1")
    for step in (take, keep, entry):
        if step.draws != take.draws or step.reads != (now,) or step.updates.get("#1") != now + 1 or step.lets:
            return None
    if entry.updates[best] != value or entry.guards or len(take.guards) != 1 or len(keep.guards) != 1:
        return None
    ahead = value - Poly.symbol(best)
    sign = 1 if take.guards[0] == ahead else -1 if take.guards[0] == -ahead else 0
    if sign == 0 or keep.guards[0] != -take.guards[0]:
        return None
    if set(take.public) != set(keep.public) or set(take.unequal) != set(keep.unequal):
        return None
    if not _public_alike(best, take, keep, entry, steps, fixed):
        return None
    parts = value.linear()
    if best in parts or set(parts) - {"?0"} != {d.symbol for d in take.draws}:
        return None
    if not all(factor.symbols() <= fixed for factor in parts.values()):
        return None  # winner and loser have the same factors only where these are the same in every iteration
    return Contest(parts.get("?0", Poly()), tuple((d, parts[d.symbol]) for d in take.draws), sign, value)


def _public_alike(best: str, take: Step, keep: Step, entry: Step, steps: Sequence[Step], fixed: set[str]) -> bool:
    """Whether public variables either ignore who leads, or only note the leader and are otherwise unused."""
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
    tested = {s for step in steps for p in [*(p for p, _ in step.public), *step.unequal] for s in p.symbols()}
    scales = {s for step in (take, keep, entry) for d in step.draws for s in d.rate.symbols()}
    offset = {s for s in take.updates[best].symbols() if s[0] not in "?~"}
    return not notes & (tested | scales | offset) and offset <= alike | fixed and scales <= fixed


def check_winner(
    known: Domains, contest: Contest, limit: Poly, moves: str, by: Fraction, orders: Sequence[Any], allowed: set[str]
) -> bool:
    """Check that shifting the winner's draws by W_k(d_w) keeps it the winner, at a cost of at most `limit`.

    sign·(a·(d_w − d_l) + Σ_k b_k·W_k(d_w)) ≥ 0 for all allowed changes, and Σ_k |W_k|·rate_k ≤ limit. For whole noise
    the answers, and so d, are whole, and the shift must be. Returns whether the noise is whole.
    """
    parts = [(d.symbol, d.rate, d.kind, b) for d, b in contest.draws]
    if not contest.answer:
        raise Rejected("the answers do not enter the values that are compared")
    if not parts or any(kind not in LAWS or not rate or not known.sure(rate) for _, rate, kind, _ in parts):
        raise Rejected("no draw, a draw of an unknown kind, or one whose scale is not known to be positive")
    whole = any(kind == "discrete_laplace" for _, _, kind, _ in parts)
    if whole and by.denominator != 1:
        raise Rejected("integer-valued noise needs whole moves")
    wanted = boxes(moves, by)
    if len(orders) != len(wanted):
        raise Rejected("a direction of change is missing")
    for (low, high), order in zip(wanted, orders, strict=True):
        shift = {s: read_affine(order[s]) for s, *_ in parts}
        if any(not set(w) <= {"1", "d"} or any(not p.symbols() <= allowed for p in w.values()) for w in shift.values()):
            raise Rejected("a shift depends on something that is not public")
        if not all(
            known.integral(p) for s, _, kind, _ in parts if kind == "discrete_laplace" for p in shift[s].values()
        ):
            raise Rejected("integer-valued noise needs an integral shift")
        zero = Fraction(0)
        single = moves in ("one", "l1")
        pairs = (
            [(low, zero), (high, zero), (zero, low), (zero, high)]
            if single
            else itertools.product((low, high), repeat=2)
        )
        for mine, other in pairs:
            won = {s: value_at(w, {"d": mine}) for s, w in shift.items()}
            gain = contest.answer * (mine - other) + total(b * won[s] for s, _, _, b in parts)
            cost = Poly()
            for s, rate, kind, _ in parts:
                if not all(known.signed(m) for m in won[s].terms) or (kind == "exponential" and not known.sure(won[s])):
                    raise Rejected(f"the size of the shift of {s} is not known, or a one-sided draw is moved down")
                cost = cost + rate * Poly({m: abs(c) for m, c in won[s].terms.items()})
            if not known.sure(gain * contest.sign) or not known.sure(limit - cost):
                raise Rejected("the winner may lose in the second run, or the shift costs more than the bound")
    return whole


def check_argmax(certificate: Mapping[str, Any]) -> Theorem:
    """Verify a certificate of type ``argmax-shift``: a program that holds a contest, and the shift of its winner."""
    _, _, model, adjacency, bound, *_, orders = fields(
        certificate, "type", "program", "model", "adjacency", "bound", "merged", "counters", "whole", "positive",
        "invariant", "kept", "dead", "rates", "orders",
    )  # fmt: skip
    moves, by = fields(adjacency, "moves", "by")
    loops = Loops(certificate)
    contest = None if certificate["merged"] else recognise(loops.nodes, loops.steps, loops.counters, loops.params)
    if contest is None:
        raise Rejected("the program does not hold a contest of noisy values")
    limit = limit_of(bound, loops.known, model["params"])
    whole = check_winner(loops.known, contest, limit, moves, number(by), orders, loops.params)
    words = f"the index of the {'largest' if contest.sign == 1 else 'smallest'} of the values {contest.value}"
    return theorem("argmax-shift", words, model, limit, moves, number(by), whole)


def check_flipping(certificate: Mapping[str, Any]) -> Theorem:
    """Verify a certificate of type ``permute-and-flip``.

    Scores q are tried in a uniformly random order; q_i is accepted where a draw from the exponential law of the given
    rate is at least max q − q_i, and the last one that is left is accepted without a draw. The index is released.
    """
    _, _, model, adjacency, bound, orders = fields(
        certificate, "type", "program", "model", "adjacency", "bound", "orders"
    )
    params, rate = fields(model, "params", "rate")
    known = read_domains(params)
    moves, by = fields(adjacency, "moves", "by")
    draw = Draw("~0", from_json(rate), "exponential")
    if not draw.rate.symbols() <= {*params, QUERIES}:
        raise Rejected("the scale depends on something that is not public")
    one, value = Poly.constant(1), Poly.symbol("?0") + Poly.symbol("~0")
    limit = limit_of(bound, known, params)
    contest = Contest(one, ((draw, one),), 1, value)
    check_winner(known, contest, limit, moves, number(by), orders, {*params, QUERIES})
    words = f"permute-and-flip with exponential draws of scale 1/({draw.rate})"
    return theorem("permute-and-flip", words, model, limit, moves, number(by), False, (SAME_LAW,))


CHECKERS = {"argmax-shift": check_argmax, "permute-and-flip": check_flipping}
