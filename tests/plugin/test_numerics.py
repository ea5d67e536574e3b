"""Doubles that break a claim: a warning in the summary, in JUnit and in the report, or a failure where asked for."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import pytest
from tests.plugin.projects import run

pytest_plugins = ["pytester"]

PROJECT = """
def noisy(data, size, rng): return rng.laplace(float(data), 1.0, size)
def test_noisy(assert_private): assert_private(noisy, 0, 1, epsilon=1.0, max_pairs=4000)
"""


def test_the_default_warns_and_says_so_first(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(PROJECT)
    result = run(pytester, "--dp-json=found.json", "--dp-out=out", "--junit-xml=j.xml")
    result.assert_outcomes(passed=1)
    shown = result.outlines
    start = next(i for i, text in enumerate(shown) if "differential privacy" in text)
    assert shown[start + 1].startswith("numerics ideal: outputs that break a claim as doubles only warn")
    result.stdout.fnmatch_lines(["*warning: as doubles refuted (ε ≥ *", "warning: *snapping*--dp-numerics doubles*"])
    (row,) = json.loads((pytester.path / "found.json").read_text())["verdicts"]
    assert row["lower"]["doubles"]["refuted"] is True
    assert row["verdict"] == "NOT_REFUTED"
    facts = {p.get("name"): p.get("value") or "" for p in ET.parse(pytester.path / "j.xml").findall(".//property")}
    assert facts["dp_warning"].startswith("as doubles the claim is refuted")
    results = json.loads((pytester.path / "out" / "results.sarif").read_text())["runs"][0]["results"]
    assert "privacy-doubles" in [found["ruleId"] for found in results]


@pytest.mark.parametrize("how", ["option", "ini", "call"])
def test_doubles_can_fail_the_test(how: str, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(PROJECT if how != "call" else PROJECT.replace("4000)", "4000, numerics='doubles')"))
    pytester.makeini(f"[pytest]\n{'dp_numerics = both' if how == 'ini' else ''}\n")
    result = run(pytester, *(["--dp-numerics=doubles"] if how == "option" else []))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*is not a multiple of*"])


def test_an_unknown_choice_is_named(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(PROJECT)
    result = run(pytester, "--dp-numerics=floats")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*'floats'; it must be ideal, doubles or both*"])


def test_a_report_that_cannot_be_written_is_no_success(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(PROJECT)
    result = run(pytester, "--dp-json=/dev/full")
    assert result.ret == pytest.ExitCode.INTERNAL_ERROR
    result.stdout.fnmatch_lines(["could not be written: *No space left*"])
    (pytester.path / "foreign").mkdir()
    (pytester.path / "foreign" / "thesis.txt").write_text("mine")
    assert run(pytester, "--dp-out=foreign").ret == pytest.ExitCode.USAGE_ERROR
    assert [p.name for p in (pytester.path / "foreign").iterdir()] == ["thesis.txt"]
