"""Verdicts that an earlier run has kept: believed as far as they can be checked again.

A file holds what somebody wrote into it. Its certificates go through the judge like those of a prover (the kernel, the
comparison with the claim, and the model run beside the program). Where the judge does not come to the decision that the
file states, or a statistical bound is not about this claim, the file counts for nothing and the claim is decided anew.
"""

from __future__ import annotations

from dataclasses import replace

from dpwitness.core.budget import Budget
from dpwitness.core.claims import Claim
from dpwitness.core.errors import DPWitnessError
from dpwitness.core.evidence import Counterexample, Evidence, LowerBound, UpperBound
from dpwitness.core.guarantees import epsilon_delta
from dpwitness.core.judging.judge import judge
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.verdict import Decision, Verdict
from dpwitness.routes import Kind, as_asked, kernel_checker, tried_elsewhere

ROUNDING = 1e-9


def rejudge(claim: Claim, kept: Verdict, budget: Budget, kind: Kind) -> Verdict | None:
    """The kept verdict with everything confirmed that can be; None where it does not hold.

    A proof at some values of the parameters is not all that a verdict says of a function of them, so the claim is then
    tried at other values again. A lower bound is a matter of samples, and is only compared with claim and budget.
    """
    evidence = _evidence(claim, kept, budget, kind)
    if evidence is None:
        return None
    evidence = as_asked(evidence, budget.numerics)
    found = judge(claim, evidence, kernel_checker())
    tried = kept.tried
    if kind != "audit" and found.decision is Decision.PROVED:
        tried = tuple(tried_elsewhere(claim, found, budget, evidence))
        found = judge(claim, evidence, kernel_checker())
    if found.decision is not kept.decision:
        return None
    return replace(found, seconds=kept.seconds, tried=tried)


def _evidence(claim: Claim, kept: Verdict, budget: Budget, kind: Kind) -> list[Evidence] | None:
    """What the verdict rests on, without what an earlier judge said of it; None where it cannot be of this run."""
    found: list[Evidence] = list(kept.silent)
    if kept.upper is not None:
        if kind == "audit" or not isinstance(kept.upper, UpperBound):
            return None
        found.append(replace(kept.upper, confirmed=None))
    if isinstance(kept.lower, Counterexample):
        if kind == "audit":
            return None
        found.append(replace(kept.lower, confirmed=None))
    elif isinstance(kept.lower, LowerBound):
        if kind == "prove" or not _fits(kept.lower, claim, budget):
            return None
        found.append(kept.lower)
    elif kept.lower is not None:
        return None
    return found


def _fits(bound: LowerBound, claim: Claim, budget: Budget) -> bool:
    """Whether a lower bound may be one of this claim within this budget: its α, its inputs, and what it refutes."""
    if not 0 < bound.alpha <= budget.alpha * (1 + ROUNDING):
        return False
    if isinstance(claim.mechanism, Mechanism):
        try:
            left, right = claim.space.validate(bound.left, "left"), claim.space.validate(bound.right, "right")
        except DPWitnessError:
            return False
        if not claim.space.adjacency.related(left, right):
            return False
    pair = epsilon_delta(claim.guarantee)
    return pair is None or not bound.refutes or bound.epsilon >= float(pair[0]) * (1 - ROUNDING)
