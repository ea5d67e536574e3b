"""Writes the generated pages of docs/reference: ``python -m tests.documentation.reference``."""

from __future__ import annotations

import argparse
import inspect
import json
import os
from pathlib import Path
from typing import Any
from unittest import mock

import dpwitness as dpw
from dpwitness.core import adjacency, domains, records, spaces
from dpwitness.routes import routes

PLACE = Path(__file__).parents[2] / "docs" / "reference"
SCHEMA = Path(__file__).parents[2] / "reports" / "results.schema.json"
NOTE = "<!-- written by `python -m tests.documentation.reference` from the docstrings: change those -->\n"


def shown(thing: Any, name: str, level: int = 2) -> str:
    """Heading, signature and docstring of a public name."""
    said = inspect.getdoc(thing) or ""
    head = ""
    if inspect.isfunction(thing):
        head = f"{name}{inspect.signature(thing)}"
    elif inspect.isclass(thing) and "__init__" in vars(thing) and thing.__module__.startswith("dpwitness"):
        parameters = [p for p in inspect.signature(thing.__init__).parameters.values() if p.name != "self"]
        head = f"{name}{inspect.Signature(parameters)}"
    return f"{'#' * level} `{name}`\n\n```text\n{head + chr(10) * 2 if head else ''}{said}\n```\n"


def api() -> str:
    """Every public name of the package."""
    names = [name for name in dpw.__all__ if name != "__version__"]
    body = "\n".join(shown(getattr(dpw, name), name) for name in names)
    lead = "`import dpwitness as dpw` imports nothing heavy; a name is loaded on first use."
    return f"# Python interface\n{NOTE}\n{lead}\n\n{body}"


def command_line() -> str:
    """The help texts of all commands."""
    with mock.patch.dict(os.environ, COLUMNS="100"):
        return _command_line()


def _command_line() -> str:
    from dpwitness.cli import parser

    top = parser()
    pages = [f"# Command line\n{NOTE}\n```text\n{top.format_help()}```\n"]
    for action in top._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, command in action.choices.items():
                pages.append(f"## `dpwitness {name}`\n\n```text\n{command.format_help()}```\n")
    return "\n".join(pages)


def spaces_page() -> str:
    """Spaces of inputs and neighbour relations."""
    parts = [
        ("Spaces of inputs", [spaces.Answers, records.Records, records.Interval, domains.Domain]),
        (
            "Neighbour relations",
            [
                found
                for _, found in inspect.getmembers(adjacency, inspect.isclass)
                if issubclass(found, adjacency.Adjacency) and found.__module__ == adjacency.__name__
            ],
        ),
    ]
    body = "\n".join(
        f"## {title}\n\n" + "\n".join(shown(thing, thing.__name__, 3) for thing in things) for title, things in parts
    )
    return f"# Spaces and neighbours\n{NOTE}\n{body}"


def provers() -> str:
    """Which prover handles what, in the order in which they are tried."""
    body = "\n".join(
        shown(type(route), type(route).__name__) for package in ("proofs", "auditors") for route in routes(package)
    )
    return (
        f"# Which prover handles what\n{NOTE}\nProvers are tried in this order until one decides the claim; what they "
        f"say counts once the kernel has checked it. The auditor comes last, and always.\n\n{body}"
    )


def results() -> str:
    """The fields of results.json, from its schema."""
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    lines: list[str] = []

    def describe(part: dict[str, Any], path: str) -> None:
        for name, field in part.get("properties", {}).items():
            place = f"{path}.{name}" if path else name
            kind = field.get("type", "const" if "const" in field else "enum" if "enum" in field else "")
            kind = " or ".join(kind) if isinstance(kind, list) else kind or "see below"
            values = ", ".join(f"`{value}`" for value in field.get("enum", []))
            words = " ".join(filter(None, [field.get("description", ""), values]))
            lines.append(f"| `{place}` | {kind} | {words} |")
            describe(field, place)
            if isinstance(field.get("items"), dict):
                describe(field["items"], f"{place}[]")

    describe(schema, "")
    for name, part in schema.get("$defs", {}).items():
        describe(part, name)
    table = "\n".join(lines)
    return (
        f"# results.json\n{NOTE}\n`results.json` in the folder of a report, and `--json FILE`, hold the verdicts for "
        f"other programs. Its JSON schema ships with the package (`dpwitness/reports/results.schema.json`).\n\n"
        f"| field | type | meaning |\n|---|---|---|\n{table}\n"
    )


PAGES = {
    "results.md": results,
    "api.md": api,
    "command-line.md": command_line,
    "spaces.md": spaces_page,
    "provers.md": provers,
}


def main() -> None:
    """Write all pages."""
    PLACE.mkdir(parents=True, exist_ok=True)
    for name, make in PAGES.items():
        (PLACE / name).write_text(make().rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
