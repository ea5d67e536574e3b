"""Reference intervals of a run: what the usual methods say of the events that its audits chose; no part of α."""

from __future__ import annotations

from dataclasses import dataclass

from dpwitness.core.evidence import LowerBound
from dpwitness.core.guarantees import epsilon_delta
from dpwitness.core.reference import Reference, adjusted, of_audit
from dpwitness.core.verdict import Verdict
from dpwitness.reports.model import Report, line


@dataclass(frozen=True)
class Referred:
    """One claim of the family: its intervals, its p-value, and the p-values adjusted for the whole family."""

    target: str
    claim: str
    reference: Reference
    bound: float
    alpha: float
    holm: float
    benjamini: float


def reference_of(verdict: Verdict) -> Reference | None:
    """The reference intervals of an audit, where it kept the counts of an event on samples that did not choose it."""
    lower = verdict.lower
    if not isinstance(lower, LowerBound) or "fresh" not in lower.details:
        return None
    pair = epsilon_delta(verdict.claim.guarantee)
    eps, delta = (None, 0.0) if pair is None else (float(pair[0]), float(pair[1]))
    return of_audit(lower.details, lower.direction, eps, delta)


def family(report: Report) -> tuple[Referred, ...]:
    """All claims of a run that have a p-value, with Holm's and Benjamini–Hochberg's adjustments over them."""
    found = []
    for row in report.rows:
        one = reference_of(row.verdict)
        if one is not None and one.p_value is not None:
            found.append((row, one))
    holm, benjamini = adjusted([one.p_value for _, one in found if one.p_value is not None])
    made = []
    for (row, one), first, second in zip(found, holm, benjamini, strict=True):
        lower = row.verdict.lower
        assert isinstance(lower, LowerBound)
        made.append(
            Referred(line(row.target, 100), line(row.claim, 100), one, lower.epsilon, lower.alpha, first, second)
        )
    return tuple(made)
