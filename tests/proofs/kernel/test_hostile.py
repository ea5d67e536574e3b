"""Certificates that are written to hang, to crash or to slip something past the kernel: each is refused with a reason.

None of these tests asserts a time; a certificate that hangs the kernel hangs its test.
"""

from __future__ import annotations

import copy
from fractions import Fraction
from typing import Any

import pytest
from tests.proofs.kernel.released import noise
from tests.proofs.kernel.test_program_attacks import INT, ONE_QUERY, PURE, bound, counterexample, tree
from tests.proofs.kernel.test_tables import CERTIFICATE as TABLES

from dpwitness.catalogue import catalogue
from dpwitness.proofs.anyn.route import AnyNProver
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.kernel.releases.piecewise import cover
from dpwitness.proofs.laws.pieces import PieceProver
from dpwitness.proofs.programs.route import ProgramProver

F = Fraction


def positive(formula: str, proof: dict[str, Any]) -> dict[str, Any]:
    return {"type": "positive", "formula": formula, "box": {"x": ["1/2", "1"]}, "strict": False, "proof": proof}


def test_powers_of_powers_are_not_computed() -> None:
    assert "bits" in examine(positive("((9**999)**999)**999", {"by": "interval"})).reason


def test_derivatives_of_derivatives_end() -> None:
    proof: dict[str, Any] = {"by": "interval"}
    for _ in range(30):
        proof = {"by": "rising", "variable": "x", "slope": proof, "face": {"by": "interval"}}
    assert "derivatives" in examine(positive("sqrt(1+x)*log(2+x)*exp(x)", proof)).reason


def test_many_forms_for_many_records() -> None:
    form = {"power": 0, "gaps": ["1"] * 41}
    made = {
        "type": "sorted-release",
        "records": ["0", "1"],
        "location": ["1"] * 41,
        "scales": [form] * 2000,
        "unit": "1",
        "beta": "0",
        "step": "0",
        "growth": 0,
        "noise": {"name": "laplace"},
        "guarantee": {"kind": "pure", "epsilon": "1"},
    }
    assert "too many forms" in examine(made).reason
    assert examine({**made, "scales": [form] * 20})


def test_huge_numbers_are_refused_or_decided() -> None:
    big = "1" + "0" * 4000
    for law in ({"name": "discrete_gaussian", "variance": big}, {"name": "admissible", "gamma": big, "scale": "1"}):
        assert not examine(noise([law], "all", ["1"], {"kind": "approximate", "epsilon": "1", "delta": "1/9"}))
    centre = {"support": ["0", "1"], "coefficients": ["1/4"] * 4, "offset": "0", "records": ["0", "1"]}
    tent = {"type": "tent", "rate": big, **centre, "epsilon": big}
    assert examine(tent)  # at most rate·move and ln 2
    assert not examine({**tent, "epsilon": "1" + "0" * 3999})
    rows = [[{big: "1"}, "1"], [{"1": "1"}, "1"]]
    assert not examine({**TABLES, "rows": rows})


def test_a_box_shorter_than_the_output_is_no_crash() -> None:
    outputs = [["list", ["slot"], ["slot"]], ["list", ["const", "int", 1], ["const", "int", 2]]]
    nodes = ["d0", ["t0", ["o0", "n0", "n0"], ["o1"]]]
    made = tree(nodes, draws=[["laplace", "1"]], tests=[["q0+n0", True]], outputs=outputs)
    for box in ([], [["0", "1"]]):
        verdict = examine(counterexample(made, "1", "0", box=box, claim=PURE))
        assert not verdict
        assert verdict.reason


def test_a_shift_has_one_number() -> None:
    made = tree(["d0", ["o0", "n0+q0"]], draws=[["laplace", "1"]], outputs=[["slot"]])
    good = bound(made, adjacency=ONE_QUERY, shifts=[{"n0": "-q0"}])
    assert examine(good)
    for place in (-1, True, False, "0", 1.0):
        assert not examine({**good, "use": {"0": place}}), place


@pytest.mark.parametrize("name", ["above-threshold", "report-noisy-max", "noisy-top-k"])
def test_noise_of_infinite_scale_pays_for_nothing(name: str) -> None:
    claim = catalogue()[name].claims()[0]
    made = copy.deepcopy(dict(AnyNProver().run(claim).certificate))  # type: ignore[union-attr, arg-type]
    assert examine(made)
    todo = list(made["model"].get("trees", {}).values())
    while todo:
        node = todo.pop()
        if "draw" in node:
            node["rate"] = {}
        todo += [node[branch] for branch in ("yes", "no", "then") if branch in node]
    for draw in made["model"].get("draws", ()):
        draw[0] = {}
    assert not examine(made)


