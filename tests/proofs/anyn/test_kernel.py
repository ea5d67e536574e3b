"""The checker of loop proofs: what it accepts, and that it rejects every kind of false certificate."""

from __future__ import annotations

import copy
import json
import random
from fractions import Fraction

import pytest
from tests.proofs.anyn import private_other, private_sparse
from tests.proofs.anyn.claims import claim_of

from dpwitness.proofs.anyn import AnyNProver
from dpwitness.proofs.anyn.executable import leaves
from dpwitness.proofs.kernel.algebra.laurent import Poly, from_json, monomial, to_json
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.check import check, examine
from dpwitness.proofs.kernel.loops.shifts import boxes
from dpwitness.proofs.kernel.theorem import fingerprint


def made(program, moves):
    return json.loads(json.dumps(AnyNProver().run(claim_of(program, moves)).certificate))


@pytest.fixture(scope="module")
def sparse():
    return made(private_sparse.sparse, "all")


@pytest.fixture(scope="module")
def single():
    return made(private_other.total_as_threshold, "one")


@pytest.fixture(scope="module")
def contest():
    return made(private_other.noisy_max, "all")


def theorem(certificate):
    return check(certificate)


def nodes(trees):
    """All nodes of all trees."""
    todo = list(trees.values())
    while todo:
        node = todo.pop()
        yield node
        todo += [node[branch] for branch in ("yes", "no", "then") if branch in node]


def without_data(c):
    """The answers do not enter the values that are compared."""
    for node in nodes(c["model"]["trees"]):
        for poly in [node.get("test", {}), *(entry[1] for entry in node.get("set", {}).values())]:
            poly.pop("?0", None)


def leader_released(c):
    """Who leads is written down in every round."""
    for head in c["model"]["heads"].values():
        head["lists"] = 1
    for node in nodes(c["model"]["trees"]):
        if "set" in node:
            node["lists"] = [[["old", 0], ["int", "1"]] if "%best" in node["set"] else []]


def leader_tested(c):
    """What the program does depends on who leads."""
    for root, tree in c["model"]["trees"].items():
        if "$index" in c["model"]["heads"].get(root, {}).get("public", ()):
            ends = {"return": ["none"]}
            c["model"]["trees"][root] = {"test": {"$index": "1", "": "-2"}, "is": ">=", "yes": ends, "no": tree}


def changed(certificate, change):
    copied = copy.deepcopy(certificate)
    change(copied)
    return examine(copied)


def set_bound(value):
    return lambda c: c.update(bound={"eps": value})


def drop_shifts(c):
    for move in c["orders"][0]["moves"]:
        move["shift"] = {}


def drop_a_move(c):
    c["orders"][0]["moves"].pop()


def raise_potential(c):
    phase = next(iter(c["orders"][0]["phases"].values()))
    phase["potential"] = {**phase["potential"], "eps": "7"}


def wider_adjacency(c):
    c["adjacency"]["by"] = "2"


def no_orders(c):
    c["orders"] = []


def false_invariant(c):
    head = next(iter(c["model"]["heads"]))
    c["invariant"][head].append({"$count": "-1"})
    for proofs in c["kept"].values():
        proofs.append([])


def all_dead(c):
    c["dead"] = {place: [] for place in leaves(c["model"]["trees"])}


def negative_multiplier(c):
    for move in c["orders"][0]["moves"]:
        for pay in move["pays"]:
            for entry in pay:
                entry[2] = "-" + entry[2]


def private_variable_called_public(c):
    node = next(iter(c["model"]["heads"].values()))
    node["public"].append(node["private"].pop())


def whole_by_decree(c):
    c["whole"].append("threshold")


def positive_by_decree(c):
    c["positive"].append("$count")


def smaller_rate(c):
    for node in nodes(c["model"]["trees"]):
        if "draw" in node:
            node["rate"] = {m: "-" + v for m, v in node["rate"].items()}


def other_noise(c):
    c["model"]["trees"]["start"]["draw"] = "gaussian"


def failing_path(c):
    for node in nodes(c["model"]["trees"]):
        if node.get("return") is not None:
            del node["return"]
            node["fail"] = "it raises"
            return


def a_branch_left_out(c):
    for node in nodes(c["model"]["trees"]):
        if "test" in node:
            del node["no"]
            return


def a_branch_said_to_return_nothing(c):
    for node in nodes(c["model"]["trees"]):
        if "test" in node and "%t" in node["test"]:
            node["no"] = {}
            return


def a_head_without_a_tree(c):
    del c["model"]["trees"][next(iter(c["model"]["heads"]))]


def no_start(c):
    del c["model"]["trees"]["start"]


def no_trees(c):
    c["model"]["trees"] = {}


def no_heads(c):
    c["model"]["heads"] = {}


def one_branch_twice(c):
    for node in nodes(c["model"]["trees"]):
        if "test" in node and "%t" in node["test"]:
            node["no"] = node["yes"]
            return


