"""Certificates about additive noise: accepted when true, refused after any change that makes them false."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest
from tests.proofs.kernel.released import inputs, moves, noise, violation

from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.kernel.laws.noise import NoiseLaw, enclosure

F = Fraction
LAPLACE = {"name": "laplace", "scale": "2"}
GAUSS = {"name": "gaussian", "variance": "4"}
STEP = F(1, 10**6)


def pure(eps: object) -> dict[str, str]:
    return {"kind": "pure", "epsilon": str(eps)}


def approximate(eps: object, delta: object) -> dict[str, str]:
    return {"kind": "approximate", "epsilon": str(eps), "delta": str(delta)}


def tight(law: dict[str, str], shift: str, eps: str) -> dict[str, Any]:
    """A certificate whose δ is just above the true one, relative 10⁻⁹."""
    high = enclosure(NoiseLaw.from_json(law).curve(F(shift), F(eps)))[1]
    return noise([law], "all", [shift], approximate(eps, high * (1 + F(1, 10**9))))


CERTIFICATES = [
    noise([LAPLACE], "all", ["2"], pure(1)),
    noise([LAPLACE, LAPLACE], "all", ["1", "1"], pure(1)),
    noise([LAPLACE, LAPLACE], "l1", ["2", "2"], pure(1)),
    noise([LAPLACE, {"name": "laplace", "scale": "4"}], "listed", [["1", "2"], ["2", "0"]], pure(1)),
    noise([GAUSS], "all", ["1"], {"kind": "gaussian", "mu": "1/2"}),
    noise([GAUSS, GAUSS], "l2", ["1", "1"], {"kind": "zcdp", "rho": "1/8"}),
    noise([GAUSS] * 4, "all", ["1"] * 4, {"kind": "renyi", "order": "2", "epsilon": "1"}),
    noise([{"name": "discrete_gaussian", "variance": "4"}], "all", ["2"], {"kind": "zcdp", "rho": "1/2"}),
    noise([{"name": "discrete_laplace", "scale": "2"}], "all", ["3"], pure("3/2")),
    noise([{"name": "staircase", "eps": "1", "sensitivity": "1", "split": "1/2"}], "all", ["1"], pure(1)),
    noise([{"name": "uniform", "width": "10"}], "all", ["1"], approximate(0, "1/10")),
    tight(LAPLACE, "2", "1/2"),
    tight(GAUSS, "1", "1"),
    tight({"name": "gaussian", "variance": "1"}, "1", "19"),
    tight({"name": "discrete_gaussian", "variance": "10"}, "1", "1/2"),
    tight({"name": "discrete_laplace", "scale": "2"}, "3", "1/2"),
    tight({"name": "admissible", "gamma": "4", "scale": "1"}, "1/2", "1/2"),
    tight({"name": "staircase", "eps": "1", "sensitivity": "1", "split": "1/3"}, "3/2", "1/2"),
    tight({"name": "exponential", "scale": "3"}, "1", "2"),
]


@pytest.mark.parametrize("certificate", CERTIFICATES, ids=lambda c: f"{c['laws'][0]['name']}-{c['guarantee']['kind']}")
def test_true_certificates_are_accepted(certificate: dict[str, Any]) -> None:
    verdict = examine(certificate)
    assert verdict, verdict.reason


def places(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], str]]:
    if isinstance(tree, dict):
        for key, item in tree.items():
            yield from places(item, (*path, key))
    elif isinstance(tree, list):
        for i, item in enumerate(tree):
            yield from places(item, (*path, i))
    elif isinstance(tree, str) and tree.lstrip("-").replace("/", "").isdigit():
        yield path, tree


def put(certificate: dict[str, Any], path: tuple[Any, ...], value: str) -> dict[str, Any]:
    made: Any = copy.deepcopy(certificate)
    place = made
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return dict(made)


WORSE = {"scale": -1, "variance": -1, "width": -1, "sensitivity": -1, "epsilon": -1, "delta": -1, "mu": -1, "rho": -1}


def test_every_harmful_change_is_refused() -> None:
    """A change towards less noise, longer moves or a stronger claim; all certificates above are tight up to 10⁻⁹."""
    count = 0
    for certificate in CERTIFICATES:
        for path, old in places(certificate):
            name = path[-1] if isinstance(path[-1], str) else "by"
            law = certificate["laws"][0]["name"]
            if name in ("gamma", "split", "eps", "order") or (name == "epsilon" and law in ("uniform", "exponential")):
                continue
            if (law == "staircase" and name == "by") or ("discrete" in law and name == "by"):
                steps: list[Fraction] = [F(1), F(2)]
            else:
                steps = [STEP, F(1, 1000), F(1, 7), F(1, 2)]
            slack = len(certificate["laws"]) > 1 and moves(certificate)[0] in ("l1", "l2", "listed")
            for step in steps:
                new = F(old) + WORSE.get(name, 1) * step
                if slack or F(old) == 0:
                    continue
                mutant = put(certificate, path, str(new))
                count += 1
                assert not examine(mutant), (path, old, str(new), certificate)
    assert count >= 120


def test_random_changes_are_refused_unless_true() -> None:
    """Every number, changed in many ways: an accepted one must hold by an independent comparison of parameters."""
    changes = [STEP, -STEP, F(1), F(-1), F(1, 3), F(-1, 3), F(10), F(-10)]
    count = 0
    for certificate in CERTIFICATES:
        for path, old in places(certificate):
            for change in changes:
                mutant = put(certificate, path, str(F(old) + change))
                count += 1
                if examine(mutant):
                    name = path[-1] if isinstance(path[-1], str) else "by"
                    relaxed = change * WORSE.get(name, 1) < 0
                    free = name in ("gamma", "split", "eps", "order") or len(certificate["laws"]) > 1
                    free = free or path[0] == "offsets" or (name == "by" and certificate["space"]["whole"])
                    ends = certificate["laws"][0]["name"] in ("uniform", "exponential", "staircase")
                    assert relaxed or free or ends, (path, old, change)
    assert count >= 500


def test_malformed() -> None:
    good = CERTIFICATES[0]
    assert not examine({**good, "laws": []})
    assert not examine({**good, "laws": [{"name": "laplace", "scale": 2}]})
    assert not examine({**good, "laws": [{"name": "laplace", "scale": "2", "more": "1"}]})
    for change in ({"by": "-2"}, {"by": "0"}, {"relation": "some"}, {"whole": "no"}, {"answers": 2}, {"answers": "1"}):
        assert not examine({**good, "space": {**good["space"], **change}}), change
    for rows in ([], [["2", "2"]], [["2"], ["2"]], [[2]], "2"):
        assert not examine({**good, "rows": rows}), rows
    for change in ({"unit": "2"}, {"offsets": []}, {"output": ["list", ["slot"], ["slot"]]}, {"laws": [None]}):
        assert not examine({**good, **change}), change
    assert not examine({**good, "guarantee": {"kind": "pure"}})
    assert not examine({**good, "guarantee": {"kind": "pure", "epsilon": "1", "delta": "0"}})
    assert not examine({**good, "guarantee": {"kind": "perfect"}})
    assert not examine(noise([GAUSS], "all", ["1"], pure(100)))
    assert not examine(noise([{"name": "discrete_laplace", "scale": "2"}], "all", ["1/2"], pure(5)))


@pytest.mark.parametrize(
    ("bad", "fine"),
    [
        (violation([LAPLACE], ["2"], pure(1 - STEP)), violation([LAPLACE], ["2"], pure(1))),
        (violation([GAUSS], ["1"], pure(50)), violation([GAUSS], ["0"], pure(50))),
        (
            violation([GAUSS] * 4, ["1"] * 4, {"kind": "gaussian", "mu": str(1 - STEP)}),
            violation([GAUSS] * 4, ["1"] * 4, {"kind": "gaussian", "mu": "1"}),
        ),
        (
            violation([{"name": "discrete_laplace", "scale": "2"}], ["1/2"], pure(100)),
            violation([{"name": "discrete_laplace", "scale": "2"}], ["1"], pure("1/2")),
        ),
        (
            violation([LAPLACE] * 2, ["1", "1"], approximate("1/2", "1/20")),
            violation([LAPLACE] * 2, ["1", "1"], approximate(1, "1/20")),
        ),
    ],
)
def test_violations(bad: dict[str, Any], fine: dict[str, Any]) -> None:
    assert examine(bad), examine(bad).reason
    assert not examine(fine)


def test_no_claim_is_both_proved_and_violated() -> None:
    for certificate in CERTIFICATES:
        kind, (by, *_) = moves(certificate)
        if kind == "all":
            assert not examine(violation(certificate["laws"], by, certificate["guarantee"]))


def test_the_theorem_says_of_whom_it_speaks() -> None:
    found = examine(CERTIFICATES[0]).theorem
    assert found is not None
    assert found.relation == {
        "inputs": "answers", "moves": "all", "by": "1", "whole": False, "low": None, "high": None, "values": None
    }  # fmt: skip
    assert (found.sizes, found.open, found.guarantee) == ((1,), {}, {"kind": "pure", "epsilon": ((F(1), ()),)})
    broken = examine(violation([LAPLACE], ["2"], pure("1/2"))).theorem
    assert broken is not None
    assert (broken.refutes, broken.relation) == (True, {"inputs": "pair", "left": ["0"], "right": ["2"]})


def test_in_units_of_eps_the_loss_is_a_multiple_of_eps() -> None:
    found = examine({**noise([LAPLACE], "all", ["2"], pure(1)), "unit": "eps"}).theorem
    assert found is not None
    assert found.open == {"eps": {"above": "0"}}
    assert found.guarantee == {"kind": "pure", "epsilon": ((F(1), (("eps", 1),)),)}
    for law, guarantee in ((GAUSS, {"kind": "zcdp", "rho": "1"}), (LAPLACE, approximate(1, "1/2"))):
        assert not examine({**noise([law], "all", ["1"], guarantee), "unit": "eps"})


def test_irrational_noise_is_rounded_against_the_claim() -> None:
    law = {"name": "laplace", "scale": "sqrt(2)"}
    loss = F(1 / 2**0.5)
    assert examine(noise([law], "all", ["1"], pure(loss * (1 + F(1, 10**9)))))
    assert not examine(noise([law], "all", ["1"], pure(loss * (1 - F(1, 10**9)))))
    assert examine(violation([law], ["1"], pure(loss * (1 - F(1, 10**9)))))
    assert not examine(violation([law], ["1"], pure(loss * (1 + F(1, 10**9)))))
    for other in ({"name": "discrete_laplace", "scale": "sqrt(2)"}, {"name": "uniform", "width": "sqrt(2)"}):
        assert not examine(noise([other], "all", ["1"], approximate(1, "9/10")))


FINITE = {"records": ["int:0", "bool:False", "int:1"], "fewest": 1, "most": 2, "relation": "substitute"}


def located(places: list[list[str]]) -> dict[str, Any]:
    made = {"type": "noise", "space": FINITE, "output": ["slot"], "laws": [LAPLACE], "unit": "1"}
    return {**made, "locations": places, "guarantee": pure("1/2")}


def test_on_finite_spaces_the_kernel_finds_the_neighbours() -> None:
    """0 and False are two records: a program may treat them differently, and their pair counts."""
    same = [[str(data.count("int:1"))] for data in inputs(FINITE)]
    assert examine(located(same))
    assert examine(located(same)).theorem.sizes == (1, 2)  # type: ignore[union-attr]
    for place, data in enumerate(inputs(FINITE)):
        told = copy.deepcopy(same)
        told[place] = [str(F(told[place][0]) + 2)]
        assert not examine(located(told)), data
    assert not examine(located(same[:-1]))


def test_a_number_without_noise_tells_two_inputs_apart() -> None:
    assert examine(violation([None, LAPLACE], ["1", "0"], approximate(5, "99/100")))
    assert not examine(violation([None, LAPLACE], ["0", "1"], approximate(5, "99/100")))
