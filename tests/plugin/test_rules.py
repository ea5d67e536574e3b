"""The rules of the plugin: options, shares, baseline, reruns, and the words in which it refuses."""

from __future__ import annotations

import json
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from tests.plugin.projects import run

from dpwitness.auditors.api import audit
from dpwitness.plugin.baseline import creeping, entry, entry_key, load, update
from dpwitness.plugin.sharing import Share

pytest_plugins = ["pytester"]


@pytest.fixture(scope="module", autouse=True)
def everything_is_loaded() -> None:
    """pytest run inside pytest forgets what it imported, and numpy cannot be imported twice: import it all before."""
    import_module("dpwitness.plugin.checking")
    for pairs in (200, 5000):
        audit(lambda data, size, rng: rng.laplace(data, 1, size), 0.0, 1.0, epsilon=1, max_pairs=pairs)


FLAKY = """
import pytest
@pytest.fixture
def twice(request): return None
{decorator}
def test_it(assert_private): assert_private(lambda data: 0, 0, 1, epsilon=1.0, max_pairs=100)
def test_other(): pass
"""


def outcome(result: pytest.RunResult) -> str:
    return result.stdout.str() + result.stderr.str()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--dp-alpha=0"], "it must be a number strictly between 0 and 1"),
        (["--dp-alpha=much"], "'much'"),
        (["--dp-seed=-1"], "a whole number, 0 or more"),
        (["--dp-max-pairs=0"], "a whole number, 1 or more"),
        (["--dp-update-baseline"], "needs --dp-baseline FILE"),
    ],
)
def test_wrong_options_are_named(arguments: list[str], words: str, pytester: pytest.Pytester) -> None:
    result = run(pytester, *arguments, inside=True)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert words in outcome(result)


