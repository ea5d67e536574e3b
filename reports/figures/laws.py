"""Output laws on the two neighbours, and what the ratio of their densities says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from dpwitness.reports.figures.style import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PINK,
    RED,
    blank,
    figure,
    line_of,
    margins,
    plain,
)

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

_MOST_LETTERS = 24

Values = Callable[[float], float] | Sequence[float]


def _values(law: Values, points: NDArray[np.float64]) -> NDArray[np.float64]:
    return line_of([law(float(z)) for z in points] if callable(law) else law)


@figure
def density_chart(
    outputs: Sequence[float],
    left: Values,
    right: Values,
    *,
    event: Callable[[float], bool] | Sequence[bool] | None = None,
    words: str = "",
    names: tuple[str, str] = ("left", "right"),
    what: str = "output",
    title: str = "",
) -> Figure:
    """Densities of the output on the two neighbours, with the event shaded.

    Parameters
    ----------
    outputs
        Where to draw.
    left, right
        Densities as callables, or their values at `outputs`.
    event
        Which outputs belong to the event: a test, or its answers at `outputs`.
    words
        The event in words, for the legend.
    names
        The two inputs in words.
    what
        The part of the output that is shown.
    """
    import numpy as np

    made, axes = blank()
    z = line_of(outputs)
    p, q = _values(left, z), _values(right, z)
    axes.plot(z, p, color=BLUE, label=_on(names[0]))
    axes.plot(z, q, color=ORANGE, ls="--", label=_on(names[1]))
    if event is not None:
        inside = np.array([bool(event(float(x))) for x in z] if callable(event) else event)
        axes.fill_between(z, 0, p, where=inside, color=BLUE, alpha=0.22, lw=0, label=_event(words))
        axes.fill_between(z, 0, q, where=inside, facecolor="none", edgecolor=ORANGE, hatch="////", lw=0)
    axes.set_ylim(0, 1.45 * max(p.max(), q.max()))  # room for the legend
    axes.set(xlabel=plain(what, 40), ylabel="density")
    axes.set_title(plain(title or "The output on two neighbouring inputs", 100))
    axes.legend(loc="upper left")
    return made


def _on(name: str) -> str:
    return "on " + plain(name, 40)


def _event(words: str) -> str:
    return f"event: {plain(words, 60)}" if words else "event"


@figure
def bar_chart(
    labels: Sequence[str],
    left: Sequence[float],
    right: Sequence[float],
    *,
    event: Sequence[bool] | None = None,
    words: str = "",
    names: tuple[str, str] = ("left", "right"),
    title: str = "",
) -> Figure:
    """Probabilities of finitely many outputs on the two neighbours; outputs of the event stand on a shaded ground."""
    made, axes = blank(max(6.0, min(11.0, 1.5 + 0.42 * len(labels))), foot=_foot(labels))
    places = range(len(labels))
    axes.bar([i - 0.2 for i in places], list(left), 0.38, color=BLUE, label=_on(names[0]))
    axes.bar([i + 0.2 for i in places], list(right), 0.38, color=ORANGE, hatch="///", ec="white", label=_on(names[1]))
    _ground(axes, event, _event(words))
    _ticks(axes, labels)
    axes.set_ylim(0, 1.45 * max([*left, *right, 1e-12]))  # room for the legend
    axes.set(xlabel="output", ylabel="probability")
    axes.set_title(plain(title or "The output on two neighbouring inputs", 100))
    axes.legend(loc="upper left")
    return made


def _ground(axes: Axes, event: Sequence[bool] | None, label: str) -> None:
    for i, inside in enumerate(event or ()):
        if inside:
            axes.axvspan(i - 0.5, i + 0.5, color=PINK, alpha=0.22, lw=0, zorder=0, label=label)
            label = "_again"


def _foot(labels: Sequence[str]) -> float:
    """Inches below the axes for slanted labels; 0 where they fit side by side."""
    longest = min(max(map(len, labels), default=0), _MOST_LETTERS)
    return 0.05 * longest if longest * len(labels) > 70 else 0.0


def _ticks(axes: Axes, labels: Sequence[str]) -> None:
    slanted: dict[str, Any] = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"} if _foot(labels) else {}
    axes.set_xticks(range(len(labels)), [plain(label, _MOST_LETTERS) for label in labels], **slanted)
    axes.grid(axis="x", visible=False)
    axes.set_xlim(-0.6, len(labels) - 0.4)


@figure
def log_ratio_chart(
    outputs: Sequence[float] | Sequence[str],
    left: Values,
    right: Values,
    epsilon: float,
    *,
    errors: Sequence[float] = (),
    what: str = "output",
    title: str = "",
) -> Figure:
    """Privacy loss ln(p/q) of every output against the band ±ε that the claim allows; beyond it is shaded.

    Parameters
    ----------
    outputs
        Numbers, or the labels of finitely many outputs.
    errors
        Standard errors of the loss where it was sampled; two of them are drawn as a band.
    """
    import numpy as np

    labelled = isinstance(outputs[0], str)
    made, axes = blank(foot=_foot([str(o) for o in outputs]) if labelled else 0.0)
    z = line_of(range(len(outputs)) if labelled else outputs)  # type: ignore[arg-type]
    with np.errstate(divide="ignore", invalid="ignore"):
        loss = np.log(_values(left, z)) - np.log(_values(right, z))
    finite = loss[np.isfinite(loss)]
    top = 1.5 * max([epsilon, *np.abs(finite).tolist()])
    shown = np.clip(np.nan_to_num(loss, nan=np.nan, posinf=top, neginf=-top), -top, top)
    # many outputs are looked at, so it takes four standard errors to call one of them beyond the claim
    slack = 4 * line_of(errors) if len(errors) else np.full_like(z, 1e-9)
    axes.axhspan(-epsilon, epsilon, color=GREEN, alpha=0.13, lw=0, label=f"allowed: ±{epsilon:.3g}")
    for sign in (1, -1):
        axes.axhline(sign * epsilon, color=GREEN, lw=1, ls="--")
    if labelled:
        broken = np.abs(shown) - slack > epsilon
        for which, colour, mark, name in ((~broken, BLACK, "o", "loss"), (broken, RED, "X", "loss beyond the claim")):
            if which.any():
                axes.vlines(z[which], 0, shown[which], color=colour, lw=2)
                axes.plot(z[which], shown[which], mark, color=colour, ms=7, label=name, clip_on=False)
        if len(errors):
            axes.errorbar(
                z, shown, 2 * line_of(errors), fmt="none", ecolor=GREY, capsize=3, label="± 2 standard errors"
            )
        _ticks(axes, [str(o) for o in outputs])
    else:
        axes.plot(z, shown, color=BLACK, label="loss")
        if len(errors):
            wide = 2 * line_of(errors)
            axes.fill_between(z, shown - wide, shown + wide, color=BLACK, alpha=0.15, lw=0, label="± 2 standard errors")
        for sign in (1, -1):
            axes.fill_between(
                z, sign * epsilon, shown, where=sign * shown - slack > epsilon, color=RED, alpha=0.35, lw=0
            )
    axes.axhline(0, color=GREY, lw=0.8)
    axes.set_ylim(-top, top)
    axes.set(xlabel=plain(what, 40), ylabel="ln p/q")
    axes.set_title(plain(title or "Privacy loss of every output", 100))
    axes.legend(loc="upper left", ncols=3)
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
    axes.plot(e, true, color=BLUE, lw=2.6, label="exact loss")
    axes.plot(e, said, color=BLACK, ls="--", lw=1.3, label="claim", zorder=3)
    if upper is not None:
        axes.plot(e, _values(upper, e), color=GREEN, ls="-.", label="proved")
    broken = true > said + 1e-9
    if broken.any():
        axes.fill_between(e, said, true, where=broken.tolist(), color=RED, alpha=0.25, lw=0, label="claim broken")
    axes.set(xlabel="parameter ε", ylabel="loss")
    axes.set_title(plain(title or "Exact loss of the program", 100))
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

    made = Figure(figsize=(7.2, 4.6))
    margins(made)
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
    upper.set_title(plain(title or "Sliding and dilation of the noise", 100))
    upper.legend(loc="best")
    return made
