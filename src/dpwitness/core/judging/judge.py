"""The judge: evidence in, one verdict out.

Proofs and exact refutations count only as theorems that the judge had checked itself: a checker is handed in, the
theorem that it returns is compared with the claim, and the theorem's model is run beside the program. What a prover
says of its own certificate decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, Protocol

from dpwitness.core.claims import Claim
from dpwitness.core.errors import DPWitnessError
from dpwitness.core.evidence import (
    IDEAL_REALS,
    Confirmation,
    Counterexample,
    Evidence,
    LowerBound,
    Scope,
    Unsupported,
    UpperBound,
)
from dpwitness.core.guarantees import epsilon_delta
from dpwitness.core.judging.matching import covered_parameters, foreign_reason, guarantee_at, violation_reason
from dpwitness.core.spaces import Answers
from dpwitness.core.verdict import Decision, Verdict


class Checker(Protocol):
    """Turns certificates into theorems, and tests that a theorem's model is the program."""

    def check(self, certificate: Mapping[str, Any]) -> Any:
        """The theorem that a certificate proves; raises `DPWitnessError` where it proves none."""

    def coexecute(self, claim: Claim, evidence: UpperBound | Counterexample, theorem: Any) -> Any:
        """Run the theorem's model beside the claim's program; raises `DPWitnessError` where they differ.

        Returns an object with ``subject`` (the fingerprint of the model that was run), ``runs``, ``places`` and
        ``reached``.
        """

    def embeds(self, claim: Claim, evidence: Counterexample) -> bool:
        """Whether a counterexample with fewer answers is seen to be one with as many as the claim is about."""

    def label(self, record: Any) -> str:
        """The text by which certificates name a record or an answer: by type and value."""


def judge(claim: Claim, evidence: Iterable[Evidence], checker: Checker | None = None) -> Verdict:
    """Weigh all evidence on one claim.

    A proof decides PROVED when the theorem behind it implies the claim: the same inputs and neighbours, at least the
    claim's sizes and parameters, a guarantee that contains the claimed one, and a model that runs as the program does.
    A confirmed counterexample or a rejection at level α decides REFUTED. Both together, or a lower bound above an upper
    bound within the same scope, is a CONTRADICTION: one of the two routes is wrong.
    """
    found = [confirm(claim, item, checker) for item in evidence]
    uppers = [e for e in found if isinstance(e, UpperBound)]
    exact = [e for e in found if isinstance(e, Counterexample)]
    lowers = [e for e in found if isinstance(e, LowerBound)]
    silent = tuple(e for e in found if isinstance(e, Unsupported))
    upper = min(uppers, key=lambda u: (not proves(u, claim), -_covered(u, claim), _epsilon(u)), default=None)
    refuting: list[Counterexample | LowerBound] = [*exact, *(e for e in lowers if e.refutes)]
    weak = max(lowers, key=lambda e: e.epsilon, default=None)
    lower: Counterexample | LowerBound | None = refuting[0] if refuting else weak
    proved = upper is not None and proves(upper, claim)
    here: list[Counterexample | LowerBound] = [*(e for e in exact if e.params is None), *lowers]
    if any(_crosses(u, e) for u in uppers for e in here) or (
        proved and upper is not None and any(_same_scope(upper, e) for e in here if e in refuting)
    ):
        decision = Decision.CONTRADICTION
    elif refuting:
        decision = Decision.REFUTED
    elif proved:
        decision = Decision.PROVED
    else:
        decision = Decision.NOT_REFUTED if lowers else Decision.UNDECIDED
    return Verdict(claim, decision, upper, lower, silent, sum(e.seconds for e in found))


def confirm(claim: Claim, item: Evidence, checker: Checker | None) -> Evidence:
    """The evidence as far as it was checked: a proof or counterexample that does not hold becomes `Unsupported`."""
    if not isinstance(item, UpperBound | Counterexample):
        return item
    try:
        if checker is None or item.certificate is None:
            raise _Unconfirmed("it has no certificate that a checker accepts")
        if claim.numerics != IDEAL_REALS:
            raise _Unconfirmed("it is about real-valued noise, and the claim about doubles")
        theorem = checker.check(item.certificate)
        if isinstance(item, Counterexample):
            return _confirm_violation(claim, item, theorem, checker)
        return _confirm_guarantee(claim, item, theorem, checker)
    except DPWitnessError as error:
        what = "proof" if isinstance(item, UpperBound) else "counterexample"
        return Unsupported(f"no verdict: a {what} was found, but {error}", None, item.method, item.seconds)


class _Unconfirmed(DPWitnessError):
    """A proof or counterexample that decides nothing, and why."""


