"""Formats read by other people's programs (the extra ``[browser]``): what is written means the same to them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.reports.samples import HOSTILE, hostile, sample

from dpwitness.reports.junit import to_junit
from dpwitness.reports.model import Report
from dpwitness.reports.sarif import to_sarif

RECIPES = (Path(__file__).parents[2] / "docs" / "ci-recipes.md").read_text(encoding="utf-8")
WORKFLOW = Path(__file__).parents[2] / ".github" / "workflows" / "ci.yml"
reports = pytest.mark.parametrize(
    "report", [sample(), sample(surprise=False), Report(()), *map(hostile, HOSTILE)], ids=range(3 + len(HOSTILE))
)


@reports
def test_sarif_is_a_log_to_an_independent_model(report: Report) -> None:
    model = pytest.importorskip("sarif_pydantic", reason="needs the extra [browser]")
    log = to_sarif(report)
    read = model.Sarif.model_validate_json(json.dumps(log))
    (run,) = read.runs
    written = log["runs"][0]["results"]
    assert read.version == "2.1.0"
    assert run.tool.driver.name == "dpwitness"
    assert [(r.rule_id, r.level.value, r.message.text) for r in run.results] == [
        (r["ruleId"], r["level"], r["message"]["text"]) for r in written
    ]
    for result, source in zip(run.results, written, strict=True):
        places = [place.physical_location for place in result.locations or ()]
        assert [(p.artifact_location.uri, p.region.start_line) for p in places] == [
            (p["physicalLocation"]["artifactLocation"]["uri"], p["physicalLocation"]["region"]["startLine"])
            for p in source.get("locations", ())
        ]
    # what the model does not know it keeps aside: nothing of ours may be there
    for part in (read, run, run.tool, run.tool.driver, *run.results, *(run.tool.driver.rules or ())):
        assert part.model_extra in (None, {}), type(part).__name__


@reports
def test_junit_is_a_suite_to_an_independent_reader(report: Report) -> None:
    reader = pytest.importorskip("junitparser", reason="needs the extra [browser]")
    text = to_junit(report)
    read = reader.JUnitXml.fromstring(text.encode("utf-8"))
    (suite,) = read
    cases = list(suite)
    outcomes = [type(result).__name__ for case in cases for result in case.result]
    assert len(cases) == suite.tests == len(report.rows)
    assert (outcomes.count("Failure"), outcomes.count("Error"), outcomes.count("Skipped")) == (
        suite.failures, suite.errors, suite.skipped,
    )  # fmt: skip
    before = (suite.tests, suite.failures, suite.errors, suite.skipped)
    suite.update_statistics()
    assert before == (suite.tests, suite.failures, suite.errors, suite.skipped)


def check(kind: str, path: Path) -> None:
    pytest.importorskip("check_jsonschema", reason="needs the extra [browser]")
    words = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", kind, str(path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("title", "kind"),
    [("# .github/workflows/privacy.yml", "vendor.github-workflows"), ("# .gitlab-ci.yml", "vendor.gitlab-ci")],
)
def test_recipes_follow_the_services_own_schemas(title: str, kind: str, tmp_path: Path) -> None:
    (block,) = (b for b in re.findall(r"```yaml\n(.*?)```", RECIPES, flags=re.DOTALL) if b.startswith(title))
    path = tmp_path / "recipe.yml"
    path.write_text(block, encoding="utf-8")
    check(kind, path)


def test_our_own_workflow_follows_the_schema() -> None:
    check("vendor.github-workflows", WORKFLOW)
