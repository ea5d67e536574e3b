"""Outputs whose form says which number they hold."""

from __future__ import annotations

import numpy as np
import pytest

from dpwitness.auditors.bounds.eprocess import EProcess
from dpwitness.auditors.bounds.evalue import Null
from dpwitness.auditors.learners.branches import BranchPartition, fit_branches, one_number
from dpwitness.auditors.learners.plans import Plans, choose_plan
from dpwitness.auditors.outputs.table import Encoder


def fitted(left, right):
    encoder = Encoder()
    tables = encoder.encode(left), encoder.encode(right)
    width = max(t.width for t in tables)
    return encoder, fit_branches(encoder.places, *(t.widened(width) for t in tables))


def opposite(rng, size, side):
    """With a coin flip as its form, a number that leans one way or the other."""
    heads = rng.random(size) < 0.5
    numbers = rng.normal(np.where(heads, 1.0, -1.0) * (1 if side else -1), 1.0)
    return [("head", z) if h else ("tail", z) for h, z in zip(heads, numbers.tolist(), strict=True)]


def test_the_number_may_tell_the_opposite_under_another_form():
    rng = np.random.default_rng(0)
    encoder, partition = fitted(opposite(rng, 400, 0), opposite(rng, 400, 1))
    probe = encoder.encode([("head", -2.0), ("head", 2.0), ("tail", -2.0), ("tail", 2.0)])
    low_head, high_head, low_tail, high_tail = partition.pi[0][partition.cells(probe)]
    assert min(low_head, high_tail) > 0.9
    assert max(high_head, low_tail) < 0.1


def test_what_grows_from_place_to_place_is_learnt_from_few_outputs_of_each():
    """The log-odds of a small number rise with its place: half a unit for each place."""
    rng = np.random.default_rng(4)
    truth = 1 / (1 + np.exp(-0.5 * (np.arange(10) - 4.5)))
    place, value = rng.integers(0, 10, 1200), rng.random(1200)
    left = rng.random(1200) < np.where(value < 0.5, truth[place], 0.5)
    outputs = [[None] * int(p) + [float(v)] for p, v in zip(place, value, strict=True)]
    sides = [[o for o, s in zip(outputs, left, strict=True) if s == side] for side in (True, False)]
    encoder, partition = fitted(*sides)
    probe = encoder.encode([[None] * p + [0.2] for p in range(10)])
    guess = partition.pi[0][partition.cells(probe)]
    assert np.abs(guess - truth).mean() < 0.08


def test_a_form_without_a_number_has_its_own_odds_and_a_new_form_has_none():
    rng = np.random.default_rng(2)
    numbers = [("n", float(z)) for z in rng.normal(size=60)]
    encoder, partition = fitted([*numbers[:30], *["no"] * 60], [*numbers[30:], *["no"] * 6])
    guesses = partition.pi[0][partition.cells(encoder.encode(["no", "never seen", ("m", 1.0), (1.0, 2.0)]))]
    assert guesses[0] > 0.85
    assert guesses[1:].tolist() == [0.5, 0.5, 0.5]


def test_every_output_has_a_cell_and_every_guess_is_a_probability():
    encoder = Encoder()
    odd = [(np.inf, None), (None, -np.inf), (1e300, None), (None, 5e-324), "text", None, (np.nan, None), (1, 2)]
    left, right = encoder.encode(odd * 5), encoder.encode(odd[::-1] * 5)
    partition = fit_branches(encoder.places, left, right)
    assert isinstance(partition, BranchPartition)
    cells = partition.cells(left)
    assert cells.min() >= 0
    assert cells.max() < partition.pi.shape[1]
    assert np.all((partition.pi > 0) & (partition.pi < 1))
    assert one_number(left)[1].sum() == 5


def test_a_numerical_sparse_vector_that_reuses_its_noise_is_refuted():
    rng = np.random.default_rng(1)
    encoder = Encoder()
    bets = EProcess(encoder, (Null(1.0),), 1e-3, Plans())
    for _ in range(40):
        tables = []
        for answers in (np.zeros(4), np.array([1.0, -1.0, 1.0, -1.0])):
            noisy = answers + rng.laplace(0, 1, (128, 4))
            above = noisy >= rng.laplace(0, 1, 128)[:, None]
            before = np.cumsum(above, axis=1) - above
            tables.append(encoder.encode(np.where(above & (before == 0), noisy, np.nan)))
        if bets.feed(*tables):
            break
    assert bets.refuted_at is not None
    assert choose_plan(*bets.training()).kind == "branches"


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_few_outputs_are_no_obstacle(count):
    encoder = Encoder()
    table = encoder.encode([(None, 0.5), (1.5, None), None][:count])
    partition = fit_branches(encoder.places, table, table)
    assert partition.cells(table).max(initial=0) < partition.pi.shape[1]
