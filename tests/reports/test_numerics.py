"""A claim that fails as doubles is seen in every rendering, and does not decide unless asked to."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from dataclasses import replace
from io import StringIO
from typing import Any

import jsonschema
import pytest
from rich.console import Console
from tests.judging import believe
from tests.reports.samples import RUN, audit, proof, verdicts

from dpwitness.cli.verify import _show
from dpwitness.core.verdict import Decision
from dpwitness.reports.findings import findings
from dpwitness.reports.github import annotation_lines, step_summary
from dpwitness.reports.html import to_html
from dpwitness.reports.jsonin import from_json
from dpwitness.reports.jsonout import schema, to_json
from dpwitness.reports.junit import to_junit
from dpwitness.reports.model import Report
from dpwitness.reports.sarif import to_sarif

FOUND = {"refuted": True, "epsilon": 3.27391, "alpha": 1e-6, "pairs": 2500, "event": "not a multiple of 2^-55"}
NOTE = "as doubles the claim is refuted: ε ≥ 3.273"


def report(rows: int = 1, **change: Any) -> Report:
    seen = replace(audit(0.9), details={"doubles": {**FOUND, **change}})
    verdict = believe(verdicts()[0].claim, [proof(1), seen])
    assert verdict.decision is Decision.PROVED
    notes = [(NOTE,)] * rows if change.get("refuted", True) else None
    return Report.of([verdict] * rows, RUN, notes)


def test_the_verdict_line_tells_it_and_the_status_does_not_change() -> None:
    (row,) = report().rows
    assert row.reason.endswith("; as doubles refuted (ε ≥ 3.273)")
    assert report().exit_status(strict=True) == 0
    assert report(refuted=False).rows[0].doubles is None
    assert "doubles" not in report(refuted=False).rows[0].reason


def test_a_claim_that_is_refuted_anyway_needs_no_such_warning() -> None:
    seen = replace(audit(1.9, refutes=True), details={"doubles": FOUND})
    refuted = Report.of([believe(verdicts()[0].claim, [seen])], RUN)
    assert refuted.rows[0].doubles is None
    assert [found.rule for found in findings(refuted)] == ["privacy-refuted"]


def test_it_is_a_warning_of_its_own_with_what_it_means_and_what_to_do() -> None:
    (found,) = findings(report())
    assert (found.rule, found.level) == ("privacy-doubles", "warning")
    for text in ("ε ≥ 3.273", "not a multiple of 2^-55", "tell neighbours apart", "discrete", "snapping"):
        assert text in found.text
    log = to_sarif(report())
    (result,) = log["runs"][0]["results"]
    assert result["level"] == "warning"
    rule = log["runs"][0]["tool"]["driver"]["rules"][result["ruleIndex"]]
    assert (rule["id"], rule["defaultConfiguration"]["level"]) == ("privacy-doubles", "warning")
    (line,) = annotation_lines(report())
    assert line.startswith("::warning ")


def test_junit_has_a_case_for_it() -> None:
    root = ET.fromstring(to_junit(report()))
    suite = root[0]
    claim, warned = suite.findall("testcase")
    assert claim.find("skipped") is None
    assert warned.get("name") == f"{claim.get('name')} as doubles"
    skipped = warned.find("skipped")
    assert skipped is not None
    assert (skipped.get("message") or "").startswith("warning: as doubles the claim is refuted")
    assert (suite.get("tests"), suite.get("skipped"), suite.get("failures")) == ("2", "1", "0")
    assert len(ET.fromstring(to_junit(report(refuted=False)))[0].findall("testcase")) == 1


def test_it_survives_the_file() -> None:
    document = json.loads(json.dumps(to_json(report())))
    jsonschema.validate(document, schema())
    read, _ = from_json(document)
    assert read.rows[0].doubles == report().rows[0].doubles
    assert "as doubles refuted" in to_html(read)
    assert "as doubles" in step_summary(read)


@pytest.mark.parametrize("rows", [1, 50])
def test_many_warnings_are_one_line(rows: int) -> None:
    screen = StringIO()
    _show(report(rows), Console(file=screen, width=4000), quiet=False)
    lines = [text for text in screen.getvalue().splitlines() if text.startswith("warning:")]
    assert len(lines) == (2 if rows == 1 else 1)
    assert ("the claim is refuted" if rows == 1 else "50 of 50 claims are refuted") in lines[-1]
    assert "snapping" in lines[-1]
