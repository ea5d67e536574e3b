"""Whole sessions: what passes, what fails and with which words, serial and in parallel."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

import jsonschema
import pytest
from tests.plugin.projects import LOAD, MANY, MECHANISM, TWO, run

from dpwitness.reports.jsonout import schema

pytest_plugins = ["pytester"]


def test_one_passes_one_fails_with_a_counterexample_that_runs(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_mine=TWO)
    result = run(pytester, "--dp-json=found.json", "--junit-xml=j.xml", "--dp-out=out")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*bad is not private as claimed (ε = 1, two given inputs): ε is at least 1.*",
            "*left x = (0, 1)*",
            "*right x′ = (1, 1)*",
            "*event S: *output*more likely on*",
            "*pytest test_mine.py::test_bad --dp-alpha 0.0005 --dp-seed 0*",
            "*differential privacy*",
            "REFUTED *test_mine.py::test_bad",
            "NOT_REFUTED *test_mine.py::test_good",
        ]
    )
    document = json.loads((pytester.path / "found.json").read_text(encoding="utf-8"))
    jsonschema.validate(document, schema())
    assert [v["test"] for v in document["verdicts"]] == ["test_mine.py::test_bad", "test_mine.py::test_good"]
    properties = {
        p.get("name"): p.get("value")
        for p in ET.parse(pytester.path / "j.xml").findall(".//testcase[@name='test_bad']/properties/property")
    }
    assert properties["dp_verdict"] == "REFUTED"
    assert float(properties["dp_epsilon_lower"] or 0) > 1
    assert (pytester.path / "out" / "index.html").exists()

    lines = [line[1:].strip() for line in result.outlines if line.startswith("E  ")]
    script = lines[lines.index("or the audit alone:") + 1 :][:3]
    assert script[-1].startswith("print(dpw.audit(bad, [0, 1], [1, 1], epsilon=1.0")
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(script)], capture_output=True, text=True, check=True, cwd=pytester.path
    )
    again = re.search(r"(\d+) pairs", done.stdout)
    assert again is not None
    assert int(again[1]) < document["verdicts"][0]["lower"]["pairs"], "without the audit of how large the violation is"
    assert "refuted" in done.stdout


def test_in_parallel_the_same_bytes(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_many=MANY)
    serial = run(pytester, "--dp-json=serial.json", "--dp-seed=3")
    parallel = run(pytester, "--dp-json=parallel.json", "--dp-seed=3", "-n", "2")
    for result in (serial, parallel):
        result.assert_outcomes(passed=6, failed=1)
    one, two = (pytester.path / name for name in ("serial.json", "parallel.json"))
    assert one.read_bytes() == two.read_bytes()
    alphas = {(v["test"], v["check"]): v["lower"]["alpha"] for v in json.loads(one.read_text())["verdicts"]}
    share = 1e-3 / 9  # seven tests, one of which weighs three
    assert alphas["test_many.py::test_coin", 1] == pytest.approx(3 * share / 2)
    assert alphas["test_many.py::test_leak", 1] == pytest.approx(share / 2)
    assert alphas["test_many.py::test_twice", 2] == pytest.approx(share / 2)


def test_mechanisms_are_proved_where_they_can_be(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_mechanism=MECHANISM)
    result = run(pytester, "--dp-out=out")
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["*half-the-noise is not private as claimed*", "PROVED *test_own_claim"])
    written = json.loads((pytester.path / "out" / "results.json").read_text(encoding="utf-8"))
    proved = [v for v in written["verdicts"] if v["verdict"] == "PROVED"]
    assert proved
    assert all((pytester.path / "out" / v["upper"]["certificate"]).exists() for v in proved)


def test_the_plugin_costs_other_peoples_tests_nothing() -> None:
    code = (
        "import sys, pytest, dpwitness.plugin, dpwitness.plugin.recording;"
        "print([m for m in ('numpy', 'scipy', 'sympy', 'rich', 'jinja2', 'dpwitness.core') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_session_without_privacy_tests_is_left_alone(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("import sys\ndef test_it(): assert 'dpwitness.core' not in sys.modules")
    result = run(pytester)
    result.assert_outcomes(passed=1)
    assert "differential privacy" not in result.stdout.str()


@pytest.mark.skipif(not LOAD, reason="the plugin is found by its entry point")
def test_the_plugin_can_be_named_where_it_is_not_installed(pytester: pytest.Pytester) -> None:
    result = run(pytester, "--help", inside=True)
    result.stdout.fnmatch_lines(["*--dp-alpha=A*", "*--dp-update-baseline*", "*dp_alpha*"])
