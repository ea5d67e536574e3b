"""Verdicts for tests that are about something else: a checker that believes what the evidence says."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.evidence import Counterexample, Evidence, UpperBound
from dpwitness.core.judging.judge import judge
from dpwitness.core.judging.matching import FIELDS, sizes_of
from dpwitness.core.spaces import Answers, Interval
from dpwitness.core.verdict import Verdict


@dataclass(frozen=True)
class Stated:
    """A theorem as a checker returns it."""

    guarantee: Any
    relation: Any
    sizes: Any = "any"
    open: Any = field(default_factory=dict)
    refutes: bool = False
    subject: str = "model"
    statement: str = "stated"
    kind: str = "test"
    assumptions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Ran:
    """A model that ran as the program did."""

    subject: str = "model"
    runs: int = 10
    places: int = 2
    reached: int = 2
    silent: bool = False


def formula(value: Fraction, every: bool, eps: Fraction) -> Any:
    """A number, or (`every`) a multiple of ε that has this value at the claim's ε."""
    if not value:
        return ()
    return ((value / eps, (("eps", 1),)),) if every else ((Fraction(value), ()),)


class Trusting:
    """Believes the evidence: for tests of reports, which need verdicts and no proofs."""

    def __init__(self, claim: Claim, evidence: Iterable[Evidence]) -> None:
        self.claim, self.evidence = claim, list(evidence)

    def check(self, certificate: Any) -> Any:
        item = next(e for e in self.evidence if getattr(e, "certificate", None) is certificate)
        eps = Fraction(self.claim.params.get("eps", 1))
        if isinstance(item, Counterexample):
            answers = isinstance(self.claim.space, Answers)
            both = [[str(x) if answers else self.label(x) for x in side] for side in (item.left, item.right)]
            relation = {"inputs": "pair", "left": both[0], "right": both[1]}
            broken = self._numbers(self.claim.guarantee, False, eps)
            return Stated(broken, relation, "any", refutes=True)
        assert isinstance(item, UpperBound)
        every = item.scope.epsilon == "all" and "eps" in self.claim.params
        covered = () if isinstance(self.claim.space, Answers) else sizes_of(self.claim)
        sizes = "any" if item.scope.queries == "any" else (item.scope.queries, *covered)
        opened = {"eps": {"above": "0"}} if every else {}
        return Stated(self._numbers(item.guarantee, every, eps), self._relation(), sizes, opened)

    def _numbers(self, guarantee: Any, every: bool, eps: Fraction) -> dict[str, Any]:
        names = FIELDS[guarantee.kind]
        values = {n: Fraction(getattr(guarantee, to)) for n, to in names.items()}
        return {"kind": guarantee.kind, **{n: formula(v, every and n == "epsilon", eps) for n, v in values.items()}}

    def _relation(self) -> dict[str, Any]:
        space = self.claim.space
        if isinstance(space, Answers):
            return {"inputs": "answers", "moves": space.moves, "by": str(space.by), "whole": space.whole}
        if isinstance(space.domain, Interval):
            ends = {"low": str(space.domain.low), "high": str(space.domain.high)}
            return {"inputs": "records", "relation": space.relation, **ends}
        points = [self.label(x) for x in space.domain]
        return {"inputs": "records", "relation": space.relation, "points": points}

    def coexecute(self, claim: Claim, evidence: Any, theorem: Any) -> Ran:
        return Ran()

    def embeds(self, claim: Claim, evidence: Any) -> bool:
        return True

    def label(self, record: Any) -> str:
        return f"{type(record).__name__}:{record}"


def believe(claim: Claim, evidence: Iterable[Evidence]) -> Verdict:
    """The verdict on evidence that is taken at its word."""
    items = [
        replace(e, certificate=e.certificate if e.certificate is not None else {"type": "trusted"})
        if isinstance(e, UpperBound | Counterexample)
        else e
        for e in evidence
    ]
    return judge(claim, items, Trusting(claim, items))
