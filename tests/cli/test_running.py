"""Where a run takes place, how it is killed and goes on, and what it says meanwhile."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from dpwitness.cli import main

PLAIN = ("--quiet", "--figures", "none")
BOX = """\
import os, signal, sys, time
from dpwitness import Answers, BlackBox, PureDP

def sample(data, size, rng):
    if size > 1000:
        time.sleep(float(os.environ.get("DPWITNESS_TEST_PAUSE", "0")))
    return rng.laplace(float(data[0]), 1.0, size)

def talk(data, size, rng):
    print("hello from the sampler")
    os.write(1, b"hello from below\\n")
    return rng.laplace(float(data[0]), 1.0, size)

def half(data, size, rng):
    return rng.laplace(float(data[0]), 0.5, size)

def raises(data, size, rng):
    raise RuntimeError("no such luck")

def ends(data, size, rng):
    os.kill(os.getpid(), signal.SIGKILL)

def leaves(data, size, rng):
    os._exit(3)

def exits(data, size, rng):
    sys.exit("enough")

def wrong_shape(data, size, rng):
    return rng.laplace(0, 1, size + 1)

def wrong_type(data, size, rng):
    return 3.5

def constant(data, size, rng):
    return [0.0] * size

def not_a_number(data, size, rng):
    return [float("nan")] * size

def infinite(data, size, rng):
    return [float("inf") if rng.random() < 0.5 else float("-inf") for _ in range(size)]

def changing(data, size, rng):
    return [("text", None, float(rng.laplace()))[int(rng.integers(3))] for _ in range(size)]

SEEN = []

def remembers(data, size, rng):
    SEEN.append(size)
    return rng.laplace(float(data[0]), 1.0, size)

space = Answers("one", 1, size=1)
for name, function in list(globals().items()):
    if callable(function) and getattr(function, "__module__", "") == __name__:
        globals()["box_" + name] = BlackBox(name.replace("_", "-"), function, space, PureDP(1))
