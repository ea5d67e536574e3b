"""``dpwitness stability module:function --claim "l1 <= 1" --records "reals 0 1"``: does a function move too far?"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from dpwitness.cli.arguments import check_bounds, real, whole
from dpwitness.cli.audit_function import load_function
from dpwitness.cli.common import console, stdout_kept_clean, write_json
from dpwitness.cli.streams import printing
from dpwitness.core.errors import BadInput
from dpwitness.core.stability.claim import Stable
from dpwitness.core.stability.columns import Column, choices, reals, wholes
from dpwitness.core.stability.rows import FORMS, Rows
from dpwitness.core.text import clean, line
from dpwitness.importing import IMPORT_SECONDS, import_limit

if TYPE_CHECKING:
    from dpwitness.auditors.stability.result import Stability

SCHEMA = "dpwitness.stability/1"
FLAGS = {"nan": "nan", "inf": "infinite", "missing": "missing"}


def add(commands: Any) -> None:
    """Declare the command."""
    command = commands.add_parser("stability", help="does a deterministic function move further than claimed?")
    command.add_argument("target", metavar="TARGET", help="module:function or path/to/file.py::function")
    command.add_argument("--claim", metavar="TEXT", help="such as 'l1 <= 1' or 'symmetric <= 2'; left out where the "
                         "function was decorated with @stable")  # fmt: skip
    command.add_argument("--records", metavar="KIND", help="what a record is: 'reals 0 1', 'wholes 0 99 missing', "
                         "'choices a b', 'reals nan inf'")  # fmt: skip
    command.add_argument("--column", action="append", default=[], metavar="NAME=KIND",
                         help="a named column of a row, in place of --records; may be given several times")  # fmt: skip
    command.add_argument("--size", default="0:8", metavar="A:B", help="fewest and most records (default 0:8)")
    command.add_argument("--adjacency", choices=["add-remove", "substitute"], default="add-remove")
    command.add_argument("--any-order", action="store_true", help="the order of the records does not count")
    command.add_argument("--form", choices=FORMS, default="list", help="what the function gets (default: a list)")
    command.add_argument("--dtype", metavar="TYPE", help="of an array or a frame, such as int32")
    command.add_argument("--domain", metavar="KIND", help="what every number of an output must be, such as 'reals 0 1'")
    command.add_argument("--numerics", choices=["ideal", "doubles"], default="ideal",
                         help="doubles: an excess that rounding explains is a violation too")  # fmt: skip
    command.add_argument("--max-pairs", type=whole, default=20_000, metavar="N")
    command.add_argument("--seconds", type=real, default=10.0, metavar="S")
    command.add_argument("--import-seconds", type=real, default=IMPORT_SECONDS, metavar="S")
    command.add_argument("--seed", type=whole, default=0)
    command.add_argument("--json", metavar="FILE", help="write the result alone; - is standard output")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Search for a violation: status 1 where there is one."""
    check_bounds(options)
    with import_limit(options.import_seconds):
        function = load_function(options.target)
    claim = _claim(function, options)
    to_stdout = options.json == "-"
    with stdout_kept_clean(to_stdout):
        from dpwitness.auditors.stability.api import check_claim

        found = check_claim(claim, max_pairs=options.max_pairs, seconds=options.seconds, seed=options.seed)
    if options.json is not None:
        write_json(as_json(options.target, found), options.json)
    with printing():
        screen = console(stderr=to_stdout)
        colour, word = ("red", "REFUTED") if found.refuted else ("green", "NOT_REFUTED")
        screen.print(f"{line(options.target, 200)}: [bold {colour}]{word}[/]")
        screen.print(clean(str(found), 4000), markup=False)
        screen.print(f"reproduce: dpwitness {shlex.join(sys.argv[1:])}", markup=False, soft_wrap=True)
    return 1 if found.refuted else 0


def _claim(function: Any, options: argparse.Namespace) -> Stable:
    declared = getattr(function, "stability", None)
    written = options.claim or options.records or options.column or options.domain
    if isinstance(declared, Stable) and not written:
        return declared
    if not (options.records or options.column):
        raise BadInput("say what a record is: --records 'reals 0 1', or --column age='wholes 0 99' for each column; or "
                       "decorate the function with @stable(...)")  # fmt: skip
    columns: Any = parse_column(options.records) if options.records else None
    for text in options.column:
        name, equals, kind = text.partition("=")
        if not equals or options.records:
            raise BadInput(f"--column {line(text, 60)!r} must be NAME=KIND, and not stand beside --records")
        if name in (columns or {}):
            raise BadInput(f"--column {line(name, 60)!r} is given twice")
        columns = {**(columns or {}), name: parse_column(kind)}
    space = Rows(columns, parse_size(options.size), options.adjacency, any_order=options.any_order, form=options.form,
                 dtype=options.dtype)  # fmt: skip
    domain = None if options.domain is None else parse_column(options.domain)
    distance, bound = ("l1", None) if options.claim is None else parse_claim(options.claim)
    return Stable.of(function, space, distance, bound, domain, options.numerics, line(options.target, 200))


def parse_claim(text: str) -> tuple[str, str]:
    """A claim such as ``l1 <= 2``.

    >>> parse_claim("l1 <= 1/2"), parse_claim("symmetric ≤ 3")
    (('l1', '1/2'), ('symmetric', '3'))
    """
    name, sign, bound = text.replace("≤", "<=").partition("<=")
    if not sign or not name.strip() or not bound.strip():
        raise BadInput(f"--claim {line(text, 60)!r} must be like 'l1 <= 1'")
    return name.strip(), bound.strip()


def parse_size(text: str) -> tuple[int, int]:
    """Fewest and most records.

    >>> parse_size("0:8")
    (0, 8)
    """
    low, colon, high = text.partition(":")
    if not colon or not all(part.strip().isascii() and part.strip().isdigit() for part in (low, high)):
        raise BadInput(f"--size {line(text, 60)!r} must be like 0:8")
    return int(low), int(high)


def parse_column(text: str) -> Column:
    """A column such as ``reals 0 1 nan``.

    >>> parse_column("wholes 0 9").high, parse_column("choices a b").allowed
    (9, ('a', 'b'))
    """
    try:
        kind, *words = shlex.split(text) or [""]
    except ValueError as error:
        raise BadInput(f"{line(text, 60)!r} cannot be read: {error}") from None
    flags = {FLAGS[word]: True for word in words if word in FLAGS}
    rest = [_value(word) for word in words if word not in FLAGS]
    if kind == "choices" and rest and set(flags) <= {"missing"}:
        return choices(*rest, **flags)
    numbers = all(isinstance(x, int | float) for x in rest) and len(rest) in (0, 2)
    if kind == "reals" and numbers:
        return reals(*rest, **flags)
    if kind == "wholes" and all(isinstance(x, int) for x in rest) and len(rest) in (0, 2) and set(flags) <= {"missing"}:
        return wholes(*rest, **flags)
    raise BadInput(
        f"{line(text, 60)!r} must be like 'reals 0 1', 'reals nan inf', 'wholes 0 99 missing' or 'choices a b'"
    )


def _value(word: str) -> Any:
    try:
        value = json.loads(word)
    except ValueError:
        return word
    return value if isinstance(value, int | float | bool) else word


def as_json(target: str, found: Stability) -> dict[str, Any]:
    """The result for other programs."""
    fields = {
        **asdict(found),
        "left": repr(list(found.left)),
        "right": repr(list(found.right)),
        "apart": str(found.apart),
    }
    return {"schema": SCHEMA, "target": target, **fields, "notes": list(found.notes)}
