"""Names, outputs and docstrings of functions under test are only text wherever the plugin shows them."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from importlib import import_module

import pytest
from tests.plugin.projects import run
from tests.reports.samples import HOSTILE

pytest_plugins = ["pytester"]

PROJECT = """
TEXT = {text}
def leak(data, size, rng): return [TEXT if data else "nothing"] * size
leak.__doc__ = TEXT
def test_leak(assert_private): assert_private(leak, 0, 1, epsilon=1.0, max_pairs=100, name=TEXT)
def test_breaks(assert_private):
    def breaks(data): raise ValueError(TEXT)
    assert_private(breaks, 0, 1, epsilon=1.0, max_pairs=100)
"""


@pytest.fixture(scope="module", autouse=True)
def everything_is_loaded() -> None:
    """pytest run inside pytest forgets what it imported, and numpy cannot be imported twice."""
    import_module("dpwitness.plugin.checking")
    import_module("dpwitness.auditors.api").audit(
        lambda data, size, rng: rng.laplace(data, 1, size), 0.0, 1.0, epsilon=1, max_pairs=200
    )
    import_module("dpwitness.reports.writer")


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_is_text(text: str, pytester: pytest.Pytester) -> None:
    # a long text is made there, not written into the file
    source = f"{text[0]!r} * {len(text)}" if len(text) > 10_000 else ascii(text)
    pytester.makepyfile(PROJECT.format(text=source))
    options = ("--color=no", "--dp-json=found.json", "--dp-out=out", "--junit-xml=j.xml", "--tb=short")
    result = run(pytester, *options, inside=True)
    result.assert_outcomes(failed=2)
    shown = "\n".join(part for part in result.outlines if "TEXT" not in part)
    ours = shown[shown.index("differential privacy") :]
    assert not set(ours) & set("\x1b\x07\x9b\u202e")
    assert len(ours) < 20_000
    assert "is not private as claimed" in shown
    stored = (pytester.path / "found.json").read_text(encoding="utf-8")
    assert len(stored) < 60_000
    assert json.loads(stored)["verdicts"][0]["verdict"] == "REFUTED"
    facts = ET.parse(pytester.path / "j.xml").findall(".//property")
    assert facts
    assert all(len(fact.get("value", "")) < 1000 for fact in facts)
    page = (pytester.path / "out" / "index.html").read_text(encoding="utf-8")
    assert page.count("<script") == 1
