"""``dpwitness audit`` of a plain function on two inputs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dpwitness.cli import main

FILE = """
import random

def noisy(data):
    return data + random.expovariate(1) - random.expovariate(1)

def sharp(data):
    return data + (random.expovariate(1) - random.expovariate(1)) / 4

class Box:
    @staticmethod
    def texts(data):
        return "yes" if random.random() < (0.9 if data == "a" else 0.1) else "no"
"""
FEW = ["--max-pairs", "3000", "--json"]


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "my_release.py").write_text(FILE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("target", "left", "right", "status"),
    [
        ("my_release.py::noisy", "0", "1", 0),
        ("my_release:sharp", "0", "1", 1),
        ("my_release.py::Box.texts", '"a"', '"b"', 1),
    ],
)
def test_a_plain_function_is_audited(mine: Path, target: str, left: str, right: str, status: int) -> None:
    out = mine / "out.json"
    assert main(["audit", target, "--left", left, "--right", right, "--epsilon", "1", *FEW, str(out)]) == status
    found = json.loads(out.read_text(encoding="utf-8"))
    assert found["refuted"] is bool(status)
    assert found["epsilon"] == 1
    assert found["target"] == target


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["my_release.py::noisy", "--left", "0", "--epsilon", "1"], "go together"),
        (["my_release.py::noisy", "--left", "0", "--right", "1"], "--epsilon is missing"),
        (["my_release.py::noisy", "--left", "a", "--right", "1", "--epsilon", "1"], "is not JSON"),
        (["my_release.py::nosy", "--left", "0", "--right", "1", "--epsilon", "1"], "did you mean noisy?"),
        (["my_release.py::Box.text", "--left", "0", "--right", "1", "--epsilon", "1"], "did you mean texts?"),
        (["my_release.py:noisy", "--left", "0", "--right", "1", "--epsilon", "1"], "two colons: my_release.py::noisy"),
        (["my_release.py::none", "--left", "0", "--right", "1", "--epsilon", "1"], "there is no function"),
        (["my_release.py", "--left", "0", "--right", "1", "--epsilon", "1"], "must be package.module:function"),
        (["--left", "0", "--right", "1", "--epsilon", "1"], "name one function"),
        (["my_release.py::noisy"], "--left 0 --right 1 --epsilon 1"),
    ],
)
def test_what_is_missing_is_said(
    mine: Path, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["audit", *arguments]) == 2
    assert said in " ".join(capsys.readouterr().err.split())


def test_a_function_that_returns_nothing_is_noticed(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (mine / "silent.py").write_text("def nothing(data):\n    data + 1\n", encoding="utf-8")
    asked = ["--left", "0", "--right", "1", "--epsilon", "1", "--max-pairs", "3000"]
    assert main(["audit", "silent.py::nothing", *asked]) == 0
    assert "does the function return its result?" in " ".join(capsys.readouterr().out.split())
    assert main(["audit", "my_release.py::noisy", *asked]) == 0
    assert "return its result" not in capsys.readouterr().out


@pytest.mark.parametrize("option", [["--out", "there"], ["--resume"], ["--figures", "all"], ["--executor", "threads"]])
def test_options_of_whole_runs_are_not_ignored_in_silence(
    option: list[str], mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["audit", "my_release.py::noisy", "--left", "0", "--right", "1", "--epsilon", "1", *option]
    assert main(given) == 2
    assert option[0] in capsys.readouterr().err


@pytest.mark.parametrize(("target", "status"), [("noisy", 3), ("sharp", 1)])
def test_what_is_not_refuted_is_undecided_under_strict(target: str, status: int, mine: Path) -> None:
    given = ["audit", f"my_release.py::{target}", "--left", "0", "--right", "1", "--epsilon", "1", "--strict"]
    assert main([*given, "--max-pairs", "3000"]) == status
