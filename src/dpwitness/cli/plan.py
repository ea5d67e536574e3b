"""``dpwitness plan``: how many pairs of outputs an audit needs."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import Any

from dpwitness.cli.arguments import real
from dpwitness.cli.common import console, write_json
from dpwitness.core.failures import CannotWrite, why


def add(commands: Any) -> None:
    """Declare the command."""
    command = commands.add_parser("plan", help="how many samples an audit needs: the usual test, ours, and the limit")
    command.add_argument("--epsilon", type=real, required=True, metavar="E", help="the claim")
    command.add_argument("--true", type=real, required=True, metavar="E", help="the ε that shall be found out")
    command.add_argument("--delta", type=real, default=0.0, metavar="D")
    command.add_argument("--event-probability", type=real, metavar="P",
                         help="of the event where it is more likely (default: as in randomized response)")  # fmt: skip
    command.add_argument("--alpha", type=real, default=1e-3, metavar="A", help="probability of a false alarm")
    command.add_argument("--power", type=real, default=0.9, metavar="P", help="probability of finding it out")
    command.add_argument("--out", metavar="DIR", help="where the figure goes")
    command.add_argument("--json", metavar="FILE", help="write the result alone; - is standard output")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the table."""
    from dpwitness.auditors.planning import plan, shown, to_json

    asked = {"delta": options.delta, "event_probability": options.event_probability, "alpha": options.alpha,
             "power": options.power}  # fmt: skip
    found = plan(options.epsilon, options.true, **asked)
    if options.json:
        write_json(to_json(found), options.json)
    if options.json != "-":
        from rich.table import Table

        table = Table(box=None, title=str(found).partition("\n")[0], title_justify="left", title_style="")
        for name in ("method", "pairs", "what"):
            table.add_column(name, justify="right" if name == "pairs" else "left")
        for name, pairs, what in found.rows():
            table.add_row(name, shown(pairs), what)
        console().print(table)
        console().print("the event is known beforehand; an audit that looks for one spends a tenth of its pairs on it")
    if options.out:
        from dpwitness.reports.figures.plans import plan_chart
        from dpwitness.reports.figures.style import save

        gaps = [options.epsilon + (options.true - options.epsilon) * 2 ** (k / 2) for k in range(-3, 4)]
        plans = [plan(options.epsilon, true, **asked) for true in gaps]
        rows: dict[str, list[tuple[float, float]]] = {}
        for one in plans:
            for name, pairs, _ in one.rows():
                rows.setdefault(name, []).append((one.true, pairs))
        finite = {name: [(t, x) for t, x in points if math.isfinite(x)] for name, points in rows.items()}
        folder = Path(options.out)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            save(plan_chart(finite, options.epsilon, options.true), folder, "plan")
        except OSError as error:
            raise CannotWrite(f"out={options.out!r} cannot be written: {why(error)}") from error
        console(stderr=True).print(f"figure: {folder / 'plan.svg'}")
    return 0
