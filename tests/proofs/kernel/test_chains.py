"""The rule of chains: every part of a certificate is needed, and a loop that may never end is refused."""

import copy
from fractions import Fraction as F

import pytest

from dpwitness.proofs.kernel.algebra.expsum import ExpSum
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.check import check
from dpwitness.proofs.kernel.releases.chains import law_of_chain, masses, read_choices

TWO = {"records": ["int:0", "int:1"], "fewest": 1, "most": 1, "relation": "substitute"}
PROOF = {
    "type": "chains",
    "space": TWO,
    "outputs": [["const", "int", 0], ["const", "int", 1]],
    "choices": [["1", "1"], [{"1": "1"}, "1"]],
    # a fair coin; the true record is kept with probability e/(1+e), the other one with 1/(1+e)
    "chains": [
        [["c0", ["c1", "o0", "n0"], ["c1", "n0", "o1"]]],
        [["c0", ["c1", "n0", "o0"], ["c1", "o1", "n0"]]],
    ],
    "use": [0, 1],
    "flows": [["1"], ["1"]],
    "epsilon": "1",
    "delta": "0",
}
VIOLATION = {
    **{name: PROOF[name] for name in ("outputs", "choices", "chains", "flows", "delta")},
    "type": "chain-violation",
    "inputs": [["int:0"], ["int:1"]],
    "event": [0],
    "epsilon": "99/100",
}


def test_a_loop_that_tosses_again_is_private():
    theorem = check(PROOF)
    assert theorem.guarantee["kind"] == "pure"
    assert "2 chains of 2 states that end with probability 1" in theorem.statement
    assert check(VIOLATION).refutes


def with_(certificate, *path):
    *names, new = path
    made = copy.deepcopy(certificate)
    part = made
    for name in names[:-1]:
        part = part[name]
    part[names[-1]] = new
    return made


@pytest.mark.parametrize(
    ("how", "words"),
    [
        (("epsilon", "99/100"), "not .*-close"),
        (("flows", 0, ["0"]), "equation of state 0"),
        (("flows", 0, ["-1"]), "equation of state 0"),
        (("flows", 0, []), "one number for each"),
        (("flows", [["1"]]), "has a list of numbers"),
        (("choices", 0, ["2", "-1"]), "not negative"),
        (("choices", 0, ["0", "0"]), "positive sum"),
        (("choices", 0, ["0", "1"]), "impossible where its weight is zero"),
        (("choices", 0, ["1", "1", "1"]), "no choice with 2 outcomes"),
        (("chains", 0, 0, 1, "x"), "impossible where its weight is zero"),
        (("chains", 0, 0, ["c0", "n0", "n0"]), "no way to an output"),
        (("chains", 0, 0, 1, "n1"), "does not exist"),
        (("chains", 0, 0, 1, "o2"), "does not exist"),
        (("chains", 0, 0, 1, "o01"), "does not exist"),
        (("chains", 0, 0, 1, "m1"), "neither an output"),
        (("chains", 0, 0, 0, "c2"), "no choice"),
        (("chains", 0, 0, 0, "d0"), "no choice"),
        (("chains", 0, 0, "n0"), "no way to an output"),
        (("chains", 0, []), "at least one state"),
        (("outputs", [["const", "int", 0]] * 2), "listed twice"),
        (("outputs", [["const", "int", 0], ["slot"]]), "constants"),
        (("use", [0, 0]), "no input has"),
        (("delta", "1"), r"\[0, 1\)"),
        (("epsilon", "-1"), "not be negative"),
    ],
)
def test_another_certificate_is_refused(how, words):
    with pytest.raises(Rejected, match=words):
        check(with_(PROOF, *how))


@pytest.mark.parametrize(
    ("how", "words"),
    [
        (("epsilon", "1"), "does not violate"),
        (("event", [1]), "does not violate"),
        (("event", [0, 0]), "different numbers"),
        (("event", [2]), "does not exist"),
        (("inputs", [["int:0"], ["int:0"]]), "the same"),
        (("chains", [PROOF["chains"][0]]), "has a list of numbers"),
    ],
)
def test_another_violation_is_refused(how, words):
    with pytest.raises(Rejected, match=words):
        check(with_(VIOLATION, *how))


@pytest.mark.parametrize(
    "other",
    [["const", "int", True], ["const", "int", 0.0], ["const", "float", 0], ["const", "Fraction", "0/1"],
     ["const", "Fraction", "1e999999999"], ["const", "float", "0.0"], ["const", "bool", 0], ["const", "NoneType", 0],
     ["tuple", ["const", "int", "0"]]],
)  # fmt: skip
def test_an_output_has_one_name(other):
    with pytest.raises(Rejected, match="not an output"):
        check(with_(VIOLATION, "outputs", [["const", "int", 0], other]))


def test_two_inputs_have_two_chains():
    one = {**VIOLATION, "chains": [PROOF["chains"][0]], "flows": [["1"]]}
    with pytest.raises(Rejected, match="two chains"):
        check(one)


def test_visits_of_a_later_state_must_balance():
    states = [{"n1": ExpSum.of(1), "o0": ExpSum.of(1)}, {"n0": ExpSum.of(1), "o1": ExpSum.of(2)}]
    good = [ExpSum.of(3), ExpSum.of(1)]
    assert [w.rational for w in law_of_chain(states, good, 2).weights] == [3, 2]
    with pytest.raises(Rejected, match="state 1"):
        law_of_chain(states, [ExpSum.of(3), ExpSum.of(F(3, 2))], 2)


def test_a_trap_beside_the_outputs_is_refused():
    states = [{"n1": ExpSum.of(1), "o0": ExpSum.of(1)}, {"n1": ExpSum.of(1)}]
    with pytest.raises(Rejected, match="state 1 has no way"):
        law_of_chain(states, [ExpSum.of(1), ExpSum.of(1)], 1)


def test_branches_with_different_totals_are_weighed():
    choices = read_choices([["1", "1"], ["1", "2"], ["1", "4"]])
    found = masses(["c0", ["c1", "o0", "o1"], ["c2", "o0", "o2"]], choices)
    total = sum(mass.rational for mass in found.values())
    assert {leaf: mass.rational / total for leaf, mass in found.items()} == {
        "o0": F(1, 6) + F(1, 10),
        "o1": F(1, 3),
        "o2": F(2, 5),
    }
