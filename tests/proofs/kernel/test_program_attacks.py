"""Certificates about programs written by hand to make the kernel accept something false: each must be refused.

Every attack comes with the honest certificate that it was made from, where there is one, so that a refusal is known to
be for the right reason.
"""

from __future__ import annotations

import copy

import pytest

from dpwitness.proofs.kernel.algebra.polyhedra import parse
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.kernel.programs.trees import read_tree
from dpwitness.proofs.kernel.spaces import read_space

INT = [["const", "int", k] for k in range(4)]
ONE_QUERY = {"relation": "linf", "by": "1"}
PURE = {"epsilon": "1", "delta": "0"}
ONE = [{"0,0": "1"}, {"0,0": "1"}]
ZERO = [{}, {"0,0": "1"}]


def tree(nodes, *, draws=(), tests=(), choices=(), outputs=INT, queries=1, unit="eps", maxima=()):
    return {"queries": queries, "unit": unit, "draws": list(draws), "tests": list(tests), "maxima": list(maxima),
            "choices": list(choices), "outputs": list(outputs), "nodes": nodes}  # fmt: skip


def bound(tree_json, value="1", adjacency=ONE_QUERY, shifts=({},), use=None, merged=(), **more):
    use = {str(k): 0 for k in range(9)} if use is None else use
    return {"type": "program-bound", "tree": tree_json, "adjacency": adjacency, "bound": value,
            "shifts": list(shifts), "use": use, "merged": list(merged), **more}  # fmt: skip


def counterexample(tree_json, left, right, output=0, box=(), eps="1", claim=PURE, p_left=ONE, p_right=ZERO):
    return {"type": "program-counterexample", "tree": tree_json, "adjacency": ONE_QUERY, "left": [left],
            "right": [right], "event": {"output": output, "box": list(box)}, "eps": eps, "claim": claim,
            "p_left": p_left, "p_right": p_right}  # fmt: skip


def pair(**changes):
    """Randomized response that keeps the truth with odds e^(2·eps): not eps-private."""
    trees = [
        tree(["c0", ["o0"], ["o1"]], choices=[["exp(2)", "exp(0)"]], queries=0, outputs=INT[:2]),
        tree(["c0", ["o1"], ["o0"]], choices=[["exp(2)", "exp(0)"]], queries=0, outputs=INT[:2]),
    ]
    space = {"records": ["0", "1"], "fewest": 1, "most": 1, "relation": "substitute"}
    return {"type": "program-pair", "space": space, "inputs": [["0"], ["1"]], "trees": trees,
            "outputs": ["['const', 'int', 0]"], "eps": "1", "claim": PURE, **changes}  # fmt: skip


def finite(**changes):
    """Randomized response with odds e^eps on one bit: eps-private."""
    trees = copy.deepcopy(pair()["trees"])
    for one in trees:
        one["choices"] = [["exp(1)", "exp(0)"]]
    return {"type": "program-finite", "space": pair()["space"], "trees": trees, "use": [0, 1],
            "claim": {"factor": "1"}, **changes}  # fmt: skip


def refused(certificate, word=""):
    result = examine(certificate)
    assert not result, result.statement
    assert word in result.reason, result.reason


def test_an_unknown_has_one_spelling():
    # one draw under two names would be shifted twice, in two directions: {q0 + n0 > 0} and {n0 - q0 > 0} together
    for text in ("n00", "n0+n01", "q007", "w00"):
        with pytest.raises(Rejected):
            parse(text)
    nodes = ["d0", ["t0", ["t1", ["o0"], ["o1"]], ["o2"]]]
    twice = tree(nodes, draws=[["laplace", "1"]], tests=[["n0+q0", True], ["n00-q0", True]])
    refused(bound(twice, "2", shifts=[{"n0": "-q0", "n00": "q0"}]), "linear form")


def test_merging_cannot_use_what_other_laws_make_impossible():
    # for q0 > 0 the draw is one-sided, so "n0 < -1" is cut off there; for q0 <= 0 it is Laplace and can be below -1.
    # The union {n0 < -1} is not the leaf {q0 <= 0, n0 < -1}: its probability falls to 0 when q0 becomes positive.
    nodes = ["t0", ["d1", ["t1", ["x", {"1": "1", "2": "1"}], ["o2"]]], ["d0", ["t1", ["o0"], ["o1"]]]]
    bad = tree(nodes, draws=[["laplace", "1"], ["exponential", "1"]], tests=[["q0", True], ["-n0-1", True]])
    assert len(read_tree(bad).leaves) == 3
    lone = {"leaves": [1], "rows": [["-n0-1", True]], "inside": {}, "outside": [], "shift": {}}
    far = {**lone, "outside": [[[0, 0], {"0": "1", "2": "1"}], [[2, 2], {"0": "1", "2": "1"}]]}
    wide = {"leaves": [0], "rows": [["n0+1", False]], "inside": {}, "outside": [], "shift": {}}
    for merged in ([lone], [far], [far, wide]):
        refused(bound(bad, "9", merged=merged))
    assert "other laws" in examine(bound(bad, "9", merged=[far])).reason


