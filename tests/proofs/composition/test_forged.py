"""Transcripts that nobody's program gave: statements about them that are false are refused."""

from __future__ import annotations

from typing import Any

import pytest

from dpwitness import PureDP, Records, mechanism
from dpwitness.core.evidence import UpperBound
from dpwitness.core.judging.matching import foreign_reason
from dpwitness.proofs.composition.route import CompositionProver
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.check import check
from dpwitness.proofs.labels import label

BITS = {"inputs": "records", "relation": "substitute", "points": ["int:0", "int:1"]}
ADDED = {**BITS, "relation": "add-remove"}
COIN = [["sum", "%1", [[[1], "1/4"]]], ["coin", "~1", {"%1": "1", "": "1/2"}], ["give", "$1", "~1"],
        ["return", ["truth", "$1"]]]  # fmt: skip


def certificate(inputs: Any, transcript: Any, epsilon: str) -> dict[str, Any]:
    return {
        "type": "program-composition", "inputs": inputs, "open": [], "transcript": transcript, "parts": [],
        "guarantee": {"kind": "pure", "epsilon": epsilon},
    }  # fmt: skip


def test_the_chance_of_a_coin_is_that_of_one_record_alone() -> None:
    """With two records of 1 the coin is certain."""
    with pytest.raises(Rejected, match="one record"):
        check(certificate(BITS, COIN, "1"))
    theorem = check(certificate({**BITS, "count": 1}, COIN, "1"))
    assert theorem.sizes == (1,)
    assert "any number" not in theorem.statement
    for size, fits in ((1, True), (2, False), ((1, 2), False)):
        claim = mechanism(data=Records((0, 1), size), claim=lambda eps: PureDP(eps), typical={"eps": 1})(coin).claims()
        assert (foreign_reason(theorem, claim[0], label) is None) is fits


def coin(noise: Any, data: Any, *, eps: Any) -> Any:
    return noise.bernoulli((2 + sum(data)) / 4)


@pytest.mark.parametrize("count", [0, 2, True, "1", 1.0, None])
def test_no_other_count_is_stated(count: Any) -> None:
    with pytest.raises(Rejected):
        check(certificate({**BITS, "count": count}, COIN, "1"))


def test_a_count_is_that_of_replaced_records() -> None:
    with pytest.raises(Rejected):
        check(certificate({**ADDED, "count": 1}, [["return", ["number", "1"]]], "1"))


def test_a_program_of_one_record_is_proved_for_one() -> None:
    made = mechanism(data=Records((0, 1), 1), claim=lambda eps: PureDP(eps), typical={"eps": 1})(coin)
    found = CompositionProver().run(made.claims()[0])
    assert isinstance(found, UpperBound)
    assert found.scope.queries == 1
    assert check(found.certificate).sizes == (1,)


INNER = [["sample", "s1", "1/100000"], ["draw", "~1", "laplace", {"scale": "1/2"}],
         ["release", "$1", {"%1": "1"}, "~1"]]  # fmt: skip


@pytest.mark.parametrize(
    "last", [["if", ">=", "1", INNER, []], ["repeat", 1, {}, [*INNER, ["join", {}]]], ["if", ">", "1", [], INNER]]
)
def test_the_name_of_a_sample_is_not_taken_again(last: Any) -> None:
    """The sum is of the sample of everybody; a sample of hardly anybody with that name has no part in it."""
    outer = [["sample", "s1", "1"], ["sum", "%1", [["*", "1"]], "s1"]]
    with pytest.raises(Rejected, match="name of its own"):
        check(certificate(ADDED, [*outer, last, ["return", ["number", "0"]]], "1/1000"))


@pytest.mark.parametrize("law", ["laplace", "gumbel", "exponential"])
def test_a_scale_of_zero_is_refused_and_nothing_else_is_raised(law: str) -> None:
    steps = [["draw", "~1", law, {"scale": "0"}], ["draw", "~2", law, {"scale": "0"}], ["sum", "%1", [["*", "1"]]],
             ["contest", "$1", [["%1", "~1"], ["0", "~2"]]], ["return", ["number", "$1"]]]  # fmt: skip
    with pytest.raises(Rejected):
        check(certificate(ADDED, steps, "1"))


def test_answers_have_no_count_of_one_record() -> None:
    answers = {"inputs": "answers", "moves": "all", "by": "1", "whole": False, "size": 1}
    check(certificate(answers, [["return", ["number", "1"]]], "1"))
    with pytest.raises(Rejected):
        check(certificate({**answers, "count": 1}, [["return", ["number", "1"]]], "1"))


def test_a_proof_about_one_record_is_no_part_that_is_run() -> None:
    part = certificate({**BITS, "count": 1}, COIN, "1")
    run = [["sum", "%1", [[[1], "1"]]], ["run", "$1", "part", 0, [{"%1": "1"}], {}], ["return", ["result", "$1"]]]
    for inputs in (BITS, {**BITS, "count": 1}):
        with pytest.raises(Rejected, match="on answers"):
            check({**certificate(inputs, run, "1"), "parts": [part]})


def test_a_sample_is_not_of_one_replaced_record() -> None:
    with pytest.raises(Rejected, match="added or removed"):
        check(certificate({**BITS, "count": 1}, [["sample", "s1", "1/2"], *COIN], "1"))


def test_two_coins_of_one_record_cost_both() -> None:
    twice = [*COIN[:-1], ["coin", "~2", {"%1": "1", "": "1/2"}], ["give", "$2", "~2"], ["return", ["truth", "$2"]]]
    check(certificate({**BITS, "count": 1}, twice, "2"))
    with pytest.raises(Rejected, match="cost more"):
        check(certificate({**BITS, "count": 1}, twice, "1"))


def test_a_variance_that_is_a_square_tells_no_sign() -> None:
    """With $1 = −1000 the noise has the variance 10⁶, and min($1, 1) is far from [0, 1]."""
    steps = [["sum", "%1", [["*", "1"]]], ["draw", "~1", "laplace", {"scale": "1"}],
             ["release", "$1", {"%1": "1"}, "~1"],
             ["draw", "~2", "discrete_gaussian", {"variance": {"$1^2": "1"}}], ["let", "$2", "min", ["$1", "1"]],
             ["sum", "%2", [["*", "$2"]]], ["draw", "~3", "laplace", {"scale": "1"}],
             ["release", "$3", {"%2": "1"}, "~3"], ["return", ["number", "$3"]]]  # fmt: skip
    with pytest.raises(Rejected, match="sign"):
        check(certificate(ADDED, steps, "2"))


def test_a_number_below_all_doubles_times_what_is_unbounded_is_unbounded() -> None:
    """The noise has the scale 10⁴⁰⁰, so that $2 is of the size of 1."""
    huge, tiny = "1" + "0" * 400, "1/1" + "0" * 400
    steps = [["draw", "~1", "laplace", {"scale": huge}], ["give", "$1", "~1"],
             ["if", ">=", {"$1": "1", "": "-1"}, [["join", {"$2": {"$1": tiny}}]], [["return", ["none"]]]],
             ["sum", "%1", [["*", "$2"]]], ["draw", "~2", "laplace", {"scale": "1"}],
             ["release", "$3", {"%1": "1"}, "~2"], ["return", ["number", "$3"]]]  # fmt: skip
    with pytest.raises(Rejected, match="no bound"):
        check(certificate(ADDED, steps, "1/1000"))
