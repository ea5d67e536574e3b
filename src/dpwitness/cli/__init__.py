"""The command line."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from dpwitness import __version__
from dpwitness.core.errors import DPWitnessError

EXIT_USAGE = 2

DESCRIPTION = """\
Decide whether an algorithm is differentially private. Every verdict has a witness: a certificate that anyone can
re-check, or a counterexample that anyone can re-run.

A TARGET is a catalogue name (above-threshold), a broken twin (above-threshold/no-query-noise), a tag (@checkdp),
path/to/file.py::function or package.module:function. No target means the whole catalogue."""

EPILOG = """\
exit status: 0 every verdict is as expected, 1 a claim is refuted or a certificate is invalid, 2 wrong usage,
3 undecided under --strict, 4 two witnesses contradict each other"""


def parser() -> argparse.ArgumentParser:
    """The argument parser."""
    from dpwitness.cli import accounting, checking, claiming, density, listing, teaching, verifying

    top = argparse.ArgumentParser(
        prog="dpwitness", description=DESCRIPTION, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    top.add_argument("--version", action="version", version=f"dpwitness {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for module in (listing, verifying, claiming, density, accounting, checking, teaching):
        module.add(commands)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    options = parser().parse_args(argv)
    try:
        status: int = options.run(options)
        sys.stdout.flush()
        return status
    except DPWitnessError as error:
        from dpwitness.reports.model import clean

        print(f"dpwitness: {clean(error)}", file=sys.stderr)
        return EXIT_USAGE
    except KeyboardInterrupt:
        print("dpwitness: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of our output went away
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
