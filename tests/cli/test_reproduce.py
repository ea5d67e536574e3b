"""Every command that is printed repeats its verdict: the same decision, bound, pairs and event."""

from __future__ import annotations

import json
import math
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dpwitness.cli import main

SOURCE = """\
from dpwitness import Answers, BlackBox, PureDP, mechanism

def _half(data, size, rng):
    return rng.laplace(float(data[0]), 0.5, size)

half = BlackBox("half of it", _half, Answers("one", 1, size=1), PureDP(1))

@mechanism(data=Answers(moves="one", by=1, size=1), claim=lambda eps: PureDP(eps), typical={"eps": 1})
def noisy(noise, answers, *, eps):
    return answers[0] + noise.laplace(1 / eps)

@noisy.twin("third")
def _(noise, answers, *, eps):
    return answers[0] + noise.laplace(1 / (3 * eps))
"""
OPTIONS = ["--max-pairs", "1000", "--alpha", "0.002", "--seed", "7", "--seconds", "120"]
QUIET = ["--quiet", "--figures", "none", "--jobs", "1"]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file, and a package whose module can only be imported by its name."""
    (tmp_path / "mine.py").write_text(SOURCE)
    package = tmp_path / "paket"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "parts.py").write_text(SOURCE)
    (package / "service.py").write_text("from .parts import half, noisy\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setitem(sys.modules, "paket", None)
    monkeypatch.delitem(sys.modules, "paket")
    return tmp_path


def decide(folder: Path, *words: str) -> list[dict[str, Any]]:
    place = folder / "result.json"
    main([*words, *QUIET, "--json", str(place), "--out", str(folder / "out")])
    verdicts: list[dict[str, Any]] = json.loads(place.read_text())["verdicts"]
    return verdicts


def core(verdict: dict[str, Any]) -> Any:
    lower = verdict["lower"] or {}
    kept = ("epsilon", "alpha", "pairs", "seed", "event", "ledger", "inputs", "exact")
    return verdict["verdict"], verdict["guarantee"], verdict["parameters"], [lower.get(name) for name in kept]


@pytest.mark.parametrize(
    "words",
    [
        ["audit", "laplace-count", "geometric", "--epsilon", "1/2"],
        ["audit", "laplace-count", "--numerics", "doubles"],
        ["audit", "laplace-count", "--numerics", "both"],
        pytest.param(["audit", "mine.py::half", "mine.py::noisy", "--epsilon", "2/3"], marks=pytest.mark.slow),
        ["verify", "mine.py"],
        ["audit", "paket.service:half", "paket.parts:noisy"],
    ],
    ids=" ".join,
)
def test_commands_repeat_their_verdicts(words: list[str], project: Path) -> None:
    first = decide(project, *words, *OPTIONS)
    assert len(first) >= 1
    for row in first:
        command = shlex.split(row["reproduce"])
        assert command[0] == "dpwitness"
        for option in ("--alpha", "--numerics", "--max-pairs", "--seed", "--seconds"):
            assert option in command
        again = decide(project, *command[1:])
        assert core(row) in [core(other) for other in again], row["reproduce"]


def test_the_share_of_alpha_is_that_of_the_run_for_any_number_of_claims() -> None:
    from dpwitness.reports.origin import _alpha

    for claims in range(1, 300):
        share = 0.001 / claims
        assert all(_alpha(share, alone) / alone == share for alone in (1, 2, 4))
        for alone in (3, 5, 7):  # not every double is a third of one
            assert abs(_alpha(share, alone) / alone - share) <= math.ulp(share)


PLUGIN = """
import numpy as np
def too_little(data, size, rng): return rng.laplace(float(sum(data)), 0.4, size)
def bits(data, size, rng): return rng.laplace(float(sum(data)), 1.0, size)
def test_other(assert_private): assert_private(bits, [0], [1], epsilon=2.0, max_pairs=500)
def test_leak(assert_private): assert_private(too_little, [0], [1], epsilon=1.5, delta=0.01)
def test_bits(assert_private): assert_private(bits, [0], [1], epsilon=1.0)
"""


def pytest_run(folder: Path, *words: str) -> tuple[str, dict[str, Any]]:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "dpwitness.plugin", "-p", "no:cacheprovider", "-p", "no:xdist",
         "--dp-json", "found.json", *words],
        cwd=folder, capture_output=True, text=True, check=False, timeout=300,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )  # fmt: skip
    rows = json.loads((folder / "found.json").read_text())["verdicts"]
    return done.stdout, {row["test"]: row for row in rows}


def test_assert_private_and_its_audit_repeat_their_verdicts(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "test_it.py").write_text(PLUGIN)
    options = ["--dp-max-pairs", "4000", "--dp-numerics", "both", "--dp-seed", "11"]
    shown, first = pytest_run(tmp_path, *options)
    assert first["test_it.py::test_leak"]["verdict"] == first["test_it.py::test_bits"]["verdict"] == "REFUTED"
    for name in ("test_it.py::test_leak", "test_it.py::test_bits"):
        printed = next(m for m in re.findall(r"^E?\s+(pytest \S+ --dp-alpha.*)$", shown, re.MULTILINE) if name in m)
        assert printed == first[name]["reproduce"]
        _, again = pytest_run(tmp_path, *shlex.split(printed)[1:])
        assert core(again[name]) == core(first[name])
    found = re.findall(
        r"^E?\s+(import runpy;.*\n)E?\s+(import dpwitness.*\n)E?\s+(print\(dpw.*\n)", shown, re.MULTILINE
    )
    snippets = list(dict.fromkeys(found))  # where CI is set, pytest shows them in its summary as well
    assert len(snippets) == 2
    for snippet, name in zip(snippets, ("test_leak", "test_bits"), strict=True):
        code = "".join(snippet).replace("print(", "found = (") + "print(found.refuted, found.pairs, found.event)\n"
        done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
        refuted, _, rest = done.stdout.strip().partition(" ")
        assert refuted == "True"
        event = first[f"test_it.py::{name}"]["lower"]["event"]
        assert event in rest or name == "test_bits"
