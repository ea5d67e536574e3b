"""``dpwitness verify``, ``prove`` and ``audit``: decide claims."""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpwitness import __version__
from dpwitness.cli import audit_function
from dpwitness.cli.arguments import check_bounds, real, whole
from dpwitness.cli.common import console, progress, stdout_kept_clean, write_json
from dpwitness.cli.streams import printing
from dpwitness.cli.watch import run_again, watch
from dpwitness.core.errors import BadInput
from dpwitness.core.evidence import LowerBound
from dpwitness.core.failures import ToolFailure
from dpwitness.core.verdict import Decision, Verdict
from dpwitness.importing import IMPORT_SECONDS, import_limit
from dpwitness.reports.folder import UNFINISHED, opened
from dpwitness.reports.numerics import SETTINGS, summarise

if TYPE_CHECKING:
    from rich.console import Console

    from dpwitness.auditors.running.runner import Progress
    from dpwitness.batch import Workers
    from dpwitness.reports.model import Report, Row

HELP = {
    "verify": "decide claims by both routes: proof and audit",
    "prove": "proofs and exact counterexamples only",
    "audit": "Monte-Carlo audits only",
}
MOST_WARNINGS = 20
DOUBLES_NOTE = "as doubles the claim is refuted"
FEW = 4


def add(commands: Any) -> None:
    """Declare the three commands."""
    for name, text in HELP.items():
        command = commands.add_parser(name, help=text)
        command.add_argument("targets", nargs="*", metavar="TARGET")
        add_options(command)
        if name == "audit":
            audit_function.add(command)
        command.set_defaults(run=run)


def add_options(command: Any) -> None:
    """Declare the options that all commands share which decide claims."""
    command.add_argument("--epsilon", metavar="E", help="the parameter eps of the targets, such as 1/2")
    command.add_argument("--delta", metavar="D", help="the parameter delta of the targets, such as 1e-5")
    command.add_argument("--alpha", type=real, default=1e-3, help="false alarms of the whole run (default 0.001)")
    command.add_argument("--numerics", choices=["ideal", "doubles", "both"], default="ideal",
                         help="which claim decides: real-valued noise, with a warning where the outputs as doubles "
                         "break it; doubles; or both (default: ideal)")  # fmt: skip
    command.add_argument("--max-pairs", type=whole, metavar="N",
                         help="samples a side of everything that an audit does (default 300 000; of a few audits "
                         "1 000 000)")  # fmt: skip
    command.add_argument("--seconds", type=real, metavar="S",
                         help="limit of time on a claim (default 30; of a few audits 60)")  # fmt: skip
    command.add_argument("--import-seconds", type=real, default=IMPORT_SECONDS, metavar="S",
                         help="limit of time on the import of a target's file (default 60)")  # fmt: skip
    command.add_argument("--seed", type=whole, default=0)
    command.add_argument("--jobs", type=whole, default=0, metavar="N",
                         help="processes (default: one for each core)")  # fmt: skip
    command.add_argument("--executor", default="processes", metavar="WHERE",
                         help="processes, threads, dask=local or dask=ADDRESS: the last three draw samples "
                         "there, claim by claim (default: processes)")  # fmt: skip
    command.add_argument("--resume", action="store_true", help="go on with a run that was killed")
    command.add_argument("--out", default="reports/out", metavar="DIR", help="where the report goes")
    command.add_argument("--force", action="store_true",
                         help="write the report into a folder that holds other files too")  # fmt: skip
    command.add_argument("--figures", choices=["few", "all", "none"], default="few",
                         help="pictures of claims: of short runs and surprises, or of all; or none at all")  # fmt: skip
    command.add_argument("--json", metavar="FILE", help="write the result alone; - is standard output")
    command.add_argument("--strict", action="store_true", help="undecided claims fail (status 3)")
    command.add_argument("--quiet", action="store_true", help="print the summary line and what failed only")
    command.add_argument("--watch", action="store_true", help="decide again whenever a target's file is saved")


def run(options: argparse.Namespace) -> int:
    """Decide the claims of the selected targets, write the report, then print it."""
    check_bounds(options)
    if options.watch:
        return watch(options.targets, run_again(options.arguments))
    if audit_function.wanted(options):
        return audit_function.run(options)
    if not options.out:
        raise BadInput("out='' is empty; name a folder")
    to_stdout = options.json == "-"
    workers = _workers(options)
    with ExitStack() as stack:
        # whatever could keep the report from being written is found before the work is done
        if not to_stdout or options.resume:
            place = stack.enter_context(opened(Path(options.out), force=options.force))
            workers = replace(workers, folder=place / UNFINISHED)
        with stdout_kept_clean(to_stdout):
            report = _decide(options, workers, console(stderr=to_stdout))
        troubles = _write(report, options, to_stdout=to_stdout)
        if workers.folder is not None and not troubles and not report.unfinished:
            _clear(workers.folder)
    with printing():
        screen = console(stderr=to_stdout)
        _show(report, screen, quiet=options.quiet)
        if not to_stdout and not troubles:
            screen.print(f"report: {_short(place / 'index.html')}", soft_wrap=True)
    if troubles:
        raise ToolFailure("; ".join(str(trouble) for trouble in troubles))
    return report.exit_status(strict=options.strict)


