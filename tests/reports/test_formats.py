from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import jsonschema
import pytest
from tests.judging import believe
from tests.reports.formats import GITLAB, JUNIT, SARIF
from tests.reports.samples import HOSTILE, audit, hostile, sample, verdicts

from dpwitness.reports.badge import to_badge, to_badge_json
from dpwitness.reports.details import counterexample_lines
from dpwitness.reports.findings import RULES
from dpwitness.reports.github import annotation_lines, step_summary
from dpwitness.reports.gitlab import to_gitlab
from dpwitness.reports.junit import to_junit
from dpwitness.reports.latex import tex, to_latex
from dpwitness.reports.markdown import cell, code
from dpwitness.reports.model import Report
from dpwitness.reports.sarif import to_sarif
from dpwitness.reports.writer import tell_github

hostile_texts = pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))


def check_xml(element: ET.Element) -> None:
    """Element by element against the table of the format."""
    must, may, children = JUNIT[element.tag]
    assert must <= set(element.attrib) <= must | may, element.tag
    order = [children.index(child.tag) for child in element]
    assert order == sorted(order), f"children of {element.tag} are out of order"
    for child in element:
        check_xml(child)


def test_junit_follows_the_format() -> None:
    root = ET.fromstring(to_junit(sample()))
    check_xml(root)
    (suite,) = root
    cases = suite.findall("testcase")
    assert suite.get("tests") == str(len(cases)) == "8"
    assert len(suite.findall("testcase/failure")) == int(suite.get("failures", "")) == 1
    assert len(suite.findall("testcase/error")) == int(suite.get("errors", "")) == 1
    assert len(suite.findall("testcase/skipped")) == int(suite.get("skipped", "")) == 1


def test_a_failure_in_junit_is_a_counterexample_that_can_be_run() -> None:
    failure = ET.fromstring(to_junit(sample())).find(".//failure")
    assert failure is not None
    text = failure.text or ""
    for part in (
        "left x = (0, 1/3)",
        "right x′ = (1, 4/3)",
        "output > 0.53",
        "ε ≥ 1.87",
        "reproduce: dpwitness verify",
    ):
        assert part in text
    assert failure.get("type") == "REFUTED"


def test_a_report_without_surprises_has_no_failures() -> None:
    (suite,) = ET.fromstring(to_junit(sample(surprise=False)))
    assert suite.get("failures") == suite.get("errors") == "0"


@hostile_texts
def test_hostile_text_in_junit(text: str) -> None:
    written = to_junit(hostile(text))
    check_xml(ET.fromstring(written))
    assert len(written.encode("utf-8")) < 120_000
    assert "<script>" not in written
    assert not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]", written)


def test_sarif_follows_the_format() -> None:
    log = to_sarif(sample())
    jsonschema.validate(log, SARIF)
    (run,) = log["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert rules == list(RULES)
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].endswith("samples.py")
    assert [r["level"] for r in run["results"]] == ["error", "error", "note", "note"]
    assert run["results"][0]["ruleId"] == "privacy-refuted"


def test_gitlab_follows_the_format() -> None:
    entries = to_gitlab(sample())
    jsonschema.validate(entries, GITLAB)
    prints = [entry["fingerprint"] for entry in entries]
    assert len(set(prints)) == len(prints)
    assert [e["fingerprint"] for e in to_gitlab(sample())] == prints
    assert entries[0]["severity"] == "critical"


@hostile_texts
def test_hostile_text_in_code_review_formats(text: str) -> None:
    report = hostile(text)
    jsonschema.validate(to_sarif(report), SARIF)
    jsonschema.validate(to_gitlab(report), GITLAB)
    for written in (
        json.dumps(to_sarif(report), ensure_ascii=False),
        json.dumps(to_gitlab(report), ensure_ascii=False),
    ):
        assert len(written.encode("utf-8")) < 60_000
        assert "\x1b" not in written


