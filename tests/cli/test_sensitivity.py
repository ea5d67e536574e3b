"""``dpwitness sensitivity``: what it prints and writes, and how it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dpwitness.cli import main


def test_the_report_and_its_certificate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    certificate = tmp_path / "proof.json"
    assert main(["sensitivity", "sum(abs(x[i]-x[i+1]) for i in range(n-1))", "--certificate", str(certificate)]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[1:] == [
        "records in [0, 1], one record replaced, norm l1",
        "  n = 1: 0",
        "  n = 2: 1",
        "    attained at n = 2: (0, 0) and (1, 0)",
        "  every n >= 3: 2",
        "    attained at n = 3: (0, 0, 0) and (0, 1, 0)",
    ]
    assert main(["check", str(certificate)]) == 0
    assert capsys.readouterr().out.startswith("VALID")
    changed = json.loads(certificate.read_text())
    changed["cases"][2]["sizes"] = {"from": 2}
    changed["cases"][2]["bound"] = "1"
    certificate.write_text(json.dumps(changed))
    assert main(["check", str(certificate)]) == 1


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sensitivity", "sum(x<1/2)", "sum(x>=1/2)", "--norm", "l2", "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["cases"][0]["upper"] == found["cases"][0]["lower"] == "sqrt(2)"
    assert found["certificate"]["type"] == "sensitivity"


def test_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sensitivity", "mean(x)", "--n", "4", "--interval", "-1", "1"]) == 0
    assert "n = 4: 1/2" in capsys.readouterr().out
    assert main(["sensitivity", "sum(x)", "--adjacency", "add-remove", "--interval", "-2", "1"]) == 0
    assert "every n >= 0: 2" in capsys.readouterr().out
    assert main(["sensitivity", "sum(-x*log(x+delta))", "--param", "delta=1.."]) == 0
    assert "log(1 + delta)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["sum(log(x))"], "no bound for every n was found"),
        (["sum(x)", "--n", "0"], "n=0"),
        (["sum(x)", "--n", "many"], "n=many"),
        (["sum(x)", "--n", "-1"], "n=-1"),
        (["sum(x)", "--n", "9999999"], "n=9999999"),
        (["sum(x)", "--interval", "1", "0"], "low=1 must be below high=0"),
        (["sum(x)", "--param", "mu"], "NAME=LOW..HIGH"),
        (["sum(x-mu)"], "unknown name; known: n, pi, E. Write"),
        (["variance(x)"], "'variance(x)': no such function of all records is known"),
        (["x[0]; import os"], "not a formula"),
    ],
)
def test_refusals(arguments: list[str], why: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sensitivity", *arguments]) == 2
    assert why in capsys.readouterr().err
