"""What the judge is given to check proofs with: the kernel, and the executable models of what it verified."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.errors import DPWitnessError
from dpwitness.core.evidence import Counterexample, UpperBound
from dpwitness.core.judging.trying import awkward_parameters
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.numbers import Exact
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.check import check
from dpwitness.proofs.kernel.theorem import Theorem

KEPT = 64
SECONDS = 60.0  # of processor time for one certificate: more than `dpwitness check` grants to a file from outside


class CertificateRefused(DPWitnessError):
    """The kernel does not accept a certificate."""


@dataclass(frozen=True)
class Ran:
    """A model that was run beside the program without a difference (see `dpwitness.core.evidence.Confirmation`)."""

    subject: str
    runs: int
    places: int
    reached: int
    silent: bool = False


@dataclass
class KernelChecker:
    """Checks certificates with the kernel; what was checked lately is remembered by identity.

    The judge asks again whenever evidence is added, so the theorems and runs of the last certificates are kept,
    together with the certificates themselves: another object is never taken for one of them.
    """

    _theorems: OrderedDict[int, tuple[Any, Theorem]] = field(default_factory=OrderedDict)
    _runs: OrderedDict[tuple[int, int], tuple[Any, Any, Ran | DPWitnessError]] = field(default_factory=OrderedDict)

    def check(self, certificate: Mapping[str, Any]) -> Theorem:
        """The theorem that a certificate proves."""
        known = self._theorems.get(id(certificate))
        if known is not None and known[0] is certificate:
            return known[1]
        try:
            theorem = check(certificate, seconds=SECONDS)
        except Rejected as error:
            raise CertificateRefused(f"the kernel refuses its certificate: {error}") from None
        _keep(self._theorems, id(certificate), (certificate, theorem))
        return theorem

    def coexecute(self, claim: Claim, evidence: UpperBound | Counterexample, theorem: Theorem) -> Ran:
        """Run the theorem's model beside the claim's program; the program's memory must be the same afterwards."""
        key = (id(claim), id(evidence.certificate))
        known = self._runs.get(key)
        if known is None or known[0] is not claim or known[1] is not evidence.certificate:
            known = claim, evidence.certificate, _run(claim, evidence, theorem)
            _keep(self._runs, key, known)
        if isinstance(known[2], DPWitnessError):
            raise known[2]
        return known[2]

    def embeds(self, claim: Claim, evidence: Counterexample) -> bool:
        """Whether a counterexample with fewer answers is seen to be one with as many as the claim is about."""
        from dpwitness.core.coexecution.embedding import embeds

        return embeds(claim, evidence.left, evidence.right)

    def label(self, record: Any) -> str:
        """The text by which certificates name a record: by type and value."""
        from dpwitness.proofs.labels import label

        return label(record)


def _run(claim: Claim, evidence: UpperBound | Counterexample, theorem: Theorem) -> Ran | DPWitnessError:
    from dpwitness.core.coexecution import Unfaithful, coexecute
    from dpwitness.core.coexecution.harness import RUNS
    from dpwitness.core.readers.door import reading
    from dpwitness.proofs.models.registry import model_of

    try:
        if not isinstance(claim.mechanism, Mechanism):
            raise Unfaithful(f"{claim.target} is a black box: there is no program to compare with a model")
        with reading(claim.mechanism.program):
            model = model_of(claim, evidence)
            if model is None:
                raise Unfaithful(f"there is no executable model of a certificate of type {theorem.kind}")
            runs = min(RUNS, getattr(model, "runs", RUNS))
            done = coexecute(claim, model, runs=runs, elsewhere=_elsewhere(claim, evidence, theorem))
    except DPWitnessError as error:
        return error
    except Exception as error:  # a model that cannot be run has not been compared
        return Unfaithful(f"its model could not be run beside the program: {type(error).__name__}: {error}")
    return Ran(theorem.subject, done.runs + done.lanes, done.places, done.reached, done.silent)


def _elsewhere(claim: Claim, evidence: UpperBound | Counterexample, theorem: Theorem) -> list[dict[str, Exact]]:
    """Other values of ε, and of what else a composition leaves open, at which a proof says so too."""
    if isinstance(evidence, Counterexample):
        return []
    names = [name for name in theorem.open if name == "eps" or theorem.kind == "program-composition"]
    here = [name for name in names if theorem.open[name].get("equals") is None]
    return [params for name in here for params in awkward_parameters(claim, name)]


def _keep(memory: OrderedDict[Any, Any], key: Any, value: Any) -> None:
    memory[key] = value
    while len(memory) > KEPT:
        memory.popitem(last=False)
