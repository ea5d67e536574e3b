"""Whatever fails, a broken target never ends with status 0, and a failure of the tool never with 0 or 1."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.faults.commands import QUICK, USUAL, run, write_targets

from dpwitness.cli import main

both = pytest.mark.parametrize("target", ["correct", "broken"])
either = pytest.mark.parametrize("target", [pytest.param("correct", marks=pytest.mark.slow), "broken"])  # fails anyway


@pytest.fixture
def targets(tmp_path: Path) -> Path:
    return write_targets(tmp_path)


def words(targets: Path, name: str, *more: str) -> list[str]:
    return ["audit", f"{targets}::{name}", *QUICK, "--jobs", "1", *more]


@both
def test_without_a_fault_the_status_is_the_verdicts(target: str, targets: Path, tmp_path: Path) -> None:
    assert main([*words(targets, target), "--quiet", "--out", str(tmp_path / "o")]) == USUAL[target]


@both
@pytest.mark.parametrize(
    ("place", "status"),
    [("file/out", 5), ("file", 2), ("", 2), ("foreign", 2), ("/proc/none/out", 5), ("x" * 300, 5)],
)
def test_a_folder_that_cannot_be_used_is_found_before_the_work(
    place: str, status: int, target: str, targets: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign" / "thesis.txt").write_text("mine")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("dpwitness.batch.decide_all", lambda *_: pytest.fail("no claim may be decided"))
    assert main([*words(targets, target), "--out", place]) == status
    assert (tmp_path / "file").read_text() == "mine"
    assert [p.name for p in (tmp_path / "foreign").iterdir()] == ["thesis.txt"]


def small_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))


@both
def test_a_disk_that_is_full_while_the_report_is_written(target: str, targets: Path, tmp_path: Path) -> None:
    done = run(*words(targets, target), cwd=tmp_path, preexec_fn=small_files)
    assert done.returncode == 5
    assert "cannot be written" in done.stderr
    assert {"correct": "NOT_REFUTED", "broken": "REFUTED"}[target] in done.stdout, "the verdict is told all the same"
    assert not (tmp_path / "reports" / "out" / "index.html").exists()


@both
def test_a_disk_that_is_full_while_the_result_is_written(target: str, targets: Path, tmp_path: Path) -> None:
    assert main([*words(targets, target), "--quiet", "--json", "/dev/full", "--out", str(tmp_path / "o")]) == 5
    assert (tmp_path / "o" / "index.html").exists(), "what can be written is written"


@both
@pytest.mark.parametrize("extra", [[], ["--json", "-"]])
def test_standard_output_that_is_full(extra: list[str], target: str, targets: Path, tmp_path: Path) -> None:
    with open("/dev/full", "w") as full:
        done = run(*words(targets, target, *extra), cwd=tmp_path, stdout=full)
    assert done.returncode == 5
    assert "standard output" in done.stderr


def close_stdout() -> None:
    os.close(1)


@either
@pytest.mark.parametrize("kind", ["closed", "pipe"])
def test_standard_output_that_nobody_reads_hides_no_verdict(
    kind: str, target: str, targets: Path, tmp_path: Path
) -> None:
    if kind == "closed":
        done = run(*words(targets, target), cwd=tmp_path, stdout=None, preexec_fn=close_stdout)
    else:
        reading, writing = os.pipe()
        os.close(reading)
        done = run(*words(targets, target), cwd=tmp_path, stdout=writing)
        os.close(writing)
    assert done.returncode == USUAL[target], done.stderr
    document = json.loads((tmp_path / "reports" / "out" / "results.json").read_text())
    assert document["verdicts"][0]["verdict"] == {"correct": "NOT_REFUTED", "broken": "REFUTED"}[target]


@both
def test_a_result_that_nobody_receives_is_a_failure(target: str, targets: Path, tmp_path: Path) -> None:
    done = run(*words(targets, target, "--json", "-"), cwd=tmp_path, stdout=None, preexec_fn=close_stdout)
    assert done.returncode == 5
    reading, writing = os.pipe()
    os.close(reading)
    done = run(*words(targets, target, "--json", "-"), cwd=tmp_path, stdout=writing)
    os.close(writing)
    assert done.returncode == 5


@either
def test_a_terminal_without_greek(target: str, targets: Path, tmp_path: Path) -> None:
    done = run(*words(targets, target), cwd=tmp_path, env={"PYTHONIOENCODING": "ascii"})
    assert done.returncode == USUAL[target]
    assert "eps = 1" in done.stdout
    assert done.stdout.isascii()


@both
def test_a_working_folder_that_is_gone(target: str, targets: Path, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    command = [sys.executable, "-m", "dpwitness", *words(targets, target)]
    done = subprocess.run(
        ["bash", "-c", f'rmdir "{gone}"; exec "$@"', "bash", *command], cwd=gone, capture_output=True, text=True,
        check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 5, done.stderr
    assert done.stderr.startswith("dpwitness: ")


@both
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("import sys; sys.exit(0)", "sys.exit(0)"),
        ("import os; os._exit(0)", "ends the process with status 0"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "is ended by signal 11"),
        ("while True: pass", "did not finish within 1 s"),
        ("import time; time.sleep(1000)", "did not finish within 1 s"),
        ("raise KeyboardInterrupt", ""),
        ("class Odd(BaseException): pass\nraise Odd('x')", "Odd: x"),
    ],
)
def test_a_file_that_does_not_let_itself_be_imported(
    line: str, message: str, target: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_targets(tmp_path, line)
    options = ["--import-seconds", "1", "--out", str(tmp_path / "o")]
    assert main([*words(path, target), *options]) in ((2,) if message else (2, 130))
    assert message in capsys.readouterr().err
    assert not (tmp_path / "o").exists()


@both
@pytest.mark.parametrize(
    "option",
    ["--max-pairs=" + "9" * 50, "--max-pairs=1e400", "--seed=" + "9" * 5000, "--seconds=1e300", "--seconds=inf",
     "--seconds=nan", "--jobs=99999999999", "--alpha=1e-400", "--alpha=nan", "--import-seconds=1e99"],
)  # fmt: skip
def test_huge_numbers_are_wrong_usage(
    option: str, target: str, targets: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        status = main([*words(targets, target), option, "--out", str(tmp_path / "o")])
    except SystemExit as error:
        status = int(error.code or 0)
    assert status == 2
    assert len(capsys.readouterr().err) < 5000


@pytest.mark.parametrize("value", ["1e99999999", "1e4000", "9" * 5000, "1/" + "9" * 5000, "²", "1e²", "1e-99999999"])
@pytest.mark.parametrize("option", ["--epsilon", "--delta"])
def test_huge_parameters_never_look_green(option: str, value: str, tmp_path: Path) -> None:
    place = ["--out", str(tmp_path / "o"), "--figures", "none", "--max-pairs", "300", "--seconds", "5", "--quiet"]
    assert main(["prove", "gaussian-classical", option, value, *place]) == 2


@both
@pytest.mark.parametrize(
    ("error", "said"),
    [
        (RuntimeError("odd"), "bug of dpwitness"), (MemoryError(), "memory ran out"), (SystemExit(0), "sys.exit(0)"),
        (SystemExit("x"), "sys.exit"), (OSError(28, "No space left on device"), "No space left"),
        (RecursionError("deep"), "bug of dpwitness"), (BrokenPipeError(), "pipe"), (GeneratorExit(), "bug"),
    ],
)  # fmt: skip
def test_an_internal_error_is_one_paragraph_and_status_5(
    error: BaseException, said: str, target: str, targets: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    def fails(*_: Any) -> Any:
        raise error

    monkeypatch.setattr("dpwitness.batch.decide_all", fails)
    assert main([*words(targets, target), "--quiet", "--out", str(tmp_path / "o")]) == 5
    shown = capsys.readouterr()
    assert said in shown.err
    assert shown.err.count("\n") == 1
    assert not (tmp_path / "o").exists()


AUDITORS: list[tuple[Callable[[], BaseException], int]] = [
    (lambda: OSError(28, "No space left on device"), 5),
    (MemoryError, 5),
    (lambda: TypeError("a bug in the auditor"), 5),
]


@either
@pytest.mark.parametrize(("make", "status"), AUDITORS)
def test_an_audit_that_the_machine_stops_is_no_verdict_and_is_tried_again(
    make: Callable[[], BaseException], status: int, target: str, targets: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    def fails(*_: Any) -> Any:
        raise make()

    options = [*words(targets, target), "--quiet", "--out", str(tmp_path / "o")]
    with monkeypatch.context() as patch:
        patch.setattr("dpwitness.auditors.route.SequentialAuditor.run", fails)
        assert main(options) == status
    assert not list((tmp_path / "o").glob("unfinished/*.verdict"))
    assert main([*options, "--resume"]) == USUAL[target]


SAMPLERS = """
import os, signal, time

