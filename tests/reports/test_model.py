"""The one line that says why."""

from __future__ import annotations

import dpwitness as dpw
from dpwitness import Answers, BlackBox, Interval, PureDP, Records, mechanism
from dpwitness.core.budget import Budget
from dpwitness.reports.model import explain


@mechanism(data=Records(Interval(0, 1), 3), claim=lambda eps: PureDP(eps), typical={"eps": 1})
def product(noise, data, *, eps):
    whole = 1
    for x in data:
        whole *= (1 + x) / 2
    return whole + noise.laplace(1 / eps)


def test_an_open_line_names_the_line_that_stopped_the_provers():
    verdict = dpw.verify(product, budget=Budget(max_pairs=4_000))
    assert verdict.decision.name == "NOT_REFUTED"
    start, _, reason = explain(verdict).partition("; not proved: ")
    assert start.startswith("no violation found; would have seen")
    assert reason.startswith("line ")
    assert "whole *= (1 + x) / 2" in reason


def test_what_is_no_program_has_no_such_line():
    box = BlackBox("box", lambda data, size, rng: data[0] + rng.laplace(0, 1, size), Answers(size=1), PureDP(2))
    verdict = dpw.verify(box, budget=Budget(max_pairs=4_000))
    assert verdict.decision.name == "NOT_REFUTED"
    assert "not proved" not in explain(verdict)
