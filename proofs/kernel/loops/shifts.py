"""Proofs about loops: one shift of the noise per step, one potential that pays for it, for any number of steps.

A program with loops over its queries is given as decision trees, whose paths are *transitions* between *nodes* (loop
heads). A certificate states
(beside what `loops` checks) for every *phase* of a node how far each private variable of
the run on q + d lies from that of the run on q, and a potential φ. For every transition it gives the shifts A_k of the
draws. The kernel checks, at every vertex of the box of changes d,

* (G) no guard on private values decreases, so that the second run takes the same path,
* (O) released values do not change,
* (D) the differences after the step are those of the phase that is reached,
* (P) φ(before) − φ(after) − Σ_k |A_k| · rate_k ≥ 0 by Farkas multipliers over the facts that hold on the transition,
* (N) φ ≥ 0 at every node, so that runs which never end are paid for as well.

Integer-valued noise is shifted by whole numbers only, for answers and changes that are whole.

All is affine in d but the cost, which is convex, so vertices suffice. Shifting noise along a path is a translation, and
the costs telescope: the privacy loss is at most φ(start), for every number of queries. The theorem is about the trees
of the certificate: its subject is their fingerprint.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpwitness.proofs.kernel.algebra.laurent import Poly, from_json, private, total
from dpwitness.proofs.kernel.arith import Rejected, number
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.loops.heads import END, START, Domains, Loops, Step
from dpwitness.proofs.kernel.theorem import Theorem, fingerprint

Affine = dict[str, Poly]
Corner = dict[str, Fraction]


class Order:
    """One direction of the changes, with its phases, differences, potential and moves."""

    def __init__(self, loops: Loops, data: object, bound: Poly) -> None:
        low, high, single, history, phases, moves = fields(data, "low", "high", "single", "history", "phases", "moves")
        self.loops, self.bound = loops, bound
        self.low, self.high, self.single, self.history = number(low), number(high), bool(single), bool(history)
        if not self.low <= 0 <= self.high or self.low == self.high or (self.single and self.history):
            raise Rejected("the box of changes is empty")
        self.node: dict[str, str] = {}
        self.pending: dict[str, bool] = {}
        self.delta: dict[str, dict[str, Affine]] = {}
        self.potential: dict[str, Poly] = {START: bound, END: Poly()}
        for name, entry in phases.items():
            if name in (START, END):
                raise Rejected("a phase must not be called start or end")
            self.node[name], self.pending[name], delta, potential, floor = fields(
                entry, "node", "pending", "delta", "potential", "floor"
            )
            node = loops.nodes[self.node[name]]
            self.delta[name] = {s: read_affine(delta.get(s, {})) for s in node.private}
            self.potential[name] = from_json(potential)
            public = loops.params | set(node.public)
            values = [self.potential[name], *(p for a in self.delta[name].values() for p in a.values())]
            if any(s not in public for p in values for s in p.symbols()):
                raise Rejected(f"phase {name} uses a symbol that is not a public variable there")
            loops.farkas(
                self.node[name], self.potential[name], floor, f"the potential of phase {name!r} is not negative"
            )
        self.moves = {(m["on"], m["phase"], m["changed"]): m for m in moves}
        if len(self.moves) != len(moves):
            raise Rejected("a move is given twice")
        self.linear = True

    def check(self) -> None:
        """Check (G), (O), (D) and (P) for every transition from every phase."""
        if self.single:
            self.loops.one_read_a_step()
        for step in self.loops.steps:
            sources = [START] if step.source == START else [p for p, n in self.node.items() if n == step.source]
            for phase in sources:
                self._move(step, phase, False)
                if self.single and step.reads and self.pending.get(phase, True):
                    self._move(step, phase, True)

    def _target(self, step: Step, phase: str, changed: bool, target: str) -> None:
        if step.target == END:
            good = target == END
        else:
            good = self.node.get(target) == step.target
            other = step.source == START or self.loops.nodes[step.source].loop != self.loops.nodes[step.target].loop
            waiting = self.pending.get(phase, True) and not changed
            if self.single and good and (other or waiting):
                good = self.pending[target]
        if not good:
            raise Rejected(f"{step.place} from phase {phase!r} may not reach phase {target!r}")

    def _move(self, step: Step, phase: str, changed: bool) -> None:
        if (step.place, phase, changed) not in self.moves:
            raise Rejected(f"no move for {step.place} from phase {phase!r}")
        target, shift, pays = fields(
            {k: v for k, v in self.moves[step.place, phase, changed].items() if k not in ("on", "phase", "changed")},
            "to", "shift", "pays",
        )  # fmt: skip
        self._target(step, phase, changed, target)
        shifts = {symbol: read_affine(shift.get(symbol, {})) for symbol, *_ in step.draws}
        names = ["D"] if self.single else [f"d{j}" for j in range(len(step.reads))]
        if self.history and phase != START:
            names.append("g")
        public = self.loops.params | set(() if phase == START else self.loops.nodes[step.source].public)
        for affine in shifts.values():
            if not set(affine) <= {"1", *names} or any(not s <= public for p in affine.values() for s in [p.symbols()]):
                raise Rejected("a shift depends on something that is not public")
        if not all(self.loops.known.integral(p) for symbol in step.whole for p in shifts[symbol].values()):
            raise Rejected("integer-valued noise needs an integral shift")
        self.linear &= all(not a.get("1") for a in shifts.values())
        self.linear &= all(not a.get("1") for d in self.delta.values() for a in d.values())
        corners = list(itertools.product((self.low, self.high), repeat=len(names)))
        if len(pays) != len(corners):
            raise Rejected("one payment is needed for every corner")
        for corner, pay in zip(corners, pays, strict=True):
            self._corner(step, phase, changed, target, shifts, dict(zip(names, corner, strict=True)), pay)

    def _corner(
        self,
        step: Step,
        phase: str,
        changed: bool,
        target: str,
        shifts: dict[str, Affine],
        at: Corner,
        pay: Any,
    ) -> None:
        known, what = self.loops.known, f"{step.place} from phase {phase!r}"

        def moved(symbol: str) -> Poly:
            if symbol[0] == "~":
                return value_at(shifts[symbol], at)
            if symbol[0] == "%":
                return value_at(self.delta[phase][symbol], at)
            return Poly.constant((at["D"] if changed else 0) if self.single else at[f"d{symbol[1:]}"])

        def difference(poly: Poly) -> Poly:
            return total(c * moved(symbol) for symbol, c in poly.linear().items())

        for guard in step.all_guards():
            if not known.sure(difference(guard)):
                raise Rejected(f"{what}: the guard {guard} >= 0 may fail in the second run")
        for value in step.released:
            if difference(value):
                raise Rejected(f"{what}: the released value {value} changes")
        if target != END:
            after = at if self.single else {"g": at.get(f"d{len(step.reads) - 1}", Fraction(0))}
            for symbol, wanted in self.delta[target].items():
                if difference(step.updates[symbol]) != value_at(wanted, after).substitute(step.updates):
                    raise Rejected(f"{what}: the difference of {symbol} is not that of phase {target!r}")
        cost = Poly()
        for symbol, rate, _ in step.draws:
            amount = moved(symbol)
            if not all(known.signed(m) for m in amount.terms):
                raise Rejected(f"{what}: the size of the shift of {symbol} is not known")
            cost = cost + rate * Poly({m: abs(c) for m, c in amount.terms.items()})
        left = self.potential[phase] - self.potential[target].substitute(step.updates) - cost
        self.loops.farkas(step, left, pay, f"{what} is paid for")


def read_affine(data: Mapping[str, Any]) -> Affine:
    """A shift or difference: public coefficients of 1 and of the changes of answers."""
    found = {u: from_json(p) for u, p in data.items()}
    if any(private(s) for p in found.values() for s in p.symbols()):
        raise Rejected("a shift or difference depends on private values")
    return found


def value_at(affine: Affine, at: Corner) -> Poly:
    """Its value where the answers change as `at` says."""
    return total(p * (Fraction(1) if u == "1" else at[u]) for u, p in affine.items())


def boxes(moves: object, by: Fraction) -> list[tuple[Fraction, Fraction]]:
    """The directions of change that an adjacency asks for: each answer moves within such an interval.

    >>> boxes("up", Fraction(1))
    [(Fraction(0, 1), Fraction(1, 1)), (Fraction(-1, 1), Fraction(0, 1))]
    """
    if by <= 0 or moves not in ("all", "one", "up", "down", "l1", "l2"):
        raise Rejected(f"unknown adjacency {moves!r}")
    return [(Fraction(0), by), (-by, Fraction(0))] if moves in ("up", "down") else [(-by, by)]


def ranges(params: Mapping[str, Mapping[str, Any]]) -> str:
    """The declared domains in words: the statement holds for these values of the parameters.

    >>> ranges({"eps": {"above": "0"}, "c": {"whole": True, "least": "1"}, "t": {}})
    ', where c is whole, c >= 1, eps > 0'
    """
    signs = {"above": ">", "least": ">=", "below": "<="}
    words = []
    for name in sorted(params):
        words += [f"{name} is whole"] * ("whole" in params[name])
        words += [f"{name} {signs[key]} {value}" for key, value in params[name].items() if key in signs]
    return f", where {', '.join(words)}" if words else ""


def theorem(
    kind: str, statement: str, model: Mapping[str, Any], bound: Poly, moves: str, by: Fraction, whole: bool,
    assumptions: tuple[str, ...] = (),
) -> Theorem:  # fmt: skip
    """The theorem that answers may move so far at a loss of at most `bound`, for any number of them."""
    relation = {
        "inputs": "answers", "moves": moves, "by": str(by), "whole": whole, "low": None, "high": None, "values": None,
    }  # fmt: skip
    epsilon = tuple((c, m) for m, c in sorted(bound.terms.items()))
    said = (
        f"{statement}: loss <= {bound} for any number of {'whole ' * whole}queries, adjacency {moves} <= {by}"
        f"{ranges(model['params'])}"
    )
    guarantee = {"kind": "pure", "epsilon": epsilon}
    opened = {name: dict(entry) for name, entry in model["params"].items()}
    return Theorem(kind, said, fingerprint(model), False, guarantee, relation, "any", opened, assumptions)


def limit_of(bound: object, known: Domains, params: Mapping[str, Any]) -> Poly:
    """The bound on the loss, a sum of positive terms in the parameters."""
    limit = from_json(bound)
    if not limit.symbols() <= set(params) or not known.sure(limit):
        raise Rejected("the bound is not a sum of positive terms in the parameters")
    return limit


def check_loops(certificate: Mapping[str, Any]) -> Theorem:
    """Verify a certificate of type ``loop-shift``."""
    _, _, model, adjacency, bound, *_, orders = fields(
        certificate, "type", "program", "model", "adjacency", "bound", "merged", "counters", "whole", "positive",
        "invariant", "kept", "dead", "rates", "orders",
    )  # fmt: skip
    moves, by = fields(adjacency, "moves", "by")
    loops = Loops(certificate)
    if loops.whole and number(by).denominator != 1:
        raise Rejected("integer-valued noise needs whole moves")
    limit = limit_of(bound, loops.known, model["params"])
    done = []
    for data in orders:
        order = Order(loops, data, limit)
        order.check()
        if not order.single or moves == "one" or (moves == "l1" and order.linear):
            done.append((order.low, order.high))
    for low, high in boxes(moves, number(by)):
        if not any(a <= low and high <= b for a, b in done):
            raise Rejected(f"the direction [{low}, {high}] is not covered")
    words = f"a program of {len(loops.nodes)} loop heads and {len(loops.steps)} transitions"
    return theorem("loop-shift", words, model, limit, moves, number(by), loops.whole)


CHECKERS = {"loop-shift": check_loops}
