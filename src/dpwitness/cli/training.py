"""``dpwitness audit-scores`` and ``dpwitness audit-run``: scores of training runs, or of the canaries of one run."""

from __future__ import annotations

import argparse
import csv
from pathlib import Path
from typing import Any

from dpwitness.cli.common import console, write_json
from dpwitness.core.errors import BadInput
from dpwitness.core.guarantees import ZCDP, ApproxDP, GaussianDP, PureDP, RenyiDP
from dpwitness.core.text import clean, line

MOST_BYTES, MOST_ROWS = 200 * 2**20, 5_000_000
CLAIMS = "gdp:MU, pure:EPS, approx:EPS,DELTA, zcdp:RHO, renyi:ORDER,EPS, or 'poisson(0.01, gaussian(1)) * 1000'"
_KINDS = {
    "gdp": (GaussianDP, 1),
    "pure": (PureDP, 1),
    "approx": (ApproxDP, 2),
    "zcdp": (ZCDP, 1),
    "renyi": (RenyiDP, 2),
}


def add(commands: Any) -> None:
    """Declare both commands."""
    scores = commands.add_parser(
        "audit-scores",
        help="audit a trainer by scores of independent runs with and without one record",
        description="FILE is a table (CSV) with the columns score and included (1: the run had the record, 0: not).",
    )
    scores.add_argument(
        "--statistic", choices=("both", "sum", "scan"), default="both", help="what to look at in the ranking"
    )
    scores.set_defaults(run=run_scores)
    one = commands.add_parser(
        "audit-run",
        help="audit one training run by its canaries",
        description="FILE is a table (CSV) with the columns score and included (1: the canary was in the run, by "
        "a fair coin of its own).",
    )
    one.add_argument("--guesses", type=int, metavar="N", help="how many canaries to guess; registered before the coins")
    one.add_argument("--sides", type=int, choices=(1, 2), default=2, help="guess in and out, or only in")
    one.add_argument(
        "--assume", choices=("independent-canaries",), help="far more power, and false where canaries leak together"
    )
    one.add_argument("--certificate", metavar="FILE", help="write the certificate of the p-value")
    one.add_argument(
        "--plan",
        type=int,
        metavar="CANARIES",
        help="no file: say how many guesses to register, and what one run can show",
    )
    one.set_defaults(run=run_one)
    for command in (scores, one):
        command.add_argument("file", nargs="?" if command is one else None, metavar="FILE")
        command.add_argument("--claim", metavar="CLAIM", required=command is one, help=CLAIMS)
        command.add_argument("--delta", type=float, metavar="D", help="the delta at which epsilon is bounded")
        command.add_argument("--alpha", type=float, default=0.05, metavar="A", help="probability of a false statement")
        command.add_argument("--seed", type=int, default=0, metavar="S")
        command.add_argument("--json", metavar="FILE", help="write the result; - is standard output")
        command.add_argument("--junit", metavar="FILE", help="write the result as JUnit XML")
        command.add_argument("--figure", metavar="FILE", help="draw the audit: .svg or .png")
        command.add_argument("--html", metavar="FILE", help="write a page with the result and its picture")


def run_scores(options: argparse.Namespace) -> int:
    """Audit scores of runs; status 1 where the claim is refuted."""
    from dpwitness.auditors.training.scores import audit_scores

    values, coins = read_table(options.file)
    inside = [v for v, c in zip(values, coins, strict=True) if c]
    outside = [v for v, c in zip(values, coins, strict=True) if not c]
    claim = None if options.claim is None else read_claim(options.claim)
    found = audit_scores(inside, outside, claim=claim, delta=options.delta, alpha=options.alpha, seed=options.seed,
                         statistic=options.statistic)  # fmt: skip
    return _tell(found, options)


