"""Which model belongs to a piece of evidence: by the type of its certificate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.coexecution.model import Model
from dpwitness.core.evidence import Counterexample, UpperBound
from dpwitness.proofs.anyn.executable import executable
from dpwitness.proofs.models import (
    additive,
    chains,
    finite,
    local_reports,
    minimisers,
    pieces,
    programs,
    releases,
    sampling,
    several,
    sorted_releases,
    tents,
    transcripts,
)

Maker = Callable[[Claim, "UpperBound | Counterexample"], Model | None]


def _of(make: Callable[[Claim, Mapping[str, Any]], Model]) -> Maker:
    return lambda claim, evidence: make(claim, evidence.certificate or {})


def _table_violation(claim: Claim, evidence: UpperBound | Counterexample) -> Model:
    """Two finite laws, or two programs whose outputs have different shapes."""
    names = (evidence.certificate or {})["outputs"]
    return finite.refutation(claim, evidence) if finite.labelled(names) else releases.told_apart(claim, evidence)


MAKERS: dict[str, Maker] = {
    "noise": additive.proof,
    "noise-violation": additive.refutation,
    "tables": finite.proof,
    "table-violation": _table_violation,
    "chains": chains.proof,
    "chain-violation": chains.refutation,
    "scales": releases.proof,
    "scales-violation": releases.refutation,
    "piecewise-release": pieces.proof,
    "tent": tents.proof,
    "tent-violation": tents.refutation,
    "local-report": local_reports.proof,
    "local-report-violation": local_reports.refutation,
    "sorted-release": sorted_releases.proof,
    "minimiser": minimisers.proof,
    "minimiser-violation": minimisers.refutation,
    "subsampled": _of(sampling.proof),
    "all-of": lambda claim, evidence: several.proof(claim, evidence, model_of),
    "program-bound": _of(programs.on_answers),
    "program-finite": _of(programs.shared_or_own),
    "program-pair": _of(programs.two_of_a_space),
    "program-pairs": _of(programs.pairs),
    "program-normal": _of(programs.normal),
    "program-counterexample": _of(programs.counterexample),
    "program-composition": transcripts.proof,
    "loop-shift": _of(executable),
    "argmax-shift": _of(executable),
    "ranking-shift": _of(executable),
    "permute-and-flip": _of(executable),
}


def model_of(claim: Claim, evidence: UpperBound | Counterexample) -> Model | None:
    """The executable model that a proof or an exact refutation speaks of; None where there is none for its type."""
    maker = MAKERS.get(str((evidence.certificate or {}).get("type")))
    return None if maker is None else maker(claim, evidence)


__all__ = ["MAKERS", "model_of"]
