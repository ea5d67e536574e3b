"""GitHub: annotations on the lines of a pull request, and the summary of a workflow step."""

from __future__ import annotations

from dpwitness.core.verdict import Decision
from dpwitness.reports.findings import Finding, findings
from dpwitness.reports.markdown import cell, code
from dpwitness.reports.model import Report, Row
from dpwitness.reports.numerics import summarise
from dpwitness.reports.origin import reproduce

_MOST_ROWS = 300
_MARKS = {
    Decision.PROVED: "✅",
    Decision.REFUTED: "❎",
    Decision.NOT_REFUTED: "➖",
    Decision.UNDECIDED: "❔",
    Decision.CONTRADICTION: "🛑",
}
_LEVELS = {"error": "error", "warning": "warning", "note": "notice"}


def annotation_lines(report: Report) -> list[str]:
    """Workflow commands, one for every finding that is an error or a warning: GitHub shows ten of a kind in a step."""
    shown = [f for f in findings(report) if f.level != "note"]
    return [f"::{_LEVELS[f.level]} {_properties(f)}::{_data(f.text)}" for f in shown]


def _properties(finding: Finding) -> str:
    place = finding.place
    parts = [] if place is None else [f"file={_value(place.path)}", f"line={place.line}"]
    return ",".join([*parts, f"title={_value(finding.title)}"])


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _value(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def step_summary(report: Report) -> str:
    """The report in Markdown: the answer, the surprises with their commands, the table folded away."""
    count = report.count
    refuted = sum(row.decision is Decision.REFUTED and not row.verdict.surprise for row in report.rows)
    surprises = report.surprises
    head = f"{len(surprises)} not as expected" if surprises else "every verdict is as expected"
    lines = [
        f"## {'🛑' if surprises else '✅'} dpwitness: {head}",
        "",
        f"{count(Decision.PROVED)} proved · {refuted} refuted as expected · "
        f"{count(Decision.NOT_REFUTED)} not refuted · {count(Decision.UNDECIDED)} undecided",
        "",
    ]
    for row in surprises[:_MOST_ROWS]:
        lines += [
            f"- **{cell(row.target)}** ({cell(row.claim)}): {row.decision}, expected {row.expected}. "
            f"{cell(row.reason, 400)} Reproduce: {code(reproduce(row, report))}"
        ]
    warned = [row for row in report.rows if row.doubles is not None]
    if warned:
        lines += ["", f"⚠️ {cell(summarise([row.target for row in warned], len(report.rows)), 900)}"]
    shown = report.rows[:_MOST_ROWS]
    lines += ["", f"<details><summary>All {len(report.rows)} claims</summary>", ""]
    lines += ["| | target | claim | lower ≤ ε ≤ upper | verdict |", "|---|---|---|---|---|", *map(_row, shown)]
    if len(shown) < len(report.rows):
        lines.append(f"| | … and {len(report.rows) - len(shown)} more | | | |")
    return "\n".join([*lines, "", "</details>", ""])


def _row(row: Row) -> str:
    mark = "🛑" if row.verdict.surprise else _MARKS[row.decision]
    return f"| {mark} | {cell(row.target)} | {cell(row.claim)} | {cell(row.bracket)} | {row.decision} |"
