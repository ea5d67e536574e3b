"""``dpwitness claims``: the literature's claims, decided."""

from __future__ import annotations

import argparse
from typing import Any

from dpwitness.cli.common import console, write_json


def add(commands: Any) -> None:
    """Declare the command."""
    command = commands.add_parser("claims", help="the literature's claims, decided")
    command.add_argument("ids", nargs="*", metavar="ID", help="such as 003-C13; none means all")
    command.add_argument("--json", metavar="FILE", help="write the result alone; - is standard output")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Decide claims and print them."""
    from dpwitness.proofs.literature.report import details, records, table

    screen = console(stderr=options.json == "-")
    findings = records(options.ids)
    if options.json:
        write_json([finding.to_json() for finding in findings], options.json)
    if options.json != "-":
        screen.print(details(findings) if options.ids else table(findings))
    return 0
