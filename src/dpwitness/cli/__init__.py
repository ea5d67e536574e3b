"""The command line."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from dpwitness import __version__
from dpwitness.cli.streams import drop, printing, settle_streams
from dpwitness.core.errors import DPWitnessError
from dpwitness.core.failures import ToolFailure, why
from dpwitness.core.text import line

EXIT_USAGE = 2
EXIT_FAILURE = 5
TELLS = ("list", "claims", "noise", "derive", "plan", "sensitivity", "lesson")  # their printed text is all that they do
BUG = (
    "This is a bug of dpwitness and says nothing about any claim: please report it with the command, "
    "the version and what DPWITNESS_TRACEBACK=1 prints."
)

DESCRIPTION = """\
Decide whether an algorithm is differentially private. Every verdict has a witness: a certificate that anyone can
re-check, or a counterexample that anyone can re-run.

A TARGET is a catalogue name (above-threshold), a broken twin (above-threshold/no-query-noise), a tag (@checkdp),
path/to/file.py (all that it defines), path/to/file.py::function or package.module:function. No target means the whole
catalogue."""

EPILOG = """\
exit status: 0 every verdict is as expected, 1 a claim is refuted or a certificate is invalid, 2 wrong usage or a
program that cannot be run, 3 undecided under --strict, 4 two witnesses contradict each other, 5 the tool could not do
its work (disk, memory, a dead process, a bug): this says nothing about any claim"""


COMMANDS = (  # files of this folder, in the order in which help shows their commands
    "list_targets",
    "verify",
    "stability",
    "scan",
    "sensitivity",
    "claims",
    "noise",
    "derive",
    "account",
    "plan",
    "training",
    "check",
    "lesson",
)


def parser() -> argparse.ArgumentParser:
    """The argument parser."""
    top = argparse.ArgumentParser(
        prog="dpwitness", description=DESCRIPTION, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    top.add_argument("--version", action="version", version=f"dpwitness {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in COMMANDS:
        importlib.import_module(f"dpwitness.cli.{name}").add(commands)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    readable = settle_streams()
    options = parser().parse_args(argv)
    options.arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        if getattr(options, "json", None) == "-" and not readable:
            raise ToolFailure("the result should go to standard output, which is closed")
        status: int = options.run(options)
        with printing():
            pass  # what is still in the buffer
        return status
    except ToolFailure as error:
        return _fail(EXIT_FAILURE, line(error))
    except DPWitnessError as error:
        return _fail(EXIT_USAGE, line(error))
    except KeyboardInterrupt:
        return _fail(130, "interrupted")
    except BrokenPipeError:
        drop(sys.stdout)
        if options.command in TELLS:  # the reader went away, and has seen as much as wanted
            return 0
        return _fail(EXIT_FAILURE, "a pipe broke before all was done. This says nothing about any claim.")
    except (OSError, MemoryError) as error:
        return _fail(EXIT_FAILURE, f"{line(why(error))}{_place(error)}. This says nothing about any claim.")
    except SystemExit as error:
        return _fail(EXIT_FAILURE, f"ended by sys.exit({line(repr(error.code), 80)}) in foreign code")
    except BaseException as error:
        return _fail(EXIT_FAILURE, f"internal error: {line(type(error).__name__)}: {line(error, 600)}{_place(error)}. "
                     f"{BUG}")  # fmt: skip


def _place(error: BaseException) -> str:
    """Where an error arose: the file and line that a maintainer looks at first."""
    if isinstance(error, OSError) and error.filename:
        return f" ({line(error.filename, 200)})"
    frames = traceback.extract_tb(error.__traceback__)
    return f" (at {Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""


def _fail(status: int, text: str) -> int:
    """Say in one paragraph what went wrong."""
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
    with contextlib.suppress(OSError, ValueError):
        print(f"dpwitness: {text}", file=sys.stderr, flush=True)
    if status == EXIT_FAILURE and os.environ.get("DPWITNESS_TRACEBACK"):
        traceback.print_exc()
    return status
