"""The numbers behind the pictures of a report: exact where a law is known, sampled otherwise.

Nothing here is evidence. A picture that cannot be computed within seconds is left out.
"""

from __future__ import annotations

from typing import Literal

from dpwitness.core.evidence import LowerBound
from dpwitness.core.mechanism import BlackBox, Mechanism
from dpwitness.core.verdict import Verdict
from dpwitness.pictures.attempts import attempt
from dpwitness.pictures.curves import loss, pair_curve, worst_curve
from dpwitness.pictures.outputs import labelled, pair_to_show, sampled
from dpwitness.reports.figures.data import Picture, WealthPicture
from dpwitness.reports.model import Report

FEW = 6

Which = Literal["few", "all", "none"]


def chosen(report: Report, which: Which = "few") -> list[int]:
    """Numbers of the rows that get pictures.

    Parameters
    ----------
    which
        ``"few"`` takes every row of a short report, and of a long one those that are not as expected; ``"all"`` takes
        every row; ``"none"`` takes none.
    """
    rows = range(len(report.rows))
    if which == "none":
        return []
    if which == "all" or len(rows) <= FEW:
        return list(rows)
    return [i for i in rows if report.rows[i].verdict.surprise][:FEW]


def of_verdict(verdict: Verdict, seed: int = 0) -> tuple[Picture, ...]:
    """Every picture that can be made of one verdict."""
    found: list[Picture | None] = []
    claim = verdict.claim
    if isinstance(claim.mechanism, Mechanism | BlackBox):
        pair, table = pair_to_show(verdict)
        if pair is not None and table:
            found += [
                labelled(verdict, pair, table),
                pair_curve(verdict, pair, table),
                attempt(lambda: loss(claim, pair)),
            ]
        elif pair is not None:
            found += [attempt(lambda: sampled(verdict, pair, seed)), attempt(lambda: worst_curve(verdict))]
    found.append(wealth(verdict))
    return tuple(picture for picture in found if picture is not None)


def wealth(verdict: Verdict) -> WealthPicture | None:
    """How an audit's wealth grew, where it wrote down (``details["wealth"]``) pairs and the log-wealth after them."""
    lower = verdict.lower
    path = lower.details.get("wealth") if isinstance(lower, LowerBound) else None
    if not path or not isinstance(lower, LowerBound):
        return None
    pairs, wealth = zip(*path, strict=True)
    # bets have a part of α; the rest is for the count at the end
    alpha = next((share for what, share in lower.ledger if what.startswith("e-process")), lower.alpha)
    return WealthPicture(tuple(map(float, pairs)), tuple(map(float, wealth)), alpha)


__all__ = ["chosen", "of_verdict", "wealth"]