def run_one(options: argparse.Namespace) -> int:
    """Audit one run, or plan one; status 1 where the claim is refuted."""
    claim = read_claim(options.claim)
    if options.plan is not None:
        from dpwitness.auditors.training.plan import plan_one_run

        plan = plan_one_run(claim, options.plan, sides=options.sides, alpha=options.alpha, delta=options.delta,
                            seed=options.seed)  # fmt: skip
        console().print(str(plan), markup=False)
        return 0
    if options.file is None:
        raise BadInput("name a table of scores, or give --plan CANARIES")
    from dpwitness.auditors.training.one_run import audit_one_run

    values, coins = read_table(options.file)
    assume = None if options.assume is None else options.assume.replace("-", " ")
    found = audit_one_run(values, coins, claim=claim, guesses=options.guesses, sides=options.sides, assume=assume,
                          delta=options.delta, alpha=options.alpha, seed=options.seed)  # fmt: skip
    if options.certificate is not None:
        if found.certificate is None:
            console(stderr=True).print("no certificate is written: this p-value has none", markup=False)
        else:
            write_json(found.certificate, options.certificate)
    return _tell(found, options)


def _tell(found: Any, options: argparse.Namespace) -> int:
    from dpwitness.reports import training

    if options.json is not None:
        write_json(found.to_json(), options.json)
    result = found.to_json()
    if options.junit is not None:
        training.write_junit(result, str(found), Path(options.junit), name=Path(options.file).name)
    if options.figure is not None:
        training.draw(result, Path(options.figure))
    if options.html is not None:
        training.write_page(result, str(found), Path(options.html))
    if options.json != "-":
        console().print(clean(str(found), 8000), markup=False, soft_wrap=True)
    return 1 if found.refuted else 0


def read_claim(text: str) -> Any:
    """The claim that a text names.

    >>> print(read_claim("gdp:1/2"), read_claim("approx:1,1e-5"))
    μ-GDP, μ = 1/2 ε = 1, δ = 1e-05
    """
    kind, colon, rest = text.partition(":")
    if not colon:
        from dpwitness.proofs.accounting.expressions import read_composition

        try:
            return read_composition(text)
        except BadInput as error:
            raise BadInput(f"--claim {line(text, 80)}: {error}; known: {CLAIMS}") from None
    parts = [part.strip() for part in rest.split(",")]
    if kind not in _KINDS or len(parts) != _KINDS[kind][1]:
        raise BadInput(f"--claim {line(text, 80)} is none of {CLAIMS}")
    made: Any = _KINDS[kind][0](*parts)
    return made


def read_table(name: str) -> tuple[list[float], list[int]]:
    """The columns score and included of a CSV file."""
    path = Path(name)
    try:
        if path.stat().st_size > MOST_BYTES:
            raise BadInput(f"{line(name, 200)} is larger than {MOST_BYTES >> 20} MiB")
        with path.open(encoding="utf-8-sig", newline="") as file:
            return _columns(csv.DictReader(file), line(name, 200))
    except OSError as error:
        raise BadInput(f"{line(name, 200)} cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise BadInput(f"{line(name, 200)} is no table of text: {error}") from None


def _columns(rows: Any, name: str) -> tuple[list[float], list[int]]:
    if rows.fieldnames is None or not {"score", "included"} <= set(rows.fieldnames):
        given = line(", ".join(rows.fieldnames or ()), 100)
        raise BadInput(f"{name} needs a first line that names the columns score and included; it has {given or 'none'}")
    values: list[float] = []
    coins: list[int] = []
    for number, row in enumerate(rows, start=2):
        try:
            values.append(float(row["score"]))
        except (TypeError, ValueError):
            raise BadInput(f"{name}, line {number}: score={line(row['score'], 40)!r} is not a number") from None
        if row["included"] is None or row["included"].strip() not in ("0", "1"):
            raise BadInput(f"{name}, line {number}: included={line(row['included'], 40)!r} must be 0 or 1")
        coins.append(int(row["included"]))
        if number > MOST_ROWS:
            raise BadInput(f"{name} has more than {MOST_ROWS} lines")
    return values, coins
