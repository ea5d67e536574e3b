"""What the how-to pages tell a stranger to do, done as they tell it."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path

import pytest

from dpwitness.cli import main

ROOT = Path(__file__).parents[2]
HOW_TO = ROOT / "docs" / "how-to"


def blocks(page: str, language: str = "python") -> list[str]:
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", (HOW_TO / page).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    return [text for tongue, text in fenced if tongue == language]


def commands(page: str) -> list[list[str]]:
    lines = [line for block in blocks(page, "") for line in block.splitlines()]
    return [shlex.split(line)[1:] for line in lines if line.startswith("dpwitness ")]


def run_page(page: str, tmp_path: Path, name: str) -> Path:
    """Put all Python of a page into one file, as a reader would, and import it."""
    file = tmp_path / f"{name}.py"
    file.write_text("\n".join(blocks(page)), encoding="utf-8")
    return file


def test_add_a_law(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = run_page("add-a-law.md", tmp_path, "logistic_law")
    options = ["--out", str(tmp_path / "out"), "--figures", "none", "--max-pairs", "20000"]
    assert main(["verify", str(mine), *options]) == 0
    assert "NOT_REFUTED" in capsys.readouterr().out  # ε = 1 is right for scale 1/ε
    mine.write_text(mine.read_text(encoding="utf-8").replace("1 / eps", "1 / (2 * eps)"), encoding="utf-8")
    assert main(["verify", str(mine), *options]) == 1
    assert "REFUTED, expected PROVED" in capsys.readouterr().out


def test_add_a_mechanism(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = run_page("add-a-mechanism.md", tmp_path, "my_response")
    assert main(["verify", str(mine), "--out", str(tmp_path / "out"), "--figures", "none", "--max-pairs", "2000"]) == 0
    told = capsys.readouterr().out
    assert "1 proved · 1 refuted as expected" in told


def test_add_a_learner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_page("add-a-learner.md", tmp_path, "my_learner")
    monkeypatch.syspath_prepend(tmp_path)
    sys.modules.pop("my_learner", None)
    __import__("my_learner")  # its assertions are the test


def test_audit_a_plain_function(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (source,) = blocks("audit-a-function.md")
    (tmp_path / "survey.py").write_text(source, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    sys.modules.pop("survey", None)
    fair, broken = commands("audit-a-function.md")
    assert main([*fair, "--max-pairs", "20000"]) == 0
    assert "would have seen" in capsys.readouterr().out
    assert main(broken) == 1
    assert "output" in capsys.readouterr().out


def test_read_a_certificate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    prove, check, about = commands("read-a-certificate.md")
    assert main([*prove, "--figures", "none"]) == 0
    files = [str(file) for file in sorted((tmp_path / "out" / "certificates").glob("*.json"))]
    assert files
    capsys.readouterr()
    for command in (check, about):
        assert main([part for word in command for part in (files if "*" in word else [word])]) == 0
    told = capsys.readouterr().out
    (shown,) = blocks("read-a-certificate.md", "text")
    assert " ".join(shown.split()) in " ".join(told.split())
    changed = json.loads(Path(files[0]).read_text(encoding="utf-8"))
    changed["model"]["trees"]["start"]["yes"]["then"]["rate"] = {"eps": "2"}  # half the noise, and the same bound
    Path(files[0]).write_text(json.dumps(changed), encoding="utf-8")
    assert main(["check", files[0]]) == 1
