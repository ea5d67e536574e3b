"""One look for all figures: colours that colour-blind readers tell apart, lines that differ in print."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec

from dpwitness.reports.model import line

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

P = ParamSpec("P")

# Okabe and Ito 2008
BLACK, ORANGE, SKY, GREEN, YELLOW, BLUE, RED, PINK = (
    "#000000", "#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7",
)  # fmt: skip
GREY = "#7a828c"

_SETTINGS: dict[str, Any] = {
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e3e6ea",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "lines.linewidth": 1.8,
    "legend.frameon": False,
    "svg.hashsalt": "dpwitness",
    "svg.fonttype": "path",
    "figure.dpi": 100,
    "savefig.facecolor": "white",
}


def figure(draw: Callable[P, Figure]) -> Callable[P, Figure]:
    """Draw in the house style, whatever the user's own settings are."""

    @wraps(draw)
    def styled(*args: P.args, **kwargs: P.kwargs) -> Figure:
        with house_style():
            return draw(*args, **kwargs)

    return styled


@contextmanager
def house_style() -> Iterator[None]:
    """matplotlib's own defaults with the house settings on top."""
    import matplotlib as mpl

    settings: Any = {**{k: v for k, v in mpl.rcParamsDefault.items() if k != "backend"}, **_SETTINGS}
    with mpl.rc_context(settings):
        yield


def blank(width: float = 6.0, height: float = 3.4, *, foot: float = 0.0) -> tuple[Figure, Axes]:
    """An empty figure with one set of axes; `foot` is room below for labels that stand on end."""
    from matplotlib.figure import Figure

    made = Figure(figsize=(width, height + foot))
    margins(made, foot=foot)
    return made, made.add_subplot()


def margins(made: Figure, *, foot: float = 0.0) -> None:
    """Room for labels, in inches: matplotlib's own layout draws every figure three times to find as much."""
    width, height = made.get_size_inches()
    made.subplots_adjust(0.72 / width, (0.48 + foot) / height, 1 - 0.15 / width, 1 - 0.32 / height)


def line_of(values: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    """Numbers as a one-dimensional array."""
    import numpy as np

    return np.asarray(values, dtype=float).ravel()


def plain(text: object, limit: int = 60) -> str:
    r"""Text from outside as a label: one line, cut, and nothing in it is read as a formula.

    >>> plain("$x$")
    '\\$x\\$'
    """
    return line(text, limit).replace("$", r"\$")


def save(made: Figure, folder: Path, name: str) -> tuple[str, str]:
    """Write ``name.svg`` and ``name.png``; the same figure gives the same bytes."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    folder.mkdir(parents=True, exist_ok=True)
    with house_style():
        FigureCanvasAgg(made)
        made.savefig(folder / f"{name}.svg", metadata={"Date": None})
        made.savefig(folder / f"{name}.png", dpi=160, metadata={"Software": None})
    return f"{name}.svg", f"{name}.png"
