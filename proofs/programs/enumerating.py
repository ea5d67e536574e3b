"""All pairs of neighbours of a finite space, one by one: by exact probabilities, or by shifts."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.errors import OutsideFragment
from dpwitness.core.evidence import Evidence, Scope, Unsupported, UpperBound
from dpwitness.core.guarantees import PureDP
from dpwitness.core.judging.claimed import Formula, claimed_formulas, put_in
from dpwitness.core.spaces import Answers
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.kernel.programs.comparisons import NotAForest
from dpwitness.proofs.programs.counterexamples import Goal
from dpwitness.proofs.programs.finite_inputs import check_all, check_at, read_inputs
from dpwitness.proofs.programs.normal import decide_normal
from dpwitness.proofs.programs.pair_evidence import pair_evidence
from dpwitness.proofs.programs.pairs import bound_pairs, refute_apart, refute_pair
from dpwitness.proofs.programs.scope import claimed, drawn_laws

METHOD = "shift of the noise"


def enumerate_pairs(claim: Claim, queries: int | None, start: float, limit: float) -> Evidence:
    """All pairs of a finite space, by exact probabilities, or by shifts where outputs are real numbers.

    Where the laws are functions of ε and the claim is a multiple of ε, it is decided for every ε > 0 at once.
    """
    eps, delta = claimed(claim)
    at = Fraction(claim.params.get("eps", 1))
    try:
        if isinstance(claim.space, Answers) and "gaussian" in drawn_laws(claim):
            return decide_normal(claim, queries, limit)
        found = read_inputs(claim, queries=queries, seconds=limit)
    except NotAForest:
        return pairwise(claim, start, limit)
    every = found.every_epsilon and delta == 0 and _multiple_of_epsilon(claim) and check_all(found, eps / at) is None
    broken = None if every else check_at(found, at, eps, delta)
    if broken is not None:
        return pair_evidence(found, broken, claim, eps, delta, time.monotonic() - start)
    seconds = time.monotonic() - start
    statement = {"factor": str(eps / at)} if every else {"eps": str(at), "epsilon": str(eps), "delta": str(delta)}
    return UpperBound(
        guarantee=claim.guarantee,
        scope=Scope(queries=queries or claim.queries, epsilon="all" if every else str(at)),
        certificate=found.certificate(statement, found.tables[0].fingerprint, claim.target),
        exact=False,
        method=f"exact probabilities of all {len(found.inputs)} inputs and {len(found.pairs)} ordered pairs",
        formula=f"{eps / at}·eps" if every else None,
        seconds=seconds,
    )


def _multiple_of_epsilon(claim: Claim) -> bool:
    """Whether the claimed loss is a number times ε, for every ε."""
    formulas = claimed_formulas(claim)
    return formulas is not None and [powers for _, powers in put_in_others(claim, formulas["eps"])] == [(("eps", 1),)]


def put_in_others(claim: Claim, formula: Formula) -> Formula:
    """A formula with the claim's numbers for all parameters but ε."""
    return put_in(formula, {name: Fraction(x) for name, x in claim.params.items() if name != "eps"})


def pairwise(claim: Claim, start: float, limit: float) -> Evidence:
    """All pairs of neighbouring datasets, each by a shift of the noise."""
    eps, delta = claimed(claim)
    at = Fraction(claim.params.get("eps", 1))
    try:
        paired = bound_pairs(claim, seconds=limit)
    except OutsideFragment:  # two datasets lead along different tests: no shift, but perhaps a counterexample
        goal = Goal(at, eps, delta, lambda _: True)
        found = refute_apart(claim, goal, seconds=min(10.0, limit - (time.monotonic() - start)))
        if found is None:
            raise
        checked(found.certificate or {})
        return replace(found, seconds=time.monotonic() - start)
    every = paired.unit == "eps"
    value = None if paired.worst is None else paired.worst * (at if every else 1)
    if value is None or value > eps:
        refuted = refute_pair(paired, claim, Goal(at, eps, delta, lambda _: True))
        if refuted is not None:
            return replace(refuted, seconds=time.monotonic() - start)
    if value is None or paired.worst == 0:
        return Unsupported("undecided: no shift for some pair, and no counterexample", None, METHOD)
    proof = checked(paired.certificate(claim.target))
    return UpperBound(
        guarantee=PureDP(value),
        scope=Scope(queries=claim.queries, epsilon="all" if every else str(at)),
        certificate=proof,
        exact=False,
        method=f"{METHOD}, for each of {len(paired.bounds)} pairs of neighbours",
        formula=f"{paired.worst}·eps" if every else None,
        seconds=time.monotonic() - start,
    )


def checked(proof: Mapping[str, Any]) -> Mapping[str, Any]:
    """The certificate, once the kernel has accepted it: nothing else leaves this route."""
    verified = examine(proof)
    if not verified:
        raise Rejected(f"the kernel refused a certificate of type {proof.get('type')}: {verified.reason}")
    return proof
