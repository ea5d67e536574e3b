"""Models of reports of one record: the tree of a certificate, run with the draws of the program."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dpwitness.core import laws
from dpwitness.core.claims import Claim
from dpwitness.core.coexecution.comparing import ENDS
from dpwitness.core.coexecution.model import Model, Probe, Scoped, Source, Trace, UnknownInput
from dpwitness.core.coexecution.rounding import NEAR, Rounding
from dpwitness.core.evidence import Counterexample, UpperBound
from dpwitness.core.laws import Law
from dpwitness.core.numbers import Exact
from dpwitness.proofs.kernel.algebra.field import Number
from dpwitness.proofs.kernel.local.reports import places as cut_places
from dpwitness.proofs.kernel.local.trees import Draw, Line, Place, Reader
from dpwitness.proofs.models.nodes import number_at, output_of
from dpwitness.proofs.models.releases import sides_of

Value = Fraction | float
Tree = Mapping[str, Any]
SHARES = (Fraction(1, 2), Fraction(1, 10**6), 1 - Fraction(1, 10**6))  # of the way between two bounds of a draw
CANCELLED = 2.0**-10  # a parameter so much smaller than its terms has a relative error that shows


class Walker:
    """The forms of a tree at one record and one ε."""

    def __init__(self, opened: bool, eps: Fraction, x: Fraction) -> None:
        self.opened, self.eps, self.x = opened, eps, x
        self.tests = Rounding()

    def terms(self, form: Mapping[str, str], draws: Sequence[Value]) -> list[Value]:
        """The terms of a form."""
        found: list[Value] = []
        for name, source in form.items():
            term = number_at(source, self.opened, self.eps)
            for word in () if name == "1" else name.split(" "):
                term = term * (self.x if word == "x" else draws[int(word[1:])])
            found.append(term)
        return found

    def value(self, form: Mapping[str, str], draws: Sequence[Value]) -> Value:
        """The value of a form: exact where all of its terms are."""
        return sum(self.terms(form, draws), Fraction(0))

    def holds(self, node: Tree, draws: Sequence[Value]) -> bool:
        """The outcome of a test; where rounding may decide it otherwise that is noted."""
        terms = self.terms(node["test"], draws)
        exact = all(isinstance(term, Fraction) for term in terms)
        looks = any("v" in name for name in node["test"])
        sign = self.tests.sign([(Fraction(1), term) for term in terms], exact=exact and not looks)
        if not exact and abs(float(sum(terms))) <= NEAR * sum(abs(float(term)) for term in terms):
            self.tests.doubt = True
        return sign > 0 or (sign == 0 and not node["strict"])

    def law(self, node: Tree) -> Law:
        """The law that a node draws from; where the terms of a parameter nearly cancel, rounding is what is left."""
        if "coin" in node:
            p = self._parameter(node["coin"])
            self._parameter(node["coin"], 1)  # the other chance, 1 − p
            return laws.Bernoulli(p)
        if "choose" in node:
            return laws.Choice(tuple(self._parameter(weight) for weight in node["choose"]))
        return laws.Uniform(*(self._parameter(end) for end in node["uniform"]))

    def slack(self, node: Tree) -> float:
        """What rounding may make of the ends of a uniform draw: a share of the sum of the sizes of their terms."""
        return ENDS * max(sum(abs(float(term)) for term in self.terms(end, ())) for end in node["uniform"])

    def _parameter(self, form: Mapping[str, str], other: Value = 0) -> Value:
        terms = self.terms(form, ())
        value = sum(terms, Fraction(0)) - other
        size = sum(abs(float(term)) for term in terms) + abs(float(other))
        if size and abs(float(value)) <= CANCELLED * size:
            self.tests.doubt = True
        return value


@dataclass
class ReportModel:
    """A tree of a certificate. Its places are the outputs that some record reaches."""

    claim: Claim
    tree: Tree
    opened: bool
    where: Sequence[Place]
    reached: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.names = {id(leaf): f"way {k}" for k, leaf in enumerate(leaves(self.tree))}

    def places(self) -> Collection[str]:
        """The outputs that have a positive probability for some record."""
        known: set[int] = set()
        for place in self.where:
            _Noting(place, self.opened, known).walk(self.tree, Line.constant(1, self.opened), ())
        return sorted(self.names[leaf] for leaf in known)

    def run(self, data: Sequence[Any], params: Mapping[str, Any], source: Source) -> Trace:
        """Walk down the tree."""
        if len(data) != 1:
            raise UnknownInput("the tree is that of one record")
        walker = Walker(self.opened, Fraction(params.get("eps", 0)), Fraction(data[0]))
        node, draws, asked = self.tree, list[Value](), list[Law]()
        while "output" not in node:
            if "test" in node:
                node = node["then"][0 if walker.holds(node, draws) else 1]
                continue
            asked.append(walker.law(node))
            drawn = source(asked[-1], walker.slack(node)) if "uniform" in node else source(asked[-1])
            if "uniform" in node:
                draws.append(Fraction(drawn))
                node = node["then"]
            else:
                node = node["then"][int(not drawn) if "coin" in node else int(drawn)]
        place = self.names[id(node)]
        self.reached.add(place)
        values = (walker.value(form, draws) for form in node["values"])
        return Trace(tuple(asked), output_of(node["output"][0], values), (place,), walker.tests.doubt)

    def probes(self, claim: Claim, rng: random.Random) -> Iterator[Probe]:
        """Draws that lead to each output, between and beside all bounds of tests, at and between all cuts."""
        eps = Fraction(claim.params.get("eps", 0))
        for x in self._records(eps):
            walker = Walker(self.opened, eps, Fraction(x))
            for share in SHARES:
                for draws, name in _ways(self.tree, walker, (), (), self.names):
                    values = tuple(_between(d[0], d[1], share) if isinstance(d, tuple) else d for d in draws)
                    yield Probe((x,), claim.params, values, name)

    def _records(self, eps: Fraction) -> list[Exact]:
        found: dict[Exact, None] = {}
        for place in self.where:
            low, high = (number_at(end.text(), self.opened, eps) for end in (place.low, place.high))
            for share in (0,) if place.point else (Fraction(1, 2), Fraction(1, 64), Fraction(63, 64)):
                exact = Fraction(low) + (Fraction(high) - Fraction(low)) * share
                found[Exact(exact if exact.denominator < 10**6 else exact.limit_denominator(10**6))] = None
        return list(found)


class _Noting(Reader):
    """The kernel's walk, which notes the outputs that it comes to."""

    def __init__(self, place: Place, opened: bool, known: set[int]) -> None:
        super().__init__(place, opened)
        self.known = known

    def _output(self, node: Mapping[str, Any], chance: Line, draws: tuple[Draw, ...]) -> None:
        before = len(self.law.atoms) + sum(map(len, self.law.pieces.values()))
        super()._output(node, chance, draws)
        if len(self.law.atoms) + sum(map(len, self.law.pieces.values())) > before:
            self.known.add(id(node))


