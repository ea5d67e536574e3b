"""Evidence of given provers, and its model beside the program."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.coexecution import Coexecution, coexecute
from dpwitness.core.evidence import Counterexample, UpperBound
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.readers.door import reading
from dpwitness.proofs import routes
from dpwitness.proofs.models.registry import model_of


def evidence_of(claim: Claim, provers: Sequence[Any] = ()) -> UpperBound | Counterexample | None:
    """The first proof of the claim, or exact refutation, that a prover finds."""
    assert isinstance(claim.mechanism, Mechanism)
    with reading(claim.mechanism.program):
        for prover in provers or routes():
            if prover.supports(claim) is None:
                found = prover.run(claim)
                if isinstance(found, Counterexample):
                    return found
                if isinstance(found, UpperBound) and found.guarantee.implies(claim.guarantee):
                    return found
    return None


def compare(
    claim: Claim, evidence: UpperBound | Counterexample, changes: Mapping[str, Any] | None = None
) -> Coexecution:
    """Run the model of the evidence beside the program; `changes` replace fields of its certificate."""
    assert isinstance(claim.mechanism, Mechanism)
    changed = replace(evidence, certificate={**(evidence.certificate or {}), **(changes or {})})
    with reading(claim.mechanism.program):
        model = model_of(claim, changed)
        assert model is not None
        return coexecute(claim, model)


def decide_and_compare(claim: Claim, *provers: Any) -> Coexecution:
    """Evidence of some provers (of all, where none is named), and its model beside the program."""
    found = evidence_of(claim, provers)
    assert found is not None, "no prover decides the claim"
    return compare(claim, found)
