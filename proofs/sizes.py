"""Datasets of several sizes: a proof for each number of records, put together, or a counterexample at one of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.evidence import Evidence, Unsupported, UpperBound
from dpwitness.core.guarantees import PureDP
from dpwitness.core.spaces import REAL, Records
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.kernel.theorem import Theorem


def of_each_size(claim: Claim, *, finite: bool = False) -> list[Claim]:
    """The claim for each number of records alone, where one record of an interval is replaced; else the claim itself.

    Finite domains are enumerated with all their sizes at once, unless a prover asks for each of them (`finite`). A
    dataset without records has no neighbours.
    """
    space = claim.space
    if not isinstance(space, Records) or space.relation != "substitute" or space.fewest == space.most:
        return [claim]
    if not isinstance(space.domain, REAL) and not finite:
        return [claim]
    sizes = range(max(1, space.fewest), space.most + 1)
    return [replace(claim, space=Records(space.domain, (n, n), space.relation)) for n in sizes]


def for_each_size(run: Callable[[Claim], Evidence], claim: Claim, *, finite: bool = False) -> Evidence:
    """The evidence of a prover for datasets of one size, for all sizes of the claim."""
    parts = of_each_size(claim, finite=finite)
    if len(parts) == 1:
        return run(parts[0])
    start = time.monotonic()
    found: list[UpperBound] = []
    for part in parts:
        evidence = run(part)
        if not isinstance(evidence, UpperBound):
            where = f"with {part.queries} records: "
            return replace(evidence, reason=where + evidence.reason) if isinstance(evidence, Unsupported) else evidence
        found.append(evidence)
    return _together(found, claim, time.monotonic() - start)


def _together(found: list[UpperBound], claim: Claim, seconds: float) -> Evidence:
    certificate: dict[str, Any] = {
        "type": "all-of",
        "target": claim.target,
        "parts": [part.certificate for part in found],
    }
    verified = examine(certificate)
    if not verified:
        return Unsupported(f"undecided: {verified.reason}", None, found[0].method, seconds)
    worst = max(found, key=_loss)
    scope = replace(worst.scope, queries=claim.queries)
    formula = None if worst.formula is None else _formula(verified.theorem)
    return replace(worst, scope=scope, certificate=certificate, formula=formula, seconds=seconds)


def _formula(theorem: Theorem | None) -> str | None:
    """The loss as a multiple of ε, where the theorem states one for every ε."""
    if theorem is None or theorem.open != {"eps": {"above": "0"}}:
        return None
    terms = theorem.guarantee["epsilon"]
    return f"{terms[0][0]}·eps" if terms else "0"


def _loss(evidence: UpperBound) -> Fraction:
    """The loss of a pure guarantee; all other ones are those of the claim."""
    return Fraction(evidence.guarantee.eps) if isinstance(evidence.guarantee, PureDP) else Fraction(0)


__all__ = ["for_each_size", "of_each_size"]
