"""A user's own file type-checks against the package, and the checker sees real types."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from pathlib import Path

import pytest

import dpwitness as dpw

USER = """
from typing import Any

import dpwitness as dpw

@dpw.mechanism(data=dpw.Answers(size=1), claim=lambda eps: dpw.PureDP(eps), typical={"eps": 1})
def noisy(noise: Any, answers: Any, *, eps: Any) -> Any:
    return answers[0] + noise.laplace(1 / eps)

verdict: dpw.Verdict = dpw.verify(noisy, eps="1/2")
found: dpw.Audit = dpw.audit(lambda data: data, 0, 1, epsilon=1.0, max_pairs=10)
reveal_type(dpw.audit)
reveal_type(verdict.decision)
low, high = dpw.delta(noisy, eps=1)
reveal_type(low)
"""


def test_a_users_file_type_checks_and_a_mistake_is_seen(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(USER, encoding="utf-8")
    (tmp_path / "wrong.py").write_text("import dpwitness as dpw\n\ndpw.audit(epsilon='x', pairs=3)\n", encoding="utf-8")
    run = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "mine.py", "wrong.py"]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False)
    mine = [text for text in done.stdout.splitlines() if text.startswith("mine.py")]
    wrong = [text for text in done.stdout.splitlines() if text.startswith("wrong.py")]
    assert [text for text in mine if "error" in text] == []
    signature, decision, low = (text for text in mine if "note: Revealed" in text)
    assert "max_pairs: " in signature
    assert "Any" in signature  # the sampler's data may be anything
    assert signature.endswith('dpwitness.auditors.result.Audit"')
    assert "dpwitness.core.verdict.Decision" in decision
    assert "fractions.Fraction" in low
    assert any("error" in text and "pairs" in text for text in wrong)


@pytest.mark.oracles
def test_a_second_type_checker_says_the_same(tmp_path: Path) -> None:
    """Pyright, as basedpyright brings it, in the mode that editors use."""
    checker = Path(sys.executable).with_name("basedpyright")
    if not checker.exists():
        pytest.skip("needs the [oracles] extra")
    (tmp_path / "mine.py").write_text(USER, encoding="utf-8")
    (tmp_path / "wrong.py").write_text("import dpwitness as dpw\n\ndpw.audit(epsilon='x', pairs=3)\n", encoding="utf-8")
    (tmp_path / "pyrightconfig.json").write_text('{"typeCheckingMode": "standard"}', encoding="utf-8")
    run = [str(checker), "--pythonpath", sys.executable, "--outputjson", "."]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False)
    said = [(Path(d["file"]).name, d["severity"], d["message"]) for d in json.loads(done.stdout)["generalDiagnostics"]]
    assert [text for file, severity, text in said if file == "mine.py" and severity != "information"] == []
    signature, decision, low = (text for file, _, text in said if file == "mine.py")
    assert "max_pairs: int" in signature
    assert '"Decision"' in decision
    assert '"Fraction"' in low
    assert any(file == "wrong.py" and severity == "error" and "pairs" in text for file, severity, text in said)


@pytest.mark.parametrize("name", [name for name in dpw.__all__ if name != "__version__"])
def test_every_public_name_explains_itself(name: str) -> None:
    found = getattr(dpw, name)
    said = inspect.getdoc(found) or ""
    assert len(said) > 20, f"help(dpw.{name}) says nothing"
    if inspect.isfunction(found):
        for parameter in inspect.signature(found).parameters.values():
            if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                assert parameter.annotation not in (parameter.empty, "Any", "object"), "*args hides what it takes"


def test_a_verdict_prints_as_a_paragraph() -> None:
    @dpw.mechanism(data=dpw.Answers(size=1), claim=lambda eps: dpw.PureDP(eps), typical={"eps": 1})
    def noisy(noise, answers, *, eps):  # type: ignore[no-untyped-def]
        return answers[0] + noise.laplace(1 / eps)

    text = str(dpw.verify(noisy, budget=dpw.Budget(max_pairs=200, seconds=20)))
    assert text.startswith("noisy: PROVED\n  claim: ε = 1")
    assert "every ε" in text
    assert len(text) < 500
