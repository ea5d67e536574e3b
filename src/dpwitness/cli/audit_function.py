"""``dpwitness audit mod:function --left 0 --right 1 --epsilon 1``: a plain function, on two inputs that are told."""

from __future__ import annotations

import argparse
import difflib
import shlex
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from dpwitness.cli.common import console, stdout_kept_clean, write_json
from dpwitness.cli.streams import printing
from dpwitness.core.errors import BadInput
from dpwitness.core.guarantees import ApproxDP
from dpwitness.core.loading import BadFile, parse_json
from dpwitness.core.text import clean, line
from dpwitness.importing import import_limit, load_file, load_module

if TYPE_CHECKING:
    from dpwitness.auditors.result import Audit

SCHEMA = "dpwitness.audit/1"
OF_RUNS: dict[str, Any] = {  # options of runs that a single audit does not have, and what they are where not given
    "out": "reports/out", "resume": False, "force": False, "figures": "few", "executor": "processes",
}  # fmt: skip


def add(command: Any) -> None:
    """Declare the two inputs."""
    command.add_argument("--left", metavar="JSON", help="an input of a plain function, such as 0 or '[1, 0]'")
    command.add_argument("--right", metavar="JSON", help="its neighbour")


def wanted(options: argparse.Namespace) -> bool:
    """Whether the inputs of a plain function were given."""
    return getattr(options, "left", None) is not None or getattr(options, "right", None) is not None


def run(options: argparse.Namespace) -> int:
    """Audit one function on two inputs: status 1 where the claim is refuted, 3 where it stands under --strict."""
    if options.left is None or options.right is None:
        raise BadInput("--left and --right go together: two neighbouring inputs, written as JSON")
    ignored = [f"--{name}" for name, plain in OF_RUNS.items() if getattr(options, name, plain) != plain]
    if ignored:
        raise BadInput(f"{', '.join(ignored)} is about whole runs, and does nothing beside --left and --right")
    if len(options.targets) != 1:
        raise BadInput("name one function: package.module:function or path/to/file.py::function")
    if options.epsilon is None:
        raise BadInput("--epsilon is missing: what is claimed of the function?")
    claim = ApproxDP(options.epsilon, options.delta or 0)
    with import_limit(options.import_seconds):
        function = load_function(options.targets[0])
    left, right = (_input(name, getattr(options, name)) for name in ("left", "right"))
    to_stdout = options.json == "-"
    with stdout_kept_clean(to_stdout):
        from dpwitness.auditors.api import audit

        found = audit(
            function, left, right, epsilon=float(claim.eps), delta=float(claim.delta), alpha=options.alpha,
            max_pairs=options.max_pairs or 1_000_000, seconds=options.seconds or 60.0, seed=options.seed,
            numerics=options.numerics,
        )  # fmt: skip
    if options.json is not None:
        write_json(as_json(options.targets[0], found), options.json)
    with printing():
        screen = console(stderr=to_stdout)
        colour = "red" if found.refuted else "green"
        word = "REFUTED" if found.refuted else "NOT_REFUTED"
        screen.print(f"{line(options.targets[0], 200)}: [bold {colour}]{word}[/]")
        screen.print(clean(str(found), 4000), markup=False)
        if _only_none(found):
            screen.print("note: every output that was counted is None: does the function return its result?")
        screen.print(f"reproduce: dpwitness {shlex.join(sys.argv[1:])}", markup=False, soft_wrap=True)
    return 1 if found.refuted else 3 if options.strict else 0  # an audit proves nothing: what stands is undecided


def _only_none(found: Audit) -> bool:
    left, of_left, right, of_right = found.details.get("fresh") or (0, 1, 0, 1)
    return found.event == "output is None" and bool(left == of_left and right == of_right)


def load_function(name: str) -> Callable[..., Any]:
    """The callable that ``module:function`` or ``file.py::function`` names."""
    path, colons, attribute = name.partition("::")
    if not colons:
        path, colons, attribute = name.partition(":")
    if not colons or not attribute:
        raise BadInput(f"{line(name, 200)!r} must be package.module:function or path/to/file.py::function")
    if "::" not in name and path.endswith(".py"):
        raise BadInput(f"{line(name, 200)!r}: a file takes two colons: {line(f'{path}::{attribute}', 200)}")
    found: Any = load_file(path) if "::" in name else load_module(path)
    for part in attribute.split("."):
        owner, found = found, getattr(found, part, None)
    if not callable(found):
        names = [known for known, value in vars(owner).items() if callable(value)] if hasattr(owner, "__dict__") else []
        near = difflib.get_close_matches(attribute.rpartition(".")[2], names, n=3)
        hint = f"; did you mean {', '.join(near)}?" if near else ""
        raise BadInput(f"{line(name, 200)!r}: there is no function {line(attribute, 100)!r}{line(hint, 200)}")
    made: Callable[..., Any] = found
    return made


def _input(name: str, text: str) -> Any:
    try:
        return parse_json(text)
    except BadFile as error:
        raise BadInput(f"--{name} {line(text, 60)}: {error}; write a text as '\"text\"'") from None


def as_json(target: str, found: Audit) -> dict[str, Any]:
    """The result for other programs."""
    names = ("refuted", "epsilon", "epsilon_lower", "delta", "pairs", "alpha", "direction", "event", "seed", "runs",
             "detectable", "reproducible")  # fmt: skip
    kept = {name: getattr(found, name) for name in names}
    return {"schema": SCHEMA, "target": target, **kept, "warnings": list(found.warnings), "seconds": found.seconds}
