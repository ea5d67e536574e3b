"""Pairs of samples that tests need, against the ε that shall be found out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from dpwitness.reports.figures.style import BLACK, BLUE, GREEN, GREY, ORANGE, blank, figure, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@figure
def plan_chart(
    rows: Mapping[str, Sequence[tuple[float, float]]], epsilon: float, true: float, *, title: str = ""
) -> Figure:
    """Pairs on a logarithmic scale, one line for each method, with the asked ε marked."""
    made, axes = blank()
    looks = ((ORANGE, "-."), (BLUE, "-"), (GREEN, "--"), (BLACK, ":"))
    for (name, points), (colour, dash) in zip(rows.items(), looks, strict=False):
        axes.plot([x for x, _ in points], [y for _, y in points], color=colour, ls=dash, label=plain(name, 40))
    axes.axvline(true, color=GREY, lw=1, ls="--")
    axes.set_yscale("log")
    axes.set(xlabel="true ε", ylabel="pairs of samples")
    axes.set_title(plain(title or f"Pairs needed to refute ε = {epsilon:g}", 100))
    axes.legend(loc="best")
    return made
