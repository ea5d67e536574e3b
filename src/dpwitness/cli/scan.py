"""``dpwitness scan LIBRARY``: audit what an installed library releases, and check the stability that it declares."""

from __future__ import annotations

import argparse
from typing import Any

from dpwitness.cli import verify
from dpwitness.cli.common import console, write_json
from dpwitness.cli.streams import printing
from dpwitness.core.text import clean

SCHEMA = "dpwitness.scan/1"


def add(commands: Any) -> None:
    """Declare the command."""
    command = commands.add_parser("scan", help="audit an installed library: diffprivlib, opendp, pydp, opacus, …")
    command.add_argument("libraries", nargs="*", metavar="LIBRARY", help="none: a list of what can be scanned")
    command.add_argument("--controls", action="store_true",
                         help="audit each release with half of its noise too, which must be refuted")  # fmt: skip
    command.add_argument("--maps", metavar="FILE", help="write what was found of declared stability as JSON")
    command.add_argument("--map-seconds", type=float, default=5.0, metavar="S",
                         help="limit of time on a declared stability (default 5)")  # fmt: skip
    verify.add_options(command)
    command.set_defaults(run=run, command="audit", targets=[], left=None, right=None)


def run(options: argparse.Namespace) -> int:
    """Audit the releases, write the usual report, then check the maps: status 1 where anything is refuted."""
    from dpwitness.libraries import ADAPTERS, installed, version

    if not options.libraries:
        with printing():
            for name in ADAPTERS:
                print(f"{name:12s} {version(name) if installed(name) else 'not installed'}")
        return 0
    maps = [_check(name, options) for name in options.libraries]
    with printing():
        console().print("\n".join(version(name) for name in options.libraries), markup=False)
    kind = "library-with-controls" if options.controls else "library"
    options.targets = [f"{kind}/{name}" for name in options.libraries]
    options.command = "audit"
    options.seconds = options.seconds or 60.0  # releases that are called one by one are slow
    status = verify.run(options)
    with printing():
        screen = console()
        for name, found in zip(options.libraries, maps, strict=True):
            for result in found:
                colour, word = ("red", "REFUTED") if result.refuted else ("green", "NOT_REFUTED")
                screen.print(f"{name} {result.name}: [bold {colour}]{word}[/] [dim]{result.seconds:.1f} s[/]")
                if result.refuted:
                    screen.print(clean(str(result), 2000), markup=False)
    if options.maps:
        write_json({"schema": SCHEMA, "maps": [_as_json(name, result) for name, found in
                                               zip(options.libraries, maps, strict=True) for result in found]},
                   options.maps)  # fmt: skip
    return max(status, int(any(result.refuted for found in maps for result in found)))


def _check(name: str, options: argparse.Namespace) -> list[Any]:
    """The declared stability of a library, each claim by itself."""
    from dpwitness.auditors.stability.api import check_claim
    from dpwitness.libraries import maps

    return [check_claim(claim, seconds=options.map_seconds, seed=options.seed) for claim in maps(name)]


def _as_json(name: str, result: Any) -> dict[str, Any]:
    from dpwitness.cli.stability import as_json

    return as_json(f"{name} {result.name}", result)
