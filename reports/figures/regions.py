"""Where single outcomes keep (ε,δ) and sets break it: the region, for several numbers of outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dpwitness.reports.figures.style import BLUE, GREEN, ORANGE, PINK, RED, blank, figure, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@figure
def region_chart(outcomes: Sequence[int], *, title: str = "") -> Figure:
    r"""The curves :math:`\varepsilon = \ln\frac{1-\delta}{1-m\delta}`; above it, m outcomes together break (ε,δ)."""
    import numpy as np

    made, axes = blank(5.6, 3.8)
    for m, colour, dash in zip(outcomes, (BLUE, ORANGE, GREEN, RED, PINK), ("-", "--", "-.", ":", "-"), strict=False):
        delta = np.linspace(0, 1 / m, 400)[:-1]
        least = np.log((1 - delta) / (1 - m * delta))
        axes.plot(delta, least, color=colour, ls=dash, label=plain(f"m = {m}", 20))
        axes.fill_between(delta, least, 5, color=colour, alpha=0.08, lw=0)
    axes.set(xlim=(0, 1 / min(outcomes)), ylim=(0, 4), xlabel="δ", ylabel="ε")
    axes.set_title(plain(title or "Single outcomes keep (ε, δ) above the curve, sets break it", 100))
    axes.legend(loc="lower right")
    return made
