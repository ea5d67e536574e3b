"""Deciding again when a file is saved."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dpwitness.cli import main
from dpwitness.cli.watch import run_again, stamps, watch, watched
from dpwitness.core.errors import BadInput

MINE = """
from dpwitness import PureDP, mechanism
from dpwitness.core.spaces import Answers

@mechanism(data=Answers("all", 1, size=1), claim=lambda eps: PureDP(eps), typical={"eps": 1})
def noisy(noise, answers, *, eps):
    return answers[0] + noise.laplace(SCALE)
"""


def test_a_saved_file_is_decided_again_by_a_fresh_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    mine = tmp_path / "mine.py"
    mine.write_text(MINE.replace("SCALE", "1/eps"))
    arguments = ["prove", "--watch", "--quiet", "--out", str(tmp_path / "out"), "--figures", "none", "mine.py"]
    seen: list[int] = []
    again = run_again(arguments)

    def decide() -> int:
        seen.append(again())
        return seen[-1]

    def save(seconds: float) -> None:
        mine.write_text(MINE.replace("SCALE", "1/(2*eps)"))
        os.utime(mine, ns=(1, 1))

    assert watch(["mine.py"], decide, rounds=2, pause=save) == 1
    assert seen == [0, 1]


def test_nothing_is_decided_while_nothing_is_saved(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("x = 1\n")
    runs: list[int] = []
    waited: list[float] = []

    def interrupted(seconds: float) -> None:
        waited.append(seconds)
        if len(waited) == 3:
            raise KeyboardInterrupt

    assert watch([str(tmp_path / "mine.py")], lambda: runs.append(7) or 7, pause=interrupted) == 7
    assert runs == [7]


def test_the_files_beside_a_target_count(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("x = 1\n")
    folders = watched([f"{tmp_path / 'mine.py'}::laplace"])
    before = stamps(folders)
    assert set(before) == {tmp_path / "helper.py"}
    (tmp_path / "helper.py").write_text("x = 22\n")
    assert stamps(folders) != before


@pytest.mark.parametrize("targets", [[], ["laplace"], ["@checkdp"]])
def test_the_catalogue_is_not_watched(targets: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(BadInput, match="of your own"):
        watched(targets)
    assert main(["prove", "--watch", *targets]) == 2
    assert "of your own" in capsys.readouterr().err


def test_quiet_names_what_failed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text(MINE.replace("SCALE", "1/(2*eps)"))
    assert main(["prove", str(mine), "--quiet", "--out", str(tmp_path / "out"), "--figures", "none"]) == 1
    told = capsys.readouterr().out
    assert "noisy REFUTED:" in told
    assert "1 surprises" in told
    assert main(["prove", "laplace-count", "--quiet", "--out", str(tmp_path / "out"), "--figures", "none"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2
