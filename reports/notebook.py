"""Reports and verdicts in a notebook: a small table that needs no script."""

from __future__ import annotations

from html import escape

from dpwitness.core.verdict import Verdict
from dpwitness.reports.details import details
from dpwitness.reports.html import LABELS, group
from dpwitness.reports.mathml import inequality, prose
from dpwitness.reports.model import Report, Row, line

MOST_ROWS = 200
_COLOURS = {"proved": "#00795f", "refuted": "#8a5a00", "open": "#5a6472", "surprise": "#b3261e"}
_CELL = 'style="text-align:left;vertical-align:top"'


def report_html(report: Report) -> str:
    """A report as an HTML table, surprises first."""
    rows = sorted(report.rows, key=lambda row: not row.verdict.surprise)
    head = f"{len(report.surprises)} not as expected" if report.surprises else f"all {len(rows)} verdicts as expected"
    body = "".join(
        f"<tr><td {_CELL}>{escape(row.target)}</td><td {_CELL}>{escape(row.claim)}</td>"
        f"<td {_CELL}>{escape(row.bracket)}</td><td {_CELL}>{_badge(row)}</td>"
        f"<td {_CELL}>{escape(row.reason)}</td></tr>"
        for row in rows[:MOST_ROWS]
    )
    more = f"<p>… and {len(rows) - MOST_ROWS} more</p>" if len(rows) > MOST_ROWS else ""
    titles = "".join(f"<th {_CELL}>{t}</th>" for t in ("target", "claim", "lower ≤ ε ≤ upper", "verdict", "why"))
    return f"<div><p><b>dpwitness: {head}</b></p><table><tr>{titles}</tr>{body}</table>{more}</div>"


def verdict_html(verdict: Verdict) -> str:
    """One verdict with everything that is known about it; made to be a `Verdict`'s ``_repr_html_``."""
    row = Row(verdict)
    parts = details(row, Report((row,)))
    sections = (
        ("proof", parts.argument),
        ("counterexample", parts.counterexample),
        ("audit", parts.audit),
        ("where α went", tuple(f"{what}: {share}" for what, share in parts.ledger)),
        ("noticed", parts.noticed),
        ("not said", parts.silent),
    )
    about = "".join(f"<p>{prose(part)}</p>" for part in parts.about)
    rest = "".join(
        f"<p><b>{title}</b><br>{'<br>'.join(escape(item) for item in items)}</p>" for title, items in sections if items
    )
    title = f"<p><b>{escape(row.target)}</b> {_badge(row)} {escape(row.bracket)}</p>"
    near = escape(line(verdict.claim.space.describe(), 200))
    claim = f"<p>{inequality(verdict.claim.guarantee)} for all events and all neighbours ({near})</p>"
    return f"<div>{title}{about}{claim}{rest}</div>"


def attach() -> None:
    """Let notebooks show a `Verdict` by itself: the core knows nothing of reports, so this is done from here."""
    Verdict._repr_html_ = verdict_html  # type: ignore[attr-defined]


def _badge(row: Row) -> str:
    glyph, label = LABELS[row.decision]
    surprise = f", expected {row.expected.lower()}" if row.verdict.surprise else ""
    return f'<b style="color:{_COLOURS[group(row)]}">{glyph} {label}{surprise}</b>'
