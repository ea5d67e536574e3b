"""The numbers behind the pictures of a report: exact where a law is known, sampled otherwise.

Nothing here is evidence. A picture that cannot be computed within seconds is left out.
"""

from __future__ import annotations

from typing import Literal

from dpwitness.core.evidence import LowerBound
from dpwitness.core.limits import Deadline
from dpwitness.core.mechanism import BlackBox, Mechanism
from dpwitness.core.processes import ProcessLost, Unsendable, can_fork, run_apart
from dpwitness.core.readers.where import packaged
from dpwitness.core.verdict import Verdict
from dpwitness.pictures.attempts import attempt
from dpwitness.pictures.curves import loss, pair_curve, worst_curve
from dpwitness.pictures.outputs import labelled, pair_to_show, sampled
from dpwitness.reports.figures.data import Picture, WealthPicture
from dpwitness.reports.model import Report

FEW = 6
SECONDS = 20.0  # that the pictures of one verdict may take

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
    """Every picture that can be made of one verdict.

    Code that does not come with the package is run for it in a process of its own, and not at all where an audit of it
    was cut short: it hangs, fails, or has had its time.
    """
    lower = verdict.lower
    if isinstance(lower, LowerBound) and lower.details.get("cut"):
        return _those(wealth(verdict))
    if packaged(verdict.claim.mechanism) or not can_fork():
        return _of_verdict(verdict, seed)
    try:
        found: tuple[Picture, ...] = run_apart(
            lambda tell: _of_verdict(verdict, seed), deadline=Deadline.after(SECONDS), grace=0.0
        )
    except (ProcessLost, Unsendable):
        return _those(wealth(verdict))
    return found


def _those(*pictures: Picture | None) -> tuple[Picture, ...]:
    return tuple(picture for picture in pictures if picture is not None)


def _of_verdict(verdict: Verdict, seed: int) -> tuple[Picture, ...]:
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
    return _those(*found)


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
