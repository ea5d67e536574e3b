"""``dpwitness verify``, ``prove`` and ``audit``: decide claims."""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpwitness import __version__
from dpwitness.cli.common import console, progress, stdout_kept_clean, write_json
from dpwitness.core.errors import BadInput
from dpwitness.core.evidence import LowerBound
from dpwitness.core.verdict import Verdict

if TYPE_CHECKING:
    from rich.console import Console

    from dpwitness.auditors.runner import Progress
    from dpwitness.reports.model import Report

HELP = {
    "verify": "decide claims by both routes: proof and audit",
    "prove": "proofs and exact counterexamples only",
    "audit": "Monte-Carlo audits only",
}
UNFINISHED = "unfinished"
MOST_WARNINGS = 20
FEW = 4


def add(commands: Any) -> None:
    """Declare the three commands."""
    for name, text in HELP.items():
        command = commands.add_parser(name, help=text)
        command.add_argument("targets", nargs="*", metavar="TARGET")
        command.add_argument("--epsilon", metavar="E", help="the parameter eps of the targets, such as 1/2")
        command.add_argument("--delta", metavar="D", help="the parameter delta of the targets, such as 1e-5")
        command.add_argument("--alpha", type=float, default=1e-3, help="false alarms of the whole run (default 0.001)")
        command.add_argument("--numerics", choices=["ideal", "doubles", "both"], default="ideal",
                             help="which claim decides: real-valued noise, doubles, or both")  # fmt: skip
        command.add_argument("--max-pairs", type=int, metavar="N",
                             help="samples a side of an audit (default 50 000; of a few audits 1 000 000)")  # fmt: skip
        command.add_argument("--seconds", type=float, metavar="S",
                             help="limit of a route on a claim (default 10; of a few audits 60)")  # fmt: skip
        command.add_argument("--seed", type=int, default=0)
        command.add_argument("--jobs", type=int, default=0, metavar="N", help="processes (default: one for each core)")
        command.add_argument("--executor", default="processes", metavar="WHERE",
                             help="processes, threads, dask=local or dask=ADDRESS: the last three draw samples "
                             "there, claim by claim (default: processes)")  # fmt: skip
        command.add_argument("--resume", action="store_true", help="go on with a run that was killed")
        command.add_argument("--out", default="reports/out", metavar="DIR", help="where the report goes")
        command.add_argument("--figures", choices=["few", "all", "none"], default="few",
                             help="pictures of claims: of short runs and surprises, of all, of none")  # fmt: skip
        command.add_argument("--json", metavar="FILE", help="write the result alone; - is standard output")
        command.add_argument("--strict", action="store_true", help="undecided claims fail (status 3)")
        command.add_argument("--quiet", action="store_true", help="print the summary line only")
        command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Decide the claims of the selected targets and report."""
    from dpwitness.batch import decide_all, tasks
    from dpwitness.core.budget import Budget
    from dpwitness.reports.jsonout import to_json
    from dpwitness.reports.model import Report

    workers = _workers(options)
    given = {"eps": options.epsilon, "delta": options.delta}
    to_stdout = options.json == "-"
    with stdout_kept_clean(to_stdout):
        work = tasks(options.targets, {name: value for name, value in given.items() if value is not None})
        pairs, seconds = _effort(options, len(work))
        budget = Budget(options.alpha, pairs, seconds, options.seed, options.numerics)
        screen = console(stderr=to_stdout)
        if not options.quiet:
            screen.print(
                f"[bold]dpwitness {__version__}[/] · {len(work)} claims · family-wise α {budget.alpha:g} · "
                f"seed {budget.seed}"
            )
        if workers.folder is not None and not options.resume:
            _clear(workers.folder)
        start = time.monotonic()
        with progress(len(work), quiet=options.quiet or to_stdout) as bar:
            verdicts = decide_all(
                work, budget, options.command, workers,
                lambda verdict: bar.advance(verdict.claim.target), _watching(bar.tell),
            )  # fmt: skip
        about = {
            "version": __version__,
            "command": options.command,
            "alpha": budget.alpha,
            "seed": budget.seed,
            "max_pairs": budget.max_pairs,
            "claims": len(work),
            "seconds": round(time.monotonic() - start, 3),
        }
        report = Report.of(verdicts, about, [warnings(verdict) for verdict in verdicts])
    if options.json:
        write_json(to_json(report), options.json)
    _show(report, screen, quiet=options.quiet)
    if not to_stdout:
        place = _write(report, options)
        screen.print(f"report: {_short(place / 'index.html')}")
    if workers.folder is not None:
        _clear(workers.folder)
    return report.exit_status(strict=options.strict)


def _effort(options: argparse.Namespace, claims: int) -> tuple[int, float]:
    """Samples and seconds: an audit of a few claims, with no proofs beside it, is worth a minute for each."""
    patient = options.command == "audit" and claims <= FEW
    pairs, seconds = (1_000_000, 60.0) if patient else (50_000, 10.0)
    return (
        pairs if options.max_pairs is None else options.max_pairs,
        seconds if options.seconds is None else options.seconds,
    )


def _write(report: Report, options: argparse.Namespace) -> Path:
    """Write the report with its pictures; these are what takes time."""
    from dpwitness.pictures import chosen, of_verdict
    from dpwitness.reports.writer import write

    # a program that could not be run, or that ends the process, is not run again for its picture
    decided = [i for i, row in enumerate(report.rows) if row.verdict.upper is not None or row.verdict.lower is not None]
    rows = [i for i in chosen(report, options.figures) if i in decided]
    with progress(2 * len(rows), quiet=options.quiet) as bar:
        made = {}
        for i in rows:
            bar.tell(f"pictures of {report.rows[i].target}")
            made[i] = of_verdict(report.rows[i].verdict, options.seed)
            bar.advance()
        return write(
            report, Path(options.out), pictures=made, progress=lambda row: bar.advance(f"drawing {row.target}")
        )


def _workers(options: argparse.Namespace) -> Any:
    from dpwitness.batch import Workers

    if options.jobs < 0:
        raise BadInput(f"jobs={options.jobs} must be a positive number of processes, or 0 for one for each core")
    named = options.executor in ("processes", "threads")
    if not named and not (options.executor.startswith("dask=") and options.executor != "dask="):
        raise BadInput(f"executor={options.executor!r} must be processes, threads, dask=local or dask=ADDRESS")
    # a run that writes nothing but its result to standard output leaves no files behind, unless asked to
    keeps = options.json != "-" or options.resume
    return Workers(options.jobs, options.executor, Path(options.out) / UNFINISHED if keeps else None)


def _clear(folder: Path) -> None:
    """Remove what earlier runs have left unfinished, and the folder where nothing else is in it."""
    for kind in ("*.verdict", "*.audit*"):
        for file in folder.glob(kind):
            file.unlink(missing_ok=True)
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


def _watching(tell: Callable[[str], None]) -> Callable[[str, Progress], None]:
    def watch(target: str, now: Progress) -> None:
        left = "" if now.left is None else f" · {now.left:.0f} s left"
        tell(
            f"{target}: {now.pairs:,} of {now.of:,} pairs · wealth e^{max(now.log_wealth, -99):.1f} · "
            f"ε ≥ {math.floor(now.bound * 100) / 100:g}{left}"
        )

    return watch


def warnings(verdict: Verdict) -> list[str]:
    """What should be known beside the verdict: doubles, and what the audit noticed on the way."""
    from dpwitness.auditors.notes import notes

    return notes(verdict.lower.details) if isinstance(verdict.lower, LowerBound) else []


def _show(report: Report, screen: Console, *, quiet: bool) -> None:
    from rich.markup import escape

    from dpwitness.reports.terminal import print_report, summary

    if quiet:
        screen.print(summary(report))
        return
    print_report(report, screen)
    found = [(row.target, text) for row in report.rows for text in row.notes]
    for target, text in found[:MOST_WARNINGS]:
        screen.print(f"[yellow]warning:[/] [bold]{escape(target)}[/]: {escape(text)}")
    if len(found) > MOST_WARNINGS:
        screen.print(f"[yellow]and {len(found) - MOST_WARNINGS} more warnings[/] (--json FILE shows all)")


def _short(path: Path) -> str:
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
