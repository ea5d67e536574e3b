"""What a check found, as plain data that travels between processes and is the same in every run."""

from __future__ import annotations

import shlex
from typing import Any

from dpwitness.core.verdict import Verdict
from dpwitness.plugin.options import Settings
from dpwitness.reports.jsonout import verdict_json
from dpwitness.reports.model import Report, Row, line


def make_record(
    verdict: Verdict, nodeid: str, k: int, alpha: float, share: float, settings: Settings
) -> dict[str, Any]:
    """A verdict as in ``results.json``, with the test that asked for it and without times, which no two runs share.

    Parameters
    ----------
    alpha, share
        What the k-th call was given, and what the whole test was given.
    """
    row = Row(verdict)
    warned = row.doubles
    document = verdict_json(row, Report((row,), {"command": "verify"}))
    record: dict[str, Any] = {**timeless(document), "test": line(nodeid, 400), "check": k}
    record["reproduce"] = command(nodeid, share, settings)
    record["warnings"] = [] if warned is None else [warned.sentence()]
    record["alpha"], record["bracket"], record["claim"] = alpha, row.bracket, row.claim
    if settings.out is not None:  # the page links to them
        held = [getattr(bound, "certificate", None) for bound in (verdict.upper, verdict.lower)]
        record["certificate"] = next((dict(c) for c in held if c is not None), None)
    return record


def timeless(value: Any) -> Any:
    """The same data with every time set to 0."""
    if isinstance(value, dict):
        return {k: 0 if k == "seconds" else timeless(v) for k, v in value.items()}
    return [timeless(v) for v in value] if isinstance(value, list | tuple) else value


def command(nodeid: str, share: float, settings: Settings) -> str:
    """How to run the test again, alone, with all that decides; `share` is the test's part of the session's α."""
    words = ["pytest", shlex.quote(line(nodeid, 400)), "--dp-alpha", repr(share), "--dp-seed", str(settings.seed),
             "--dp-numerics", settings.numerics]  # fmt: skip
    if settings.max_pairs is not None:
        words += ["--dp-max-pairs", str(settings.max_pairs)]
    return " ".join(words)


def properties(record: dict[str, Any], k: int) -> list[tuple[str, str]]:
    """Properties of the test case in JUnit."""
    lower, upper = record["lower"], record["upper"]
    facts = {
        "target": record["target"],
        "claim": record["claim"],
        "verdict": record["verdict"],
        "bracket": record["bracket"],
        "epsilon_lower": lower and lower["epsilon"],
        "epsilon_upper": upper and upper["epsilon"],
        "alpha": repr(record["alpha"]),
        "pairs": lower and str(lower["pairs"]),
        "seed": lower and str(lower.get("seed", "")),
        "warning": "; ".join(record["warnings"]),
    }
    prefix = "dp" if k == 1 else f"dp{k}"
    return [(f"{prefix}_{name}", str(value)) for name, value in facts.items() if value]
