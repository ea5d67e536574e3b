"""The baseline file: what was measured before, to notice a loss that creeps up before it crosses the claim.

An audit's lower bound holds with its stated confidence, so a bound above the baseline by more than the slack is a
statement about the mechanism and not about luck. A proof's bound is exact and has no slack.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from dpwitness.core.errors import BadInput
from dpwitness.core.failures import why
from dpwitness.core.files import write_whole
from dpwitness.core.loading import BadFile, read_json
from dpwitness.core.numbers import exact
from dpwitness.core.text import line

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
    try:
        document = read_json(path)
        if not isinstance(document, dict) or document.get("schema") != SCHEMA:
            raise BadFile(f"its schema is not {SCHEMA}")
        checks = document.get("checks")
        if not isinstance(checks, dict) or not all(_sound(check) for check in checks.values()):
            raise BadFile("its checks are not such as this program writes")
    except FileNotFoundError:
        return {}
    except (OSError, BadFile) as error:
        reason = error if isinstance(error, BadFile) else why(error)
        raise pytest.UsageError(f"the baseline {str(path)!r} cannot be read: {line(reason, 200)}; delete it and write "
                                "it again with --dp-update-baseline") from None  # fmt: skip
    return checks


def _sound(check: Any) -> bool:
    """Whether an entry holds what `entry` makes: short texts, and numbers of moderate size."""
    if not isinstance(check, dict):
        return False
    try:
        for name in ("epsilon", "lower", "upper"):
            _number(check.get(name))
    except (BadInput, OverflowError):
        return False
    return all(
        isinstance(check.get(name, ""), str) and len(check.get(name, "")) <= 2000 for name in ("claim", "verdict")
    )


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
    return float("inf") if text == "inf" else float(exact(str(text), "baseline"))


def update(path: Path, records: Iterable[Mapping[str, Any]]) -> int:
    """Write the checks of this run into the file, keeping those of tests that did not run; returns how many."""
    fresh = {entry_key(record): entry(record) for record in records if record["verdict"] in ("PROVED", "NOT_REFUTED")}
    merged = {**load(path), **fresh}
    document = {"schema": SCHEMA, "checks": dict(sorted(merged.items()))}
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, json.dumps(document, indent=1, ensure_ascii=False) + "\n", "dp-baseline")
    load.cache_clear()
    return len(fresh)