def test_a_test_of_one_over_eps_is_not_decided_at_eps_one():
    # output 0 where q0 > 0, or where 1/eps < 1/2: at eps = 4 it is certain on both inputs
    nodes = ["t0", ["o0"], ["t1", ["o0"], ["o1"]]]
    refused(counterexample(tree(nodes, tests=[["q0", True], ["1/2-u", True]]), "1", "0", eps="4"), "units of eps")
    honest = counterexample(tree(["t0", ["o0"], ["o1"]], tests=[["q0", True]]), "1", "0", eps="4")
    assert examine(honest)


def test_ties_between_integer_draws_are_no_null_sets():
    # output 0 where q0 > 0, or where two geometric draws are equal, which is likely
    nodes = ["t0", ["o0"], ["d0", ["d0", ["t1", ["t2", ["o0"], ["o1"]], ["o1"]]]]]
    tests = [["q0", True], ["n0-n1", False], ["n1-n0", False]]
    refused(
        counterexample(tree(nodes, draws=[["discrete_laplace", "1"]], tests=tests), "1", "0"), "what the tree gives"
    )


def test_an_open_side_of_a_box_has_no_end():
    # every output is a number: the event "any number" is certain, however large the number of the other branch
    huge = ["const", "int", 10**40]
    nodes = ["t0", ["d0", ["o0", "n0"]], ["o1"]]
    made = tree(nodes, draws=[["laplace", "1"]], tests=[["q0", True]], outputs=[["slot"], huge])
    refused(counterexample(made, "1", "0", box=[[None, None]]), "may look like the event")


def test_weights_that_sum_to_zero_give_no_law():
    zero = tree(["c0", ["o0"], ["o1"]], choices=[["0", "0"]], queries=0, outputs=INT[:2])
    refused(finite(trees=[zero, tree(["o0"], queries=0)]), "zero")
    refused(pair(trees=[zero, zero]), "zero")


@pytest.mark.parametrize(
    "claim",
    [
        {"factor": "-1"},
        {"eps": "-1", "epsilon": "1", "delta": "0"},
        {"eps": "0", "epsilon": "1", "delta": "0"},
        {"eps": "1", "epsilon": "-1", "delta": "0"},
        {"eps": "1", "epsilon": "1", "delta": "-1"},
        {"eps": "1", "epsilon": "0", "delta": "2"},
        {"factor": "1", "eps": "1"},
        {"factor": "inf"},
        {"factor": "1/0"},
        {"factor": 1},
        {},
    ],
)
def test_budgets_are_sensible_numbers(claim):
    assert examine(finite())
    same = finite(trees=[finite()["trees"][0]], use=[0, 0])  # equal laws: any sensible claim holds
    assert examine(same)
    refused({**same, "claim": claim})


@pytest.mark.parametrize("value", ["-1", "nan", "inf", "1e3", 1, None, "1/0"])
def test_bounds_are_sensible_numbers(value):
    made = tree(["o0"])
    assert examine(bound(made, "0"))
    refused(bound(made, value))


def test_a_counterexample_names_neighbours():
    assert examine(pair())
    space = {"records": ["0", "1"], "fewest": 2, "most": 2, "relation": "substitute"}
    refused(pair(space=space, inputs=[["0", "0"], ["1", "1"]]), "not neighbours")
    assert examine(pair(space=space, inputs=[["0", "0"], ["1", "0"]]))
    refused(pair(space={**space, "fewest": 0, "relation": "add-remove"}, inputs=[["0"], ["1"]]), "not neighbours")
    refused(pair(inputs=[["0"], ["2"]]), "not an input")
    refused(pair(inputs=[["0"], ["0", "1"]]), "not an input")
    refused({k: v for k, v in pair().items() if k != "space"}, "missing")


