"""Forest plot: the reference interval of ε̂ of every audit of a run, with our bound and the claim beside it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dpwitness.reports.figures.style import BLUE, GREEN, GREY, blank, figure, plain
from dpwitness.reports.references import Referred

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_ROWS = 60


@figure
def forest_chart(family: Sequence[Referred], *, title: str = "") -> Figure:
    """A line from the lower to the upper end of each reference interval, a square at ε̂, a diamond at our bound.

    An interval without an upper end has an arrow. The intervals are approximate, hold one at a time and decide nothing.
    """
    rows = list(family)[:MOST_ROWS]
    labels = [plain(f"{r.target}: {r.claim}", 48) for r in reversed(rows)]
    made, axes = blank(6.4, 1.2 + 0.26 * len(rows))
    wide, high = made.get_size_inches()
    left = 0.25 + 0.06 * max((len(label) for label in labels), default=0)  # inches, at 7 points
    made.subplots_adjust(left=left / wide, bottom=0.75 / high)
    known = [x for r in rows for x in (*r.reference.epsilon, r.bound) if math.isfinite(x)]
    top = 1.15 * max([0.5, *known])
    for i, row in enumerate(reversed(rows)):
        low, high = row.reference.epsilon
        axes.plot([min(low, top), min(high, top)], [i, i], color=GREY, lw=2)
        if high > top:
            axes.plot([top], [i], marker=">", color=GREY, ms=6, ls="none")
        axes.plot([min(row.reference.estimate, top)], [i], marker="s", color=BLUE, ms=5, ls="none")
        axes.plot([row.bound], [i], marker="D", color=GREEN, ms=5, ls="none")
    axes.set_yticks(range(len(rows)), labels, fontsize=7)
    axes.set(xlim=(0, top * 1.03), ylim=(-0.7, len(rows) - 0.3), xlabel="ε")
    axes.plot(
        [], [], color=GREY, lw=2, marker="s", mfc=BLUE, mec=BLUE, label="reference: ε̂ with its 95% score interval"
    )
    axes.plot([], [], color=GREEN, marker="D", ls="none", label="our bound, at its α")
    axes.set_title(plain(title or "Reference intervals of the audits", 100))
    made.legend(loc="lower center", fontsize=7.5, ncols=2)
    return made
