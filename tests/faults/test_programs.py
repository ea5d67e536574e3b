"""A time limit holds for programs as well, and no program ends whoever asks about it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.faults import programs
from tests.faults.commands import run
from tests.plugin.projects import LOAD

import dpwitness as dpw
from dpwitness.core.budget import Budget
from dpwitness.core.evidence import Unsupported, UpperBound
from dpwitness.core.verdict import Decision

ROOM = 30.0  # seconds of slack: the machine may be busy
ENDED = "did not return within its time, and was ended"
SAID = {
    "hangs": ENDED, "sleeps": "did not finish within", "crashes": "was ended by signal SIGSEGV",
    "leaves": "ended by itself, with status 0",
}  # fmt: skip


TESTS = """
from tests.faults import programs

def test_hangs(assert_private): assert_private(programs.hangs, seconds=2)
def test_leaves(assert_private): assert_private(programs.leaves, seconds=2)
def test_fine(assert_private): assert_private(programs.fine, max_pairs=2000)
"""


@pytest.mark.parametrize("name", SAID)
def test_a_program_that_does_not_return_is_ended_and_cannot_be_run(name):
    started = time.monotonic()
    verdict = dpw.verify(getattr(programs, name), budget=Budget(seconds=1.0))
    assert time.monotonic() - started < 1.0 + ROOM
    assert verdict.decision is Decision.UNDECIDED
    assert verdict.failed_to_run
    assert SAID[name] in verdict.silent[0].reason
    assert verdict.claim.mechanism is getattr(programs, name)


LATE = """
import sys
from tests.faults.programs import fine
from dpwitness import apart, routes
from dpwitness.core.budget import Budget

apart._load("verify")
before = set(sys.modules)
found = routes._decide(fine.claims()[0], routes.run_auditors, Budget(max_pairs=200), "verify", lambda verdict: None)
print(found.decision.value, *sorted(name for name in set(sys.modules) - before if name.startswith("dpwitness.")))
"""


def test_what_a_decision_needs_is_loaded_before_its_process_begins():
    """Otherwise every process loads it anew, and a decision takes several times as long."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", LATE], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.split() == ["PROVED"]


@pytest.mark.slow
def test_a_proof_that_hangs_outside_python_leaves_the_audit():
    verdict = dpw.verify(programs.counts, budget=Budget(seconds=30.0, max_pairs=2000))
    assert verdict.decision is Decision.NOT_REFUTED
    assert any(ENDED in item.reason for item in verdict.silent)
    assert not verdict.failed_to_run


@pytest.mark.parametrize("name", ["counts", "crashes"])
def test_a_proof_alone_is_ended_too(name, monkeypatch):
    monkeypatch.setattr("dpwitness.apart.GRACE", 1.0)
    started = time.monotonic()
    found = dpw.prove(getattr(programs, name), seconds=1.0)
    assert time.monotonic() - started < 1.0 + ROOM
    assert isinstance(found, Unsupported)
    assert isinstance(dpw.prove(programs.fine), UpperBound)


@pytest.mark.parametrize(("kind", "jobs"), [("verify", "1"), ("prove", "2"), ("audit", "2")])
def test_the_command_line_ends_what_hangs_and_decides_the_rest(kind, jobs, tmp_path):
    file = Path(programs.__file__)
    targets = [f"{file}::hangs", f"{file}::leaves", f"{file}::fine"]
    started = time.monotonic()
    done = run(kind, *targets, "--seconds", "2", "--jobs", jobs, "--max-pairs", "2000", "--json", "r.json",
               cwd=tmp_path, patient=kind == "verify")  # fmt: skip
    assert time.monotonic() - started < 2 * 2.0 + 2 * ROOM
    assert done.returncode == 2, done.stderr
    found = [verdict["verdict"] for verdict in json.loads((tmp_path / "r.json").read_text())["verdicts"]]
    assert found == ["UNDECIDED", "UNDECIDED", "NOT_REFUTED" if kind == "audit" else "PROVED"]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_command_line_ends_a_black_box_that_hangs_later(jobs, tmp_path):
    """With workers as well as without: pools do not keep an audit in the process that asks for it."""
    started = time.monotonic()
    done = run("audit", f"{programs.__file__}::box", "--seconds", "3", "--jobs", jobs, "--json", "r.json", cwd=tmp_path,
               patient=False)  # fmt: skip
    assert time.monotonic() - started < 3.0 + ROOM
    (found,) = json.loads((tmp_path / "r.json").read_text())["verdicts"]
    assert (done.returncode, found["verdict"]) in [(2, "UNDECIDED"), (0, "NOT_REFUTED")], "whether any pair was drawn"
    assert any(ENDED in text for text in [*found["warnings"], *found["unsupported"]])


def test_a_test_ends_what_hangs(tmp_path):
    (tmp_path / "test_target.py").write_text(TESTS)
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *LOAD, "test_target.py"],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert time.monotonic() - started < 2 * 2.0 + 2 * ROOM
    assert "2 failed, 1 passed" in done.stdout, done.stdout


@pytest.mark.parametrize("command", ["verify", "prove", "audit"])
def test_what_a_program_prints_does_not_drown_the_table(command: str, tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text(
        "from dpwitness import Answers, PureDP, mechanism\n\n\n"
        "@mechanism(data=Answers(size=1), claim=lambda eps: PureDP(eps), typical={'eps': 1})\n"
        "def loud(noise, queries, *, eps):\n"
        "    print('a line of the program')\n"
        "    return queries[0] + noise.laplace(1 / eps)\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "dpwitness", command, "loud.py", "--figures", "none", "--max-pairs", "2000"],
        cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0
    assert "loud" in done.stdout
    assert done.stdout.count("a line of the program") <= 2
