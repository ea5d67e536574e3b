"""``dpwitness sensitivity``: how far a function of the records moves between neighbours, for every n."""

from __future__ import annotations

import argparse
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpwitness.cli.arguments import real
from dpwitness.cli.common import console, progress, write_json
from dpwitness.core.errors import BadInput
from dpwitness.core.limits import time_limit
from dpwitness.core.records import Interval, Records
from dpwitness.core.text import line as one_line

if TYPE_CHECKING:
    from dpwitness.proofs.sensitivity import Sensitivity

MOST = 1000


def add(commands: Any) -> None:
    """Declare the command."""
    command = commands.add_parser(
        "sensitivity", help="how far a function of the records moves when one of them changes, for every n"
    )
    command.add_argument("formula", nargs="+", metavar="FORMULA",
                         help="such as 'sum(x**2)/n'; several are the outputs of one function")  # fmt: skip
    command.add_argument("--n", default="any", metavar="N", help="the number of records, or any (default)")
    command.add_argument("--interval", nargs=2, default=["0", "1"], metavar=("LOW", "HIGH"),
                         help="where the records lie (default 0 1)")  # fmt: skip
    command.add_argument("--adjacency", choices=("substitute", "add-remove"), default="substitute")
    command.add_argument("--norm", choices=("l1", "l2", "linf"), default="l1", help="of several outputs (default l1)")
    command.add_argument("--param", action="append", default=[], metavar="NAME=LOW..HIGH",
                         help="a public parameter of the formula and its range; no HIGH means unbounded")  # fmt: skip
    command.add_argument("--seconds", type=real, default=60.0, metavar="S", help="give up after S seconds (default 60)")
    command.add_argument("--json", metavar="FILE", help="write the result alone; - is standard output")
    command.add_argument("--certificate", metavar="FILE", help="write the certificate, for dpwitness check")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Find the sensitivity and print it."""
    from rich.markup import escape

    from dpwitness.proofs.sensitivity import sensitivity

    if not 1e-3 <= options.seconds <= 1e7:
        raise BadInput(f"seconds={options.seconds} must lie between 0.001 and 1e7")
    size = _size(options.n)
    space = Records(Interval(*options.interval), max(size, 1) if isinstance(size, int) else 1, options.adjacency)
    formulas = options.formula[0] if len(options.formula) == 1 else options.formula
    with progress(None, quiet=options.json == "-") as bar:
        bar.tell("looking for the sensitivity")
        with time_limit(options.seconds, "the search for the sensitivity"):
            found = sensitivity(formulas, space, options.norm, params=_params(options.param), n=size)  # type: ignore[arg-type]
    if options.certificate:
        write_json(dict(found.certificate), options.certificate)
    if options.json:
        write_json(to_json(found), options.json)
    if options.json != "-":
        screen = console()
        for text in found.lines():
            screen.print(escape(text))
    return 0


def _size(source: str) -> int | str:
    if source == "any":
        return source
    if not source.isascii() or not source.isdigit() or not 0 <= int(source[:6]) <= MOST or len(source) > 6:
        raise BadInput(f"n={one_line(source, 40)} must be any, or a number of records up to {MOST}")
    return int(source)


def _params(given: list[str]) -> dict[str, tuple[object, object]] | None:
    found: dict[str, tuple[object, object]] = {}
    for item in given:
        name, equals, ends = item.partition("=")
        low, dots, high = ends.partition("..")
        if not equals or not dots or not name.isidentifier() or name in found:
            raise BadInput(f"param={one_line(item, 40)!r} must be NAME=LOW..HIGH, such as mu=0..1 or delta=1..")
        found[name] = (low, high or None)
    return found or None


def to_json(found: Sensitivity) -> dict[str, Any]:
    """The result with exact numbers as text."""
    cases = []
    for case in found.cases:
        shown: dict[str, Any] = {"sizes": case.sizes.describe(), "upper": case.upper, "lower": case.lower}
        shown |= {"sharp": case.sharp, "witness": case.witness}
        if not found.setting.params:
            low, high = found.at(case.sizes.first)
            shown["at_first"] = [_number(low), _number(high)]
        cases.append(shown)
    return {
        "function": list(found.function),
        "norm": found.norm,
        "adjacency": found.relation,
        "interval": [str(end) for end in found.setting.ends],
        "cases": cases,
        "certificate": found.certificate,
    }


def _number(value: Fraction) -> str:
    return str(value) if len(str(value)) < 40 else f"{float(value):.15g}"