def test_annotations_name_the_line() -> None:
    lines = annotation_lines(sample())
    assert len(lines) == 2
    assert all(re.match(r"::error file=\S*samples\.py,line=\d+,title=sparse%3A \w+::", line) for line in lines)
    assert "%0A" in lines[0]


@hostile_texts
def test_hostile_text_cannot_start_a_workflow_command(text: str) -> None:
    for line in annotation_lines(hostile(text)):
        assert "\n" not in line
        assert "\r" not in line
        properties = line.split("::")[1]
        assert properties.startswith("error ")
        assert len(line) < 20_000
    summary = step_summary(hostile(text))
    assert "<script>" not in summary
    assert len(summary.encode("utf-8")) < 60_000
    assert not any(line.startswith("::") for line in summary.splitlines())


def test_the_step_summary_answers_first() -> None:
    good, bad = step_summary(sample(surprise=False)), step_summary(sample())
    assert good.startswith("## ✅ dpwitness: every verdict is as expected")
    assert bad.startswith("## 🛑 dpwitness: 2 not as expected")
    assert "`dpwitness verify" in bad
    rows = [line for line in bad.splitlines() if line.startswith("|")]
    assert {row.count("|") - row.count(r"\|") for row in rows} == {6}


def test_github_is_told_only_where_it_listens(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tell_github(sample(), {})
    assert capsys.readouterr().out == ""
    place = tmp_path / "summary.md"
    place.write_text("before\n")
    tell_github(sample(), {"GITHUB_STEP_SUMMARY": str(place), "GITHUB_ACTIONS": "true"})
    assert place.read_text(encoding="utf-8").startswith("before\n## 🛑")
    assert capsys.readouterr().out.count("::error ") == 2


def test_markdown_is_taken_literally() -> None:
    assert cell("[a](http://x) `b` | @c") == r"\[a\]\(http://x\) \`b\` \| \@c"
    assert code("a`b|c") == "`aˋb∣c`"


def test_latex_table() -> None:
    table = to_latex(sample())
    assert table.count(r"\begin{tabular}") == table.count(r"\end{tabular}") == 1
    body = [line for line in table.splitlines() if line.endswith(r"\\")]
    assert len(body) == 9
    assert all(len(re.findall(r"(?<!\\)&", line)) == 3 for line in body)
    assert r"\quad no-query-noise" in table
    assert r"\begin{longtable}" in to_latex(Report(sample().rows * 10))


@hostile_texts
def test_hostile_text_in_latex(text: str) -> None:
    table = to_latex(hostile(text))
    assert r"\input" not in table
    assert table.isascii()
    assert len(table) < 60_000
    body = [line for line in table.splitlines() if line.endswith(r"\\")]
    assert all(len(re.findall(r"(?<!\\)&", line)) == 3 for line in body)
    for escaped in ("$x$", "{{"):
        assert tex(escaped).count("$") == tex(escaped).count(r"\$")


def test_the_badge_says_what_the_report_says() -> None:
    good, bad = sample(surprise=False), sample()
    assert to_badge_json(good) == {
        "schemaVersion": 1, "label": "privacy", "message": "3 proved, 1 refuted as expected, 2 open",
        "color": "brightgreen",
    }  # fmt: skip
    assert to_badge_json(bad)["message"] == "2 not as expected"
    assert to_badge_json(Report(()))["message"] == "no claims"
    for report in (good, bad, Report(())):
        picture = ET.fromstring(to_badge(report))
        assert picture.get("aria-label") == f"privacy: {to_badge_json(report)['message']}"


def test_an_audit_that_refutes_by_a_hair_says_that_the_claim_is_exceeded() -> None:
    """The e-process may exclude ε = 1 and nothing above it: what is shown is then ε > 1, not ε ≥ 1."""
    claim = verdicts()[-2].claim
    said = [counterexample_lines(believe(claim, [audit(eps, refutes=True)]))[-1] for eps in (1.0, 1.0004)]
    assert [line.partition(",")[0] for line in said] == ["so ε > 1", "so ε ≥ 1.0004"]
