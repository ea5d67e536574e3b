"""Where a claim comes from: the file and line of its program, and the command that repeats its verdict."""

from __future__ import annotations

import inspect
import math
import os
import shlex
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from dpwitness.core.verdict import Verdict
from dpwitness.reports.model import Report, Row, line

_CATALOGUE = "dpwitness.mechanisms."
_PARAMETERS = {"epsilon": "eps", "delta": "delta"}
_OPTIONS = {"max_pairs": "max-pairs", "seconds_each": "seconds"}


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
    return Place(_shown(code.co_filename, _here()), max(1, code.co_firstlineno))


def _here() -> str:
    try:
        return os.getcwd()
    except OSError:  # the working folder is gone
        return ""


@lru_cache(maxsize=1024)
def _shown(file: str, here: str) -> str:
    """A path relative to the working folder, where it lies below."""
    path = Path(file).resolve() if here else Path(file)
    return line((path.relative_to(here) if here and path.is_relative_to(here) else path).as_posix(), 400)


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


def named(row: Row) -> str:
    """What the command line is given as target: what the user wrote, or else what names the row's own target."""
    return row.selector or selector(row.verdict)


def reproduce(row: Row, report: Report) -> str:
    """The command that repeats the decision on this row: its share of α, and all else that decides."""
    stored = getattr(row.verdict.claim.mechanism, "command", None)
    if stored:
        return line(stored, 1000)
    run, target = report.run, named(row)
    words = ["dpwitness", line(run.get("command", "verify"), 20), shlex.quote(target)]
    for option in ("epsilon", "delta"):
        if option in run and _PARAMETERS[option] in row.verdict.claim.params:
            words += [f"--{option}", shlex.quote(line(run[option], 80))]
    if "alpha" in run:
        alone = max(1, report.companions[target])
        words += ["--alpha", repr(_alpha(run["alpha"] / max(1, run.get("claims", len(report.rows))), alone))]
    for option in ("numerics", "max_pairs", "seconds_each", "seed"):
        if option in run:
            value = run[option]
            words += [
                f"--{_OPTIONS.get(option, option)}",
                f"{value:.15g}" if isinstance(value, float) else line(value, 40),
            ]
    return " ".join(words)


def _alpha(share: float, claims: int) -> float:
    """An α of which each of so many claims gets exactly the given share, as far as doubles allow.

    >>> _alpha(0.001 / 3, 2) / 2 == 0.001 / 3
    True
    """
    whole = share * claims
    near = (whole, math.nextafter(whole, 0.0), math.nextafter(whole, 1.0))
    return next((alpha for alpha in near if alpha / claims == share), whole)
