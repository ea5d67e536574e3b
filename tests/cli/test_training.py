"""``dpwitness audit-scores`` and ``dpwitness audit-run``: statuses, files, pages, and tables that are refused."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

from dpwitness.cli import main


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    runs = [(rng.normal(2.0 * side), side) for side in (0, 1) for _ in range(30)]
    coins = rng.integers(0, 2, 400)
    for name, rows in (("runs", runs), ("canaries", zip(rng.normal(5.0 * coins), coins, strict=True))):
        Path(f"{name}.csv").write_text("score,included\n" + "".join(f"{s},{c}\n" for s, c in rows))
    return tmp_path


def test_scores_of_runs(tables: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["audit-scores", "runs.csv", "--claim", "gdp:1/2", "--json", "a.json", "--junit", "a.xml", "--html",
             "a.html", "--figure", "a.svg"]  # fmt: skip
    assert main(words) == 1
    assert "REFUTED: μ-GDP" in capsys.readouterr().out
    result = json.loads(Path("a.json").read_text())
    assert result["schema"] == "dpwitness.training/1"
    assert result["refuted"]
    assert sum(share for _, share in result["ledger"]) <= result["alpha"] * (1 + 1e-9)
    assert ET.parse("a.xml").getroot().get("failures") == "1"
    page = Path("a.html").read_text()
    assert "assuming independent runs" in page
    assert "http" not in page.replace("http://www.w3.org", "").replace("http://purl.org", "").replace(
        "http://creativecommons.org", "").replace("https://matplotlib.org", "")  # fmt: skip
    assert Path("a.svg").read_text().lstrip().startswith("<?xml")
    assert main(["audit-scores", "runs.csv", "--claim", "gdp:9", "--junit", "b.xml"]) == 0
    assert ET.parse("b.xml").getroot().get("failures") == "0"


def test_one_run_its_certificate_and_a_plan(tables: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["audit-run", "canaries.csv", "--claim", "gdp:1/2", "--guesses", "100", "--certificate", "p.json"]
    assert main(words) == 1
    assert "assuming fair coins only" in capsys.readouterr().out
    assert main(["check", "p.json"]) == 0
    assert "VALID" in capsys.readouterr().out
    changed = json.loads(Path("p.json").read_text())
    changed["right"] -= 1
    Path("p.json").write_text(json.dumps(changed))
    assert main(["check", "p.json"]) == 1
    assert main(["audit-run", "canaries.csv", "--claim", "gdp:1/2", "--assume", "independent-canaries"]) == 1
    assert "assuming independent canaries" in capsys.readouterr().out
    assert main(["audit-run", "--claim", "gdp:1", "--plan", "400"]) == 0
    assert "register" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "words"),
    [("a,b\n1,2\n", "columns score and included"), ("score,included\nx,1\n", "line 2: score='x'"),
     ("score,included\n1,2\n", "line 2: included='2'"), ("score,included\n1,1\n", "at least 2"), ("", "it has none")],
)  # fmt: skip
def test_tables_that_are_refused(tables: Path, capsys: pytest.CaptureFixture[str], text: str, words: str) -> None:
    Path("bad.csv").write_text(text)
    assert main(["audit-scores", "bad.csv", "--claim", "gdp:1"]) == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize("claim", ["gdp", "gdp:x", "what:1", "gdp:1,2", "__import__('os')"])
def test_claims_that_are_refused(tables: Path, capsys: pytest.CaptureFixture[str], claim: str) -> None:
    assert main(["audit-scores", "runs.csv", "--claim", claim]) == 2
    assert capsys.readouterr().err