def test_a_counterexample_of_vectors_names_neighbours():
    made = tree(["t0", ["o0"], ["o1"]], tests=[["q0", True]], outputs=INT[:2], queries=2)
    space = {"answers": ["0", "1", "3"], "queries": 2, "relation": "one", "by": "1"}
    good = pair(space=space, trees=[made], inputs=[["1", "0"], ["0", "0"]])
    assert examine(good)
    for inputs in ([["1", "0"], ["0", "1"]], [["3", "0"], ["0", "0"]], [["1"], ["0"]], [["1", "2"], ["0", "2"]]):
        refused({**good, "inputs": inputs})


@pytest.mark.parametrize(
    "changes",
    [
        {"outputs": []},
        {"outputs": ["['const', 'int', 1]"]},
        {"outputs": ["['const', 'int', 7]"]},
        {"outputs": ["['const', 'int', 0]"] * 2},
        {"eps": "-1"},
        {"eps": "0"},
        {"claim": {"epsilon": "2", "delta": "0"}},
        {"claim": {"epsilon": "-1", "delta": "0"}},
        {"inputs": [["1"], ["0"]], "outputs": ["['const', 'int', 1]"]},
        {"inputs": []},
        {"inputs": [["0"], ["1"], ["0"]]},
    ],
)
def test_pairs_that_break_nothing(changes):
    refused(pair(**changes))


def test_no_input_and_no_pair_can_be_left_out():
    good = finite()
    assert "1 pairs in both orders" in examine(good).statement
    refused(finite(use=[]), "each input")
    refused(finite(use=[0]), "each input")
    refused(finite(use=[0, 2]), "not the number")
    refused(finite(use=[0, -1]), "not the number")
    refused(finite(use=[0, True]), "not the number")
    refused(finite(space={**good["space"], "records": ["0"]}), "two distinct")
    refused(finite(space={**good["space"], "records": ["0", "0"]}), "two distinct")
    refused(finite(space={**good["space"], "fewest": 2}))
    refused(finite(space={**good["space"], "most": 2, "fewest": 0}), "each input")
    refused(finite(pairs=[]), "unknown")
    refused(finite(claim={"factor": "99/100"}), "differ by more")
    refused(finite(trees=[], use=[]))


@pytest.mark.parametrize(
    "space",
    [
        {"answers": ["0", "1"], "queries": 13, "relation": "linf", "by": "1"},
        {"answers": ["0", "0/1"], "queries": 1, "relation": "linf", "by": "1"},
        {"answers": ["0", "1"], "queries": 1, "relation": "linf", "by": "0"},
        {"answers": ["0", "1"], "queries": -1, "relation": "linf", "by": "1"},
        {"answers": ["0", "1"], "queries": True, "relation": "linf", "by": "1"},
        {"answers": ["0", "nan"], "queries": 1, "relation": "linf", "by": "1"},
        {"records": ["0", 1], "fewest": 1, "most": 1, "relation": "substitute"},
        {"records": ["0", "1"], "fewest": 1, "most": 10**9, "relation": "substitute"},
        {"records": ["0", "1"], "fewest": 1, "most": 1, "relation": "other"},
        [],
    ],
)
def test_spaces_are_read_strictly(space):
    with pytest.raises(Rejected):
        read_space(space)


@pytest.mark.parametrize("relation", ["substitute", "add-remove"])
def test_pairs_of_a_space_are_all_that_are_related(relation):
    space = read_space({"records": ["a", "b", "c"], "fewest": 1, "most": 3, "relation": relation})
    inputs = space.inputs()
    wanted = {(i, j) for i, a in enumerate(inputs) for j, b in enumerate(inputs) if i < j and space.related(a, b)}
    assert set(space.pairs()) == wanted
    assert len(space.pairs()) == len(wanted)


@pytest.mark.parametrize("relation", ["linf", "one", "l1", "monotone"])
def test_pairs_of_vectors_are_all_that_are_related(relation):
    space = read_space({"answers": ["-1", "0", "1/2", "1"], "queries": 2, "relation": relation, "by": "1"})
    inputs = space.inputs()
    wanted = [(i, j) for i, a in enumerate(inputs) for j, b in enumerate(inputs) if i < j and space.related(a, b)]
    assert space.pairs() == wanted


def laplace_sum(**changes):
    """sum + Lap(1) on one bit: the two datasets are one tree with q0 from 0 to 1."""
    made = tree(["d0", ["o0", "n0+q0"]], draws=[["laplace", "1"]], outputs=[["slot"]])
    proof = {"tree": made, "adjacency": {"relation": "one", "by": "1"}, "bound": "1",
             "shifts": [{"n0": "-q0"}], "use": {"0": 0}, "merged": []}  # fmt: skip
    return {"type": "program-pairs", "space": pair()["space"], "bound": "1", "proofs": [proof], "use": [0], **changes}


