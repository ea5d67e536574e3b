from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from tests.reports.samples import HOSTILE, RUN, hostile, sample, verdicts

from dpwitness.reports.figures.audits import privacy_curve, tradeoff_chart, wealth_chart
from dpwitness.reports.figures.brackets import bracket_chart
from dpwitness.reports.figures.laws import density_chart, log_ratio_chart, loss_chart, slide_dilate_chart
from dpwitness.reports.figures.style import BLACK, BLUE, GREEN, GREY, ORANGE, PINK, RED, save
from dpwitness.reports.model import Report

Z = np.linspace(-4, 5, 91)


def laplace(centre: float, scale: float = 1.0) -> Callable[[float], float]:
    return lambda z: math.exp(-abs(z - centre) / scale) / (2 * scale)


FIGURES: dict[str, Callable[[], Figure]] = {
    "density": lambda: density_chart(Z, laplace(0), laplace(1), event=lambda z: z < 0, words="output < 0"),
    "log-ratio": lambda: log_ratio_chart(Z, laplace(0, 0.5), laplace(1, 0.5), 1.0),
    "curve": lambda: privacy_curve([0, 1, 2], exact=lambda e: math.exp(-9 * e), upper=[1, 0.1, 0.01], claim=(1, 1e-5)),
    "trade-off": lambda: tradeoff_chart(
        [0, 0.5, 1], [1, 0.3, 0], epsilon=1.0, delta=0.01, others={"audit": [1, 0.4, 0]}
    ),
    "wealth": lambda: wealth_chart([0, 10, 20], [0, 3, 8], 1e-3),
    "loss": lambda: loss_chart([0.5, 1, 2], [0.5, 1.5, 3], upper=lambda e: 2 * e),
    "slide": lambda: slide_dilate_chart(Z, lambda z: 1 / (1 + z**4), shift=1, factor=0.3),
    "brackets": lambda: bracket_chart(sample()),
}


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_says_what_it_shows(name: str, tmp_path: Path) -> None:
    made = FIGURES[name]()
    assert save(made, tmp_path, name) == (f"{name}.svg", f"{name}.png")
    for axes in made.axes:
        assert axes.get_ylabel() or name == "brackets"
        assert axes.get_legend() or made.legends or len(made.axes) > 1
    assert any(axes.get_xlabel() for axes in made.axes)
    assert (tmp_path / f"{name}.svg").read_text().lstrip().startswith("<?xml")
    assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")


def test_lines_differ_in_more_than_colour() -> None:
    for name in ("density", "curve", "trade-off", "loss"):
        (axes,) = FIGURES[name]().axes
        lines = [line for line in axes.lines if not line.get_label().startswith("_")]
        looks = [(line.get_linestyle(), line.get_marker()) for line in lines]
        assert len(set(looks)) == len(looks), name


def test_colours_differ_in_lightness_for_print() -> None:
    def light(colour: str) -> float:
        r, g, b = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    for one, two in (
        (BLUE, ORANGE),
        (BLACK, BLUE),
        (BLUE, GREEN),
        (RED, BLUE),
        (GREY, BLACK),
        (PINK, BLUE),
    ):
        assert abs(light(one) - light(two)) > 0.02, (one, two)


def test_the_event_and_the_limit_are_where_the_data_says() -> None:
    (axes,) = FIGURES["wealth"]().axes
    assert [line.get_label() for line in axes.lines] == ["wealth", "limit 1/α = 1,000", "refuted at 20 pairs"]
    (axes,) = FIGURES["log-ratio"]().axes
    loss = next(line for line in axes.lines if line.get_label() == "loss")
    values = np.asarray(loss.get_ydata(), dtype=float)
    assert values.max() == pytest.approx(2)
    assert values.min() == pytest.approx(-2)


def test_an_impossible_output_is_drawn_at_the_edge() -> None:
    (axes,) = log_ratio_chart([0.0, 1.0], [0.5, 0.5], [1.0, 0.0], 1.0).axes
    assert np.isfinite(np.asarray(axes.lines[0].get_ydata(), dtype=float)).all()


def test_a_large_catalogue_fits() -> None:
    made = bracket_chart(Report.of(verdicts() * 20, RUN))
    assert len(made.axes) == 3
    assert sum(len(axes.get_yticks()) for axes in made.axes) == 160


def test_hostile_names_are_only_drawn(tmp_path: Path) -> None:
    rows = [hostile(text).rows[0] for text in HOSTILE]
    save(bracket_chart(Report(tuple(rows))), tmp_path, "x")
    written = (tmp_path / "x.svg").read_text(encoding="utf-8")
    assert "<script" not in written
    assert len(written) < 600_000


def test_matplotlib_is_imported_by_figures_alone() -> None:
    code = (
        "import sys, dpwitness.reports.writer, dpwitness.reports.figures.book, dpwitness.reports.figures.laws,"
        "dpwitness.reports.figures.audits; print('matplotlib' in sys.modules, 'numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
