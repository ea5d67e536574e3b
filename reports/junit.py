"""The report as JUnit XML: one test case for every claim."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable

from dpwitness.core.evidence import LowerBound
from dpwitness.core.verdict import Decision
from dpwitness.reports.details import Details, details
from dpwitness.reports.model import Report, Row, clean, line, lower_text, upper_text


def to_junit(report: Report) -> str:
    """JUnit XML: a surprise is a failure, a contradiction an error, an undecided claim is skipped.

    A claim that is refuted as doubles, where that does not decide, has a case of its own, skipped with the warning.
    """
    rows = report.rows
    warned = sum(row.doubles is not None for row in rows)
    counts = {
        "tests": len(rows) + warned,
        "failures": sum(_outcome(row) == "failure" for row in rows),
        "errors": sum(_outcome(row) == "error" for row in rows),
        "skipped": sum(_outcome(row) == "skipped" for row in rows) + warned,
        "time": f"{sum(row.verdict.seconds for row in rows):.3f}",
    }
    totals = {name: str(value) for name, value in counts.items()}
    root = ET.Element("testsuites", {"name": "dpwitness", **totals})
    suite = ET.SubElement(root, "testsuite", {"name": "dpwitness", **totals})
    _properties(suite, ((line(name, 100), line(value, 400)) for name, value in report.run.items()))
    for row in rows:
        _case(suite, row, report)
        _warning(suite, row)
    ET.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _outcome(row: Row) -> str | None:
    if row.decision is Decision.CONTRADICTION or row.verdict.failed_to_run:
        return "error"
    if row.verdict.surprise:
        return "failure"
    return "skipped" if row.decision is Decision.UNDECIDED else None


def _case(suite: ET.Element, row: Row, report: Report) -> None:
    parent, _, twin = row.target.partition("/")
    name = f"{twin or parent} [{row.claim}]"
    case = ET.SubElement(
        suite,
        "testcase",
        {"classname": f"dpwitness.{parent}", "name": name, "time": f"{row.verdict.seconds:.3f}"},
    )
    _properties(case, _facts(row))
    parts = details(row, report)
    outcome = _outcome(row)
    if outcome is not None:
        attributes = {"message": f"{row.decision}, expected {row.expected}: {row.reason}"}
        if outcome != "skipped":
            attributes["type"] = str(row.decision)
        element = ET.SubElement(case, outcome, attributes)
        if outcome != "skipped":
            element.text = _text(parts)
    ET.SubElement(case, "system-out").text = _text(parts)


def _warning(suite: ET.Element, row: Row) -> None:
    if row.doubles is None:
        return
    parent, _, twin = row.target.partition("/")
    named = {"classname": f"dpwitness.{parent}", "name": f"{twin or parent} [{row.claim}] as doubles", "time": "0.000"}
    case = ET.SubElement(suite, "testcase", named)
    ET.SubElement(case, "skipped", {"message": f"warning: {row.doubles.sentence()}"})


def _properties(parent: ET.Element, pairs: Iterable[tuple[str, str]]) -> None:
    group = ET.SubElement(parent, "properties")
    for name, value in pairs:
        ET.SubElement(group, "property", {"name": name, "value": value})


def _facts(row: Row) -> list[tuple[str, str]]:
    verdict = row.verdict
    lower = verdict.lower
    facts = [
        ("verdict", str(row.decision)),
        ("expected", row.expected),
        ("claim", row.claim),
        ("epsilon_lower", lower_text(lower)),
        ("epsilon_upper", upper_text(verdict.upper)),
    ]
    if isinstance(lower, LowerBound):
        facts += [("alpha", repr(lower.alpha)), ("pairs", str(lower.pairs)), ("seed", str(lower.seed))]
    return [(name, value) for name, value in facts if value is not None]


def _text(parts: Details) -> str:
    lines = [*parts.statement, *parts.counterexample, *parts.argument, *parts.audit, *parts.noticed, *parts.silent]
    return clean("\n".join([*lines, f"reproduce: {parts.command}"]), 8000)
