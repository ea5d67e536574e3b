from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpwitness.reports.figures.events import members

LINE = [-2.0, -0.25, 0.0, 0.25, 2.0]


@pytest.mark.parametrize(
    ("words", "held"),
    [
        ("output ≤ 0.25", [-2.0, -0.25, 0.0, 0.25]),
        ("output > 0.25", [2.0]),
        ("output ≥ 0.25", [0.25, 2.0]),
        ("output < 0.25", [-2.0, -0.25, 0.0]),
        ("-0.25 ≤ output < 0.25", [-0.25, 0.0]),
        ("output = 2", [2.0]),
        ("-0.25 < output ≤ 0.25", [0.0, 0.25]),
        ("output ≤ -1 or 1 < output ≤ 3", [-2.0, 2.0]),
        ("output x with -1/4 <= x <= 1/4", [-0.25, 0.0, 0.25]),
        ("output x with x <= 5/4", [-2.0, -0.25, 0.0, 0.25]),
    ],
)
def test_ranges_of_numbers(words: str, held: list[float]) -> None:
    found = members(words, LINE)
    assert found is not None
    assert [x for x, inside in zip(LINE, found, strict=True) if inside] == held


@pytest.mark.parametrize(
    ("words", "held"),
    [
        ("output 4", ["4"]),
        ("output = 4 or output = None", ["None", "4"]),
        ("output [0, 1] or [1, 1]", ["[0, 1]", "[1, 1]"]),
        ("output is one of 4, [0, 1]", ["4", "[0, 1]"]),
        ("output ≥ 4", ["4", "14"]),
        ("output > 4 or output = None", ["None", "14"]),
    ],
)
def test_named_outputs(words: str, held: list[str]) -> None:
    names = ["None", "4", "14", "[0, 1]", "[1, 1]"]
    found = members(words, names)
    assert found is not None
    assert [x for x, inside in zip(names, found, strict=True) if inside] == held


@pytest.mark.parametrize(
    "words",
    ["", "no event stands out", "about: output[3] ≤ 1 and the largest number ≤ 2", "output is any number",
     "output > 1/0", "output ≤ 9", "output > 9", "<script>", "output ≤ 1" * 1000, "output ≤ 1e", "output[1] > 1"],
)  # fmt: skip
def test_what_cannot_be_read_or_says_nothing_is_none(words: str) -> None:
    assert members(words, LINE) is None


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(words: str) -> None:
    for outputs in (LINE, ["0", "1"], []):
        found = members(words, outputs)
        assert found is None or len(found) == len(outputs)
