"""Rankings and permute-and-flip, executable: models of certificates that are not decision trees."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from dpwitness.core import laws
from dpwitness.core.claims import Claim
from dpwitness.core.coexecution.model import Computed, NoWay, Probe, Source, Trace
from dpwitness.proofs.anyn.executable import law_of
from dpwitness.proofs.anyn.points import answers, draw, parameters
from dpwitness.proofs.kernel.algebra.laurent import from_json
from dpwitness.proofs.kernel.loops.ranking import PLACE
from dpwitness.proofs.kernel.loops.trees import QUERIES

RUNS = 60


class RankingModel:
    """A value for every answer; released are the indices of the largest ones in order, or the largest with its lead.

    A place is the rank that an index has among the first winners: each of them must be won once.
    """

    def __init__(self, certificate: Mapping[str, Any]) -> None:
        model = certificate["model"]
        self.params = model["params"]
        self.value = from_json(model["value"])
        self.draws = [(from_json(rate), kind) for rate, kind in model["draws"]]
        self.count, self.lead = from_json(model["count"]), bool(model["lead"])

    def places(self) -> Collection[str]:
        """Whether the first, the last, or another index wins; and a tie."""
        return ("first", "last", "between", "tie")

    def probes(self, claim: Claim, rng: random.Random) -> Iterator[Probe]:
        """Every number of answers from the least one on, equal answers, other orders, draws of several magnitudes."""
        for k in range(RUNS):
            params = parameters(self.params, rng, claim.params if k % 2 == 0 else None)
            fewest = 2 if self.lead else max(1, int(self.count.evaluate(params)))
            if fewest > 40:
                continue
            count = fewest + k % 6
            data = answers(claim, count, rng)
            made = [draw(law, rng, 0 if k % 3 == 0 else None) for law in self._laws(params) * count]
            yield Probe(tuple(data), params, tuple(made))
            yield Probe(tuple(reversed(data)), params, tuple(made))

    def _laws(self, params: Mapping[str, Any]) -> list[laws.Law]:
        return [law_of(kind, rate.evaluate(params)) for rate, kind in self.draws]

    def run(self, data: Sequence[Any], params: Mapping[str, Any], source: Source) -> Trace:
        """The values of all answers in turn, then the ranking."""
        fixed = {name: Fraction(params[name]) for name in self.params}
        drawn: list[laws.Law] = []
        values: list[Fraction] = []
        for i, q in enumerate(data):
            here = {**fixed, QUERIES: Fraction(len(data)), PLACE: Fraction(i), "?0": Fraction(q)}
            for k, law in enumerate(self._laws(fixed)):
                drawn.append(law)
                here[f"~{k}"] = Fraction(source(law))
            values.append(self.value.evaluate(here))
        count = self.count.evaluate(fixed)
        if (self.lead and len(values) < 2) or count > len(values) or count.denominator != 1:
            raise NoWay(f"{count} winners of {len(values)} values")
        order = sorted(range(len(values)), key=lambda i: (-values[i], i))
        winner = order[0] if order else 0
        tied = len(set(values)) < len(values)
        where = "first" if winner == 0 else "last" if winner == len(values) - 1 else "between"
        places = (where, *(["tie"] if tied else []))
        if self.lead:
            return Trace(tuple(drawn), (winner, Computed(values[winner] - values[order[1]])), places)
        return Trace(tuple(drawn), order[: int(count)], places)


class FlippingModel:
    """Permute-and-flip: candidates in random order, each accepted where a draw is at least its distance to the best."""

    def __init__(self, certificate: Mapping[str, Any]) -> None:
        self.params = certificate["model"]["params"]
        self.rate = from_json(certificate["model"]["rate"])

    def places(self) -> Collection[str]:
        """The first one is accepted, a later one is, or the last one that is left."""
        return ("accepted at once", "accepted later", "left over")

    def probes(self, claim: Claim, rng: random.Random) -> Iterator[Probe]:
        """Every number of candidates up to six; draws beside and at the distance that decides."""
        for k in range(RUNS):
            params = parameters(self.params, rng, claim.params if k % 2 == 0 else None)
            data = answers(claim, 1 + k % 6, rng)
            law = law_of("exponential", self.rate.evaluate({**params, QUERIES: Fraction(len(data))}))
            made: list[Any] = []
            rest = list(range(len(data)))
            while len(rest) > 1:
                pick = rng.randrange(len(rest))
                gap = max(data) - data[rest.pop(pick)]
                near = [gap, gap + Fraction(1, 2**20), max(Fraction(0), gap - Fraction(1, 2**20)), draw(law, rng)]
                made += [pick, float(rng.choice([*near, Fraction(0)]))]
            yield Probe(tuple(data), params, tuple(made))

    def run(self, data: Sequence[Any], params: Mapping[str, Any], source: Source) -> Trace:
        """Try the candidates in the order that is drawn."""
        fixed = {name: Fraction(params[name]) for name in self.params}
        if not data:
            raise NoWay("there are no candidates")
        scores = [Fraction(q) for q in data]
        law = law_of("exponential", self.rate.evaluate({**fixed, QUERIES: Fraction(len(scores))}))
        best, rest = max(scores), list(range(len(scores)))
        drawn: list[laws.Law] = []
        while len(rest) > 1:
            order = laws.Choice((1,) * len(rest))
            place = source(order)
            i = rest.pop(int(place))
            drawn += [order, law]
            if Fraction(source(law)) >= best - scores[i]:
                where = "accepted at once" if len(rest) == len(scores) - 1 else "accepted later"
                return Trace(tuple(drawn), i, (where,))
        return Trace(tuple(drawn), rest[0], ("left over",))
