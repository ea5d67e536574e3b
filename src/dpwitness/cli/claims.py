"""``dpwitness claims``: the literature's claims, decided."""

from __future__ import annotations

import argparse
import difflib
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dpwitness.cli.common import console, progress, write_json
from dpwitness.core.errors import UnknownTarget

if TYPE_CHECKING:
    from rich.console import Console

    from dpwitness.literature import Finding

STYLES = {"HOLDS": "green", "CONDITIONAL": "cyan", "LOOSE": "yellow", "FALSE": "magenta"}


def add(commands: Any) -> None:
    """Declare the command."""
    command = commands.add_parser("claims", help="the literature's claims, decided")
    command.add_argument("ids", nargs="*", metavar="ID", help="such as 003-C13; none means all")
    command.add_argument("--json", metavar="FILE", help="write the result alone; - is standard output")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Decide claims and print them."""
    from dpwitness.literature import claims, decide, load

    load()
    known = list(claims())
    for name in options.ids:
        if name not in known:
            near = difflib.get_close_matches(name.upper(), known, n=3)
            raise UnknownTarget(f"there is no claim {name!r}" + (f"; did you mean {', '.join(near)}?" if near else ""))
    wanted = options.ids or known
    findings = []
    with progress(len(wanted), quiet=options.json == "-") as bar:
        for name in wanted:
            findings.append(decide(name))
            bar.advance(name)
    if options.json:
        write_json([finding.to_json() for finding in findings], options.json)
    if options.json != "-":
        screen = console()
        if options.ids:
            for finding in findings:
                _details(finding, screen)
        else:
            _table(findings, screen)
    return 0


def _table(findings: list[Finding], screen: Console) -> None:
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in ("id", "claim", "verdict", "why"):
        table.add_column(name, no_wrap=name in ("id", "verdict"))
    for finding in findings:
        verdict = f"[{STYLES[finding.verdict]}]{finding.verdict}[/]"
        table.add_row(finding.id, escape(finding.title), verdict, escape(_why(finding)))
    screen.print(table)
    counts = " · ".join(
        f"[{style}]{sum(f.verdict == name for f in findings)} {name.lower()}[/]" for name, style in STYLES.items()
    )
    screen.print(f"\n{counts} · {sum(f.seconds for f in findings):.1f} s")
    screen.print("dpwitness claims ID says more about one of them")


def _why(finding: Finding) -> str:
    if finding.verdict == "CONDITIONAL":
        return f"holds iff {finding.condition}"
    if finding.verdict == "LOOSE":
        return f"sharp: {finding.tight}"
    if finding.verdict == "FALSE":
        return f"repaired: {finding.repaired}"
    return _first_sentence(finding.argument)


def _first_sentence(lines: Sequence[str]) -> str:
    """The first sentence of an argument that is written in lines, and the next one after a very short one.

    >>> _first_sentence(("The law of the sum depends", "on the length only. It is", "symmetric."))
    'The law of the sum depends on the length only.'
    """
    found = re.match(r".{20,}?\.(?=\s|$)", " ".join(lines))
    return found[0] if found else " ".join(lines)


def _details(finding: Finding, screen: Console) -> None:
    from rich.markup import escape

    style = STYLES[finding.verdict]
    screen.print(f"[bold]{finding.id} {escape(finding.title)}[/] ({finding.kind})  [{style}]{finding.verdict}[/]")
    screen.print(f"[dim]{escape(finding.source)}[/]")
    screen.print(f"\n{escape(finding.statement)}\n")
    for line in finding.argument:
        screen.print(f"  {escape(line)}")
    named = {
        "condition": finding.condition,
        "witness": ", ".join(f"{k} = {v}" for k, v in finding.witness.items()),
        "sharp form": finding.tight,
        "repaired": finding.repaired,
        "sources disagree": finding.disagreement,
        "parts": ", ".join(f"{name}: {'holds' if ok else 'fails'}" for name, ok in finding.parts.items()),
    }
    for label, text in named.items():
        if text:
            screen.print(f"[bold]{label}:[/] {escape(text)}")
    screen.print(f"[dim]evidence: {finding.evidence}, {finding.seconds:.2f} s[/]\n")