@pytest.mark.parametrize(
    ("mark", "words"),
    [
        ("epsilom=1", "has no 'epsilom'; it knows epsilon, delta"),
        ("weight=0", "weight=0) must be a positive number"),
        ("checks=0", "checks=0) must be a whole number"),
        ("1.0", "takes keywords only"),
    ],
)
def test_wrong_markers_are_named(mark: str, words: str, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(f"import pytest\n@pytest.mark.dp({mark})\ndef test_it(assert_private): pass")
    result = run(pytester, inside=True)
    assert words in outcome(result)
    assert "test_it" in outcome(result)


WRONG_CALLS = [
    ("f, 0, 1", "epsilon is missing: what does f claim?"),
    ("f, epsilon=1", "give left and right for f"),
    ("f, 0, epsilon=1", "left and right are both needed"),
    ("f, 0, 1, epsilon=0", "eps=0 must be positive"),
    ("f, 0, 1, epsilon=float('nan')", "epsilon='nan'"),
    ("f, 0, 0, epsilon=1", "the same input"),
    ("f, 0, 1, epsilon=1, neighbours=[]", "not several of them"),
    ("f, neighbours=[], epsilon=1", "neighbours is empty"),
    ("f, neighbours=5, epsilon=1", "neighbours=5 must be a list of pairs"),
    ("f, neighbours=[5], epsilon=1", "neighbours holds 5"),
    ("f, neighbours=[([0],)], epsilon=1", "neighbours holds ([0],)"),
    ("f, neighbours=[(0, 1, 2)], epsilon=1", "neighbours holds (0, 1, 2)"),
    ("f, 0, 1, epsilon=1, max_pairs=0", "max_pairs=0 must be a positive whole number"),
    ("f, 0, 1, epsilon=1, max_pairs='9'", "max_pairs='9' must be a positive whole number"),
    ("f, 0, 1, epsilon=1, seconds=-1", "seconds=-1 must be a positive number"),
    ("stops, 0.0, 1.0, epsilon=1", "the audit ended after 128 pairs: the sampler raised KeyboardInterrupt"),
    ("3, 0, 1, epsilon=1", "must be a function, a mechanism"),
    ("f, 0, 1, delta=0.1", "without epsilon"),
    ("(lambda data, size, rng: 1 / 0), 0, 1, epsilon=1", "the sampler raised ZeroDivisionError"),
]


def test_wrong_calls_are_explained(pytester: pytest.Pytester) -> None:
    calls = [f"def test_{i}(assert_private): assert_private({call})" for i, (call, _) in enumerate(WRONG_CALLS)]
    stops = (
        "def stops(data, size, rng):\n"
        "    if size > 64: raise KeyboardInterrupt\n"
        "    return rng.laplace(data, 2.0, size)\n"
    )
    pytester.makepyfile("\n".join(["def f(data): return data", stops, *calls]))
    result = run(pytester, inside=True)
    result.assert_outcomes(failed=len(calls))
    parts = re.split(r"_+ test_\d+ _+\n", outcome(result))[1:]
    for part, (call, words) in zip(parts, WRONG_CALLS, strict=True):
        assert words in part, call


def test_settings_come_from_the_ini_file_too(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\ndp_alpha = 0.02\ndp_seed = 9\ndp_json = found/here.json\n")
    pytester.makepyfile(
        "def f(data, size, rng): return rng.laplace(data, 1, size)\n"
        "def test_it(assert_private): assert_private(f, 0.0, 1.0, epsilon=2.0, max_pairs=500)"
    )
    run(pytester, "--dp-seed=11", inside=True).assert_outcomes(passed=1)
    document = json.loads((pytester.path / "found" / "here.json").read_text(encoding="utf-8"))
    assert document["run"]["alpha"] == 0.02
    assert document["run"]["seed"] == 11
    assert document["verdicts"][0]["lower"]["alpha"] == 0.01


def test_shares_never_exceed_the_whole() -> None:
    open_ended, announced = Share(0.1, "s"), Share(0.1, "s", checks=3)
    assert sum(open_ended.part(k) for k in range(1, 10_000)) <= 0.1
    assert sum(announced.part(k) for k in range(1, 4)) == pytest.approx(0.1)
    seeds = {Share(0.1, f"{seed}\0{test}").seed_of(k) for seed in range(3) for test in "ab" for k in range(1, 5)}
    assert len(seeds) == 24


def test_more_checks_than_announced_are_refused(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        "import pytest\ndef f(data, size, rng): return rng.laplace(data, 1, size)\n"
        "@pytest.mark.dp(checks=1, epsilon=2, max_pairs=200)\n"
        "def test_it(assert_private):\n    assert_private(f, 0.0, 1.0)\n    assert_private(f, 0.0, 1.0)"
    )
    result = run(pytester, inside=True)
    result.assert_outcomes(failed=1)
    assert "check 2, but @pytest.mark.dp(checks=1) announced 1" in outcome(result)


def test_a_fixture_asked_for_while_running_has_no_share(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_it(request): request.getfixturevalue('assert_private')")
    result = run(pytester, inside=True)
    result.assert_outcomes(failed=1)
    assert "name it as an argument of the test" in outcome(result)


@pytest.mark.parametrize(
    ("decorator", "conftest", "arguments", "what"),
    [
        ("@pytest.mark.flaky(reruns=2)", "", [], "the marker flaky"),
        ("@pytest.mark.flaky", "", [], "the marker flaky"),
        ("", "def pytest_addoption(parser): parser.addoption('--reruns', type=int)", ["--reruns=2"], "--reruns=2"),
        ("@(lambda f: setattr(f, '_flaky_max_runs', 2) or f)", "", [], "the decorator flaky"),
    ],
)
def test_reruns_are_refused_with_the_reason(
    decorator: str, conftest: str, arguments: list[str], what: str, pytester: pytest.Pytester
) -> None:
    pytester.makeconftest(conftest)
    pytester.makepyfile(FLAKY.format(decorator=decorator))
    result = run(pytester, *arguments, inside=True)
    result.assert_outcomes(passed=1, errors=1) if "errors" in result.parseoutcomes() else result.assert_outcomes(
        passed=1, failed=1
    )
    assert f"refuses automatic reruns ({what})" in outcome(result)


def test_a_test_that_runs_again_by_any_other_way_is_refused(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        "from _pytest.runner import runtestprotocol\n"
        "def pytest_runtest_protocol(item, nextitem):\n"
        "    for _ in range(2):\n        item._initrequest()\n        runtestprotocol(item, nextitem=nextitem)\n"
        "    return True"
    )
    pytester.makepyfile(FLAKY.format(decorator="").replace("lambda data: 0", "lambda data, size, rng: [0] * size"))
    result = run(pytester, inside=True)
    assert "already run in this session" in outcome(result)


def record(**more: Any) -> dict[str, Any]:
    made = {"test": "t.py::t", "check": 1, "claim": "ε = 1", "guarantee": {"epsilon": "1"}, "verdict": "NOT_REFUTED",
            "lower": {"epsilon": "0.5"}, "upper": None}  # fmt: skip
    return {**made, **more}


@pytest.mark.parametrize(
    ("now", "words"),
    [
        (record(), None),
        (record(lower={"epsilon": "0.59"}), None),
        (record(lower={"epsilon": "0.61"}), "the measured loss grew from ε ≥ 0.5 to ε ≥ 0.61"),
        (record(lower={"epsilon": "0.1"}), None),
        (record(guarantee={"epsilon": "2"}, claim="ε = 2"), "the claim was loosened from ε = 1 to ε = 2"),
        (record(verdict="PROVED", lower=None, upper={"epsilon": "1"}), None),
    ],
)
def test_creeping(now: dict[str, Any], words: str | None) -> None:
    problem = creeping(now, entry(record()), 0.1)
    assert (problem is None) if words is None else (problem is not None and words in problem)


def test_creeping_of_proofs_has_no_slack() -> None:
    before = entry(record(verdict="PROVED", upper={"epsilon": "1/2"}, lower=None))
    worse = record(verdict="PROVED", upper={"epsilon": "51/100"}, lower=None)
    assert "the proved loss grew from ε ≤ 1/2 to ε ≤ 51/100" in str(creeping(worse, before, 0.1))
    assert "was proved" in str(creeping(record(), before, 0.1))
    assert creeping(record(), None, 0.1) is None


def test_the_baseline_file_keeps_what_did_not_run(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "baseline.json"
    assert load(path) == {}
    assert update(path, [record(), record(test="t.py::u", check=2), record(test="t.py::v", verdict="REFUTED")]) == 2
    assert update(path, [record(lower={"epsilon": "0.7"})]) == 1
    kept = load(path)
    assert sorted(kept) == ["t.py::t", "t.py::u#2"]
    assert kept[entry_key(record())]["lower"] == "0.7"
    before = path.read_bytes()
    update(path, [record(lower={"epsilon": "0.7"})])
    assert path.read_bytes() == before


def test_a_creeping_loss_fails_before_it_crosses_the_claim(pytester: pytest.Pytester) -> None:
    source = (
        "def f(data, size, rng): return rng.laplace(data, {scale}, size)\n"
        "def test_it(assert_private): assert_private(f, 0.0, 1.0, epsilon=1.0, max_pairs=5000)"
    )
    options = ("--dp-baseline=base.json", "-p", "no:randomly")
    path = pytester.makepyfile(source.format(scale=2.0))
    run(pytester, *options, "--dp-update-baseline", inside=True).assert_outcomes(passed=1)
    run(pytester, *options, inside=True).assert_outcomes(passed=1)
    path.write_text(source.format(scale=1.2001))  # of another length: Python tells files apart by second and size
    result = run(pytester, *options, inside=True)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*it creeps towards the claim*--dp-update-baseline*", "CREEPING *"])
    run(pytester, *options, "--dp-update-baseline", inside=True).assert_outcomes(passed=1)
    (pytester.path / "base.json").write_text("{}")
    assert "cannot be read" in outcome(run(pytester, *options, inside=True))
