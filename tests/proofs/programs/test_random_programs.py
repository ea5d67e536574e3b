"""Random programs: the bounds must bracket the losses that exact probabilities show on a grid of inputs."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction

import pytest
from tests.proofs.programs.draws import drawn

from dpwitness.proofs.kernel.arith import precision
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.kernel.moves import Moves
from dpwitness.proofs.kernel.programs.comparisons import NotAForest
from dpwitness.proofs.kernel.programs.finite import Laws
from dpwitness.proofs.programs.shift import bound, certificate
from dpwitness.proofs.programs.tables import read_table

F = Fraction


def random_program(seed):
    """A decision tree of depth up to 4 on two answers: comparisons of noisy answers, few outputs, so many unions."""
    rng = random.Random(seed)
    law = rng.choice(["laplace", "laplace", "exponential"])
    scales = [rng.choice([1, 2, 4]) for _ in range(4)]
    plan = {}

    def node(path):
        if path not in plan:
            kind = rng.choice(["pair", "one", "out", "exact"]) if 0 < len(path) < 4 else ("out" if path else "pair")
            if kind == "exact" and rng.random() < 0.7:
                kind = "one"
            plan[path] = (kind, rng.sample(range(4), 2), rng.choice([-1, 0, 1]), rng.randrange(3), rng.random() < 0.5)
        return plan[path]

    def program(noise, q, *, eps):
        draws = [drawn(noise, law, s / eps) for s in scales]
        noisy = [q[0] + draws[0], q[1] + draws[1], draws[2], q[rng_index] + draws[3]]
        path = ()
        while True:
            kind, (i, j), shift, out, strict = plan[path]
            if kind == "out":
                return out
            left = {"pair": noisy[i] - noisy[j] + shift, "one": noisy[i] + shift, "exact": q[0] - q[1] + shift}[kind]
            answer = bool(left > 0 if strict else left >= 0)
            path = (*path, answer)

    rng_index = rng.randrange(2)
    for path in itertools.chain.from_iterable(itertools.product([False, True], repeat=k) for k in range(5)):
        node(path)
    return program


def grid_loss(tree, eps):
    laws = Laws(tree)
    inputs = list(itertools.product([F(x) for x in (-2, 0, 1)], repeat=2))
    known = {}

    def numbers(q):
        if q not in known:
            with precision(128):
                known[q] = {w: float((a.at(eps).ball() / b.at(eps).ball()).mid()) for w, (a, b) in laws.of(q).items()}
        return known[q]

    worst = 0.0
    for q in inputs:
        for d in itertools.product([F(-1), F(0), F(1)], repeat=2):
            there = numbers((q[0] + d[0], q[1] + d[1]))
            for w, p in numbers(q).items():
                if p > 1e-12:
                    other = there.get(w, 0.0)
                    worst = max(worst, math.inf if other < 1e-25 else math.log(p / other))
    return worst / float(eps)


def try_one(programs, seed):
    made = programs.make(random_program(seed), name="p")
    table = read_table(made.claims()[0], 2)
    found = bound(table, Moves("linf", F(1), 2))
    if found.upper is not None:
        verified = examine(certificate(found, "", "p"))
        assert verified, verified.reason
    try:
        worst = max(grid_loss(table.tree, F(1)), grid_loss(table.tree, F(1, 3)))
    except NotAForest:
        return "not integrated"
    limit = math.inf if found.upper is None else float(found.upper)
    assert worst <= limit + 1e-9, (seed, worst, found.upper)
    if found.exact:
        return "exact"
    return "interval"


@pytest.mark.parametrize("start", range(2))
def test_bounds_bracket_the_grid(programs, start):
    outcomes = [try_one(programs, 3 * start + k) for k in range(3)]
    assert outcomes.count("not integrated") <= 2


@pytest.mark.slow
def test_many_random_programs(programs):
    outcomes = [try_one(programs, 1000 + k) for k in range(300)]
    assert outcomes.count("exact") > 50
