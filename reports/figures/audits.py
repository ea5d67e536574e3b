"""What an audit saw: how its wealth grew, and how well the two inputs can be told apart."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from dpwitness.reports.figures.style import BLACK, BLUE, GREEN, GREY, ORANGE, RED, blank, figure, line_of

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
    axes.axhline(limit, color=RED, ls="--", lw=1.3, label=f"limit 1/α = {1 / alpha:.3g}")
    crossed = x[y >= limit]
    if len(crossed):
        axes.plot(
            [crossed[0]], [limit], marker="X", color=RED, ms=8, ls="none", label=f"refuted at {int(crossed[0])} pairs"
        )
    axes.set_xlabel("pairs of samples")
    axes.set_ylabel("wealth, powers of 10")
    axes.set_title(title or "Betting against the claim")
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
    axes.set_title(title or "Trade-off between the two errors")
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
    audit: tuple[float, float] | None = None,
    title: str = "",
) -> Figure:
    """Privacy curve δ(ε): the law itself, what is proved above it and measured below it, and the claim.

    Parameters
    ----------
    exact, upper, lower
        Curves, as callables or as values at `epsilons`.
    claim, audit
        Points (ε, δ): what is claimed, and the lower bound of an audit at its δ.
    """
    made, axes = blank()
    grid = line_of(epsilons)
    smallest = 1.0
    looks = (("δ(ε)", exact, BLUE, "-"), ("proved", upper, GREEN, "-."), ("measured", lower, ORANGE, ":"))
    for name, curve, colour, dash in looks:
        if curve is not None:
            values = line_of([curve(float(e)) for e in grid] if callable(curve) else curve)
            axes.plot(grid, values, color=colour, ls=dash, label=name)
            smallest = min([smallest, *(float(v) for v in values if v > 0)])
    if claim is not None:
        axes.plot(*([c] for c in claim), marker="s", color=BLACK, ms=7, ls="none", label=_claim(*claim))
    if audit is not None:
        axes.plot(*([c] for c in audit), marker=">", color=RED, ms=8, ls="none", label=f"audit: ε ≥ {audit[0]:.3g}")
    if smallest < 1e-2:
        axes.set_yscale("log")
    axes.set(xlabel="ε", ylabel="δ")
    axes.set_title(title or "Privacy curve")
    axes.legend(loc="best")
    return made


def _claim(epsilon: float, delta: float) -> str:
    return f"claim ε = {epsilon:.3g}" + (f", δ = {delta:.3g}" if delta else "")
