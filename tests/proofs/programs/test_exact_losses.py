"""Exact losses of known programs come out as exact numbers, certified from both sides."""

from __future__ import annotations

from fractions import Fraction

import pytest

from dpwitness.core.evidence import UpperBound
from dpwitness.proofs.kernel.check import check
from dpwitness.proofs.kernel.moves import Moves
from dpwitness.proofs.programs.route import ProgramProver
from dpwitness.proofs.programs.shift import bound, certificate
from dpwitness.proofs.programs.tables import read_table

RELATION = {"all": "linf", "one": "one", "up": "monotone", "l1": "l1"}


def solve(mechanism, n, moves="all"):
    table = read_table(mechanism.claims()[0], n)
    return bound(table, Moves(RELATION[moves], Fraction(1), n))


def cases(p):
    f = Fraction
    return {
        "noisy max": (p.noisy_max(), "all", 4, f(1)),
        "noisy max, scale 1": (p.noisy_max(1), "all", 3, f(2)),
        "noisy max, scale 1, monotone": (p.noisy_max(1), "up", 3, f(1)),
        "noisy max, scale 1, one answer": (p.noisy_max(1), "one", 3, f(1)),
        "noisy max, exponential": (p.noisy_max(2, "exponential"), "all", 4, f(1)),
        "running max": (p.running_max, "all", 5, f(1)),
        "sparse vector, 3 queries": (p.svt(), "all", 3, f(3, 4)),
        "sparse vector, 5 queries": (p.svt(), "all", 5, f(1)),
        "sparse vector, monotone": (p.svt(2, 2), "up", 5, f(1)),
        "gap": (p.svt(release="gap"), "all", 5, f(1)),
        "fresh value": (p.svt(3, 6, release="fresh"), "all", 3, f(5, 6)),
        "no cutoff": (p.svt(2, 2, None), "all", 3, f(3, 2)),
        "scales 4 and 4/3, cutoff 1": (p.svt(4, f(4, 3)), "all", 4, f(7, 4)),
        "scales 4 and 4/3, cutoff 2": (p.svt(4, f(4, 3), 2), "all", 5, f(13, 4)),
        "histogram, one": (p.histogram(), "one", 4, f(1)),
        "histogram, l1": (p.histogram(), "l1", 4, f(1)),
        "histogram, all": (p.histogram(), "all", 4, f(4)),
        "partial sum": (p.partial_sum(), "one", 4, f(1)),
        "partial sum, half scale": (p.partial_sum(f(1, 2)), "one", 4, f(2)),
        "smart sum": (p.smart_sum(), "one", 4, f(2)),
    }


NAMES = [
    "noisy max", "noisy max, scale 1", "noisy max, scale 1, monotone", "noisy max, scale 1, one answer",
    "noisy max, exponential", "running max", "sparse vector, 3 queries", "sparse vector, 5 queries",
    "sparse vector, monotone", "gap", "fresh value", "no cutoff", "scales 4 and 4/3, cutoff 1",
    "scales 4 and 4/3, cutoff 2", "histogram, one", "histogram, l1", "histogram, all", "partial sum",
    "partial sum, half scale", "smart sum",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_exact_value_from_both_sides(programs, name):
    program, moves, n, value = cases(programs)[name]
    found = solve(programs.make(program, moves, name="p"), n, moves)
    assert found.upper == value
    assert found.exact
    assert found.lower is not None
    assert found.lower.value == value
    verified = check(certificate(found, "", "p"))
    assert verified, verified.reason
    assert "no smaller number" in verified.statement


@pytest.mark.parametrize("c", [1, 2])
def test_lyu_algorithm_four(programs, c):
    # threshold noise Lap(4/ε), query noise Lap(4/(3ε)), whatever the cutoff: the loss is (1 + 6c)/4
    found = solve(programs.make(programs.svt(4, Fraction(4, 3), c), name="p"), 3 + c)
    assert found.upper == Fraction(1 + 6 * c, 4)
    assert found.exact


@pytest.mark.parametrize("program", ["no noise", "blocks"])
def test_infinite_losses_are_certified(programs, program):
    made = {
        "no noise": programs.make(programs.svt(2, 0, None), name="p"),
        "blocks": programs.make(programs.smart_sum(False), "one", name="p"),
    }[program]
    found = solve(made, 2, "all" if program == "no noise" else "one")
    assert found.upper is None
    assert found.lower is not None
    assert found.lower.value is None


def test_both_orders_are_taken(programs):
    # a one-sided adjacency has two orders: the value of [0,1]^N alone and of [-1,0]^N alone may differ
    table = read_table(programs.make(programs.svt(2, 4, 2), name="p").claims()[0], 4)
    found = bound(table, Moves("monotone", Fraction(1), 4))
    assert found.exact
    parts = Moves("monotone", Fraction(1), 4).parts()
    values = [max(e.alignment.solve(v).value for e in found.events for v in part.vertices()) for part in parts]
    assert max(values) == found.upper
    assert min(values) < max(values)


def test_the_answer_is_a_formula_in_epsilon(programs):
    made = programs.make(programs.noisy_max(), name="p")
    evidence = ProgramProver(queries=3).run(made.claims(eps="1/3")[0])
    assert isinstance(evidence, UpperBound)
    assert evidence.guarantee.eps == Fraction(1, 3)
    assert evidence.scope.epsilon == "all"
    assert evidence.scope.queries == 3
    assert evidence.formula == "1·eps"
    assert evidence.exact
