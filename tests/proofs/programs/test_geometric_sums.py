"""Exact sums of two-sided geometric noise against plain summation, and against each other: they sum to one."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq

from dpwitness.core import Answers, PureDP, mechanism
from dpwitness.proofs.kernel.algebra.polyhedra import Row, parse
from dpwitness.proofs.kernel.algebra.quotients import NOTHING, add
from dpwitness.proofs.kernel.arith import Rejected, precision
from dpwitness.proofs.kernel.laws.geometric import Steps
from dpwitness.proofs.kernel.laws.geometric_terms import _growth
from dpwitness.proofs.kernel.programs.comparisons import NotAForest
from dpwitness.proofs.kernel.programs.finite import Laws
from dpwitness.proofs.kernel.programs.integrate import probability
from dpwitness.proofs.kernel.programs.trees import Draw
from dpwitness.proofs.programs.tables import read_table

F = Fraction


def rows_of(texts):
    """``"n0-n1>"`` is strict, ``"n0-n1"`` is not."""
    return [Row(parse(t.rstrip(">")), t.endswith(">")) for t in texts]


def exact(texts, scales, q=()):
    return probability(rows_of(texts), [Draw("discrete_laplace", F(s)) for s in scales], [F(x) for x in q])


def decimal(value, eps):
    with precision(128):
        return float((value[0].at(F(eps)).ball() / value[1].at(F(eps)).ball()).mid())


def plain(texts, scales, q, eps, reach):
    """The same number by summation over a box, to within its tail."""
    grids = np.meshgrid(*[np.arange(-reach, reach + 1)] * len(scales), indexing="ij")
    weight = np.ones(grids[0].shape)
    for grid, s in zip(grids, scales, strict=True):
        a = math.exp(-float(eps) / float(s))
        weight = weight * (1 - a) / (1 + a) * a ** np.abs(grid)
    for row in rows_of(texts):
        # in whole multiples of the common denominator, so that ties are exact
        bottom = math.lcm(*(v.denominator for v in row.form.values()), *(F(x).denominator for x in q))
        value = np.full(weight.shape, int(row.form.get("", 0) * bottom * bottom))
        for name, v in row.form.items():
            if name:
                i = int(name[1:])
                number = grids[i] * bottom if name[0] == "n" else int(F(q[i]) * bottom)
                value = value + int(v * bottom) * number
        weight = weight * ((value > 0) if row.strict else (value >= 0))
    return float(weight.sum())


@pytest.mark.parametrize(
    ("texts", "scales", "q"),
    [
        (["n0-q0"], [1], [2]),
        (["n0-q0>"], [1], [2]),
        (["n0-q0", "q0-n0"], [1], [2]),  # one value
        (["n0-n1"], [1, 2], []),
        (["n0-n1>"], [1, 1], []),
        (["n0-n1", "n1-n0"], [1, 3], []),  # a tie
        (["n0+n1-q0"], [1, 1], [3]),
        (["n0-2*n1-q0"], [1, 2], [1]),
        (["1/2*n0-1/2*n1-q0>"], [1, 2], ["1/3"]),
        (["n0+q0-n1-q1>", "n0+q0-n2-q2"], [2, 2, 2], [0, 1, -1]),
        (["n0-n1-q0>", "n2+q1-n0"], [2, 4, 4], [1, 0]),
        (["n0-n1", "n1-n2", "n2-n0"], [1, 2, 2], []),  # a circle: all three are equal
        (["n0-n1", "n1-n2>", "n0-n2-1"], [1, 2, 2], []),
        (["n2-n0", "n1-n2>", "n3-n0", "n1-n3>"], [1, 1, 2, 2], []),  # a circle of four
    ],
)
@pytest.mark.parametrize("eps", ["1", "7/3"])
def test_against_plain_sums(texts, scales, q, eps):
    found = exact(texts, scales, q)
    reach = {1: 200, 2: 120, 3: 50, 4: 15}[len(scales)]
    tail = math.exp(-float(F(eps)) * reach / max(scales)) * 4 * len(scales)
    assert decimal(found, eps) == pytest.approx(plain(texts, scales, q, F(eps), reach), abs=tail + 1e-12)


@pytest.mark.parametrize("seed", range(40))
def test_random_rows_against_plain_sums(seed):
    rng = random.Random(seed)
    k = rng.randint(1, 3)
    texts = []
    for _ in range(rng.randint(1, 4)):
        form = dict.fromkeys(rng.sample([f"n{i}" for i in range(k)], min(k, rng.randint(1, 2))), 0)
        form = {name: rng.choice([-1, 1]) for name in form} | {"q0": rng.choice([-1, 0, 1]), "": rng.randint(-2, 2)}
        text = "".join(f"{v:+d}*{n}" if n else f"{v:+d}" for n, v in form.items() if v)
        texts.append(text.lstrip("+") + rng.choice(["", ">"]))
    scales, q = [rng.choice([1, 2]) for _ in range(k)], [F(rng.randint(-3, 3), rng.choice([1, 2]))]
    reach = {1: 100, 2: 80, 3: 40}[k]
    assert decimal(exact(texts, scales, q), 2) == pytest.approx(plain(texts, scales, q, 2, reach), abs=1e-12), texts


@pytest.mark.parametrize(("j", "m"), [(0, 1), (1, 1), (3, -2), (0, 0), (2, 0), (4, 3)])
def test_sums_of_powers(j, m):
    z = fmpq(1, 3)
    sums = [sum((c[0](z) / c[1](z)) * k**i for i, c in enumerate(_growth(j, m))) * z ** (m * k) for k in range(-3, 4)]
    for k, (low, high) in zip(range(-2, 4), itertools.pairwise(sums), strict=True):
        assert high - low == k**j * z ** (m * k)


def test_law_sums_to_one():
    total = Steps.law(2).total()
    assert total[0] == total[1]


def test_strict_and_not_strict_differ_by_the_tie():
    strict, loose, tie = (exact(t, [2, 3], []) for t in (["n0-n1>"], ["n0-n1"], ["n0-n1", "n1-n0"]))
    (a, b), (c, d) = add(strict, tie), loose
    assert a * d == c * b
    assert decimal(tie, 1) > 0.05


def test_opposite_rows_sum_to_one_symbolically():
    for text, opposite in (("n0-n1-1", "n1-n0+1>"), ("n0+n1-q0>", "q0-n0-n1")):
        total = add(exact([text], [2, 3], ["1/2"]), exact([opposite], [2, 3], ["1/2"]))
        assert total[0] == total[1]


def test_whole_and_continuous_draws_apart_and_together():
    draws = [Draw("discrete_laplace", F(1)), Draw("laplace", F(1))]
    found = probability(rows_of(["n0-1", "n1-1"]), draws, [])
    assert decimal(found, 1) == pytest.approx(math.exp(-1) / (1 + math.exp(-1)) * math.exp(-1) / 2)
    with pytest.raises(NotAForest):
        probability(rows_of(["n0-n1"]), draws, [])


def test_impossible_rows():
    assert exact(["n0-1", "0-n0"], [1]) == NOTHING
    assert exact(["n0-n1>", "n1-n0"], [1, 1]) == NOTHING
    assert exact(["2*n0-1", "1-2*n0"], [1]) == NOTHING  # no whole number is one half


def test_laws_of_a_program_sum_to_one():
    def largest(noise, q, *, eps):
        return noise.argmax([x + noise.discrete_laplace(2 / eps) for x in q])

    def sparse(noise, q, *, eps):
        t = noise.discrete_laplace(2 / eps)
        for i, x in enumerate(q):
            if x + noise.discrete_laplace(4 / eps) >= t:
                return i
        return None

    for program in (largest, sparse):
        made = mechanism(data=Answers(values=(0, 1, 2), size=3), claim=lambda eps: PureDP(eps), typical={"eps": 1})
        laws = Laws(read_table(made(program).claims()[0], 3).tree)
        for q in ([F(0)] * 3, [F(0), F(1), F(2)], [F(1, 2), F(0), F(1)]):
            law = laws.of(q)  # `of` refuses a law that does not sum to one, symbolically in eps
            assert len(law) >= 3


def test_huge_numbers_are_refused_at_once():
    for texts, scales in ((["n0-1000000000"], [1]), (["n0-5"], [F(10**9, 10**9 + 1)]), (["n0-n1-100000"], [1, 1])):
        with pytest.raises(Rejected):
            exact(texts, scales)
