from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from dpwitness.cli import main
from dpwitness.reports.jsonout import schema

MINE = '''\
from dpwitness import Answers, PureDP, mechanism

@mechanism(data=Answers(moves="all", by=1), claim=lambda eps: PureDP(eps), typical={"eps": 1, "threshold": 0})
def my_svt(noise, queries, *, eps, threshold):
    """The first answer above a noisy threshold."""
    noisy_threshold = threshold + noise.laplace(2 / eps)
    for i, q in enumerate(queries):
        if q + noise.laplace(4 / eps) >= noisy_threshold:
            return i
    return None

@mechanism(data=Answers(moves="all", by=1, size=2), claim=lambda eps: PureDP(eps), typical={"eps": 1})
def my_broken_max(noise, counts, *, eps):
    """The largest noisy count itself."""
    return max(c + noise.laplace(1 / eps) for c in counts)
'''


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(MINE)
    return path


def run(*args: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "dpwitness", *args], capture_output=True, text=True, cwd=cwd, check=False
    )


def test_a_researchers_own_file(mine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["verify", f"{mine}::my_svt", "--out", str(tmp_path / "out"), "--max-pairs", "20000"])
    shown = capsys.readouterr().out
    assert status == 0
    assert "my-svt" in shown
    assert "PROVED" in shown
    written = json.loads((tmp_path / "out" / "results.json").read_text())
    jsonschema.validate(written, schema())
    (verdict,) = written["verdicts"]
    assert verdict["verdict"] == "PROVED"
    assert verdict["scope"]["queries"] == "any"
    certificate = tmp_path / "out" / verdict["upper"]["certificate"]
    assert main(["check", str(certificate)]) == 0


def test_a_broken_program_of_the_user_fails_with_a_counterexample(mine: Path, tmp_path: Path) -> None:
    status = main(["verify", f"{mine}::my_broken_max", "--out", str(tmp_path / "o"), "--max-pairs", "20000", "--quiet"])
    assert status == 1
    (verdict,) = json.loads((tmp_path / "o" / "results.json").read_text())["verdicts"]
    assert verdict["verdict"] == "REFUTED"
    assert verdict["lower"]["counterexample"]["left"]


def test_json_on_standard_output_is_json_alone(mine: Path, tmp_path: Path) -> None:
    done = run("verify", f"{mine}::my_svt", "--json", "-", "--max-pairs", "5000", cwd=tmp_path)
    assert done.returncode == 0
    jsonschema.validate(json.loads(done.stdout), schema())
    assert not (tmp_path / "reports").exists()


