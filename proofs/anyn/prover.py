"""From a function and an adjacency to a certificate: which shapes of proof are tried, and in which order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpwitness.core.domains import Domain
from dpwitness.core.errors import OutsideFragment
from dpwitness.proofs.anyn import argmax, flipping, ranking
from dpwitness.proofs.anyn.certificate import certificate, scales
from dpwitness.proofs.anyn.clock import OutOfTime, limit
from dpwitness.proofs.anyn.invariants import Known, find
from dpwitness.proofs.anyn.model import FAIL, Model
from dpwitness.proofs.anyn.phases import Setting
from dpwitness.proofs.anyn.reading.front import FrontEnd
from dpwitness.proofs.anyn.reading.source import Source
from dpwitness.proofs.anyn.search import Found, prove, with_bound
from dpwitness.proofs.anyn.shifts import Budget, Shape, cost_monomials
from dpwitness.proofs.kernel.algebra.laurent import Poly
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.kernel.loops.shifts import boxes


@dataclass(frozen=True)
class Proved:
    """A bound on the privacy loss for any number of queries, with its certificate.

    Attributes
    ----------
    bound
        The loss is at most this polynomial in the parameters.
    price
        The bound as it compares with the budget's goal.
    model, orders
        What the proof speaks of and its parts, for replaying; no parts where the argmax lemma was used.
    """

    bound: Poly
    price: Fraction
    certificate: Mapping[str, Any]
    model: Model
    known: Known
    orders: tuple[Found, ...] = ()


@dataclass
class Task:
    """A program, an adjacency and a budget.

    Parameters
    ----------
    moves, by
        As `dpwitness.core.Answers` has them.
    seconds
        Time limit; what was proved before it is kept.
    """

    source: Source
    domains: Mapping[str, Domain]
    moves: str
    by: Fraction
    budget: Budget
    seconds: float = 10.0

    def run(self) -> Proved | None:
        """The first proof within the budget's goal, else the best one found; None where there is none.

        Raises
        ------
        OutsideFragment
            Where the program is not in the language that the front end reads.
        """
        with limit(self.seconds):
            return self._run()

    def _run(self) -> Proved | None:
        best: Proved | None = self._ranked() or self._flipped()
        if best is not None and best.price <= self.budget.goal:
            return best
        refused: OutsideFragment | None = None
        for peel in (False, True):
            shifts = not peel or refused is not None
            try:
                for found in self._attempts(FrontEnd(self.source, self.domains, peel=peel).model(), shifts):
                    if best is None or found.price < best.price:
                        best = found
                    if best.price <= self.budget.goal:
                        return best
            except OutOfTime:
                if best is None:
                    raise
                return best
            except OutsideFragment as error:
                refused = refused or error
        if best is None and refused is not None:
            raise refused
        return best

    def _ranked(self) -> Proved | None:
        """A proof by the lemma on rankings, where the program has such a shape."""
        shape = ranking.recognise(self.source)
        if shape is None or len(self.budget.parts) != 1:
            return None
        rank, only = shape
        model = FrontEnd(only, self.domains, peel=True).model()
        known = self._facts(model)
        contest = argmax.recognise(model, known)
        if contest is None:
            return None
        made = ranking.prove(self.source, self.domains, rank, contest, self.budget.parts[0], self.moves, self.by)
        if made is None or not examine(made[1]):
            return None
        return Proved(self.budget.parts[0] * made[0], made[0] * self.budget.prices[0], made[1], model, known)

    def _flipped(self) -> Proved | None:
        """A proof of permute-and-flip by the contest that has the same law."""
        same = flipping.recognise(self.source)
        if same is None:
            return None
        if len(self.budget.parts) != 1:
            return None
        model = FrontEnd(same, self.domains, peel=True).model()
        known = self._facts(model)
        contest = argmax.recognise(model, known)
        if contest is None:
            return None
        budget = self.budget.parts[0]
        made = flipping.prove(self.source, self.domains, model.known, contest, budget, self.moves, self.by)
        if made is None or not examine(made[1]):
            return None
        return Proved(budget * made[0], made[0] * self.budget.prices[0], made[1], model, known)

    def _attempts(self, plain: Model, shifts: bool) -> Iterator[Proved]:
        """Proofs by the lemma on largest values, then (where `shifts`) by the linear program."""
        if not shifts and not argmax.possible(plain):
            return
        first = self._facts(plain)
        contest = argmax.recognise(plain, first)
        if contest is not None and len(self.budget.parts) == 1:
            made = argmax.prove(plain, first, contest, self.budget.parts[0], self.moves, self.by)
            if made is not None and examine(made[1]):
                bound = self.budget.parts[0] * made[0]
                yield Proved(bound, made[0] * self.budget.prices[0], made[1], plain, first)
        if not shifts:
            return
        together = plain.merged(first.dead)
        models = [(plain, first)] + ([] if together is None else [(together, self._facts(together))])
        for model, known in models:
            rates = scales(model, known)
            if rates is None:
                raise OutsideFragment("a noise scale is not known to be positive")
            for settings in self._settings(model):
                found = self._orders(model, known, settings)
                if found is None:
                    continue
                proved = self._certify(model, known, rates, found)
                if proved is not None:
                    yield proved

    def _facts(self, model: Model) -> Known:
        known = find(model, cost_monomials(model, self.budget.parts))
        for k, t in enumerate(model.transitions):
            if t.target == FAIL and k not in known.dead:
                raise OutsideFragment(f"the program may fail: {t.leaf['fail']}", model.lines.get(t.place))
        return known

    def _settings(self, model: Model) -> Iterator[list[Setting]]:
        """The shapes of proof that suit the adjacency, simplest first."""
        sides = boxes(self.moves, self.by)
        linear = self.moves == "l1"
        if self.moves in ("one", "l1"):
            yield [Setting(low, high, single=True, linear=linear) for low, high in sides]
        yield [Setting(low, high) for low, high in sides]
        if any(s[0] == "?" for t in model.transitions for p in t.updates.values() for s in p.symbols()):
            yield [Setting(low, high, history=True) for low, high in sides]
        if self.moves in ("one", "l1"):
            yield [Setting(low, high, single=True, count=2, linear=linear) for low, high in sides]

    def _orders(self, model: Model, known: Known, settings: list[Setting]) -> list[Found] | None:
        found = []
        for setting in settings:
            made = prove(Shape(model, known, self.budget, setting))
            if made is None:
                return None
            found.append(made)
        return found

    def _certify(
        self, model: Model, known: Known, rates: dict[str, dict[str, Any]], orders: list[Found]
    ) -> Proved | None:
        """The certificate, if the kernel accepts it; directions of different cost are brought to the larger one."""
        worst = max(orders, key=lambda o: o.price)
        if any(o.bound != worst.bound for o in orders):
            raised = [self._raised(o, worst) for o in orders]
            if any(o is None for o in raised):
                return None
            orders = [o for o in raised if o is not None]
        try:
            made = certificate(model, known, rates, worst.bound, self.moves, self.by, orders)
        except Rejected:
            return None
        if not examine(made):
            return None
        return Proved(worst.bound, worst.price, made, model, known, tuple(orders))

    def _raised(self, order: Found, worst: Found) -> Found | None:
        return order if order.bound == worst.bound else with_bound(order, worst.multiples)
