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
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.kernel.laurent import Poly, from_json, monomial, to_json
from dpwitness.proofs.kernel.loop_shifts import boxes


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
    node = next(iter(c["nodes"]))
    c["invariant"][node].append({"$count": "-1"})
    for proofs in c["kept"].values():
        proofs.append([])


def all_dead(c):
    c["dead"] = {str(k): [] for k in range(len(c["transitions"]))}


def negative_multiplier(c):
    for move in c["orders"][0]["moves"]:
        for pay in move["pays"]:
            for entry in pay:
                entry[2] = "-" + entry[2]


def private_variable_called_public(c):
    node = next(iter(c["nodes"].values()))
    node["public"].append(node["private"].pop())


def whole_by_decree(c):
    c["whole"].append("threshold")


def positive_by_decree(c):
    c["positive"].append("$count")


def smaller_rate(c):
    for t in c["transitions"]:
        for draw in t["draws"]:
            draw[1] = {m: "-" + v for m, v in draw[1].items()}


def other_noise(c):
    c["transitions"][0]["draws"][0][2] = "gaussian"


def failing_path(c):
    c["transitions"].append({**c["transitions"][-1], "to": "fail"})


def unknown_field(c):
    c["extra"] = 1


@pytest.mark.parametrize(
    "change",
    [
        set_bound("99/100"), set_bound("0"), set_bound("-1"), drop_shifts, drop_a_move, raise_potential,
        wider_adjacency, no_orders, false_invariant, all_dead, negative_multiplier, private_variable_called_public,
        whole_by_decree, positive_by_decree, smaller_rate, other_noise, failing_path, unknown_field,
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
        for t in c["transitions"]:
            if t["reads"]:
                t["reads"] = [{"": "0"}]

    assert not changed(single, again)


@pytest.mark.parametrize(
    "change",
    [
        set_bound("99/100"),
        wider_adjacency,
        no_orders,
        lambda c: c.update(sign=-1),
        lambda c: c.update(answer={"": "2"}),
        lambda c: c["draws"][0].__setitem__(3, {}),
        lambda c: c["draws"][0].__setitem__(2, "uniform"),
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
        c["sign"] = -1

    assert not changed(contest, down)


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
