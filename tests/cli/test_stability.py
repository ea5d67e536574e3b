"""``dpwitness stability`` and ``dpwitness scan``: status, words, JSON, and what a wrong argument is told."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from dpwitness.cli import main

FILE = """
from dpwitness import Rows, reals, stable, wholes


def total(values):
    return sum(min(v, 10) for v in values)


@stable(Rows(wholes(0, 9)), "l1", 9)
def declared(values):
    return sum(values)
"""


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "totals.py").write_text(FILE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


FEW = ["--max-pairs", "1500"]


def test_a_function_that_moves_too_far(mine, capsys):
    assert main(["stability", "totals.py::total", "--records", "wholes -5 50", "--claim", "l1 <= 9", *FEW]) == 1
    told = capsys.readouterr().out
    assert "REFUTED" in told
    assert "l1 distance 10, at most 9 is claimed" in told


def test_a_function_that_keeps_its_bound(mine, capsys):
    assert main(["stability", "totals.py::total", "--records", "wholes 0 50", "--claim", "l1 ≤ 10", *FEW]) == 0
    assert "this is not a proof" in capsys.readouterr().out


def test_an_excess_of_rounding_is_not_shown_as_the_bound_itself(mine, capsys):
    (mine / "sums.py").write_text("def tenths(values):\n    return sum(values) + 0.3\n", encoding="utf-8")
    assert main(["stability", "sums.py::tenths", "--records", "reals 0 10", "--claim", "l1 <= 10"]) == 0
    assert "l1 distance just above 10, at most 10 is claimed" in " ".join(capsys.readouterr().out.split())


def test_a_decorated_function_needs_no_claim(mine):
    assert main(["stability", "totals.py::declared", *FEW]) == 0
    assert main(["stability", "totals.py::declared", "--records", "wholes 0 10", "--claim", "l1 <= 9", *FEW]) == 1


def test_the_result_as_json(mine, capsys):
    arguments = ["stability", "totals.py::total", "--records", "reals 0 20", "--claim", "l1 <= 1", "--json", "-", *FEW]
    assert main(arguments) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["schema"] == "dpwitness.stability/1"
    assert found["refuted"] is True
    assert found["kind"] == "moves"


def test_a_domain_alone(mine):
    assert main(["stability", "totals.py::total", "--records", "reals 0 1", "--domain", "reals 0 3", *FEW]) == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "say what a record is"),
        (["--records", "numbers 0 1", "--claim", "l1 <= 1"], "must be like 'reals 0 1'"),
        (["--records", "reals 0 1", "--claim", "l1 1"], "must be like 'l1 <= 1'"),
        (["--records", "reals 0 1", "--claim", "l9 <= 1"], "distance='l9'"),
        (["--records", "reals 0 1", "--claim", "l1 <= x"], "bound"),
        (["--records", "reals 0 1", "--claim", "l1 <= 1", "--size", "3"], "must be like 0:8"),
        (["--records", "reals 0 1", "--column", "a=reals", "--claim", "l1 <= 1"], "NAME=KIND"),
    ],
)
def test_a_wrong_argument_is_named(mine, capsys, arguments, words):
    assert main(["stability", "totals.py::total", *arguments]) == 2
    assert words in capsys.readouterr().err


def test_a_scan_lists_what_it_knows(capsys):
    assert main(["scan"]) == 0
    told = capsys.readouterr().out
    assert "opendp" in told
    assert "tally" in told


def test_a_scan_of_the_sample_finds_both_mistakes_and_all_controls(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("dpwitness.libraries.sample.tally._rng", np.random.default_rng(2))
    # with 4000 pairs half of all seeds show the mistake of the mean, with 20000 nine of ten
    options = ["--controls", "--max-pairs", "40000", "--figures", "none", "--maps", "maps.json", "--jobs", "1"]
    assert main(["scan", "tally", *options]) == 1
    told = capsys.readouterr().out
    assert told.startswith("dpwitness ")
    report = json.loads((tmp_path / "reports" / "out" / "results.json").read_text(encoding="utf-8"))
    decisions = {row["target"]: row["verdict"] for row in report["verdicts"]}
    assert decisions["library/tally/private_mean"] == "REFUTED"
    assert decisions["library/tally/private_count"] != "REFUTED"
    assert decisions["library/tally/private_sum"] != "REFUTED"
    assert all(decisions[f"library/tally/{name}/half"] == "REFUTED" for name in ("private_count", "private_sum"))
    maps = json.loads((tmp_path / "maps.json").read_text(encoding="utf-8"))["maps"]
    assert [found["refuted"] for found in maps] == [False, True]


def test_a_library_that_is_not_there_is_said_to_be_so(capsys):
    assert main(["scan", "diffprivlob"]) == 2
    assert "did you mean diffprivlib" in capsys.readouterr().err


BROKEN = """
from dpwitness import Rows, stable, wholes


@stable(Rows(wholes(0, 3)), bound=lambda steps: 1 / 0)
def bound(values):
    return len(values)


@stable(Rows(wholes(0, 3)), domain=lambda output: unknown)
def domain(values):
    return len(values)


@stable(Rows(wholes(0, 3)), distance=lambda one, two: -1)
def distance(values):
    return len(values)


@stable(Rows(wholes(0, 3)), bound=lambda steps: -1)
def negative(values):
    return len(values)
"""


@pytest.mark.parametrize("name", ["bound", "domain", "distance", "negative"])
def test_a_claim_that_fails_by_itself_is_wrong_usage(name: str, mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (mine / "broken.py").write_text(BROKEN, encoding="utf-8")
    assert main(["stability", f"broken.py::{name}", "--max-pairs", "50"]) == 2
    assert "the " in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ["--records", "choices 'a"], ["--records", " "], ["--records", "wholes 0 3", "--size", "²:3"],
        ["--column", "a=wholes 0 3", "--column", "a=choices x y"],
    ],
)  # fmt: skip
def test_spaces_that_cannot_be_read_are_wrong_usage(
    words: list[str], mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["stability", "totals.py::total", "--claim", "l1 <= 10", *words]) == 2
    assert "internal error" not in capsys.readouterr().err
