"""A server that refuses questions, and a synthetic database."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import pytest
from tests.mechanisms.scripted import Scripted, twin

from dpwitness.mechanisms.query_server import PEOPLE, ROUNDS, next_question, query_server
from dpwitness.mechanisms.sanitised_database import CANDIDATES, CONJUNCTIONS, TABLE, UNIVERSE, answers


class Answer(float):
    """A draw that makes the noisy answer this very number, whatever it is added to."""

    def __radd__(self, other: Any) -> float:
        return float(self)


@pytest.mark.parametrize("wanted", [(4, 2, 1), (4, 0, 0), (0, 2, 2), (0, 0, 0)])
def test_refusals_follow_from_the_transcript(wanted: tuple[float, ...]) -> None:
    seen = {
        tuple(query_server.program(Scripted(map(Answer, wanted)), data, **query_server.params()))
        for data in itertools.product((0, 1), repeat=PEOPLE)
    }
    assert len(seen) == 1  # with the same answers, the same refusals


def test_nobody_is_counted_more_often_than_the_budget_allows() -> None:
    refused = 0
    for budget in (1, 2, 3):
        for draws in itertools.product((-9, 9), repeat=ROUNDS):
            shown = query_server.program(Scripted(draws), [0, 1, 0, 1], **query_server.params(budget=budget))
            spent, asked = [0] * PEOPLE, range(PEOPLE)
            for answer in shown:
                if answer is None:
                    refused += 1
                    assert max(spent[i] for i in asked) == budget
                else:
                    spent = [s + (i in asked) for i, s in enumerate(spent)]
                asked = next_question(asked, answer)  # type: ignore[assignment]
            assert max(spent) <= budget
    assert refused


def test_a_server_that_looks_at_the_data_refuses_differently() -> None:
    target = twin(query_server, "refuses-by-the-data")
    first = [target.program(Scripted(), data, **target.params())[0] for data in ([1, 0, 0, 0], [1, 1, 0, 0])]
    assert first[0] is None
    assert first[1] is not None


def test_penalty_moves_by_at_most_one_record() -> None:
    assert len(CONJUNCTIONS) == 3**2
    n = 3
    penalties = {
        rows: [max(abs(a - t) for a, t in zip(row, answers(rows), strict=True)) for row in TABLE]
        for rows in itertools.product(UNIVERSE, repeat=n)
    }
    moves = [
        abs(a - b)
        for x, y in itertools.combinations(penalties, 2)
        if sum(u != v for u, v in zip(x, y, strict=True)) == 1
        for a, b in zip(penalties[x], penalties[y], strict=True)
    ]
    assert max(moves) == Fraction(1, n)
    assert len(CANDIDATES) == 10
