"""Pictures of compositions: δ(ε) with other accountants as marks, ε against steps, the law of the loss."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from dpwitness.proofs.accounting.composition import Composition
from dpwitness.proofs.accounting.gridding import grid_hints
from dpwitness.proofs.accounting.peers import Comparison
from dpwitness.proofs.kernel.accounts.grid import grid_loss
from dpwitness.reports.figures.style import BLUE, GREY, RED, SKY, figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@figure
def draw_curve(
    whole: Composition,
    eps: Sequence[object] | None = None,
    comparisons: Sequence[Comparison] = (),
) -> Figure:
    """δ(ε) on a logarithmic axis; peers' ε at their δ as marks: open, or filled red where below the lower end."""
    import matplotlib.pyplot as plt

    if eps is None:
        top = whole.epsilon(Fraction(1, 10**12)).high
        reach = Fraction(top).limit_denominator(1000) if top < 10**6 else Fraction(10)
        eps = [reach * i / 16 for i in range(17)]
    curve = whole.curve(eps)
    drawn, axes = plt.subplots(figsize=(5.2, 3.4))
    shown = [(float(e), float(b.low), float(b.high)) for e, b in curve if b.high > 0]
    axes.plot([e for e, _, _ in shown], [high for _, _, high in shown], color=BLUE, label="certified")
    axes.fill_between(
        [e for e, *_ in shown], [low for _, low, _ in shown], [h for *_, h in shown], color=SKY, alpha=0.5
    )
    for comparison in comparisons:
        for peer in comparison.peers:
            if peer.value is not None and peer.place in ("inside", "loose", "below"):
                wrong = peer.place == "below"
                axes.plot(peer.value, float(comparison.delta), "o", color=RED if wrong else GREY,
                          markerfacecolor=RED if wrong else "none")  # fmt: skip
                axes.annotate(peer.name, (peer.value, float(comparison.delta)), fontsize=6, xytext=(4, 2),
                              textcoords="offset points")  # fmt: skip
    axes.set_yscale("log")
    axes.set_xlabel("ε")
    axes.set_ylabel("δ")
    axes.set_title(str(whole)[:70])
    drawn.tight_layout()
    return drawn


@figure
def draw_steps(step: Composition, times: Sequence[int], delta: object) -> Figure:
    """ε(δ) against the number of repetitions of a step."""
    import matplotlib.pyplot as plt

    found = [(step * k).epsilon(delta) for k in times]
    drawn, axes = plt.subplots(figsize=(5.2, 3.4))
    axes.plot(times, [float(b.high) for b in found], "o-", color=BLUE)
    axes.set_xscale("log")
    axes.set_xlabel("steps")
    axes.set_ylabel(f"ε at δ = {delta}")
    axes.set_title(str(step)[:70])
    drawn.tight_layout()
    return drawn


@figure
def draw_loss(whole: Composition, eps: object, bins: int = 200) -> Figure:
    """The law of the loss of the whole on the upper grid, with the event {L > ε} shaded."""
    import matplotlib.pyplot as plt

    parts = whole._orders()[0].parts
    law = grid_loss(parts, grid_hints(parts, 1e-6, fine=0.25), True)
    masses = [float(Fraction(int(m), 1 << law.bits)) for m in law.masses.coeffs()]
    group = max(len(masses) // bins, 1)
    places = [float(law.h) * (law.base + i + group / 2) for i in range(0, len(masses), group)]
    heights = [sum(masses[i : i + group]) / (group * float(law.h)) for i in range(0, len(masses), group)]
    drawn, axes = plt.subplots(figsize=(5.2, 3.4))
    axes.plot(places, heights, color=BLUE)
    cut = float(Fraction(str(eps)))
    axes.fill_between(places, heights, where=[p > cut for p in places], color=SKY, alpha=0.6)
    axes.axvline(cut, color=GREY, linestyle="--")
    axes.set_xlabel("loss")
    axes.set_ylabel("density")
    axes.set_title(str(whole)[:70])
    drawn.tight_layout()
    return drawn
