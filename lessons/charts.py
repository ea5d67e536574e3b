"""Figures as plain data: what `page.js` draws on a page and `drawing` draws for the terminal and notebooks.

These functions are in the small language of `dpwitness.lessons.script`: pages call their translations. A `look` is one
of main, left, right, claim, good, bad, plain: a colour and a dash that differ for colour-blind readers and in print.
"""

from __future__ import annotations

from typing import Any

Chart = dict[str, Any]
Item = dict[str, Any]


def chart(
    title: str, xlabel: str, ylabel: str, xlim: Any, ylim: Any, items: list[Item], names: Any = None
) -> Chart:  # fmt: skip
    """One set of axes; `names` stand below x = 0, 1, … in place of numbers."""
    return {
        "title": title, "xlabel": xlabel, "ylabel": ylabel, "xlim": xlim, "ylim": ylim, "items": items, "names": names,
    }  # fmt: skip


def line(label: str, xs: Any, ys: Any, look: str) -> Item:
    """A curve through points."""
    return {"kind": "line", "label": label, "xs": xs, "ys": ys, "look": look}


def area(label: str, xs: Any, ys: Any, look: str) -> Item:
    """The surface between a curve and 0."""
    return {"kind": "area", "label": label, "xs": xs, "ys": ys, "look": look}


def band(label: str, low: float, high: float, look: str) -> Item:
    """All points with low ≤ y ≤ high."""
    return {"kind": "band", "label": label, "low": low, "high": high, "look": look}


def level(label: str, at: float, look: str) -> Item:
    """A level line y = at."""
    return {"kind": "level", "label": label, "at": at, "look": look}


def upright(label: str, at: float, look: str) -> Item:
    """An upright line x = at."""
    return {"kind": "upright", "label": label, "at": at, "look": look}


def bars(label: str, xs: Any, heights: Any, look: str, width: float = 0.8, offset: float = 0) -> Item:
    """Upright bars from 0."""
    return {
        "kind": "bars", "label": label, "xs": xs, "heights": heights, "look": look, "width": width, "offset": offset,
    }  # fmt: skip


def dots(label: str, xs: Any, ys: Any, look: str) -> Item:
    """Points."""
    return {"kind": "dots", "label": label, "xs": xs, "ys": ys, "look": look}
