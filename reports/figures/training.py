"""What an audit of training saw: the trade-off plane, looks against their boundary, right guesses, a step's noise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dpwitness.reports.figures.style import BLACK, BLUE, GREEN, GREY, ORANGE, RED, SKY, blank, figure, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Points = Sequence[Sequence[float]]


@figure
def plane_chart(
    staircase: Points, band: Points, claim: Points | None = None, *, alpha: float, title: str = ""
) -> Figure:
    """The trade-off plane: false positives against misses.

    Parameters
    ----------
    staircase
        What the scores show at every threshold.
    band
        Points that lie on or above the true curve, all together with probability 1 − α: it passes below them.
    claim
        The claimed curve: no test of a trainer that keeps it lies below. Where the band passes below the claim, the
        claim is refuted by the band alone.
    """
    import numpy as np

    made, axes = blank()
    axes.plot([0, 1], [1, 0], color=GREY, lw=1.0, ls=":", label="no information")
    upper = np.array(sorted(map(tuple, band)))
    axes.step(upper[:, 0], np.minimum.accumulate(upper[:, 1]), where="post", color=ORANGE, label=f"band, {1 - alpha:g}")
    if claim is not None:
        x, y = np.array(claim).T
        axes.plot(x, y, color=BLACK, label="claim")
        below = np.interp(x, upper[:, 0], np.minimum.accumulate(upper[:, 1]), left=1.0, right=1.0)
        axes.fill_between(x, below, y, where=below < y, color=RED, alpha=0.25, lw=0, label="refuted")
    seen = np.array(staircase)
    axes.step(seen[:, 0], seen[:, 1], where="post", color=BLUE, lw=1.3, label="scores")
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    axes.set_xlabel("false positives: runs without the record that look like runs with it")
    axes.set_ylabel("misses")
    axes.set_title(plain(title or "How well the record can be told", 100))
    axes.legend(loc="upper right")
    return made


@figure
def looks_chart(looks: Points, boundary: float, schedule: Sequence[int], *, title: str = "") -> Figure:
    """The standardised rank sum at every look, and the boundary that all looks share."""
    made, axes = blank()
    runs, values = [point[0] for point in looks], [point[1] for point in looks]
    axes.axhline(boundary, color=RED, ls="--", lw=1.3, label=f"boundary {boundary:.2f}")
    axes.plot(runs, values, color=BLUE, marker="o", ms=4, label="looks")
    beyond = [(n, v) for n, v in zip(runs, values, strict=True) if v > boundary]
    if beyond:
        axes.plot(
            *beyond[0], marker="X", color=RED, ms=9, ls="none", label=f"refuted at {int(beyond[0][0])} runs a side"
        )
    axes.set_xlim(0, max(schedule) * 1.03)
    axes.set_xlabel("runs on each side")
    axes.set_ylabel("rank sum, in standard deviations")
    axes.set_title(plain(title or "Looks against their boundary", 100))
    axes.legend(loc="best")
    return made


@figure
def guesses_chart(right: Sequence[int], critical: Points, guesses: int, *, title: str = "") -> Figure:
    """Right guesses of one run against the number of guesses, with the counts that refute."""
    made, axes = blank()
    count = range(1, len(right) + 1)
    axes.plot([1, len(right)], [1, len(right)], color=GREY, lw=1.0, ls=":", label="all right")
    axes.plot([1, len(right)], [0.5, len(right) / 2], color=GREY, lw=1.0, ls="-.", label="half right")
    if critical:
        axes.plot(
            [c for c, _ in critical], [v for _, v in critical], color=RED, ls="--", marker=".", label="needed to refute"
        )
    axes.plot(count, right, color=BLUE, label="right guesses, the surest first")
    axes.plot([guesses], [right[guesses - 1]], marker="o", color=GREEN, ms=8, ls="none", label=f"registered: {guesses}")
    axes.set_xlabel("guesses")
    axes.set_ylabel("right")
    axes.set_title(plain(title or "Right guesses of one run", 100))
    axes.legend(loc="upper left")
    return made


@figure
def step_chart(inside: Sequence[float], outside: Sequence[float], *, title: str = "") -> Figure:
    """Steps with and without an example, along the line of what it adds."""
    made, axes = blank()
    axes.hist([list(outside), list(inside)], bins=30, color=[SKY, ORANGE], label=["without the example", "with it"])
    axes.set_xlabel("the sum along the example's line")
    axes.set_ylabel("calls")
    axes.set_title(plain(title or "One step", 100))
    axes.legend(loc="best")
    return made
