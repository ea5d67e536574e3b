"""The staircase law with symbols."""

from __future__ import annotations

from typing import Any

from dpwitness.proofs.derivations.model import Derivation, Step
from dpwitness.proofs.kernel.check import check


def staircase() -> Derivation:
    """Loss and normaliser of the staircase density, for all rates, widths and splits.

    >>> staircase().steps[0].statement
    'the integral of h over the line'
    """
    where = ["rate > 0", "width > 0", "split > 0", "split < 1"]

    def certificate(claim: str, total: str | None = None) -> dict[str, Any]:
        made = {"type": "derived-stairs", "rate": "rate", "width": "width", "split": "split", "where": where,
                "claim": claim, "total": total}  # fmt: skip
        check(made)
        return made

    total = "2*width*(split + 1/(exp(rate) - 1))"
    steps = (
        Step("the integral of h over the line", "a geometric sum over the stairs", total, (),
             certificate("total", total)),
        Step("the largest log-ratio of h and its slide by Δ > 0 is rate·⌈Δ/width⌉",
             "the numbers of stairs at two places differ by at most that, and somewhere by it", "", (),
             certificate("slide")),
        Step("no dilation has a finite pure loss", "the stairs between z and e^λ z become more and more", "", (),
             certificate("dilate")),
    )  # fmt: skip
    return Derivation("staircase: exp(-rate*n), n stairs of the given width", tuple(where), steps)