"""


@pytest.fixture
def box(tmp_path: Path) -> Path:
    path = tmp_path / "box.py"
    path.write_text(BOX)
    return path


def start(*args: str, cwd: Path, **env: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "dpwitness", *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=cwd,
        env={**os.environ, **env},
    )  # fmt: skip


def timeless(value: Any) -> Any:
    """JSON without the times."""
    if isinstance(value, dict):
        return {k: timeless(v) for k, v in value.items() if k != "seconds"}
    return [timeless(v) for v in value] if isinstance(value, list) else value


def evidence(path: Path) -> str:
    return json.dumps(timeless(json.loads(path.read_text())["verdicts"]))


def children(pid: int) -> list[int]:
    try:
        return [int(x) for x in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except FileNotFoundError:
        return []


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for worker processes in /proc")
@pytest.mark.slow
def test_a_run_that_was_killed_twice_resumes_to_the_same_bytes(box: Path, tmp_path: Path) -> None:
    options = ["audit", f"{box}::box_sample", "--max-pairs", "600000", "--seconds", "900", "--jobs", "2",
               "--figures", "none", "--out", "o"]  # fmt: skip
    whole = start(*options[:-1], "w", "--json", "whole.json", cwd=tmp_path)
    whole.communicate(timeout=300)
    assert whole.returncode == 0
    state = tmp_path / "o" / "unfinished"
    running = start(*options, "--json", "killed.json", cwd=tmp_path, DPWITNESS_TEST_PAUSE="0.4")
    _wait_for(lambda: bool(list(state.glob("*.audit*"))) and len(children(running.pid)) > 0)
    worker = children(running.pid)[0]
    os.kill(worker, signal.SIGKILL)
    _wait_for(lambda: worker not in children(running.pid))
    time.sleep(1.5)
    assert running.poll() is None, "the run goes on without its worker"
    workers = children(running.pid)
    running.kill()
    running.communicate()
    assert not (tmp_path / "killed.json").exists()
    assert list(state.glob("*.audit*"))
    resumed = start(*options, "--json", "resumed.json", "--resume", cwd=tmp_path)
    resumed.communicate(timeout=300)
    assert resumed.returncode == 0
    assert evidence(tmp_path / "resumed.json") == evidence(tmp_path / "whole.json")
    assert not state.exists(), "a finished run leaves nothing behind"
    _wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers))


def _wait_for(condition: Any, seconds: float = 120.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "what the test waits for did not happen"
        time.sleep(0.05)


def test_decided_claims_are_not_decided_again(
    box: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from dpwitness import batch

    targets = [f"{box}::box_sample", f"{box}::box_half"]
    options = ["--max-pairs", "2000", "--jobs", "1", *PLAIN]
    decide = batch.decide
    calls: list[str] = []

    def interrupted(claim: Any, *args: Any) -> Any:
        calls.append(claim.target)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return decide(claim, *args)

    monkeypatch.setattr(batch, "decide", interrupted)
    place = ["--out", str(tmp_path / "o"), "--json", str(tmp_path / "two.json")]
    assert main(["audit", *targets, *options, *place]) == 130
    assert main(["audit", *targets, *options, *place, "--resume"]) == 1
    assert calls == ["sample", "half", "half"]
    monkeypatch.undo()
    assert main(["audit", *targets, *options, "--out", str(tmp_path / "p"), "--json", str(tmp_path / "one.json")]) == 1
    assert evidence(tmp_path / "one.json") == evidence(tmp_path / "two.json")


def test_another_program_under_the_same_name_is_decided_anew(box: Path, tmp_path: Path) -> None:
    from dpwitness.batch import Workers, decide_all, tasks
    from dpwitness.core.budget import Budget

    work = tasks([f"{box}::box_sample"], {})
    where = Workers(1, "processes", tmp_path / "state")
    first = decide_all(work, Budget(max_pairs=500), "audit", where)
    assert not first[0].lower.refutes  # type: ignore[union-attr]
    box.write_text(BOX.replace("rng.laplace(float(data[0]), 1.0, size)", "rng.laplace(float(data[0]), 0.1, size)"))
    changed = tasks([f"{box}::box_sample"], {})
    assert decide_all(changed, Budget(max_pairs=500), "audit", where)[0].lower.refutes  # type: ignore[union-attr]


@pytest.mark.parametrize("executor", ["threads", "processes", "dask=local"])
def test_results_do_not_depend_on_the_executor(executor: str, box: Path, tmp_path: Path) -> None:
    if executor == "dask=local":
        pytest.importorskip("distributed", reason="the extra [dask] is not installed")
    options = [
        "audit",
        f"{box}::box_sample",
        "--max-pairs",
        "20000",
        "--seconds",
        "600",
        "--quiet",
        "--figures",
        "none",
    ]
    found = []
    for name, jobs in (("processes", "1"), (executor, "2")):
        place = tmp_path / f"{jobs}.json"
        out = str(tmp_path / "out")
        assert main([*options, "--executor", name, "--jobs", jobs, "--json", str(place), "--out", out]) == 0
        found.append(evidence(place))
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--jobs", "-1"], "jobs=-1 must be a positive number of processes"),
        (["--executor", "ray"], "executor='ray' must be processes, threads"),
        (["--executor", "dask="], "executor='dask=' must be processes"),
    ],
)
def test_wrong_workers_are_one_clear_sentence(
    options: list[str], message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["audit", "laplace-count", *options, "--out", str(tmp_path / "o")]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_standard_output_stays_clean_whatever_is_printed(box: Path, tmp_path: Path) -> None:
    running = start("audit", f"{box}::box_talk", "--json", "-", "--max-pairs", "300", cwd=tmp_path)
    out, err = running.communicate(timeout=120)
    (verdict,) = json.loads(out)["verdicts"]
    assert running.returncode == 0
    assert any("prints: 'hello from the sampler'" in text for text in verdict["warnings"])
    assert "hello from below" in err
    assert not (tmp_path / "reports").exists()


def test_a_dead_process_costs_its_own_claim_only(box: Path, tmp_path: Path) -> None:
    targets = [f"{box}::box_{name}" for name in ("ends", "sample")]
    place = tmp_path / "r.json"
    status = main(["audit", *targets, "--jobs", "2", "--json", str(place), *PLAIN, "--max-pairs", "300",
                   "--out", str(tmp_path / "o")])  # fmt: skip
    ended, fine = json.loads(place.read_text())["verdicts"]
    assert ended["verdict"] == "UNDECIDED"
    assert "was ended by signal SIGKILL" in ended["unsupported"][0]
    assert fine["verdict"] == "NOT_REFUTED"
    assert status == 2  # the sampler ended its own process: it is the target that cannot be run


@pytest.mark.parametrize(
    ("name", "verdict", "text"),
    [
        ("raises", "UNDECIDED", "no such luck"), ("exits", "UNDECIDED", "SystemExit"),
        ("leaves", "UNDECIDED", "os._exit(3)"),
        ("wrong_shape", "UNDECIDED", "outputs where size="), ("wrong_type", "UNDECIDED", "an array or list"),
        ("constant", "NOT_REFUTED", ""), ("not_a_number", "NOT_REFUTED", ""),
        pytest.param("infinite", "NOT_REFUTED", "", marks=pytest.mark.slow),
        ("changing", "NOT_REFUTED", ""),
        ("remembers", "NOT_REFUTED", "changes the global variable SEEN"), ("half", "REFUTED", ""),
    ],
)  # fmt: skip
def test_odd_samplers_get_a_clear_verdict(name: str, verdict: str, text: str, box: Path, tmp_path: Path) -> None:
    place = tmp_path / "r.json"
    status = main(["audit", f"{box}::box_{name}", "--json", str(place), *PLAIN, "--max-pairs", "400",
                   "--out", str(tmp_path / "o"), "--strict"])  # fmt: skip
    (found,) = json.loads(place.read_text())["verdicts"]
    assert found["verdict"] == verdict
    assert text in " ".join([*found["unsupported"], *found["warnings"]])
    assert status == {"REFUTED": 1, "UNDECIDED": 2, "NOT_REFUTED": 3}[verdict], "2: it could not be run"


@pytest.mark.parametrize("seed", ["0", *(pytest.param(seed, marks=pytest.mark.slow) for seed in "12")])
def test_a_finding_about_doubles_is_a_warning_beside_the_verdict(
    seed: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "r.json"
    options = ["--max-pairs", "400000", "--figures", "none", "--json", str(place), "--out", str(tmp_path / "o"),
               "--seed", seed]  # fmt: skip
    assert main(["verify", "laplace-count", *options]) == 0
    shown = capsys.readouterr().out
    assert "numerics ideal: doubles only warn" in " ".join(shown.split())
    assert "as doubles the claim is refuted" in " ".join(shown.split())
    assert "as doubles refuted (ε ≥" in " ".join(shown.split())
    (found,) = json.loads(place.read_text())["verdicts"]
    assert found["verdict"] == "PROVED"
    assert "as doubles the claim is refuted" in found["warnings"][0]
    assert main(["audit", "laplace-count", *options, "--numerics", "doubles"]) == 1
    (found,) = json.loads(place.read_text())["verdicts"]
    assert (found["verdict"], found["scope"]["numerics"]) == ("REFUTED", "doubles")


@pytest.mark.parametrize("extra", [[], ["--quiet"], ["--json", "-"]])
def test_the_bar_is_shown_on_a_terminal_alone(extra: list[str], box: Path, tmp_path: Path) -> None:
    master, slave = pty.openpty()
    seen: list[str] = []
    reader = threading.Thread(target=lambda: seen.append(_drain(master)))
    reader.start()  # a terminal that nobody reads fills up, and whoever writes to it waits
    done = subprocess.run(
        [sys.executable, "-m", "dpwitness", "audit", f"{box}::box_sample", "--max-pairs", "9000", "--seconds", "60",
         "--jobs", "1", "--figures", "none", *extra],
        stdout=subprocess.PIPE, stderr=slave, cwd=tmp_path, check=False, timeout=300,
        env={**os.environ, "DPWITNESS_TEST_PAUSE": "1", "NO_COLOR": "1", "TERM": "xterm", "COLUMNS": "200"},
    )  # fmt: skip
    os.close(slave)
    reader.join(60)
    (shown,) = seen
    assert done.returncode == 0
    assert ("wealth e^" in shown and "pairs" in shown) is (not extra)
    assert "\x1b[3" not in shown, "no colour"


def _drain(handle: int) -> str:
    seen = b""
    while True:
        try:
            part = os.read(handle, 1 << 16)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        seen += part
    os.close(handle)
    return seen.decode(errors="replace")
