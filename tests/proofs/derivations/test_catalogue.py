"""Every additive proof of the catalogue unfolds to a derivation, and each of its certificates is checked anew."""

from __future__ import annotations

from typing import Any

from dpwitness.batch import tasks
from dpwitness.core.budget import Budget
from dpwitness.core.evidence import UpperBound
from dpwitness.pictures.derivations import laws_of
from dpwitness.proofs.derivations.named import of_certificate
from dpwitness.proofs.kernel.check import check
from dpwitness.proofs.laws.additive import AdditiveProver


def additive_certificates() -> dict[str, Any]:
    """The certificates of the catalogue's mechanisms that the additive prover finds, by target."""
    found = {}
    for task, claim in tasks([], {}):
        prover = AdditiveProver()
        if "/" in task.target or prover.supports(claim) is not None:
            continue
        result = prover.run(claim, Budget(seconds=20))
        if isinstance(result, UpperBound) and result.certificate and result.certificate["type"] == "noise":
            found[f"{task.target}#{task.index}"] = result.certificate
    return found


def test_every_additive_proof_has_a_derivation() -> None:
    certificates = additive_certificates()
    assert len(certificates) >= 25
    seen = {}
    for target, certificate in certificates.items():
        derivations = of_certificate(certificate)
        assert len(derivations) == len(laws_of(certificate)) >= 1, target
        for one in derivations:
            seen[one.subject] = one
    assert len(seen) >= 6
    for one in seen.values():
        assert one.certificates(), one.subject
        assert all(check(c, seconds=5) for c in one.certificates())


def test_laws_are_found_in_programs_too() -> None:
    loop = {
        "type": "loop-shift",
        "model": {"trees": {"1.0": {"then": {"draw": "laplace", "then": {"draw": "gaussian"}}}}},
    }
    assert laws_of(loop) == ("gaussian", "laplace")
    assert laws_of({"program": {"name": "nothing"}}) == laws_of(None) == ()
