"""``dpwitness list``: what is in the catalogue."""

from __future__ import annotations

import argparse
from typing import Any

from dpwitness.cli.common import write_json


def add(commands: Any) -> None:
    """Declare the command."""
    command = commands.add_parser("list", help="the catalogue: mechanisms, broken twins, tags, claims")
    command.add_argument("targets", nargs="*", metavar="TARGET")
    command.add_argument("--json", nargs="?", const="-", metavar="FILE", help="machine-readable; - is standard output")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """List targets."""
    from dpwitness.catalogue import find

    rows = [
        {
            "target": target.name,
            "summary": getattr(target, "summary", ""),
            "tags": list(target.tags),
            "twin_of": getattr(target, "parent", None),
            "cites": target.cites,
            "parameters": {name: str(value) for name, value in getattr(target, "typical", {}).items()},
            "claims": [
                {
                    "guarantee": claim.guarantee.to_json(),
                    "adjacency": claim.space.describe(),
                    "expected": "PROVED" if claim.expected_to_hold else "REFUTED",
                }
                for claim in target.claims()
            ],
        }
        for target in find(options.targets)
    ]
    if options.json:
        write_json(rows, options.json)
        return 0
    _print(rows)
    return 0


def _print(rows: list[dict[str, Any]]) -> None:
    """Plain columns: this command answers at once, so it does without the table library."""
    width = max((len(_label(row)) for row in rows), default=0)
    for row in rows:
        claims = " | ".join(_claim(claim) for claim in row["claims"])
        tags = " ".join("@" + tag for tag in row["tags"])
        print(f"{_label(row):<{width}}  {claims}" + (f"  {tags}" if tags else ""))
    names = sum(row["twin_of"] is None for row in rows)
    print(f"\n{len(rows)} targets: {names} mechanisms and {len(rows) - names} variants")


def _label(row: dict[str, Any]) -> str:
    target: str = row["target"]
    return target if row["twin_of"] is None else "  /" + target.partition("/")[2]


def _claim(claim: dict[str, Any]) -> str:
    shown = ", ".join(f"{name} {value}" for name, value in claim["guarantee"].items() if name != "kind")
    broken = "" if claim["expected"] == "PROVED" else " (broken)"
    return f"{claim['guarantee']['kind']} {shown}, {claim['adjacency']}{broken}"
