"""The rule of boxes: every part of its certificate is needed."""

import copy
from fractions import Fraction as F
from functools import cache
from itertools import product

import pytest
from tests.proofs.kernel.mutate import mutants, put

import dpwitness as dpw
from dpwitness import Box, Records
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.check import check


@cache
def proof(relation="substitute"):
    f = ["sum(r[0] for r in x)", "sum(r[1] for r in x)"]
    return dpw.sensitivity(f, Records(Box((0, 3), (0, 4)), 3, relation), "l2", n="any").certificate


def test_the_statement_holds_both_bounds():
    theorem = check(proof())
    assert "l2 sensitivity at most every n >= 1: sqrt((3)**2 + (4)**2); at least 5" in theorem.statement
    assert theorem.sizes == "any"


def with_(certificate, *path):
    *names, new = path
    made = copy.deepcopy(dict(certificate))
    part = made
    for name in names[:-1]:
        part = part[name]
    part[names[-1]] = new
    return made


OTHER = {"from": 2}


@pytest.mark.parametrize(
    ("how", "words"),
    [
        (("box", 0, ["0", "2"]), "another interval"),
        (("box", []), "1 to 16 sides"),
        (("norm", "l1"), "another interval or norm"),
        (("norm", "l3"), "the norm is one of"),
        (("coordinates", [None, None]), "at least one coordinate"),
        (("coordinates", [None]), "for each coordinate"),
        (("coordinates", 0, "type", "noise"), "of type sensitivity"),
        (("coordinates", 0, "cases", 0, "bound", "2"), None),
        (("coordinates", 0, "cases", 0, "sizes", OTHER), None),
        (("witness", "move", "501/100"), "as far as"),
        (("witness", "move", "-1"), "negative"),
        (("witness", "right", [["4", "4"]]), "outside of the box"),
        (("witness", "right", [["3"]]), "outside of the box"),
        (("witness", "right", [["3", "4"], ["0", "0"]]), "not neighbours"),
        (("witness", "left", [["3", "4"]]), "not neighbours"),
    ],
)
def test_another_certificate_is_refused(how, words):
    with pytest.raises(Rejected, match=words):
        check(with_(proof(), *how))


def farthest(box, one, two):
    """How far a record that is replaced moves (one·Σ of the first coordinate, two·Σ of the second), squared."""
    corners = list(product(*box))
    return max(
        one**2 * (left[0] - right[0]) ** 2 + two**2 * (left[1] - right[1]) ** 2
        for left, right in product(corners, repeat=2)
    )


def test_no_changed_number_makes_a_false_bound():
    accepted = 0
    for path, new in mutants(dict(proof())):
        made = put(dict(proof()), path, new)
        try:
            check(made)
        except Rejected:
            continue
        accepted += 1
        box = [[F(end) for end in side] for side in made["box"]]
        bounds = [[F(str(case["bound"])) for case in part["cases"]] for part in made["coordinates"]]
        assert farthest(box, 1, 1) <= sum(max(several) ** 2 for several in bounds), (path, new)
        assert F(made["witness"]["move"]) ** 2 <= farthest(box, 1, 1), (path, new)
    assert accepted < 40


def test_neighbours_of_one_kind():
    mixed = with_(proof(), "coordinates", [proof()["coordinates"][0], proof("add-remove")["coordinates"][1]])
    with pytest.raises(Rejected, match="same neighbours"):
        check(mixed)


def test_a_witness_of_another_size_is_refused():
    made = with_(proof("add-remove"), "witness", {"left": [], "right": [["3", "4"], ["0", "0"]], "move": "5"})
    with pytest.raises(Rejected, match="not neighbours"):
        check(made)
    one = dpw.sensitivity(["sum(r[0] for r in x)"], Records(Box((0, 3), (0, 4)), 3), "l1", n=2).certificate
    with pytest.raises(Rejected, match="another number of records"):
        check(with_(one, "witness", {"left": [["0", "0"]], "right": [["3", "0"]], "move": "3"}))


def test_cases_for_different_sizes_are_refused():
    late = with_(proof()["coordinates"][1], "cases", 0, "sizes", {"from": 2})
    late["cases"][0]["witness"] = None
    with pytest.raises(Rejected, match="different numbers of records"):
        check(with_(proof(), "coordinates", 1, late))
