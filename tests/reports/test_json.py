from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from tests.reports.samples import HOSTILE, RUN, hostile, sample, verdicts

from dpwitness.core.errors import BadInput
from dpwitness.core.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP
from dpwitness.reports.jsonin import from_json, guarantee_of
from dpwitness.reports.jsonout import MOST_ITEMS, schema, to_json
from dpwitness.reports.model import Report

NAMES = {0: "certificates/a.json", 1: "certificates/b.json"}


def written(report: Report) -> dict[str, Any]:
    """What another program reads: strict JSON, no NaN."""
    text = json.dumps(to_json(report, NAMES), allow_nan=False)
    result: dict[str, Any] = json.loads(text)
    return result


def test_a_result_validates() -> None:
    jsonschema.validate(written(sample()), schema())


def test_a_result_round_trips() -> None:
    document = written(sample())
    report, names = from_json(document)
    assert json.loads(json.dumps(to_json(report, names))) == document
    assert {i: names[i] for i in NAMES} == NAMES


def test_what_is_read_back_says_the_same() -> None:
    before = sample()
    after, _ = from_json(written(before))
    for old, new in zip(before.rows, after.rows, strict=True):
        for name in ("target", "claim", "decision", "expected", "bracket", "reason"):
            assert getattr(old, name) == getattr(new, name), name
    assert after.exit_status() == before.exit_status()


@pytest.mark.parametrize(
    "guarantee", [PureDP("1/3"), ApproxDP(1, "1e-5"), ZCDP("1/2"), RenyiDP(2, 1), GaussianDP("3/2")], ids=str
)
def test_every_guarantee_round_trips(guarantee: Guarantee) -> None:
    assert guarantee_of(guarantee.to_json()) == guarantee


def test_the_verdict_of_another_program_is_refused() -> None:
    with pytest.raises(BadInput, match="not a result of dpwitness"):
        from_json({"schema": "other/1"})
    with pytest.raises(BadInput, match="not a guarantee"):
        guarantee_of({"kind": "local"})


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_validates_and_stays_small(text: str) -> None:
    document = written(hostile(text))
    jsonschema.validate(document, schema())
    encoded = json.dumps(document, ensure_ascii=False).encode("utf-8")
    assert len(encoded) < 60_000
    assert "\x1b" not in encoded.decode()
    report, names = from_json(document)
    assert json.loads(json.dumps(to_json(report, names))) == document


def test_infinite_and_missing_numbers_are_still_json() -> None:
    from dataclasses import replace

    first, *rest = verdicts()
    odd = replace(first, lower=replace(rest[2].lower, detectable=float("inf"), left=(float("nan"), True, None, "x")))  # type: ignore[type-var]
    document = written(Report.of([odd], RUN))
    jsonschema.validate(document, schema())
    assert document["verdicts"][0]["lower"]["inputs"][0] == ["nan", True, None, "x"]


def test_a_long_input_is_cut_and_says_so() -> None:
    from dataclasses import replace

    first = verdicts()[0]
    assert first.lower is not None
    long = replace(first, lower=replace(first.lower, left=tuple(range(5000))))
    left = written(Report.of([long], RUN))["verdicts"][0]["lower"]["inputs"][0]
    assert len(left) == MOST_ITEMS + 1
    assert left[-1] == "… 5000 in all"
