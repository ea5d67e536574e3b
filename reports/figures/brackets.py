"""All brackets of a run on one chart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpwitness.core.verdict import Decision
from dpwitness.reports.bracket import Bracket, bracket
from dpwitness.reports.figures.style import BLUE, GREEN, GREY, ORANGE, RED, figure, plain
from dpwitness.reports.model import Report, Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_ROWS = 400
_LEFT, _RIGHT = 0.02, 60.0
_STYLE = {
    Decision.PROVED: (GREEN, "o", "proved"),
    Decision.REFUTED: (ORANGE, "X", "refuted as expected"),
    Decision.NOT_REFUTED: (GREY, "s", "open"),
    Decision.UNDECIDED: (GREY, "s", "open"),
    Decision.CONTRADICTION: (RED, "D", "not as expected"),
}


@figure
def bracket_chart(report: Report) -> Figure:
    """ε divided by the claimed ε, from the lower to the upper bound, for every claim; the scale is logarithmic."""
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    rows = [(row, b) for row in report.rows if (b := bracket(row.verdict)) is not None][:MOST_ROWS]
    columns = 1 if len(rows) <= 40 else 2 if len(rows) <= 120 else 3
    deep = max(4, -(-len(rows) // columns))
    wide, high = 5.8 * columns, 1.0 + 0.19 * deep
    # margins by hand: measuring hundreds of labels takes longer than drawing them
    made = Figure(figsize=(wide, high))
    for column in range(columns):
        place = (column / columns + 2.1 / wide, 0.45 / high, 3.55 / wide, 1 - 0.85 / high)
        _panel(made.add_axes(place), rows[column * deep : (column + 1) * deep], deep)
    used = dict.fromkeys(_look(row) for row, _ in rows)
    handles = [Line2D([], [], color=c, marker=m, lw=2, label=text) for c, m, text in used]
    handles.append(Line2D([], [], color=BLUE, lw=1.2, ls="--", label="claim"))
    made.legend(handles=handles, loc="upper left", ncols=6, fontsize=7.5, columnspacing=1.2, handlelength=1.6)
    return made


def _look(row: Row) -> tuple[str, str, str]:
    return (RED, "D", "not as expected") if row.verdict.surprise else _STYLE[row.decision]


def _panel(axes: Axes, rows: list[tuple[Row, Bracket]], deep: int) -> None:
    for look in dict.fromkeys(_look(row) for row, _ in rows):
        _marks(axes, [(i, b) for i, (row, b) in enumerate(rows) if _look(row) == look], *look[:2])
    axes.axvline(1, color=BLUE, lw=1.2, ls="--", zorder=0)
    axes.set_xscale("log")
    axes.set_xlim(_LEFT, _RIGHT * 1.15)
    axes.set_xticks([0.1, 1, 10], ["0.1", "1", "10"])
    axes.minorticks_off()
    axes.set_xlabel("ε / claimed ε")
    names = [row.target if len(row.target) <= 34 else row.target[:33] + "…" for row, _ in rows]
    axes.set_yticks(range(len(rows)), [plain(name) for name in names], fontsize=7)
    axes.set_ylim(deep - 0.4, -0.6)
    axes.grid(axis="y", visible=False)


def _marks(axes: Axes, rows: list[tuple[int, Bracket]], colour: str, marker: str) -> None:
    """All brackets of one kind: a solid line is bounded from above, a dotted one is not."""
    known = [(i, b) for i, b in rows if b.low is not None or b.high is not None]
    for bounded, dash in ((True, "-"), (False, (0, (1, 1.2)))):
        spans = [(i, *_ends(b)) for i, b in known if (b.high is not None) == bounded]
        if spans:
            places, starts, stops = zip(*spans, strict=True)
            axes.hlines(places, starts, stops, color=colour, lw=2.2, ls=dash)
    for beyond, shape in ((False, marker), (True, ">")):
        dots = [(_ends(b)[0], i) for i, b in known if b.low is not None and (b.low > _RIGHT) == beyond]
        if dots:
            axes.scatter([x for x, _ in dots], [y for _, y in dots], marker=shape, color=colour, s=22, zorder=3)
    caps = [(_ends(b)[1], i) for i, b in known if b.high is not None]
    if caps:
        axes.scatter([x for x, _ in caps], [y for _, y in caps], marker="|", color=colour, s=45, lw=2, zorder=3)


def _ends(b: Bracket) -> tuple[float, float]:
    low = _LEFT if b.low is None else min(max(b.low, _LEFT), _RIGHT)
    high = _RIGHT if b.high is None else min(b.high, _RIGHT)
    return low, high if b.high is not None else max(low, high)
