"""The exam: its questions, a few of them decided, and its page."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.exam.brute import TABLE, largest_move
from benchmarks.exam.deciding import answers
from benchmarks.exam.functions import FUNCTIONS
from benchmarks.exam.mechanisms import MECHANISMS, questions
from benchmarks.exam.page import table

PAGE = Path(__file__).parents[2] / "docs" / "exam.md"


def test_there_are_588_questions() -> None:
    found = list(questions())
    assert len(found) == len(set(found)) == 588 == 49 * len(MECHANISMS) * 2
    assert [f.number for f in FUNCTIONS] == list(range(1, 50)) == list(TABLE)


@pytest.mark.parametrize("number", [5, 7, 21, 41])
def test_functions_are_decided_as_the_page_says(number: int) -> None:
    found, _ = answers([number], workers=1)
    assert len(found) == 12
    assert not any(a.disagreements for a in found)
    assert {a.decision for a in found if a.question.share == "1"} == {"PROVED"}
    assert {a.decision for a in found if a.question.share != "1"} == {"REFUTED"}
    assert table(found)[-1] in PAGE.read_text(encoding="utf-8")


def test_the_search_would_see_a_wrong_decision() -> None:
    """Its moves are those of the exact sensitivities, where these are plain."""
    assert largest_move(1, 3, ()) == pytest.approx(1)
    assert largest_move(21, 4, ()) == pytest.approx(0.5)
    assert largest_move(33, 1, ()) is None
    (share, half) = (a for a in answers([7], workers=1)[0] if a.question.mechanism == MECHANISMS[0])
    assert (share.holds, half.fails, half.holds) == ("n = 1; n = 2; every n >= 3", "every n >= 3", "n = 1; n = 2")


@pytest.mark.slow
def test_all_questions() -> None:
    found, _ = answers(workers=2)
    assert len(found) == 588
    assert not [a for a in found if a.disagreements]
    assert not [a for a in found if a.decision not in ("PROVED", "REFUTED")]
