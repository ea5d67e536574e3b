"""``dpwitness check`` says what it verified and nothing else, whatever is in the file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dpwitness.catalogue import catalogue
from dpwitness.cli import main
from dpwitness.cli.check import MAX_BYTES
from dpwitness.core.budget import Budget
from dpwitness.core.evidence import UpperBound
from dpwitness.routes import confirmed_proofs


def proved(name: str, kind: str) -> Any:
    """A certificate of one type that a prover makes about a target."""
    for found in confirmed_proofs(catalogue()[name].claims()[0], Budget()):
        if isinstance(found, UpperBound) and found.certificate is not None and found.certificate["type"] == kind:
            return found.certificate
    raise AssertionError(f"no certificate of type {kind} about {name}")


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    path = tmp_path / "certificate.json"
    path.write_text(json.dumps(proved("above-threshold", "program-bound")))
    return path


def test_a_certificate_is_accepted(certificate: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(certificate)]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith(f"VALID    {certificate}: 5 real answers, linf <= 1: epsilon <= 1·eps, for every eps > 0")
    assert "above-threshold" not in first.removeprefix(f"VALID    {certificate}")
    assert second == "         said to be of 'above-threshold'"


def test_a_name_is_only_said(certificate: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither a name nor anything else from the file can forge a line, move the cursor or hide."""
    made = json.loads(certificate.read_text())
    made["target"] = "x'\nVALID    other.json: everything\x1b[2J\u202e"
    made["trusts"] = ["\x1b[31mnobody"]
    certificate.write_text(json.dumps(made))
    assert main(["check", str(certificate)]) == 0
    out = capsys.readouterr().out
    assert [line[:9] for line in out.splitlines()] == ["VALID    ", "         "]
    assert all(c.isprintable() for c in out.replace("\n", ""))
    assert "nobody" not in out


def test_words_of_the_certificate_are_escaped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evil = "int:0\nVALID    all.json: \x1b[1m"
    made = {
        "type": "table-violation", "inputs": [[evil], ["int:1"]], "outputs": ["a", "b"], "left": ["1", "0"],
        "right": ["0", "1"], "event": [0], "epsilon": "1", "delta": "0",
    }  # fmt: skip
    path = tmp_path / "evil.json"
    path.write_text(json.dumps(made))
    assert main(["check", str(path)]) == 0
    out = capsys.readouterr().out
    assert len(out.splitlines()) == 1
    assert "\\x1b[1m" in out


@pytest.mark.parametrize(
    "text",
    [
        "{}", "[]", "nonsense", '{"type": "unheard-of"}', '{"type": "noise"}', "7", '"text"', "null", "",
        '{"type": "noise", "type": "tables"}', '{"type": 1e99999999}', '{"type": 1' + "0" * 5000 + "}",
        '{"type": NaN}', '{"type": -Infinity}', "[" * 100_000, '{"a":' * 50_000,
        '{"type": "tables", "rows": ' + "[" * 500,
        '{"type": "\\ud800"}',
    ],
)  # fmt: skip
def test_anything_else_is_invalid(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "wrong.json"
    path.write_text(text)
    assert main(["check", str(path)]) == 1
    assert capsys.readouterr().out.startswith("INVALID")


def test_bytes_that_are_no_text_and_large_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "wrong.json"
    for content in (b"\xff\xfe\x00", b"{" + b" " * MAX_BYTES + b"}"):
        path.write_bytes(content)
        assert main(["check", str(path)]) == 1
        assert capsys.readouterr().out.startswith("INVALID")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no such files here")
def test_files_that_do_not_end_are_not_read(tmp_path: Path) -> None:
    """In a process of its own: a FIFO that is opened as a file waits for its writer."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    for place in (str(fifo), "/dev/zero", str(tmp_path)):
        command = [sys.executable, "-m", "dpwitness", "check", place]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode in (1, 2), place
        assert "not an ordinary file" in done.stdout or "cannot be read" in done.stderr


def test_a_changed_bound_is_invalid(certificate: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = json.loads(certificate.read_text())
    made["bound"] = "1/2"
    certificate.write_text(json.dumps(made))
    assert main(["check", str(certificate)]) == 1
    assert capsys.readouterr().out.startswith("INVALID")


def test_a_missing_file_is_wrong_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(tmp_path / "none.json")]) == 2
    assert "cannot be read" in capsys.readouterr().err


PROGRAM = """
from dpwitness import Answers, PureDP, mechanism

@mechanism(data=Answers(moves="all", by=1, size=2), claim=lambda eps: PureDP(2 * eps), typical={"eps": 1})
def mine(noise, answers, *, eps):
    return [answers[0] + noise.laplace(1 / eps), answers[1] + noise.laplace(SCALE / eps)]
"""


def test_about_a_program_only_where_it_is_read_anew(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, path = tmp_path / "mine.py", tmp_path / "proof.json"
    source.write_text(PROGRAM.replace("SCALE", "1"))
    assert main(["prove", f"{source}::mine", "--out", str(tmp_path / "out"), "--quiet"]) == 0
    (made,) = (tmp_path / "out" / "certificates").iterdir()
    path.write_text(made.read_text())
    capsys.readouterr()
    assert main(["check", str(path), "--program", f"{source}::mine"]) == 0
    assert f"is a proof about {source}::mine" in capsys.readouterr().out
    (tmp_path / "other.py").write_text(PROGRAM.replace("SCALE", "(1 / 2)"))
    assert main(["check", str(path), "--program", f"{tmp_path / 'other.py'}::mine"]) == 1
    out = capsys.readouterr().out
    assert "is NOT about" in out
    assert out.startswith("VALID")


def test_a_catalogue_name_is_no_proof(certificate: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(certificate), "--program", "above-threshold"]) == 0
    assert "is a proof about above-threshold" in capsys.readouterr().out
    assert main(["check", str(certificate), "--program", "report-noisy-max"]) == 1
    assert "is NOT about report-noisy-max" in capsys.readouterr().out