def test_every_pair_of_datasets_needs_its_proof():
    good = laplace_sum()
    assert examine(good)
    short = copy.deepcopy(good)
    short["proofs"][0]["adjacency"]["by"] = "1/10"  # a tenth of the way would cost a tenth
    short["proofs"][0]["bound"] = short["bound"] = "1/10"
    refused(short, "moves by 1")
    refused(laplace_sum(bound="1/2"), "costs more")
    refused(laplace_sum(use=[]), "proof each")
    refused(laplace_sum(use=[1]), "proof each")
    refused(laplace_sum(use=[False]), "proof each")
    refused(laplace_sum(proofs=[], use=[0]), "no proof")
    refused(laplace_sum(space={**good["space"], "most": 2}), "proof each")
    refused({k: v for k, v in good.items() if k != "space"}, "missing")


def test_a_lower_bound_needs_an_event_that_can_happen():
    # output 0 only after a choice of weight 0; {n0 + q0 >= 5} would cost 1
    nodes = ["c0", ["d0", ["t0", ["o0"], ["o1"]]], ["o1"]]
    lower = {"output": 0, "move": ["-1"], "box": [], "point": {"n0": "9", "q0": "0"}, "duals": {"leaf 0": {"0": "1"}}}
    shifts = [{"n0": "-q0"}]

    def made(weights):
        one = tree(nodes, draws=[["laplace", "1"]], tests=[["n0+q0-5", False]], choices=[weights], outputs=INT[:2])
        return bound(one, "1", shifts=shifts, use={"0": 0, "1": 0, "2": 0}, lower=lower)

    # leaf 2 draws nothing, so its shift must be empty
    for weights, good in ((["1", "1"], True), (["0", "1"], False), (["?x", "1"], False), (["exp(0)", "1"], True)):
        certificate = made(weights)
        certificate["shifts"].append({})
        certificate["use"]["2"] = 1
        assert bool(examine(certificate)) is good, weights


def test_integer_draws_have_whole_values_for_every_eps():
    made = tree(["d0", ["t0", ["o0"], ["o1"]]], draws=[["discrete_laplace", "1"]], tests=[["n0+q0-u", False]])
    lower = {"output": 0, "move": ["-1"], "box": [], "point": {"n0": "u", "q0": "0"}, "duals": {"leaf 0": {"0": "1"}}}
    refused(bound(made, "1", shifts=[{"n0": "-q0"}], lower=lower), "integral")


@pytest.mark.parametrize(
    "output",
    [["slot", 1], ["const", "int"], ["const", "list", []], ["set"], "slot", [], ["list", 3], ["const", "int", 1, 2]],
)
def test_outputs_are_read_strictly(output):
    with pytest.raises(Rejected):
        read_tree(tree(["o0"], outputs=[output]))


@pytest.mark.parametrize("nodes", [["o0"], ["o0", "q0", "q0"], ["o1", "q0"]])
def test_every_slot_has_one_value(nodes):
    with pytest.raises(Rejected):
        read_tree(tree(nodes, outputs=[["slot"], INT[0]]))


def test_real_outputs_are_refused_where_outputs_are_counted():
    real = tree(["d0", ["o0", "n0"]], draws=[["laplace", "1"]], outputs=[["slot"]], queries=0)
    refused(finite(trees=[real], use=[0, 0]), "real output")
    refused(pair(trees=[real, real], outputs=["['slot']"]), "real output")


def test_shifts_cannot_skip_vertices_parts_or_leaves():
    made = tree(["d0", ["t0", ["o0"], ["o1"]]], draws=[["laplace", "1"]], tests=[["n0+q0", True]])
    assert examine(bound(made, "1", shifts=[{"n0": "-q0"}]))
    refused(bound(made, "1", shifts=[{"vertices": []}]))
    refused(bound(made, "1", shifts=[{"vertices": [{"n0": "-1"}]}]))
    refused(bound(made, "1", shifts=[{"parts": []}]))
    refused(bound(made, "1/2", shifts=[{"n0": "-1/2*q0"}]), "leaves the row")
    refused(bound(made, "1", shifts=[{"n0": "-q1"}]))
    refused(bound(made, "1", shifts=[{"n0": "-n0"}]))
    refused(bound(made, "1", shifts=[{"n0": "-q0"}], use={"0": 0}))
    refused(bound(made, "1", shifts=[{"n1": "-q0"}]))
    refused(bound(made, "1", shifts=[{"n-1": "-q0"}]))
