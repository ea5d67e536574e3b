"""Where a claim comes from: the file and line of its program, and the command that repeats its verdict."""

from __future__ import annotations

import inspect
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpwitness.core.verdict import Verdict
from dpwitness.reports.model import Report, Row, line

_CATALOGUE = "dpwitness.mechanisms."


@dataclass(frozen=True)
class Place:
    """A line of a source file; the path is relative where the file lies below the working folder."""

    path: str
    line: int


def place(verdict: Verdict) -> Place | None:
    """Where the program stands; None where it has no source, as in a notebook or a stored report."""
    mechanism = verdict.claim.mechanism
    stored = getattr(mechanism, "origin", None)
    if isinstance(stored, Place):
        return stored
    code = getattr(inspect.unwrap(_function(mechanism)), "__code__", None)
    if code is None or code.co_filename.startswith("<"):
        return None
    path = Path(code.co_filename).resolve()
    here = Path.cwd()
    shown = path.relative_to(here) if path.is_relative_to(here) else path
    return Place(line(shown.as_posix(), 400), max(1, code.co_firstlineno))


def _function(mechanism: Any) -> Any:
    return getattr(mechanism, "program", None) or getattr(mechanism, "sampler", None) or mechanism


def selector(verdict: Verdict) -> str:
    """How the command line names the target: by its catalogue name, or as ``file.py::function``."""
    mechanism = verdict.claim.mechanism
    function = _function(mechanism)
    where = place(verdict)
    module = getattr(function, "__module__", None) or _CATALOGUE
    if where is None or module.startswith(_CATALOGUE) or isinstance(getattr(mechanism, "origin", None), Place):
        return line(verdict.claim.target, 200)
    return f"{where.path}::{line(_bound_name(mechanism, function), 200)}"


def _bound_name(mechanism: Any, function: Any) -> str:
    """What the file calls the mechanism; a twin is reached through its parent, which the file has a name for."""
    parent = getattr(mechanism, "parent", None)
    for name, value in getattr(inspect.unwrap(function), "__globals__", {}).items():
        if value is mechanism or (parent is not None and getattr(value, "name", None) == parent):
            return str(name)
    return str(parent.replace("-", "_") if parent else getattr(function, "__name__", mechanism))


def reproduce(row: Row, report: Report) -> str:
    """The command that repeats the decision on this row, at the share of α that it had."""
    stored = getattr(row.verdict.claim.mechanism, "command", None)
    if stored:
        return line(stored, 1000)
    run, target = report.run, selector(row.verdict)
    words = ["dpwitness", line(run.get("command", "verify"), 20), shlex.quote(target)]
    if "seed" in run:
        words += ["--seed", line(run["seed"], 40)]
    if "alpha" in run:
        alone = sum(selector(other.verdict) == target for other in report.rows)
        words += ["--alpha", f"{run['alpha'] / max(1, run.get('claims', len(report.rows))) * max(1, alone):.6g}"]
    if "max_pairs" in run:
        words += ["--max-pairs", line(run["max_pairs"], 40)]
    return " ".join(words)
