"""``dpwitness derive``: laws with symbols, derived step by step."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from dpwitness.cli.common import console, write_json
from dpwitness.core.failures import CannotWrite, why


def add(commands: Any) -> None:
    """Declare the command."""
    command = commands.add_parser("derive", help="laws with symbols: their loss and δ(ε) as formulas, step by step")
    command.add_argument("name", nargs="?", metavar="NAME", help="what to derive; without it, the names are listed")
    command.add_argument("--latex", action="store_true", help="print the derivation in LaTeX")
    command.add_argument("--certificates", metavar="DIR", help="write the certificates there")
    command.add_argument("--out", metavar="DIR", help="where the figure goes")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print one derivation, or the names of all."""
    from rich.markup import escape

    from dpwitness.proofs.derivations.finite import NAMED, named

    screen = console()
    if options.name is None:
        for name, function in NAMED.items():
            screen.print(escape(f"{name:<24}{(function.__doc__ or '').partition(chr(10))[0]}"))
        screen.print(escape("a noise density: dpwitness noise 'exp(-Abs(z)/b)' --where 'b > 0' --derive"))
        return 0
    derivation = named(options.name)
    for text in derivation.latex().split("\n") if options.latex else derivation.lines():
        screen.print(text, markup=False, soft_wrap=options.latex)
    try:
        if options.certificates:
            folder = Path(options.certificates)
            folder.mkdir(parents=True, exist_ok=True)
            for i, certificate in enumerate(derivation.certificates(), 1):
                write_json(certificate, str(folder / f"step-{i:02}.json"))
        if options.out:
            from dpwitness.reports.figures.regions import region_chart
            from dpwitness.reports.figures.style import save

            save(region_chart((2, 3, 5, 10)), Path(options.out), "region")
            console(stderr=True).print(f"figure: {Path(options.out) / 'region.svg'}")
    except OSError as error:
        raise CannotWrite(f"the files cannot be written: {why(error)}") from error
    return 0
