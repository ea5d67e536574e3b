"""Many targets in one file: the file is executed once in a process, whatever the number of its targets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dpwitness.batch import tasks
from dpwitness.cli import main
from dpwitness.core.errors import UnknownTarget
from dpwitness.importing import import_limit, load_file

SOURCE = """\
from pathlib import Path
from dpwitness import Answers, PureDP, mechanism

with (Path(__file__).parent / "executed.txt").open("a") as file:
    file.write("+")

for i in range(COUNT):
    def program(noise, answers, *, eps):
        return answers[0] + noise.laplace(1 / eps)
    program.__name__ = f"program_{i}"
    globals()[f"program_{i}"] = mechanism(
        data=Answers(size=1), claim=lambda eps: PureDP(eps), typical={"eps": 1})(program)
del program
"""


def make(folder: Path, count: int) -> Path:
    path = folder / "many.py"
    path.write_text(SOURCE.replace("COUNT", str(count)))
    return path


def executions(folder: Path) -> int:
    return len((folder / "executed.txt").read_text())


def test_a_file_of_many_targets_is_executed_once_and_once_to_try(tmp_path: Path) -> None:
    path = make(tmp_path, 300)
    work = tasks([f"{path}::program_{i}" for i in range(300)], {})
    assert len(work) == 300
    assert [task.claim().target for task, _ in work] == [claim.target for _, claim in work]
    assert executions(tmp_path) == 2, "once in a child process, to see that it comes back"
    assert [claim.target for _, claim in tasks([str(path)], {})] == [claim.target for _, claim in work]
    assert executions(tmp_path) == 2


def test_the_whole_file_is_a_target(tmp_path: Path) -> None:
    path = make(tmp_path, 3)
    place = tmp_path / "r.json"
    options = ["--json", str(place), "--out", str(tmp_path / "o"), "--figures", "none", "--quiet", "--jobs", "2"]
    assert main(["prove", str(path), *options]) == 0
    assert [row["target"] for row in json.loads(place.read_text())["verdicts"]] == [f"program-{i}" for i in range(3)]
    assert executions(tmp_path) == 2, "worker processes find it loaded"


def test_a_file_that_changes_is_loaded_anew_and_names_do_not_collide(tmp_path: Path) -> None:
    one, two = tmp_path / "a" / "x.py", tmp_path / "b" / "x.py"
    for path, value in ((one, 1), (two, 2)):
        path.parent.mkdir()
        path.write_text(f"value = {value}\n")
    assert (load_file(str(one)).value, load_file(str(two)).value) == (1, 2)
    assert load_file(str(one)) is load_file(str(one))
    assert load_file(str(one)).__name__ != load_file(str(two)).__name__
    one.write_text("value = 3\n")
    assert load_file(str(one)).value == 3


def test_a_file_without_targets_is_named(tmp_path: Path) -> None:
    path = tmp_path / "plain.py"
    path.write_text("x = 1\n")
    with pytest.raises(UnknownTarget, match="defines no mechanism"):
        tasks([str(path)], {})


def test_what_a_file_prints_is_seen_once(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "talks.py"
    path.write_text("print('hello')\n")
    with import_limit(30):
        load_file(str(path))
    assert capfd.readouterr().out == "hello\n"