def equality_of_private_values(c):
    for node in nodes(c["model"]["trees"]):
        if "test" in node and "%t" in node["test"]:
            node["is"] = "=="


def released_answer(c):
    for node in nodes(c["model"]["trees"]):
        if "lists" in node and "%t" in node["set"]:
            node["lists"][0].append(["number", "data", {"%t": "1"}])


def called_public(c):
    for node in nodes(c["model"]["trees"]):
        if "lists" in node and node["lists"] and node["set"].get("%t", [0, {}])[1] == {"%t": "1"}:
            node["lists"][0].append(["number", "int", {"%t": "1"}])


def local_number_from_elsewhere(c):
    for node in nodes(c["model"]["trees"]):
        if "test" in node and "$count" in node["test"]:
            node["test"]["@t0"] = "1"


def division_by_what_may_be_zero(c):
    tree = c["model"]["trees"]["start"]
    c["model"]["trees"]["start"] = {"let": "/", "left": {"": "1"}, "right": {"threshold": "1"}, "then": tree}


def merged_by_decree(c):
    c["merged"] = "yes"


def unknown_field(c):
    c["extra"] = 1


@pytest.mark.parametrize(
    "change",
    [
        set_bound("99/100"), set_bound("0"), set_bound("-1"), drop_shifts, drop_a_move, raise_potential,
        wider_adjacency, no_orders, false_invariant, all_dead, negative_multiplier, private_variable_called_public,
        whole_by_decree, positive_by_decree, smaller_rate, other_noise, failing_path, unknown_field, a_branch_left_out,
        a_branch_said_to_return_nothing, a_head_without_a_tree, no_start, no_trees, no_heads, one_branch_twice,
        equality_of_private_values, released_answer, called_public, local_number_from_elsewhere,
        division_by_what_may_be_zero, merged_by_decree,
    ],
)  # fmt: skip
def test_false_certificates_are_rejected(sparse, change):
    assert examine(sparse)
    assert not changed(sparse, change)


def test_a_larger_bound_needs_its_own_payment(sparse):
    assert not changed(sparse, set_bound("2"))


@pytest.mark.parametrize("change", [set_bound("99/100"), drop_shifts, drop_a_move, no_orders, wider_adjacency])
def test_false_certificates_for_single_changes(single, change):
    assert examine(single)
    assert not changed(single, change)


def test_single_changes_do_not_prove_that_all_may_move(single):
    assert not changed(single, lambda c: c["adjacency"].update(moves="all"))
    assert not changed(single, lambda c: c["orders"][0].update(single=False))


def test_a_changed_query_must_be_awaited(single):
    """A phase that no longer waits for the change cannot be reached before the change was read."""
    assert not changed(single, lambda c: [p.update(pending=False) for p in c["orders"][0]["phases"].values()])


def test_a_query_may_not_be_read_twice(single):
    def again(c):
        for node in nodes(c["model"]["trees"]):
            if "read" in node:
                node["read"] = {"": "0"}

    assert not changed(single, again)


@pytest.mark.parametrize(
    "change",
    [
        set_bound("99/100"),
        wider_adjacency,
        no_orders,
        lambda c: [n.update(rate={"eps": "1"}) for n in nodes(c["model"]["trees"]) if "draw" in n],
        lambda c: [n.update(draw="uniform") for n in nodes(c["model"]["trees"]) if "draw" in n],
        lambda c: [n.update(rate={}) for n in nodes(c["model"]["trees"]) if "draw" in n],
        lambda c: [n["test"].update({"?0": "2"}) for n in nodes(c["model"]["trees"]) if "?0" in n.get("test", {})],
        lambda c: [n["test"].pop("?0") for n in nodes(c["model"]["trees"]) if "?0" in n.get("test", {})],
        without_data,
        leader_released,
        leader_tested,
    ],
)
def test_false_contests_are_rejected(contest, change):
    assert examine(contest)
    assert not changed(contest, change)


def test_one_sided_noise_is_never_moved_down():
    contest = made(private_other.noisy_max_exponential, "all")
    assert examine(contest)

    def down(c):
        for order in c["orders"]:
            order["~0"] = {"1": {"": "-1"}, "d": {"": "-1"}}

    assert not changed(contest, down)


def test_what_a_theorem_says(sparse, single, contest):
    for certificate, moves in ((sparse, "all"), (single, "one"), (contest, "all")):
        found = theorem(certificate)
        assert (found.kind, found.refutes, found.sizes, found.assumptions) == (certificate["type"], False, "any", ())
        assert found.guarantee == {"kind": "pure", "epsilon": ((Fraction(1), (("eps", 1),)),)}
        assert (found.relation["moves"], found.relation["by"], found.relation["whole"]) == (moves, "1", False)
        assert found.open == certificate["model"]["params"]
        assert found.subject == fingerprint(certificate["model"])