def _decide(options: argparse.Namespace, workers: Workers, screen: Console) -> Report:
    from dpwitness.batch import decide_all, tasks
    from dpwitness.core.budget import Budget
    from dpwitness.reports.model import Report

    given = {"eps": options.epsilon, "delta": options.delta}
    with import_limit(options.import_seconds):
        work = tasks(options.targets, {name: value for name, value in given.items() if value is not None})
    pairs, limit = _effort(options, len(work))
    budget = Budget(options.alpha, pairs, limit, options.seed, options.numerics)
    if not options.quiet:
        with printing():
            screen.print(
                f"[bold]dpwitness {__version__}[/] · {len(work)} {'claim' if len(work) == 1 else 'claims'} · "
                f"family-wise α {budget.alpha:g} · seed {budget.seed} · {SETTINGS[budget.numerics]}"
            )
    if workers.folder is not None and not options.resume:
        _clear(workers.folder)
    start = time.monotonic()
    with progress(len(work), quiet=options.quiet or options.json == "-") as bar:
        verdicts = decide_all(
            work, budget, options.command, workers,
            lambda verdict: bar.advance(verdict.claim.target), _watching(bar.tell),
        )  # fmt: skip
    about = {
        "version": __version__,
        "command": options.command,
        **({} if options.epsilon is None else {"epsilon": options.epsilon}),
        **({} if options.delta is None else {"delta": options.delta}),
        "alpha": budget.alpha,
        "seed": budget.seed,
        "numerics": budget.numerics,
        "max_pairs": budget.max_pairs,
        "seconds_each": budget.seconds,
        "claims": len(work),
        "seconds": round(time.monotonic() - start, 3),
    }
    selectors = [task.given if ":" in task.given else "" for task, _ in work]
    return Report.of(verdicts, about, [warnings(verdict) for verdict in verdicts], selectors)


def _write(report: Report, options: argparse.Namespace, *, to_stdout: bool) -> list[ToolFailure]:
    """Write what was asked for; what cannot be written is told once everything else is done."""
    from dpwitness.reports.jsonout import to_json

    troubles: list[ToolFailure] = []
    try:
        if options.json:
            write_json(to_json(report), options.json)
    except ToolFailure as error:
        troubles.append(error)
    try:
        if not to_stdout:
            _write_folder(report, options)
    except ToolFailure as error:
        troubles.append(error)
    return troubles


def _effort(options: argparse.Namespace, claims: int) -> tuple[int, float]:
    """Samples and seconds: an audit of a few claims, with no proofs beside it, is worth a minute for each."""
    patient = options.command == "audit" and claims <= FEW
    pairs, seconds = (3_000_000, 60.0) if patient else (300_000, 30.0)  # which leave three claims of the catalogue open
    return (
        pairs if options.max_pairs is None else options.max_pairs,
        seconds if options.seconds is None else options.seconds,
    )


def _write_folder(report: Report, options: argparse.Namespace) -> None:
    """Write the report with its pictures; these are what takes time."""
    from dpwitness.pictures import chosen, of_verdict
    from dpwitness.pictures.derivations import of_report
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
        write(
            report, Path(options.out), figures=options.figures != "none", pictures=made, force=options.force,
            derivations=of_report(report), progress=lambda row: bar.advance(f"drawing {row.target}"),
        )  # fmt: skip


def _workers(options: argparse.Namespace) -> Workers:
    from dpwitness.batch import Workers

    named = options.executor in ("processes", "threads")
    if not named and not (options.executor.startswith("dask=") and options.executor != "dask="):
        raise BadInput(f"executor={options.executor!r} must be processes, threads, dask=local or dask=ADDRESS")
    return Workers(options.jobs, options.executor, None)


def _clear(folder: Path) -> None:
    """Remove what earlier runs have left unfinished, and the folder where nothing else is in it."""
    for kind in ("*.verdict*", "*.audit*"):
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

    if verdict.cause:
        return [f"look at: {verdict.cause}"]
    return notes(verdict.lower.details) if isinstance(verdict.lower, LowerBound) else []


def _show(report: Report, screen: Console, *, quiet: bool) -> None:
    from rich.markup import escape

    from dpwitness.reports.terminal import print_report, summary

    if quiet:
        for row in failed(report):
            screen.print(f"[bold]{escape(row.target)}[/] {row.decision.name}: {escape(row.reason)}", soft_wrap=True)
        screen.print(summary(report))
        return
    print_report(report, screen)
    bits = [row.target for row in report.rows if row.doubles is not None]
    several = len(bits) > FEW
    found = [(row.target, text) for row in report.rows for text in row.notes if not (several and DOUBLES_NOTE in text)]
    for target, text in found[:MOST_WARNINGS]:
        screen.print(f"[yellow]warning:[/] [bold]{escape(target)}[/]: {escape(text)}")
    if len(found) > MOST_WARNINGS:
        screen.print(f"[yellow]and {len(found) - MOST_WARNINGS} more warnings[/] (--json FILE shows all)")
    if bits:
        screen.print(f"[yellow]warning:[/] {escape(summarise(bits, len(report.rows)))} (--numerics doubles decides)")


def failed(report: Report) -> list[Row]:
    """The claims that keep the exit status from being 0, and those that stay open."""
    surprising = {id(row) for row in report.surprises}
    settled = (Decision.PROVED, Decision.REFUTED)
    return [row for row in report.rows if id(row) in surprising or row.decision not in settled]


def _short(path: Path) -> str:
    try:
        return str(path.relative_to(Path.cwd()))
    except (ValueError, OSError):  # the working folder may be gone
        return str(path)
