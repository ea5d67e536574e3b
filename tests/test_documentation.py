"""What the documents say is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dpwitness.cli import main

ROOT = Path(__file__).parent.parent


def code_blocks(name: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / name).read_text(encoding="utf-8"), flags=re.DOTALL)


def test_the_researchers_file_in_contributing_works(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (source,) = code_blocks("CONTRIBUTING.md", "python")
    assert len(source.strip().splitlines()) <= 16
    path = tmp_path / "my.py"
    path.write_text(source)
    status = main(["verify", f"{path}::my_mechanism", "--out", str(tmp_path / "out"), "--max-pairs", "20000"])
    assert status == 0
    assert "PROVED" in capsys.readouterr().out


def test_the_two_commands_of_the_readme_are_there() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "python -m pip install . && dpwitness verify" in text
    assert "python -m pip install '.[test]' && pytest" in text