def leaves(node: Tree) -> Iterator[Tree]:
    """The outputs of a tree."""
    if "output" in node:
        yield node
        return
    then = node["then"]
    for part in then if isinstance(then, list) else [then]:
        yield from leaves(part)


def _between(low: Value, high: Value, share: Fraction) -> float:
    return float(low) + (float(high) - float(low)) * float(share)


def _ways(
    node: Tree, walker: Walker, drawn: tuple[Any, ...], spots: tuple[int, ...], names: Mapping[int, str]
) -> Iterator[tuple[tuple[Any, ...], str]]:
    """For each output that the record reaches, its draws: outcomes of choices, and bounds of uniform draws."""
    if "output" in node:
        yield drawn, names[id(node)]
    elif "uniform" in node:
        low, high = (walker.value(end, ()) for end in node["uniform"])
        if high > low:
            yield from _ways(node["then"], walker, (*drawn, (low, high)), (*spots, len(drawn)), names)
    elif "test" in node:
        middle = [drawn[k][0] for k in spots]
        upper = [drawn[k][1] for k in spots]
        looks = sorted({int(word[1:]) for name in node["test"] for word in name.split(" ") if word[0] == "v"})
        if len(looks) != 1:
            yield from _ways(node["then"][0 if walker.holds(node, middle) else 1], walker, drawn, spots, names)
            return
        (k,) = looks
        below, above = walker.value(node["test"], middle), walker.value(node["test"], upper)
        low, high = drawn[spots[k]]
        if (below > 0) == (above > 0):
            yield from _ways(node["then"][0 if below > 0 else 1], walker, drawn, spots, names)
            return
        bound = low + (high - low) * (-below / (above - below))
        for first, part in ((True, (bound, high)), (False, (low, bound))):
            way = node["then"][0 if first == (above > below) else 1]
            if part[1] > part[0]:
                yield from _ways(way, walker, (*drawn[: spots[k]], part, *drawn[spots[k] + 1 :]), spots, names)
    else:
        law = walker.law(node)
        weights = [law.p, 1 - law.p] if isinstance(law, laws.Bernoulli) else list(getattr(law, "weights", ()))
        for k, (weight, then) in enumerate(zip(weights, node["then"], strict=True)):
            if weight > 0:
                yield from _ways(then, walker, (*drawn, k == 0 if "coin" in node else k), spots, names)


def proof(claim: Claim, evidence: UpperBound | Counterexample) -> Model:
    """``local-report``: all records of an interval."""
    certificate = evidence.certificate or {}
    opened = certificate["unit"] == "eps"
    return ReportModel(
        claim, certificate["tree"], opened, cut_places(certificate["records"], certificate["cuts"], opened)
    )


def refutation(claim: Claim, evidence: UpperBound | Counterexample) -> Model:
    """``local-report-violation``: two records."""
    certificate, sides = evidence.certificate or {}, sides_of(claim, evidence)
    points = [Number.of(Fraction(side[0]), False) for side in sides]
    model = ReportModel(claim, certificate["tree"], False, [Place(x, x) for x in points])
    return Scoped(model, sides, (claim.params,))


__all__ = ["ReportModel", "proof", "refutation"]
