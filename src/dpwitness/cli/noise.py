"""``dpwitness noise``: a noise density given as an expression in z."""

from __future__ import annotations

import argparse
import contextlib
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpwitness.cli.arguments import check_bounds, real
from dpwitness.cli.common import console, progress, write_json
from dpwitness.core.errors import BadInput
from dpwitness.core.failures import CannotWrite, why
from dpwitness.core.limits import time_limit
from dpwitness.core.numbers import exact
from dpwitness.core.text import line as one_line

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from dpwitness.proofs.derivations.law import NoiseLaw
    from dpwitness.proofs.laws.densities import Admissible, DensityReport

MOST_EPSILON = 10**6


def add(commands: Any) -> None:
    """Declare the command."""
    command = commands.add_parser("noise", help="a noise density: normaliser, loss of a shift, sliding and dilation")
    command.add_argument("expression", metavar="EXPR", help="a density in z up to a factor, such as 1/(1+Abs(z)**4)")
    command.add_argument("--where", action="append", default=[], metavar="CONDITION",
                         help="for which values of the other names, such as 'b > 0' (may be repeated)")  # fmt: skip
    command.add_argument("--derive", action="store_true", help="print the derivation, step by step")
    command.add_argument("--latex", action="store_true", help="print the derivation in LaTeX")
    command.add_argument("--certificates", metavar="DIR", help="write the certificates of the derivation there")
    command.add_argument("--epsilon", default="1", metavar="E")
    command.add_argument("--delta", default="0", metavar="D")
    command.add_argument("--seconds", type=real, default=60.0, metavar="S", help="give up after S seconds (default 60)")
    command.add_argument("--out", metavar="DIR", help="where the figure goes")
    command.add_argument("--json", metavar="FILE", help="write the result alone; - is standard output")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Analyse the density and print the report."""
    from rich.markup import escape

    from dpwitness.proofs.laws.densities import analyse

    check_bounds(options)
    if exact(options.epsilon, "eps") > MOST_EPSILON:
        raise BadInput(f"eps={one_line(options.epsilon, 40)} must be at most {MOST_EPSILON}")
    if options.where or _symbols(options.expression):
        return _symbolic(options)
    if options.derive or options.latex or options.certificates:  # and then by numbers
        with contextlib.suppress(BadInput):
            _symbolic(options)
    with progress(None, quiet=options.json == "-") as bar:
        bar.tell("analysing the density")
        with time_limit(options.seconds, "the analysis of the density"):
            report = analyse(options.expression, eps=options.epsilon, delta=options.delta)
    if options.json:
        write_json(to_json(report), options.json)
    if options.json != "-":
        screen = console()
        for text in report.lines():
            screen.print(escape(text))
    if options.out:
        from dpwitness.reports.figures.style import save

        folder = Path(options.out)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            save(_figure(report), folder, "noise")
        except OSError as error:
            raise CannotWrite(f"out={options.out!r} cannot be written: {why(error)}") from error
        console(stderr=True).print(f"figure: {folder / 'noise.svg'}")
    return 0


def _figure(report: DensityReport) -> Figure:
    """The density with its largest slide and dilation (or 0.3 where none is admissible)."""
    import numpy as np

    from dpwitness.proofs.kernel.laws.density import Density
    from dpwitness.proofs.laws.floats import values
    from dpwitness.reports.figures.laws import slide_dilate_chart

    expr, scale = Density.read(report.formula).expr, float(report.normaliser[0])
    shift = float(report.slide.largest[0]) if report.slide.largest else 0.3
    factor = min(float(report.dilate.largest[0]), 3.0) if report.dilate.largest else 0.3
    return slide_dilate_chart(
        np.linspace(-6, 6, 601).tolist(),
        lambda z: float(values(expr, np.array([z]))[0]) / scale,
        shift=shift,
        factor=factor,
        title=f"h(z) proportional to {report.formula}",
    )


def _symbols(expression: str) -> bool:
    """Whether the formula has names besides z; a formula that cannot be read is left to the analysis."""
    from dpwitness.proofs.kernel.algebra.expr import parse
    from dpwitness.proofs.kernel.arith import Rejected

    try:
        return bool(parse(expression).variables() - {"z"})
    except Rejected:
        return False


def _symbolic(options: argparse.Namespace) -> int:
    """Derive and print formulas that hold for all values of the parameters."""
    from rich.markup import escape

    from dpwitness.proofs.derivations.law import noise_law

    if _symbols(options.expression) and (options.out or exact(options.delta, "delta") != 0):
        raise BadInput("a density with symbols has no figure and no delta: give every name a number")
    with progress(None, quiet=options.json == "-") as bar:
        bar.tell("deriving")
        law = noise_law(options.expression, options.where, seconds=options.seconds)
    if options.certificates:
        _write(law, Path(options.certificates))
    if options.json:
        write_json(law_to_json(law), options.json)
    if options.json != "-":
        screen = console()
        for text in (
            law.latex().split("\n") if options.latex else law.derivation.lines() if options.derive else law.lines()
        ):
            screen.print(escape(text), soft_wrap=options.latex)
        if options.derive or options.latex:
            for text in law.open:
                console(stderr=True).print(escape(f"open: {text}"))
    if law.open and law.where:
        console(stderr=True).print(
            "what is open is decided by numbers: give every name a number, and leave out --where"
        )
    return 0


def _write(law: NoiseLaw, folder: Path) -> None:
    """One file for each certificate of the derivation."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for i, certificate in enumerate(law.certificates(), 1):
            write_json(certificate, str(folder / f"step-{i:02}.json"))
    except OSError as error:
        raise CannotWrite(f"certificates={str(folder)!r} cannot be written: {why(error)}") from error


def law_to_json(law: NoiseLaw) -> dict[str, Any]:
    """The law with its derivation."""
    steps = [
        {"statement": s.statement, "formula": s.formula or None, "rule": s.rule, "where": list(s.conditions),
         "certificate": s.certificate}
        for s in law.derivation.steps
    ]  # fmt: skip
    return {
        "density": law.formula, "where": list(law.where), "steps": steps, "open": list(law.open),
        "seconds": round(law.seconds, 3),
    }  # fmt: skip


def to_json(report: DensityReport) -> dict[str, Any]:
    """The report with exact numbers as text."""

    def pair(value: tuple[Fraction, Fraction] | None) -> list[str] | None:
        return None if value is None else [str(value[0]), str(value[1])]

    def change(part: Admissible) -> dict[str, Any]:
        return {"largest": pair(part.largest), "refuted": part.refuted or None, "open": part.open or None}

    return {
        "density": report.formula,
        "epsilon": str(report.eps),
        "delta": str(report.delta),
        "normaliser": pair(report.normaliser),
        "slope": pair(report.slope),
        "stretch": pair(report.stretch),
        "sliding": change(report.slide),
        "dilation": change(report.dilate),
        "guarantee": pair(report.guarantee),
        "frontier": [[str(a), str(b)] for a, b in report.frontier],
        "unit_loss": pair(report.unit_loss),
        "unit_curve": [[str(e), pair(value)] for e, value in report.unit_curve],
        "seconds": round(report.seconds, 3),
    }
