"""The baseline file: what was measured before, to notice a loss that creeps up before it crosses the claim.

An audit's lower bound holds with its stated confidence, so a bound above the baseline by more than the slack is a
statement about the mechanism and not about luck. A proof's bound is exact and has no slack.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

SCHEMA = "dpwitness.baseline/1"


def entry_key(record: Mapping[str, Any]) -> str:
    """The name of a check in the file: the test, and which of its calls."""
    k = record["check"]
    return str(record["test"]) if k == 1 else f"{record['test']}#{k}"


def entry(record: Mapping[str, Any]) -> dict[str, Any]:
    """What the file keeps of a check."""
    lower, upper = record["lower"], record["upper"]
    return {
        "claim": record["claim"],
        "epsilon": record["guarantee"].get("epsilon"),
        "verdict": record["verdict"],
        "lower": None if lower is None else lower["epsilon"],
        "upper": None if upper is None else upper["epsilon"],
    }


@cache
def load(path: Path) -> dict[str, Any]:
    """The entries of a baseline file; a file that is not there has none."""
    if not path.exists():
        return {}
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["schema"] != SCHEMA:
            raise KeyError("schema")
        checks: dict[str, Any] = document["checks"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise pytest.UsageError(f"the baseline {str(path)!r} cannot be read ({type(error).__name__}); delete it and "
                                "write it again with --dp-update-baseline") from error  # fmt: skip
    return checks


def creeping(record: Mapping[str, Any], before: Mapping[str, Any] | None, slack: float) -> str | None:
    """Why a check is worse than its baseline; None where it is not, or where there is nothing to compare with."""
    if before is None:
        return None
    now = entry(record)
    accept = "accept it with --dp-update-baseline"
    claimed, was_claimed = _number(now["epsilon"]), _number(before.get("epsilon"))
    if claimed is not None and was_claimed is not None and claimed > was_claimed:
        return f"the claim was loosened from {before['claim']} to {now['claim']}; {accept}"
    if before.get("verdict") == "PROVED" and now["verdict"] != "PROVED":
        return f"it was proved ({before['claim']}) and is now only {now['verdict'].lower().replace('_', ' ')}; {accept}"
    upper, was_upper = _number(now["upper"]), _number(before.get("upper"))
    if upper is not None and was_upper is not None and upper > was_upper:
        return f"the proved loss grew from ε ≤ {before['upper']} to ε ≤ {now['upper']}; {accept}"
    lower, was_lower = _number(now["lower"]), _number(before.get("lower")) or 0.0
    if lower is not None and claimed is not None and lower > was_lower + slack * claimed:
        return (
            f"the measured loss grew from ε ≥ {was_lower:.3g} to ε ≥ {lower:.3g}, by more than {slack:g} of the claim "
            f"ε = {now['epsilon']}: it creeps towards the claim; {accept}"
        )
    return None


def _number(text: object) -> float | None:
    if text is None:
        return None
    return float("inf") if text == "inf" else float(Fraction(str(text)))


def update(path: Path, records: Iterable[Mapping[str, Any]]) -> int:
    """Write the checks of this run into the file, keeping those of tests that did not run; returns how many."""
    fresh = {entry_key(record): entry(record) for record in records if record["verdict"] in ("PROVED", "NOT_REFUTED")}
    merged = {**load(path), **fresh}
    document = {"schema": SCHEMA, "checks": dict(sorted(merged.items()))}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n")
    load.cache_clear()
    return len(fresh)
