"""Exact losses of known programs come out as exact numbers, certified from both sides."""

from __future__ import annotations

from fractions import Fraction
from math import exp, log

import pytest

from dpwitness.core.evidence import UpperBound
from dpwitness.core.guarantees import PureDP
from dpwitness.core.mechanism import mechanism
from dpwitness.core.spaces import Answers, Records
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.kernel.moves import Moves
from dpwitness.proofs.programs.finite_inputs import read_inputs, worst_loss
from dpwitness.proofs.programs.losses import exact_loss, largest_loss
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
    verified = examine(certificate(found, "", "p"))
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


def answers_noisy_max(noise, q, *, eps):
    return noise.argmax([x + noise.laplace(1 / eps) for x in q])


def counts_noisy_max(noise, data, *, eps):
    return noise.argmax([sum(record[i] for record in data) + noise.laplace(1 / eps) for i in (0, 1)])


def claim_on(space, program):
    return mechanism(data=space, claim=lambda eps: PureDP(2 * eps), typical={"eps": 1})(program).claims()[0]


@pytest.mark.parametrize(("moves", "value"), [("up", 1), ("down", 1), ("one", 1), ("l1", 1), ("all", 2)])
@pytest.mark.parametrize("n", [2, 3, 4])
def test_noisy_max_of_counts_over_all_real_answers(moves, value, n):
    """With Lap(1/ε): ε where one person is added or removed, 2ε where one is replaced."""
    assert exact_loss(claim_on(Answers(moves), answers_noisy_max), n) == (value, True)


PEOPLE = [(a, b) for a in (0, 1) for b in (0, 1)]


@pytest.mark.parametrize(
    ("space", "formula"),
    [
        (Records(PEOPLE, 2, "add-remove"), lambda e: (1 / 2 + e / 4) * exp(-e) / ((1 / 2 + e / 2) * exp(-2 * e))),
        (Records(PEOPLE, 2, "substitute"), lambda e: (1 / 2) / ((1 / 2 + e / 2) * exp(-2 * e))),
        (
            Answers("up", values=(0, 1, 2), size=2),
            lambda e: (1 / 2 + e / 4) * exp(-e) / ((1 / 2 + e / 2) * exp(-2 * e)),
        ),
        (Answers("all", values=(0, 1, 2), size=2), lambda e: (1 / 2) / ((1 / 2 + e / 2) * exp(-2 * e))),
    ],
)
def test_noisy_max_of_few_people_is_a_formula_in_epsilon(space, formula):
    """P[difference of two Lap(1/ε) >= k] = (1/2 + kε/4) e^(-kε), so the worst pair of a finite space is known."""
    program = counts_noisy_max if isinstance(space, Records) else answers_noisy_max
    found = largest_loss(claim_on(space, program))
    assert found is not None
    assert space.adjacency.related(found.left, found.right)
    for eps in (Fraction(1, 10), Fraction(1), Fraction(5)):
        assert float(found.at(eps)) == pytest.approx(log(formula(float(eps))), rel=1e-9)
    assert str(found).startswith("ln((")


def test_the_formula_is_the_largest_loss_at_every_epsilon_tried():
    claim = claim_on(Answers("all", values=(-1, 0, 1), size=3), answers_noisy_max)
    found, finite = largest_loss(claim), read_inputs(claim)
    for eps in (Fraction(1, 7), Fraction(1), Fraction(4)):
        assert float(found.at(eps)) == pytest.approx(worst_loss(finite, eps)[0], rel=1e-9)


def test_no_formula_where_the_worst_pair_depends_on_epsilon():
    def program(noise, data, *, eps):
        return noise.argmax([sum(x == v for x in data) + noise.laplace(1 / eps) for v in (0, 1, 2)])

    assert largest_loss(claim_on(Records((0, 1, 2), 2, "add-remove"), program)) is None


def test_histograms_under_both_adjacencies(programs):
    one, all_ = (programs.make(programs.histogram(), moves, name="p").claims()[0] for moves in ("one", "all"))
    assert exact_loss(one, 4) == (1, True)
    assert exact_loss(all_, 4) == (4, True)