def test_the_label_is_no_part_of_the_theorem(sparse):
    named = {**sparse, "program": {"name": "something else", "source": "0" * 64}}
    assert theorem(named) == theorem(sparse)
    assert "something else" not in theorem(named).statement


def test_a_model_that_reads_nothing_is_stated_as_it_is():
    """No loop and no data: the loss is 0, and the subject is this model and no other."""
    empty = {"params": {"eps": {"above": "0"}}, "atoms": [], "heads": {}, "trees": {"start": {"return": ["none"]}}}
    order = {"low": "-1", "high": "1", "single": False, "history": False, "phases": {}, "moves": []}
    move = {"on": "start:", "phase": "start", "changed": False, "to": "end", "shift": {}, "pays": [[]]}
    certificate = {
        "type": "loop-shift", "program": {"name": "x", "source": "y"}, "model": empty,
        "adjacency": {"moves": "all", "by": "1"}, "bound": {}, "merged": False, "counters": {}, "whole": [],
        "positive": [], "invariant": {}, "kept": {}, "dead": {}, "rates": {}, "orders": [{**order, "moves": [move]}],
    }  # fmt: skip
    assert theorem(certificate).subject == fingerprint(empty)
    assert theorem(certificate).guarantee["epsilon"] == ()
    assert not examine({**certificate, "orders": [order]})
    without = {k: v for k, v in certificate.items() if k != "model"}
    assert not examine({**without, "nodes": {}, "transitions": [], "params": {}})


def test_polynomials_that_explode_are_refused():
    huge = {" ".join(f"{x}^{k}" for x in ("a", "b")): "1" for k in range(2, 99)}
    many = from_json({f"x{k}": "1" for k in range(400)})
    with pytest.raises(Rejected, match="too large"):
        many * many
    with pytest.raises(Rejected, match="too large"):
        from_json(huge).power(60)


@pytest.mark.parametrize("seed", range(40))
def test_random_damage_never_lowers_the_bound(sparse, seed):
    """Numbers are changed at random places; what is still accepted is the same statement."""
    rng = random.Random(seed)
    damaged = copy.deepcopy(sparse)
    places = []

    def collect(value, path):
        items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, inner in items:
            if isinstance(inner, str) and inner.lstrip("-").replace("/", "").isdigit():
                places.append((value, key))
            collect(inner, (*path, key))

    for part in ("bound", "orders", "invariant", "kept", "dead"):
        collect(damaged[part], (part,))
    where, key = rng.choice(places)
    where[key] = str(Fraction(where[key]) - Fraction(rng.randint(1, 9), 8))
    result = examine(damaged)
    assert not result or damaged["bound"] == sparse["bound"]


@pytest.mark.parametrize("text", ["eps^0", "eps eps", "eps^999", "a-b", "eps^^2", "1x", "eps^1/2", 7])
def test_monomials_are_read_strictly(text):
    with pytest.raises(Rejected):
        monomial(text)


def test_polynomials_survive_json():
    poly = (Poly.symbol("eps") * 3 - Poly.symbol("$x")) * Poly.symbol("c").power(-2) + Fraction(1, 3)
    assert from_json(json.loads(json.dumps(to_json(poly)))) == poly
    with pytest.raises(Rejected):
        from_json({"eps": 0.5})
    with pytest.raises(Rejected):
        from_json({"a b": "1", "b a": "1"})


def test_monotone_changes_have_two_directions():
    assert boxes("down", Fraction(2)) == [(0, 2), (-2, 0)]
    with pytest.raises(Rejected):
        boxes("all", Fraction(0))


def test_trees_that_are_too_large_are_refused(sparse):
    deep = {"return": ["none"]}
    for _ in range(900):
        deep = {"draw": "laplace", "rate": {"eps": "1"}, "then": deep}
    wide = {"return": ["none"]}
    for k in range(14):
        wide = {"test": {"eps": "1", "": str(k)}, "is": ">=", "yes": wide, "no": wide}
    for tree in (deep, wide):
        reason = changed(sparse, lambda c, tree=tree: c["model"]["trees"].update(start=tree)).reason
        assert "too large" in reason or "nested more than" in reason


def test_an_impossible_path_is_shown_by_private_conditions_as_well():
    """The second test cannot fail where the first one holds: its branch is dead, and need not be reached by a run."""

    def twice(noise, queries, *, eps, threshold):
        t = threshold + noise.laplace(2 / eps)
        for i, q in enumerate(queries):
            v = q + noise.laplace(4 / eps)
            if v >= t + 1:
                if v < t:
                    return "never"
                return i
        return None

    certificate = made(twice, "all")
    (place,) = certificate["dead"]
    assert not changed(certificate, lambda c: c["dead"].update({place: []}))
    assert not changed(certificate, lambda c: c["dead"].update({place: [["", ["p0"], "1"]]}))