def test_list_names_targets_with_tags(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--json", "-"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert len(rows) >= 90
    assert any("checkdp" in row["tags"] for row in rows)
    assert main(["list", "@checkdp"]) == 0
    assert "targets" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["verify", "above-treshold"], "did you mean above-threshold"),
        (["verify", "@chekdp"], "did you mean @checkdp"),
        (["verify", "nowhere.py::f"], "there is no file 'nowhere.py'"),
        (["verify", "no.such.module:f"], "cannot import 'no.such.module'"),
        (["verify", "json:loads"], "decorate the function"),
        (["verify", "above-threshold", "--epsilon", "0"], "eps=0 must be above 0"),
        (["verify", "above-threshold", "--epsilon", "-1"], "eps=-1 must be above 0"),
        (["verify", "above-threshold", "--epsilon", "nan"], "eps='nan'"),
        (["verify", "above-threshold", "--epsilon", "inf"], "eps='inf'"),
        (["verify", "above-threshold", "--delta", "0.1"], "no selected target has that parameter"),
        (["verify", "above-threshold", "--alpha", "1"], "alpha=1.0"),
        (["verify", "above-threshold", "--max-pairs", "0"], "max_pairs=0"),
        (["verify", "above-threshold", "--seconds", "0"], "seconds=0.0"),
        (["verify", "above-threshold", "--seed", "-1"], "seed=-1"),
    ],
)
def test_wrong_usage_is_one_clear_sentence(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not list(tmp_path.iterdir()), "nothing may be written"


def test_a_file_that_does_not_import(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "wrong.py"
    path.write_text("import nothing_of_the_kind\n")
    assert main(["verify", f"{path}::f"]) == 2
    assert "does not import: ModuleNotFoundError" in capsys.readouterr().err
    path.write_text("class A:\n    from dpwitness import *\n")
    assert main(["verify", f"{path}::f"]) == 2


def test_a_method_in_the_users_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "method.py"
    decorator = "@mechanism(data=Answers(), claim=lambda eps: PureDP(eps), typical={'eps': 1})"
    body = f"class A:\n    {decorator}\n    def f(self, noise, *, eps):\n        return 0\n"
    path.write_text(MINE.partition("@mechanism")[0] + body)
    assert main(["verify", f"{path}::A"]) == 2
    assert "A.f: a method has hidden state" in capsys.readouterr().err


STUCK = '''\
from dpwitness import Answers, PureDP, mechanism

@mechanism(data=Answers(size=1), claim=lambda eps: PureDP(eps), typical={"eps": 1})
def stuck(noise, answers, *, eps):
    """Never stops."""
    while True:
        pass
'''


def test_a_program_that_never_stops_is_left_undecided(tmp_path: Path) -> None:
    path = tmp_path / "stuck.py"
    path.write_text(STUCK)
    options = ["--seconds", "1", "--json", "-", "--max-pairs", "1000"]
    done = subprocess.run(
        [sys.executable, "-m", "dpwitness", "verify", f"{path}::stuck", *options],
        capture_output=True, text=True, cwd=tmp_path, timeout=120, check=False,
    )  # fmt: skip
    (verdict,) = json.loads(done.stdout)["verdicts"]
    assert verdict["verdict"] == "UNDECIDED"
    assert any("did not finish within" in reason for reason in verdict["unsupported"])
    assert done.returncode == 2


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("return answers[0] + noise.laplace(0 * eps)", "scale=0 must be greater than 0"),
        ("return answers[0] + noise.laplace(-1 / eps)", "scale=-1 must be greater than 0"),
        ("return answers[7]", "the program raised IndexError"),
        ("import time; return answers[0] + time.perf_counter_ns()", "not a function of its arguments and noise"),
        ("return {}", "an output of type dict is not supported"),
    ],
)
def test_a_program_that_cannot_be_run_says_why(body: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.py"
    path.write_text(STUCK.replace("while True:\n        pass", body).replace("stuck", "bad"))
    place = tmp_path / "result.json"
    status = main(["verify", f"{path}::bad", "--json", str(place), "--out", str(tmp_path / "out"), "--quiet"])
    (verdict,) = json.loads(place.read_text())["verdicts"]
    assert status == 2
    assert message in verdict["unsupported"][0]


def test_results_do_not_depend_on_the_number_of_processes(mine: Path, tmp_path: Path) -> None:
    def decide(jobs: str) -> Any:
        place = tmp_path / f"{jobs}.json"
        main(["audit", f"{mine}::my_svt", f"{mine}::my_broken_max", "--jobs", jobs, "--json", str(place), "--quiet",
              "--max-pairs", "6000", "--seconds", "600", "--out", str(tmp_path / "out")])  # fmt: skip
        verdicts = json.loads(place.read_text())["verdicts"]
        for verdict in verdicts:
            verdict["seconds"] = verdict["lower"]["seconds"] = 0
        return verdicts

    assert decide("1") == decide("2")


def test_list_answers_quickly() -> None:
    """No heavy library is imported to list the catalogue."""
    code = (
        "import sys; from dpwitness.cli import main; main(['list']); "
        "heavy = ('numpy', 'scipy', 'sympy', 'rich', 'matplotlib', 'flint'); "
        "print([m for m in heavy if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_colour_is_off_where_nobody_looks(mine: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "dpwitness", "verify", f"{mine}::my_svt", "--max-pairs", "500"],
        capture_output=True, text=True, cwd=tmp_path, env={**os.environ, "NO_COLOR": "1"},
        check=False,
    )  # fmt: skip
    assert "\x1b[" not in done.stdout + done.stderr


@pytest.mark.parametrize(("choice", "drawn"), [("none", False), ("few", True)])
def test_without_figures_none_is_drawn(choice: str, drawn: bool, mine: Path, tmp_path: Path) -> None:
    main(["prove", f"{mine}::my_svt", "--figures", choice, "--quiet", "--out", str(tmp_path / "out")])
    assert (tmp_path / "out" / "figures").exists() is drawn
    assert ("<img" in (tmp_path / "out" / "index.html").read_text()) is drawn