def _confirm_guarantee(claim: Claim, item: UpperBound, theorem: Any, checker: Checker) -> UpperBound:
    if theorem.refutes:
        raise _Unconfirmed("its certificate is a violation, not a guarantee")
    claim = _of_fewer_answers(claim, theorem)
    reason = foreign_reason(theorem, claim, checker.label)
    if reason is not None:
        raise _Unconfirmed(reason)
    guarantee = guarantee_at(theorem, claim.params)
    proved = claim.guarantee if guarantee is None else guarantee  # no influence of the data: every guarantee holds
    covers = covered_parameters(theorem, claim)
    confirmed = replace(_confirmed(claim, item, theorem, checker), covers=covers)
    at = claim.params.get("eps", getattr(claim.guarantee, "eps", None))
    scope = Scope(
        queries="any" if theorem.sizes == "any" else claim.queries,
        epsilon="all" if "eps" in covers or at is None else str(at),
        numerics=IDEAL_REALS,
    )
    return replace(item, guarantee=proved, scope=scope, confirmed=confirmed)


def _of_fewer_answers(claim: Claim, theorem: Any) -> Claim:
    """The claim at the number of answers that a proof speaks of, where that is another one: it proves no more."""
    if not isinstance(claim.space, Answers) or theorem.sizes == "any" or claim.queries in theorem.sizes:
        return claim
    return replace(claim, space=claim.space.of_size(max(theorem.sizes))) if theorem.sizes else claim


def _confirm_violation(claim: Claim, item: Counterexample, theorem: Any, checker: Checker) -> Counterexample:
    there = claim
    if item.params is not None:
        there = claim.elsewhere(item.params)
    reason = violation_reason(theorem, there, item.left, item.right, checker.label)
    if reason is not None:
        raise _Unconfirmed(reason)
    if isinstance(there.space, Answers) and len(item.left) != there.queries:
        _confirm_at_size(claim, there, item, checker)
    return replace(item, confirmed=_confirmed(there, item, theorem, checker))


def _confirm_at_size(claim: Claim, there: Claim, item: Counterexample, checker: Checker) -> None:
    """Raise unless a counterexample with fewer answers breaks the claim at its own number of answers as well."""
    whole = item.whole
    if whole is not None and len(whole.left) == there.queries:
        whole = replace(whole, params=item.params)
        if isinstance(confirm(claim, whole, checker), Counterexample):
            return
    if not checker.embeds(there, item):
        words = f"it has {len(item.left)} answers, and the claim about {there.queries} was not seen to fail"
        raise _Unconfirmed(words)


def _confirmed(claim: Claim, item: UpperBound | Counterexample, theorem: Any, checker: Checker) -> Confirmation:
    ran = checker.coexecute(claim, item, theorem)
    if ran.subject != theorem.subject:
        raise _Unconfirmed("the model that was run beside the program is not the one that the theorem is about")
    return Confirmation(
        theorem.statement, theorem.subject, tuple(theorem.assumptions), ran.runs, ran.places, ran.reached,
        silent=ran.silent,
    )  # fmt: skip


def _covered(bound: UpperBound, claim: Claim) -> int:
    """In how many of its parameters the claim is proved for all values."""
    return 0 if bound.confirmed is None else len(bound.confirmed.covers & set(claim.free))


def _epsilon(bound: UpperBound) -> float:
    pair = epsilon_delta(bound.guarantee)
    return float("inf") if pair is None else float(pair[0])


def proves(bound: UpperBound, claim: Claim) -> bool:
    """Whether a confirmed proof gives the claimed guarantee at the claim's own size."""
    return (
        bound.confirmed is not None
        and bound.guarantee.implies(claim.guarantee)
        and bound.scope.queries in ("any", claim.queries)
    )


def _covers(bound: UpperBound, queries: int) -> bool:
    """Whether inputs of this size may be among those of the proof."""
    return bound.scope.queries == "any" or bound.scope.queries >= queries


def _same_scope(bound: UpperBound, against: Counterexample | LowerBound) -> bool:
    """Whether the proof speaks of the inputs on which the refutation was found."""
    if bound.scope.numerics != against.scope.numerics:
        return False
    size = max(len(against.left), len(against.right))
    return _covers(bound, size)


def _crosses(bound: UpperBound, against: Counterexample | LowerBound) -> bool:
    """Whether a lower bound on ε lies above a proved upper bound at the same δ."""
    proved = epsilon_delta(bound.guarantee)
    if proved is None or not _same_scope(bound, against):
        return False
    if proved[1] != 0:
        return False  # a bound at one δ says nothing of the ε at another
    floor = against.epsilon_lower if isinstance(against, Counterexample) else against.epsilon
    return floor is None or floor > Fraction(proved[0]) * (1 + Fraction(1, 10**12))
