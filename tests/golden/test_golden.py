"""Evidence does not change by itself: what was recorded is found again, byte for byte."""

from __future__ import annotations

import json

import pytest

from tests.golden.recording import FILE, record_claim, record_sampler, shorten

STORED: dict[str, dict[str, str]] = json.loads(FILE.read_text(encoding="utf-8"))
ANEW = "evidence has changed: if it was meant to, run python -m tests.golden.recording and say why"


def test_sixty_claims_and_twelve_samplers_are_stored() -> None:
    assert sum(key.startswith("claim ") for key in STORED) == 60
    assert sum(key.startswith("sampler ") for key in STORED) == 12


# Numerical libraries may round differently on another processor, so the whole comparison has a marker of its own.
@pytest.mark.golden
@pytest.mark.parametrize("key", STORED)
def test_the_evidence_is_what_was_recorded(key: str) -> None:
    kind, _, name = key.partition(" ")
    found = shorten(record_claim(name) if kind == "claim" else record_sampler(name))
    assert found == STORED[key], ANEW
