"""Which figures belong to a report, and writing them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from dpwitness.core.evidence import LowerBound
from dpwitness.reports.bracket import size
from dpwitness.reports.figures.brackets import bracket_chart
from dpwitness.reports.figures.style import save
from dpwitness.reports.model import Report, Row

FOLDER = "figures"
MOST_PICTURES = 12


def draw(report: Report, folder: Path) -> tuple[tuple[str, ...], Mapping[int, tuple[str, ...]]]:
    """Write the figures of a report below `folder`; returns the charts of the run and the pictures of each row.

    A row has a picture where its audit recorded how its wealth grew (``details["wealth"]``: pairs, and the logarithm
    of the wealth after so many).
    """
    place = folder / FOLDER
    charts = (f"{FOLDER}/{save(bracket_chart(report), place, 'brackets')[0]}",)
    pictures: dict[int, tuple[str, ...]] = {}
    for i, row in enumerate(report.rows):
        if len(pictures) >= MOST_PICTURES:
            break
        name = _wealth(row, place, i)
        if name is not None:
            pictures[i] = (f"{FOLDER}/{name}",)
    return charts, pictures


def _wealth(row: Row, place: Path, i: int) -> str | None:
    lower = row.verdict.lower
    path = lower.details.get("wealth") if isinstance(lower, LowerBound) else None
    if not path or size(row.verdict.claim.guarantee) is None or not isinstance(lower, LowerBound):
        return None
    from dpwitness.reports.figures.audits import wealth_chart

    pairs, log_wealth = path
    return save(wealth_chart(pairs, log_wealth, lower.alpha), place, f"claim-{i}-wealth")[0]
