"""Output laws on the two neighbours, and what the ratio of their densities says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from dpwitness.reports.figures.style import BLACK, BLUE, GREEN, GREY, ORANGE, RED, blank, figure, line_of

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

Values = Callable[[float], float] | Sequence[float]


def _values(law: Values, points: NDArray[np.float64]) -> NDArray[np.float64]:
    return line_of([law(float(z)) for z in points] if callable(law) else law)


@figure
def density_chart(
    outputs: Sequence[float],
    left: Values,
    right: Values,
    *,
    event: Callable[[float], bool] | None = None,
    words: str = "",
    title: str = "",
) -> Figure:
    """Densities (or probabilities) of the output on the two neighbours, with the event shaded.

    Parameters
    ----------
    outputs
        Where to draw.
    left, right
        Densities as callables, or their values at `outputs`.
    event
        Which outputs belong to the event.
    words
        The event in words, for the legend.
    """
    import numpy as np

    made, axes = blank()
    z = line_of(outputs)
    p, q = _values(left, z), _values(right, z)
    axes.plot(z, p, color=BLUE, label="on left")
    axes.plot(z, q, color=ORANGE, ls="--", label="on right")
    if event is not None:
        inside = np.array([bool(event(float(x))) for x in z])
        axes.fill_between(
            z, 0, p, where=inside, color=BLUE, alpha=0.22, lw=0, label=f"event: {words}" if words else "event"
        )
        axes.fill_between(z, 0, q, where=inside, facecolor="none", edgecolor=ORANGE, hatch="////", lw=0)
    axes.set_ylim(bottom=0)
    axes.set(xlabel="output", ylabel="density")
    axes.set_title(title or "The output on two neighbouring inputs")
    axes.legend(loc="best")
    return made


@figure
def log_ratio_chart(
    outputs: Sequence[float], left: Values, right: Values, epsilon: float, *, title: str = ""
) -> Figure:  # fmt: skip
    """Privacy loss ln(p/q) of every output against the band ±ε that the claim allows; beyond it is shaded."""
    import numpy as np

    made, axes = blank()
    z = line_of(outputs)
    with np.errstate(divide="ignore", invalid="ignore"):
        loss = np.log(_values(left, z)) - np.log(_values(right, z))
    finite = loss[np.isfinite(loss)]
    top = 1.15 * max([epsilon, *np.abs(finite).tolist()])
    shown = np.clip(np.nan_to_num(loss, nan=np.nan, posinf=top, neginf=-top), -top, top)
    axes.axhspan(-epsilon, epsilon, color=GREEN, alpha=0.13, lw=0, label=f"allowed: ±{epsilon:.3g}")
    axes.plot(z, shown, color=BLACK, label="loss")
    for sign in (1, -1):
        axes.axhline(sign * epsilon, color=GREEN, lw=1, ls="--")
        axes.fill_between(z, sign * epsilon, shown, where=sign * shown > epsilon, color=RED, alpha=0.35, lw=0)
    axes.set_ylim(-top, top)
    axes.set(xlabel="output", ylabel="ln p/q")
    axes.set_title(title or "Privacy loss of every output")
    axes.legend(loc="best")
    return made


@figure
def loss_chart(
    epsilons: Sequence[float],
    loss: Values,
    *,
    claim: Values | None = None,
    upper: Values | None = None,
    title: str = "",
) -> Figure:
    """Exact loss of a program as a function of its parameter ε, against what it claims (by default: ε itself)."""
    made, axes = blank()
    e = line_of(epsilons)
    true, said = _values(loss, e), e if claim is None else _values(claim, e)
    axes.plot(e, said, color=BLACK, ls="--", lw=1.3, label="claim")
    axes.plot(e, true, color=BLUE, label="exact loss")
    if upper is not None:
        axes.plot(e, _values(upper, e), color=GREEN, ls="-.", label="proved")
    axes.fill_between(e, said, true, where=(true > said).tolist(), color=RED, alpha=0.25, lw=0, label="claim broken")
    axes.set(xlabel="parameter ε", ylabel="loss")
    axes.set_title(title or "Exact loss of the program")
    axes.legend(loc="best")
    return made


@figure
def slide_dilate_chart(
    points: Sequence[float], density: Callable[[float], float], *, shift: float, factor: float, title: str = ""
) -> Figure:
    r"""Sliding and dilation of a noise density: :math:`h(z+\Delta)` and :math:`e^{\lambda}h(e^{\lambda}z)` beside h.

    Parameters
    ----------
    shift
        The Δ by which an answer moves.
    factor
        The λ by which the logarithm of the scale moves.
    """
    import math

    import numpy as np
    from matplotlib.figure import Figure

    made = Figure(figsize=(7.2, 4.6), layout="constrained")
    upper, lower = made.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    z = line_of(points)
    scale = math.exp(factor)
    h = line_of([density(float(x)) for x in z])
    slid = line_of([density(float(x) + shift) for x in z])
    wide = line_of([scale * density(scale * float(x)) for x in z])
    looks: tuple[tuple[str, Any, str, str], ...] = (
        (f"slid by {shift:.3g}", slid, ORANGE, "--"),
        (f"dilated by exp({factor:.3g})", wide, BLUE, "-."),
    )
    upper.plot(z, h, color=BLACK, label="h")
    with np.errstate(divide="ignore", invalid="ignore"):
        for name, values, colour, dash in looks:
            upper.plot(z, values, color=colour, ls=dash, label=name)
            lower.plot(z, np.log(values / h), color=colour, ls=dash)
    lower.axhline(0, color=GREY, lw=0.8)
    upper.set(ylabel="density", ylim=(0, None))
    lower.set(xlabel="z", ylabel="ln ratio to h")
    upper.set_title(title or "Sliding and dilation of the noise")
    upper.legend(loc="best")
    return made
