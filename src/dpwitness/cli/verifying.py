"""``dpwitness verify``, ``prove`` and ``audit``: decide claims."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dpwitness import __version__
from dpwitness.cli.common import console, write_json
from dpwitness.core.verdict import Verdict

HELP = {
    "verify": "decide claims by both routes: proof and audit",
    "prove": "proofs and exact counterexamples only",
    "audit": "Monte-Carlo audits only",
}


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
        command.add_argument("--max-pairs", type=int, default=50_000, metavar="N", help="samples a side of an audit")
        command.add_argument("--seconds", type=float, default=10.0, metavar="S", help="limit of a route on a claim")
        command.add_argument("--seed", type=int, default=0)
        command.add_argument("--jobs", type=int, default=0, metavar="N", help="processes (default: one for each core)")
        command.add_argument("--out", default="reports/out", metavar="DIR", help="where the report goes")
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
    from dpwitness.reports.terminal import print_report, summary
    from dpwitness.reports.writer import write

    budget = Budget(options.alpha, options.max_pairs, options.seconds, options.seed, options.numerics)
    given = {"eps": options.epsilon, "delta": options.delta}
    work = tasks(options.targets, {name: value for name, value in given.items() if value is not None})
    start = time.monotonic()
    to_stdout = options.json == "-"
    screen = console(stderr=to_stdout)
    if not options.quiet:
        screen.print(
            f"[bold]dpwitness {__version__}[/] · {len(work)} claims · family-wise α {budget.alpha:g} · "
            f"seed {budget.seed}"
        )
    with _progress(len(work), quiet=options.quiet) as advance:
        verdicts = decide_all(work, budget, options.command, jobs=options.jobs, progress=advance)
    about = {
        "version": __version__,
        "command": options.command,
        "alpha": budget.alpha,
        "seed": budget.seed,
        "max_pairs": budget.max_pairs,
        "claims": len(work),
        "seconds": round(time.monotonic() - start, 3),
    }
    report = Report.of(verdicts, about)
    if options.json:
        write_json(to_json(report), options.json)
    if options.quiet:
        screen.print(summary(report))
    else:
        print_report(report, screen)
    if not to_stdout:
        place = write(report, Path(options.out))
        screen.print(f"report: {_short(place / 'index.html')}")
    return report.exit_status(strict=options.strict)


def _short(path: Path) -> str:
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)


@contextmanager
def _progress(total: int, *, quiet: bool) -> Iterator[Callable[[Verdict], None]]:
    """A progress bar on standard error, where that is a terminal."""
    bar_console = console(stderr=True)
    if quiet or not bar_console.is_terminal:
        yield lambda verdict: None
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    times = (TimeElapsedColumn(), TimeRemainingColumn())
    columns = (BarColumn(), MofNCompleteColumn(), *times, TextColumn("{task.description}"))
    with Progress(*columns, console=bar_console, transient=True) as bar:
        task = bar.add_task("", total=total)

        def advance(verdict: Verdict) -> None:
            bar.update(task, advance=1, description=verdict.claim.target)

        yield advance