def _raises(data, size, rng):
    raise RuntimeError("no such luck")

def _memory(data, size, rng):
    raise MemoryError

def _shape(data, size, rng):
    return [0.0]

def _dies(data, size, rng):
    if os.environ.get("DPWITNESS_TEST_DIES"):
        os.kill(os.getpid(), signal.SIGKILL)
    return rng.laplace(float(data[0]), 0.1, size)

raises, memory, shape, dies = (BlackBox(f.__name__, f, space, PureDP(1)) for f in (_raises, _memory, _shape, _dies))
"""


@pytest.mark.parametrize("name", ["raises", "memory", "shape"])
def test_a_target_that_cannot_be_run_has_status_2(name: str, tmp_path: Path) -> None:
    path = write_targets(tmp_path, SAMPLERS)
    assert main([*words(path, name), "--quiet", "--out", str(tmp_path / "o")]) == 2


@pytest.mark.parametrize("executor", ["processes", "threads", pytest.param("dask=local", marks=pytest.mark.slow)])
@pytest.mark.parametrize(("name", "status"), [("correct", 0), ("broken", 1), ("raises", 2), ("shape", 2)])
def test_the_status_does_not_depend_on_where_samples_are_drawn(
    name: str, status: int, executor: str, tmp_path: Path
) -> None:
    if executor == "dask=local":
        pytest.importorskip("distributed", reason="the extra [dask] is not installed")
    path = write_targets(tmp_path, SAMPLERS)
    options = ["--executor", executor, "--jobs", "2", "--quiet", "--out", str(tmp_path / "o")]
    assert main(["audit", f"{path}::{name}", *QUICK, *options]) == status


def test_a_sampler_that_ends_its_process_cannot_be_run_and_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_targets(tmp_path, SAMPLERS)
    options = ["audit", f"{path}::dies", f"{path}::correct", *QUICK, "--jobs", "2", "--quiet", "--out",
               str(tmp_path / "o"), "--json", str(tmp_path / "r.json")]  # fmt: skip
    monkeypatch.setenv("DPWITNESS_TEST_DIES", "1")
    assert main(options) == 2
    dead, fine = json.loads((tmp_path / "r.json").read_text())["verdicts"]
    assert (dead["verdict"], fine["verdict"]) == ("UNDECIDED", "NOT_REFUTED")
    monkeypatch.delenv("DPWITNESS_TEST_DIES")
    assert main([*options, "--resume"]) == 1
    assert not (tmp_path / "o" / "unfinished").exists()
