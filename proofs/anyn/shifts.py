r"""The linear program over one symbolic iteration.

Unknowns: for each phase p the differences :math:`\Delta_{p,x}` of the private variables and a potential
:math:`\varphi_p` (a combination of monomials in parameters and public variables); for each move the shifts
:math:`A_k` of its draws, affine in the changes u; multipliers :math:`\lambda`; the multiple E of the claimed budget.
Constraints, at every vertex u: guards do not decrease, released values do not change, differences agree, and

.. math:: \varphi_p(s) - \varphi_{p'}(s') - \sum_k |A_k(u)|\,\mathrm{rate}_k = \sum_r \lambda_r\, \mathrm{row}_r .
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dpwitness.core.errors import OutsideFragment
from dpwitness.proofs.anyn.clock import tick
from dpwitness.proofs.anyn.farkas import Row, rows, rows_at
from dpwitness.proofs.anyn.invariants import Known
from dpwitness.proofs.anyn.linear import Linear, Problem, add
from dpwitness.proofs.anyn.model import Model, Step
from dpwitness.proofs.anyn.phases import Move, Phase, Setting, moves, phases
from dpwitness.proofs.kernel.algebra.laurent import UNIT, Monomial, Poly, times

Key = tuple[int, str, bool]
Parts = dict[tuple[str, Monomial], Linear]
"""A difference: for each change u (``"1"``: constant) and each monomial a linear expression in the unknowns."""


def weights(model: Model) -> list[Monomial]:
    """The public monomials that multiply private values (1, 1/n, a sensitivity, ...)."""
    found = {UNIT}
    for t in model.transitions:
        for p in (*t.guards, *t.released, *(v for s, v in t.updates.items() if s[0] == "%")):
            for coefficient in p.linear().values():
                found |= set(coefficient.terms)
    if any(s[0] in "$@" or (s[0] == "#" and s != "#n") for m in found for s, _ in m):
        raise OutsideFragment("a private value is multiplied by a number that changes from step to step")
    return sorted(found)


def cost_monomials(model: Model, budget: Sequence[Poly]) -> list[Monomial]:
    """The positive monomials in which costs are counted."""
    found = {m for part in budget for m in part.terms}
    factors = weights(model)
    for t in model.transitions:
        for draw in t.draws:
            found |= {times(m, w) for m in draw.rate.terms for w in factors}
    return sorted(m for m in found if m != UNIT and model.known.signed(m) and not any(s[0] == "@" for s, _ in m))


@dataclass(frozen=True)
class Budget:
    """What may be spent: Σ_j E_j · part_j, where E_j is sought and costs `prices[j]`; at most `goal` is asked for."""

    parts: tuple[Poly, ...]
    prices: tuple[Fraction, ...] = (Fraction(1),)
    goal: Fraction = Fraction(1)

    @property
    def objective(self) -> dict[Any, Fraction]:
        """The price of the unknown multiples."""
        return {("E", j): price for j, price in enumerate(self.prices)}


@dataclass
class Shape:
    """Everything that the linear program of one setting is built from."""

    model: Model
    known: Known
    budget: Budget
    setting: Setting
    moves: list[Move] = field(init=False)
    costs: list[Monomial] = field(init=False)
    weights: list[Monomial] = field(init=False)
    rows: dict[int, list[Row]] = field(init=False)
    floors: dict[str, list[Row]] = field(init=False)

    def __post_init__(self) -> None:
        self.moves = moves(self.model, self.setting, set(self.known.dead))
        self.costs = cost_monomials(self.model, self.budget.parts)
        self.weights = weights(self.model)
        self.floors = {
            n: rows_at(self.model, n, self.known.invariant[n], self.costs, self.known.relevant)
            for n in self.model.nodes
        }
        self.rows = {}
        for move in self.moves:
            t = self.model.transitions[move.on]
            if move.on not in self.rows:
                inv = self.known.invariant.get(t.source, [])
                self.rows[move.on] = rows(self.model, t, inv, self.costs, self.known.relevant)

    def features(self, node: str) -> list[Monomial]:
        """The monomials of the potential at a node."""
        public = [s for s in self.model.nodes[node].public if s in self.known.relevant]
        states = self.model.states()
        here = [m for m in self.costs if all(s not in states or s in public for s, _ in m)]
        single: list[Monomial] = [((v, 1),) for v in public]
        return list(dict.fromkeys([*here, *single, *(times(v, m) for v in single for m in here)]))


class Program:
    """The linear program for given targets of the moves (moves without one are left out, which bounds E below)."""

    def __init__(self, shape: Shape, targets: Mapping[Key, Phase], multiples: Sequence[Fraction] = ()) -> None:
        self.shape, self.problem = shape, Problem()
        self.sizes: list[Any] = []
        for name in shape.budget.objective:
            self.problem.variable(name, nonnegative=True)
        for j, multiple in enumerate(multiples):
            self.problem.zero({("E", j): Fraction(1), None: -multiple})
        for move in shape.moves:
            target = move.targets[0] if len(move.targets) == 1 else targets.get(move.key)
            self._move(move, target)
        for phase in phases(shape.model, shape.setting):
            left = {m: dict(e) for m, e in self.potential(phase, False).items()}
            self._nonnegative(left, shape.floors[phase.node], ("floor", phase.name))

    # unknowns

    def potential(self, phase: Phase | None, start: bool) -> dict[Monomial, Linear]:
        """The potential of a phase, of the start, or of the end."""
        if start:
            found: dict[Monomial, Linear] = {}
            for j, part in enumerate(self.shape.budget.parts):
                for m, c in part.terms.items():
                    found.setdefault(m, {})["E", j] = c
            return found
        if phase is None:
            return {}
        return {m: self.problem.variable(("phi", phase.name, m)) for m in self.shape.features(phase.node)}

    def delta(self, phase: Phase | None, symbol: str) -> Parts:
        """The difference of a private variable in a phase."""
        if phase is None:
            return {}
        over = self.shape.setting.over(self.shape.setting.memory())
        return {
            (u, w): self.problem.variable(("delta", phase.name, symbol, u, w)) for u in over for w in self.shape.weights
        }

    def shift(self, move: Move, t: Step, symbol: str) -> Parts:
        """The shift of a draw."""
        over = self.shape.setting.over(self.shape.setting.unknowns(t))
        positive = [w for w in self.shape.weights if self.shape.model.known.signed(w)]
        return {(u, w): self.problem.variable(("shift", *move.key, symbol, u, w)) for u in over for w in positive}

    def difference(self, poly: Poly, move: Move, t: Step) -> Parts:
        """The difference of a value between the two runs."""
        found: Parts = {}
        for symbol, coefficient in poly.linear().items():
            if symbol[0] == "~":
                parts = self.shift(move, t, symbol)
            elif symbol[0] == "%":
                parts = self.delta(move.phase, symbol)
            elif self.shape.setting.single:
                parts = {("D", UNIT): {None: Fraction(1)}} if move.changed else {}
            else:
                parts = {(f"d{symbol[1:]}", UNIT): {None: Fraction(1)}}
            for (u, w), expression in parts.items():
                for m, c in coefficient.terms.items():
                    add(found.setdefault((u, times(m, w)), {}), expression, c)
        return found

    # constraints

    def _move(self, move: Move, target: Phase | None) -> None:
        tick()
        t = self.shape.model.transitions[move.on]
        corners = self.shape.setting.corners(t)
        for guard in t.all_guards():
            parts = self.difference(guard, move, t)
            for corner in corners:
                for mono, expression in at(parts, corner).items():
                    if self.shape.model.known.signed(mono):
                        self.problem.at_most_zero({v: -c for v, c in expression.items()})
                    else:
                        self.problem.zero(expression)
        for value in t.released:
            for expression in self.difference(value, move, t).values():
                self.problem.zero(expression)
        if target is None and move.targets:
            return
        if target is not None:
            self._arrive(move, t, target)
        for k, corner in enumerate(corners):
            self._pay(move, t, target, k, corner)

    def _arrive(self, move: Move, t: Step, target: Phase) -> None:
        for symbol in self.shape.model.nodes[target.node].private:
            gap = self.difference(t.updates[symbol], move, t)
            for (u, w), expression in self.delta(target, symbol).items():
                name = u
                if u == "g":
                    if not t.reads:
                        continue
                    name = f"d{len(t.reads) - 1}"
                add(gap.setdefault((name, w), {}), expression, -1)
            for expression in gap.values():
                self.problem.zero(expression)

    def _pay(self, move: Move, t: Step, target: Phase | None, k: int, corner: Mapping[str, Fraction]) -> None:
        left = {m: dict(e) for m, e in self.potential(move.phase, move.phase is None).items()}
        for mono, variable in self.potential(target, False).items():
            for m, c in Poly.term(mono).substitute(t.updates).terms.items():
                add(left.setdefault(m, {}), variable, -c)
        for draw in t.draws:
            for w, expression in at(self.shift(move, t, draw.symbol), corner).items():
                name = ("size", *move.key, draw.symbol, k, w)
                size = self.problem.variable(name, nonnegative=True)
                self.sizes.append(name)
                self.problem.at_most_zero(add(dict(expression), size, -1))
                self.problem.at_most_zero(add({v: -c for v, c in expression.items()}, size, -1))
                for m, c in draw.rate.terms.items():
                    add(left.setdefault(times(m, w), {}), size, -c)
        self._nonnegative(left, self.shape.rows[move.on], ("row", *move.key, k))

    def _nonnegative(self, left: Mapping[Monomial, Linear], given: Sequence[Row], name: tuple[Any, ...]) -> None:
        """left = Σ λ_r · row_r with new unknowns λ ≥ 0."""
        equations: dict[Monomial, Linear] = {m: {v: -c for v, c in e.items()} for m, e in left.items()}
        for j, row in enumerate(given):
            multiplier = (*name, j)
            self.problem.variable(multiplier, nonnegative=True)
            for m, c in row.poly.terms.items():
                equations.setdefault(m, {})[multiplier] = c
        for equation in equations.values():
            self.problem.zero(equation)


def at(parts: Parts, corner: Mapping[str, Fraction]) -> dict[Monomial, Linear]:
    """A difference at one vertex."""
    found: dict[Monomial, Linear] = {}
    for (u, w), expression in parts.items():
        add(found.setdefault(w, {}), expression, Fraction(1) if u == "1" else corner[u])
    return found
