"""Programs made of parts are proved, with a model that runs beside them; the reasons of refusals say what to do."""

from __future__ import annotations

import warnings

import pytest
from tests.proofs.composition import programs

import dpwitness as dpw
from dpwitness import Interval, PureDP, Records, mechanism
from dpwitness.core.evidence import Unsupported, UpperBound
from dpwitness.core.judging.judge import judge
from dpwitness.proofs.composition.route import CompositionProver
from dpwitness.routes import kernel_checker

UNIT = Records(Interval(0, 1), 4, "add-remove")


def decide(made):
    claim = made.claims()[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return judge(claim, [CompositionProver().run(claim)], kernel_checker())


@pytest.mark.parametrize("made", programs.ALL, ids=lambda made: made.name)
def test_proved_with_a_model_that_was_run(made) -> None:
    verdict = decide(made)
    assert verdict.decision.value == "PROVED", [e.reason for e in verdict.silent]
    assert verdict.upper.confirmed.runs >= 20
    assert verdict.upper.confirmed.reached == verdict.upper.confirmed.places


@pytest.mark.parametrize("made", [programs.mean, programs.chosen_bound, programs.winner_measured], ids=lambda m: m.name)
def test_every_epsilon_is_covered(made) -> None:
    assert decide(made).upper.scope.epsilon == "all"


def test_records_are_covered_in_any_number() -> None:
    verdict = decide(programs.mean)
    assert verdict.upper.scope.queries == "any"
    wider = mechanism(
        data=Records(Interval(0, 1), 4_000, "add-remove"), claim=lambda eps: PureDP(eps), typical={"eps": 1}
    )
    claim = wider(programs.mean.program).claims()[0]
    assert isinstance(CompositionProver().run(claim), UpperBound)


def refused(program, space=UNIT) -> Unsupported:
    made = mechanism(data=space, claim=lambda eps: PureDP(eps), typical={"eps": 1})(program)
    found = CompositionProver().run(made.claims()[0])
    assert isinstance(found, Unsupported)
    return found


def test_a_refusal_has_a_line_and_advice() -> None:
    def in_clear(noise, data, *, eps):
        n = len(data) + noise.laplace(1 / eps)
        return n, sum(data)

    found = refused(in_clear)
    assert found.line == in_clear.__code__.co_firstlineno + 2
    assert "add noise to it first" in found.reason
    assert "test_route.py" in found.reason


def first_record(noise, data, *, eps):
    return data[0] + noise.laplace(1 / eps)


def whether_it_is_there(noise, data, *, eps):
    return 1 if 0 in data else 0


def foreign_function(noise, data, *, eps):
    return programs.spread([len(data) + noise.laplace(1 / eps)])


def lengths(noise, data, *, eps):
    return [noise.laplace(1 / eps) for _ in range(len(data))]


@pytest.mark.parametrize(
    ("program", "words"),
    [
        (first_record, "sum(... for r in data)"),
        (whether_it_is_there, "noise.present"),
        (foreign_function, "noise.postprocess"),
        (lengths, "add noise to it first"),
    ],
)
def test_words_of_refusals(program, words) -> None:
    assert words in refused(program).reason


def test_prove_finds_it_from_outside() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = dpw.prove(programs.mean, seconds=30)
    assert isinstance(found, UpperBound)
    assert found.method == "composition"


def bins(noise, data, *, eps):
    below = sum(1 for x in data if x < 0.3) + noise.laplace(1 / eps)
    middle = sum(1 for x in data if 0.3 <= x < 0.7) + noise.laplace(1 / eps)
    return [below, middle, sum(1 for x in data if x >= 0.7) + noise.laplace(1 / eps)]


def test_bins_that_meet_at_a_double_are_proved() -> None:
    made = mechanism(data=UNIT, claim=lambda eps: PureDP(eps), typical={"eps": 1})(bins)
    assert decide(made).decision.value == "PROVED"
