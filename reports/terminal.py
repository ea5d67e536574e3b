"""The report as a coloured table in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpwitness.core.verdict import Decision
from dpwitness.reports.model import Report, Row
from dpwitness.reports.origin import reproduce

if TYPE_CHECKING:
    from rich.console import Console

STYLES = {
    Decision.PROVED: "green",
    Decision.REFUTED: "magenta",
    Decision.NOT_REFUTED: "yellow",
    Decision.UNDECIDED: "yellow",
    Decision.CONTRADICTION: "bold white on red",
}


def print_report(report: Report, console: Console) -> None:
    """Surprises first, in red, with the command that reproduces them; then every claim; then the summary."""
    from rich.markup import escape
    from rich.table import Table

    if report.surprises:
        console.print("[bold red]Not as expected:[/]")
        for row in report.surprises:
            console.print(
                f"  [red]{escape(row.target)}[/] ({escape(row.claim)}): {row.decision}, expected {row.expected}. "
                f"{escape(row.reason)}\n    reproduce: [bold]{escape(reproduce(row, report))}[/]"
            )
        console.print()
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("target", overflow="fold", no_wrap=True)
    table.add_column("claim")
    table.add_column("lower ≤ ε ≤ upper", justify="left")
    table.add_column("verdict", no_wrap=True)
    table.add_column("why", overflow="fold")
    above = ""
    for row in report.rows:
        name = _indent(row, above)
        above = row.target.partition("/")[0]
        table.add_row(
            escape(name),
            escape(row.claim),
            escape(row.bracket),
            f"[{'red' if row.verdict.surprise else STYLES[row.decision]}]{row.decision}[/]",
            escape(row.reason),
        )
    console.print(table)
    console.print()
    console.print(summary(report))


def _indent(row: Row, above: str) -> str:
    """The name of a twin alone, where the row above belongs to the same family; else the whole name."""
    parent, slash, twin = row.target.partition("/")
    return f"  /{twin}" if slash and above == parent else row.target


def summary(report: Report) -> str:
    """One line: how many of each."""
    refuted = [row for row in report.rows if row.decision is Decision.REFUTED]
    as_expected = sum(not row.verdict.surprise for row in refuted)
    count = report.count
    parts = [
        f"[green]{count(Decision.PROVED)} proved[/]",
        f"[magenta]{as_expected} refuted as expected[/]",
        f"[yellow]{count(Decision.NOT_REFUTED)} not refuted · {count(Decision.UNDECIDED)} undecided[/]",
        f"[{'bold red' if report.surprises else 'green'}]{len(report.surprises)} surprises[/]",
    ]
    return " · ".join(parts)
