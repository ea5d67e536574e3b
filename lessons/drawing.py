"""Charts of labs drawn by matplotlib, in the look of the reports, for the terminal and for notebooks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpwitness.lessons.charts import Chart, Item
from dpwitness.reports.figures.style import BLACK, BLUE, GREEN, GREY, ORANGE, RED, house_style, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LOOKS: dict[str, tuple[str, str]] = {
    "left": (BLUE, "-"), "right": (ORANGE, "--"), "claim": (BLACK, ":"), "good": (GREEN, "-."), "bad": (RED, "-"),
    "plain": (GREY, "-"), "main": (BLACK, "-"),
}  # fmt: skip
"""The colour and the dash of each look."""


def figure(charts: Sequence[Chart]) -> Figure:
    """All charts of a lab below each other."""
    from matplotlib.figure import Figure as Canvas

    with house_style():
        made = Canvas(figsize=(7.2, 3.4 * len(charts)), layout="constrained")
        for axes, chart in zip(made.subplots(len(charts), 1, squeeze=False)[:, 0], charts, strict=True):
            _draw(axes, chart)
    return made


def _draw(axes: Axes, chart: Chart) -> None:
    seen: set[str] = set()
    for item in chart["items"]:
        label = "" if item["label"] in seen else item["label"]
        seen.add(item["label"])
        _item(axes, {**item, "label": label or "_"})
    axes.set(xlabel=chart["xlabel"], ylabel=chart["ylabel"], xlim=tuple(chart["xlim"]), ylim=tuple(chart["ylim"]))
    axes.set_title(chart["title"])
    if chart["names"]:
        axes.set_xticks(range(len(chart["names"])), chart["names"])
    if seen - {""}:
        axes.legend(loc="best")


def _item(axes: Axes, item: Item) -> None:
    colour, dash = LOOKS[item["look"]]
    label = item["label"]
    match item["kind"]:
        case "line":
            ys = [y if math.isfinite(y) else math.nan for y in item["ys"]]
            axes.plot(item["xs"], ys, color=colour, ls=dash, label=label)
        case "area":
            axes.fill_between(item["xs"], 0, item["ys"], color=colour, alpha=0.22, lw=0, label=label)
        case "band":
            axes.axhspan(item["low"], item["high"], color=colour, alpha=0.13, lw=0, label=label)
        case "level":
            axes.axhline(item["at"], color=colour, ls=dash, lw=1.3, label=label)
        case "upright":
            axes.axvline(item["at"], color=colour, ls=dash, lw=1.3, label=label)
        case "bars":
            xs = [x + item["offset"] for x in item["xs"]]
            hatch = "///" if item["look"] == "right" else None
            axes.bar(xs, item["heights"], item["width"], color=colour, alpha=0.75, hatch=hatch, label=label)
        case "dots":
            axes.plot(item["xs"], item["ys"], color=colour, ls="", marker="o", label=label)
        case other:
            raise ValueError(f"kind={other!r} of {label!r} is not a kind of figure")


def write(charts: Sequence[Chart], folder: Path, name: str) -> tuple[str, str]:
    """Write the charts as ``name.svg`` and ``name.png``."""
    return save(figure(charts), folder, name)


def svg(charts: Sequence[Chart]) -> str:
    """The charts as SVG text, for a notebook."""
    from io import StringIO

    text = StringIO()
    made: Any = figure(charts)
    with house_style():
        made.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()
