"""Exercises: the reference passes, the wrong solution fails, and a learner's file cannot harm the checker."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from dpwitness.cli import main
from dpwitness.core.errors import BadInput
from dpwitness.lessons import TITLES, load
from dpwitness.lessons.notebook import Notebook
from dpwitness.lessons.solutions import check_file, grade


def objects(source: str, folder: Path) -> dict[str, object]:
    """What a file defines; a real file, since provers read the source."""
    from dpwitness.catalogue import load_file

    folder.mkdir(exist_ok=True)
    path = folder / f"solution_{abs(hash(source))}.py"
    path.write_text(source, encoding="utf-8")
    return dict(vars(load_file(str(path))))


@pytest.mark.parametrize("name", TITLES)
def test_references_pass_and_wrong_solutions_fail(name: str, tmp_path: Path) -> None:
    lesson = load(name)
    for exercise in lesson.exercises.values():
        for source, solved in ((exercise.reference, True), (exercise.wrong, False), (exercise.starter, False)):
            marks = {m.exercise: m for m in grade(lesson, objects(source, tmp_path))}
            assert marks[exercise.name].solved == solved, f"{exercise.name}: {marks[exercise.name]}"
            others = [m for m in marks.values() if m.exercise != exercise.name]
            assert not any(m.solved for m in others)


def test_check_in_a_process_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lesson = load("definition")
    path = tmp_path / "solution.py"
    path.write_text("\n\n".join(e.reference for e in lesson.exercises.values()))
    assert main(["lesson", "definition", "--check", str(path)]) == 0
    assert capsys.readouterr().out.count("✓") == len(lesson.exercises)
    path.write_text("\n\n".join(e.wrong for e in lesson.exercises.values()))
    assert main(["lesson", "definition", "--check", str(path)]) == 1
    assert capsys.readouterr().out.count("✗") == len(lesson.exercises)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def noise_scale(:", "does not import"),
        ("while True: pass", "took more than"),
        ("import os; os._exit(3)", "status 3"),
        ("raise SystemExit(0)", r"it calls sys.exit\(0\)"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "ended by signal 9"),
    ],
)
def test_a_file_that_cannot_be_checked_is_said_to_be_so(source: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "solution.py"
    path.write_text(source)
    with pytest.raises(BadInput, match=words):
        check_file("definition", str(path), seconds=4 if "while" in source else 60)


def test_a_missing_file_and_missing_functions(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="--starter"):
        check_file("definition", str(tmp_path / "nothing.py"))
    path = tmp_path / "solution.py"
    path.write_text("print('noise')\ndef noise_scale(shift, eps):\n    return 1 / 0\n")
    marks = check_file("definition", str(path))
    assert [m.solved for m in marks] == [False, False, False]
    assert "ZeroDivisionError" in marks[0].problem
    assert "not written yet" in marks[1].problem


def test_the_starter_can_be_written_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "solution.py"
    for name in TITLES:
        assert main(["lesson", name, "--starter", str(place)]) == 0
        compile(place.read_text(encoding="utf-8"), str(place), "exec")
        assert main(["lesson", name, "--starter", str(place)]) == 2
        os.remove(place)
    assert "left as it is" in capsys.readouterr().err


def test_notebooks_leave_unwritten_exercises_for_later(capsys: pytest.CaptureFixture[str]) -> None:
    def noise_scale(shift: object, eps: object) -> object: ...

    assert not Notebook("definition").check(noise_scale=noise_scale)[0].solved
    assert "not written yet" in capsys.readouterr().out
    assert Notebook("definition").check(noise_scale=lambda shift, eps: shift / eps)[0].solved
    assert (
        json.dumps([m.exercise for m in grade(load("definition"), {})])
        == '["noise_scale", "noisy_votes", "other_place"]'
    )
