"""Which figures belong to a report, and writing them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dpwitness.reports.figures.brackets import bracket_chart
from dpwitness.reports.figures.data import CurvePicture, LossPicture, OutputLaws, Picture
from dpwitness.reports.figures.forest import forest_chart
from dpwitness.reports.figures.style import save
from dpwitness.reports.model import Report, Row
from dpwitness.reports.references import family

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FOLDER = "figures"
Pictures = Mapping[int, tuple[Picture, ...]]


@dataclass(frozen=True)
class Drawing:
    """A figure beside the page: its file, and what it shows for those who do not see it."""

    file: str
    alt: str


def draw(
    report: Report,
    folder: Path,
    pictures: Pictures | None = None,
    progress: Callable[[Row], None] = lambda row: None,
) -> tuple[tuple[Drawing, ...], dict[int, tuple[Drawing, ...]]]:
    """Write the figures of a report below `folder`; returns the charts of the run and the drawings of each row."""
    place = folder / FOLDER
    chart = Drawing(
        f"{FOLDER}/{save(bracket_chart(report), place, 'brackets')[0]}",
        "Chart of all brackets; the table above holds the same numbers",
    )
    charts: tuple[Drawing, ...] = (chart,)
    known = family(report)
    if known:
        name = save(forest_chart(known), place, "reference-intervals")[0]
        charts = (*charts, Drawing(f"{FOLDER}/{name}", "Reference intervals of ε̂ for each audit, with our bounds"))
    drawings = {}
    for i, mine in (pictures or {}).items():
        drawings[i] = tuple(
            Drawing(f"{FOLDER}/{save(made, place, f'claim-{i}-{name}')[0]}", alt)
            for picture in mine
            for name, made, alt in figures_of(picture)
        )
        progress(report.rows[i])
    return charts, drawings


def figures_of(picture: Picture) -> Iterator[tuple[str, Figure, str]]:
    """The figures of one picture: name, figure, and what it shows in words."""
    from dpwitness.reports.figures.audits import privacy_curve, tradeoff_chart, wealth_chart
    from dpwitness.reports.figures.laws import loss_chart

    if isinstance(picture, OutputLaws):
        yield from _laws(picture)
    elif isinstance(picture, CurvePicture):
        made = privacy_curve(
            picture.epsilons, exact=picture.deltas, upper=picture.proved or None, claim=picture.claim,
            found=picture.found, by=picture.by, title=f"Privacy curve {picture.about}",
        )  # fmt: skip
        yield "curve", made, picture.alt()
        levels = [k / 200 for k in range(201)]
        eps, delta = picture.claim or (None, 0.0)
        yield (
            "trade-off",
            tradeoff_chart(levels, picture.trade_off(levels), epsilon=eps, delta=delta),
            picture.trade_off_alt(),
        )
    elif isinstance(picture, LossPicture):
        title = f"Exact loss {picture.about}"
        yield "loss", loss_chart(picture.epsilons, picture.losses, claim=picture.claimed, title=title), picture.alt()
    else:
        yield "wealth", wealth_chart(picture.pairs, picture.log_wealth, picture.alpha), picture.alt()


def _laws(picture: OutputLaws) -> Iterator[tuple[str, Figure, str]]:
    from dpwitness.reports.figures.laws import bar_chart, density_chart, log_ratio_chart

    title = f"The output on two neighbouring inputs ({picture.source})"
    if picture.labelled:
        made = bar_chart(
            [str(name) for name in picture.outputs], picture.left, picture.right, event=picture.inside,
            words=picture.words, names=picture.inputs, title=title,
        )  # fmt: skip
    else:
        made = density_chart(
            [float(x) for x in picture.outputs], picture.left, picture.right, event=picture.inside,
            words=picture.words, names=picture.inputs, what=picture.name, title=title,
        )  # fmt: skip
    yield "laws", made, picture.alt()
    if picture.epsilon is not None:
        bands = log_ratio_chart(
            picture.outputs, picture.left, picture.right, picture.epsilon, errors=picture.errors, what=picture.name,
            title=f"Privacy loss of every output ({picture.source})",
        )  # fmt: skip
        yield "log-ratio", bands, picture.loss_alt()
