from __future__ import annotations

import json
from pathlib import Path

import pytest

from dpwitness.catalogue import catalogue
from dpwitness.cli import main
from dpwitness.core.budget import Budget
from dpwitness.core.evidence import UpperBound
from dpwitness.routes import decide


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    verdict = decide(catalogue()["above-threshold"].claims()[0], Budget(), "prove")
    assert isinstance(verdict.upper, UpperBound)
    path = tmp_path / "certificate.json"
    path.write_text(json.dumps(verdict.upper.certificate))
    return path


def test_a_certificate_is_accepted(certificate: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(certificate)]) == 0
    assert capsys.readouterr().out.startswith("VALID")


@pytest.mark.parametrize("text", ["{}", "[]", "nonsense", '{"type": "unheard-of"}', '{"type": "noise"}'])
def test_anything_else_is_invalid(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "wrong.json"
    path.write_text(text)
    assert main(["check", str(path)]) == 1
    assert capsys.readouterr().out.startswith("INVALID")


def test_a_changed_bound_is_invalid(certificate: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = certificate.read_text()
    for old, new in (("4", "3"), ("1/4", "1/5"), ("2", "1")):
        changed = text.replace(f'"{old}"', f'"{new}"')
        if changed != text:
            certificate.write_text(changed)
            assert main(["check", str(certificate)]) == 1
            assert capsys.readouterr().out.startswith("INVALID")
            return
    pytest.fail("the certificate holds none of the numbers that the test changes")


def test_a_missing_file_is_wrong_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(tmp_path / "none.json")]) == 2
    assert "cannot be read" in capsys.readouterr().err