def test_identical_laws_must_be_laws() -> None:
    made = {"type": "scales", "noise": {"name": "laplace"}, "guarantee": {"kind": "pure", "epsilon": "1"}}
    made = {**made, "space": TABLES["space"], "output": ["slot"], "use": [0, 0]}
    assert examine({**made, "laws": [["0", "1"]]})
    for law in (["0"], 7, ["x", "1"], ["0", "1", "2"], ["0", "0"], ["0", "-1"]):
        assert not examine({**made, "laws": [law]}), law


ABOVE, BELOW = (F(-1, 2), F(1), F(0)), (F(1), F(-2), F(0))  # x₁ ≥ 1/2, and its opposite written otherwise


def test_pieces_leave_no_dataset_out() -> None:
    """A piece that is made smaller makes every inequality easier, so that pieces which do not cover prove anything."""
    assert cover([[ABOVE], [BELOW]])
    assert cover([[]])
    assert not cover([])
    assert not cover([[ABOVE]])
    assert not cover([[ABOVE], [(F(1, 4), F(-1), F(0))]])
    other, across = (F(0), F(1), F(-1)), (F(0), F(-1), F(1))
    assert cover([[ABOVE, other], [ABOVE, across], [BELOW]])
    assert not cover([[ABOVE, other], [BELOW, across]])
    assert not cover([[(F(-1), F(0), F(0))]])  # −1 ≥ 0
    assert cover([[(F(1), F(0), F(0))]])


def test_a_smaller_piece_is_refused() -> None:
    (claim,) = catalogue()["sample-and-aggregate"].claims()
    made = dict(PieceProver().run(claim).certificate)  # type: ignore[union-attr, arg-type]
    assert examine(made)
    pieces = copy.deepcopy(made["pieces"])
    pieces[0]["rows"][0][0] = "-1"  # now x₁ − x₄ ≥ 1: almost nothing, and every move out of it is still paid for
    assert "every dataset" in examine({**made, "pieces": pieces}).reason
    assert not examine({**made, "pieces": made["pieces"][1:], "proofs": made["proofs"]})


def test_samples_of_one_program() -> None:
    """The loss under add/remove of one program and the loss under replacement of another bound neither of them."""
    laws = [[["1", "1"]], [["exp(1)", "1"]], [["1", "exp(1)"]]]  # on the samples (), (0), (1)
    trees = [tree(["c0", ["o0"], ["o1"]], choices=odds, queries=0, outputs=INT[:2]) for odds in laws]

    def inner(relation: str, use: list[int], factor: str) -> dict[str, Any]:
        space = {"records": ["0", "1"], "fewest": 0, "most": 1, "relation": relation}
        made = {"type": "program-finite", "space": space, "trees": trees, "use": use, "claim": {"factor": factor}}
        assert examine(made)
        return made

    first, second = inner("add-remove", [0, 1, 2], "1"), inner("substitute", [0, 1, 2], "1")
    made = {"type": "subsampled", "sampling": {"kind": "poisson", "size": "1"}, "space": second["space"], "eps": "1"}
    assert examine({**made, "epsilon": "1", "inner": {"add-remove": first, "substitute": second}})
    constant = inner("substitute", [0, 0, 0], "0")
    refused = examine({**made, "epsilon": "0", "inner": {"add-remove": first, "substitute": constant}})
    assert "different programs" in refused.reason


def test_a_dataset_has_one_program_in_all_of_its_pairs() -> None:
    claim = catalogue()["clamped-geometric"].claims()[0]
    made = dict(ProgramProver().run(claim).certificate)  # type: ignore[union-attr, arg-type]
    assert made["type"] == "program-pairs"
    assert examine(made)
    assert len(made["proofs"]) > 1
    for place in range(0, len(made["use"]), 17):
        use = list(made["use"])
        use[place] = (use[place] + 1) % len(made["proofs"])
        assert "different programs" in examine({**made, "use": use}).reason


def test_a_ranking_has_a_whole_number_of_winners() -> None:
    for name, bad in (("noisy-max-with-gap", {"": "2"}), ("noisy-max-with-gap", {}), ("noisy-top-k", {"k": "1/2"})):
        made = dict(AnyNProver().run(catalogue()[name].claims()[0]).certificate)  # type: ignore[union-attr, arg-type]
        assert made["type"] == "ranking-shift"
        assert examine(made)
        assert "winner" in examine({**made, "model": {**made["model"], "count": bad}}).reason


def test_what_no_node_names_is_not_listed() -> None:
    """A number that is never read could be anything."""
    nodes, draws = ["d0", ["o0", "n0+q0"]], [["laplace", "1"]]
    good = bound(tree(nodes, draws=draws, outputs=[["slot"]]), shifts=[{"n0": "-q0"}])
    assert examine(good)
    for more in ({"draws": [*draws, ["laplace", "7"]]}, {"tests": [["n0", True]]}, {"choices": [["1", "2"]]}):
        assert "no node names" in examine({**good, "tree": {**good["tree"], **more}}).reason
