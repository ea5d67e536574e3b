"""What an audit saw: how its wealth grew, and how well the two inputs can be told apart."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from dpwitness.reports.figures.style import BLACK, BLUE, GREEN, GREY, ORANGE, RED, blank, figure, line_of, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Curve = Callable[[float], float]


@figure
def wealth_chart(pairs: Sequence[float], log_wealth: Sequence[float], alpha: float, *, title: str = "") -> Figure:
    """Wealth of a sequential audit over pairs; the claim is refuted where it reaches 1/α.

    Parameters
    ----------
    pairs
        Pairs of samples drawn so far.
    log_wealth
        Natural logarithm of the wealth after so many pairs.
    alpha
        The level: betting against a true claim reaches 1/α with probability at most α (Ville).
    """
    made, axes = blank()
    limit = -math.log10(alpha)
    x, y = line_of(pairs), line_of(log_wealth) / math.log(10)
    axes.plot(x, y, color=BLUE, label="wealth")
    axes.axhline(limit, color=RED, ls="--", lw=1.3, label=f"limit 1/α = {1 / alpha:,.0f}")
    crossed = x[y >= limit]
    if len(crossed):
        axes.plot(
            [crossed[0]], [limit], marker="X", color=RED, ms=8, ls="none", label=f"refuted at {int(crossed[0])} pairs"
        )
    axes.set_xlabel("pairs of samples")
    axes.set_ylabel("wealth, powers of 10")
    axes.set_title(plain(title or "Betting against the claim", 100))
    axes.legend(loc="best")
    return made


@figure
def tradeoff_chart(
    levels: Sequence[float],
    errors: Sequence[float],
    *,
    epsilon: float | None = None,
    delta: float = 0.0,
    others: Mapping[str, Sequence[float]] | None = None,
    title: str = "",
) -> Figure:
    r"""Trade-off curve: the smallest type-II error of a test between the neighbours, at each type-I error.

    A claim :math:`(\varepsilon,\delta)` allows no test below
    :math:`\max(0,\ 1-\delta-e^\varepsilon a,\ e^{-\varepsilon}(1-\delta-a))` at level a.
    """
    import numpy as np

    made, axes = blank(4.4, 4.0)
    a = line_of(levels)
    axes.plot([0, 1], [1, 0], color=GREY, lw=1, ls=":", label="no leak")
    axes.plot(a, line_of(errors), color=BLUE, label="mechanism")
    for (name, values), (colour, dash) in zip((others or {}).items(), ((GREEN, "-."), (ORANGE, ":")), strict=False):
        axes.plot(a, line_of(values), color=colour, ls=dash, label=name)
    if epsilon is not None:
        grid = np.linspace(0, 1, 400)
        floor = np.maximum(0, np.maximum(1 - delta - np.exp(epsilon) * grid, np.exp(-epsilon) * (1 - delta - grid)))
        axes.plot(grid, floor, color=BLACK, ls="--", lw=1.3, label=_claim(epsilon, delta))
        axes.fill_between(grid, 0, floor, color=RED, alpha=0.12, lw=0)
    axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xlabel="type I error", ylabel="type II error")
    axes.set_title(plain(title or "Trade-off between the two errors", 100))
    axes.legend(loc="upper right")
    return made


@figure
def privacy_curve(
    epsilons: Sequence[float],
    *,
    exact: Curve | Sequence[float] | None = None,
    upper: Curve | Sequence[float] | None = None,
    lower: Curve | Sequence[float] | None = None,
    claim: tuple[float, float] | None = None,
    found: tuple[float, float] | None = None,
    by: str = "audit",
    title: str = "",
) -> Figure:
    """Privacy curve δ(ε): the law itself, what is proved above it and measured below it, and the claim.

    Parameters
    ----------
    exact, upper, lower
        Curves, as callables or as values at `epsilons`.
    claim, found
        Points (ε, δ): what is claimed, and the lower bound that an audit or a counterexample shows at its δ.
    by
        Which of the two shows it.
    """
    made, axes = blank()
    grid = line_of(epsilons)
    smallest = 1.0
    looks = (
        ("proved", upper, GREEN, "-.", 3.4),  # wide, so that it is seen under a curve that it meets
        ("δ(ε)", exact, BLUE, "-", 1.8),
        ("measured", lower, ORANGE, ":", 1.8),
    )
    for name, curve, colour, dash, wide in looks:
        if curve is not None:
            values = line_of([curve(float(e)) for e in grid] if callable(curve) else curve)
            axes.plot(grid, values, color=colour, ls=dash, lw=wide, label=name)
            smallest = min([smallest, *(float(v) for v in values if v > 0)])
    if claim is not None:
        axes.plot(*([c] for c in claim), "s", color=BLACK, ms=7, label=_claim(*claim), clip_on=False, zorder=4)
    if found is not None and found[0] <= grid[-1]:
        words = f"{plain(by, 40)}: ε ≥ {found[0]:.3g}"
        axes.plot(*([c] for c in found), ">", color=RED, ms=8, label=words, clip_on=False, zorder=5)
    tiny = claim[1] if claim is not None else smallest
    if 0 < tiny < 1e-2:  # a claim with δ = 0 is met where the curve reaches zero, which a logarithm cannot show
        axes.set_yscale("log")
        axes.set_ylim(max(smallest, tiny * 1e-4) / 2, 2)
        axes.minorticks_off()
    else:
        axes.set_ylim(bottom=0)
    axes.set_xlim(grid[0], grid[-1])
    axes.set(xlabel="ε", ylabel="δ")
    axes.set_title(plain(title or "Privacy curve", 100))
    axes.legend(loc="best")
    return made


def _claim(epsilon: float, delta: float) -> str:
    return f"claim ε = {epsilon:.3g}" + (f", δ = {delta:.3g}" if delta else "")
