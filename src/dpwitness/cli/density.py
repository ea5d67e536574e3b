"""``dpwitness noise``: a noise density given as an expression in z."""

from __future__ import annotations

import argparse
from typing import Any

from dpwitness.cli.common import console, write_json


def add(commands: Any) -> None:
    """Declare the command."""
    command = commands.add_parser("noise", help="a noise density: normaliser, loss of a shift, sliding and dilation")
    command.add_argument("expression", metavar="EXPR", help="a density in z up to a factor, such as 1/(1+Abs(z)**4)")
    command.add_argument("--epsilon", default="1", metavar="E")
    command.add_argument("--delta", default="0", metavar="D")
    command.add_argument("--out", metavar="DIR", help="where the figure goes")
    command.add_argument("--json", metavar="FILE", help="write the result alone; - is standard output")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Analyse the density and print the report."""
    from dpwitness.proofs.laws.density import analyse, render

    report = analyse(options.expression, eps=options.epsilon, delta=options.delta)
    if options.json:
        write_json(report.to_json(), options.json)
    if options.json != "-":
        console().print(render(report))
    return 0
