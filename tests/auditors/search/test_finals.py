"""The best few pairs are ranked by fresh samples, whose events were chosen on other ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dpwitness.auditors.bounds.evalue import Null
from dpwitness.auditors.bounds.ledger import Budget
from dpwitness.auditors.outputs.table import Encoder
from dpwitness.auditors.rules.choose import Aim, expected_bound, promise
from dpwitness.auditors.sampling.meter import Meter
from dpwitness.auditors.sampling.sampler import Sampler
from dpwitness.auditors.search import pairs
from dpwitness.auditors.search.finals import FEWEST, FINALISTS, settled
from dpwitness.auditors.search.pairs import Candidate
from dpwitness.auditors.search.screening import Screening


def shifted(data, size, rng):
    return rng.laplace(data, 1.0, size)


LUCKY = [Candidate(0.0, shift, f"by {shift}") for shift in (0.05, 0.2, 0.4)]


def compared(runs, sampler=shifted, order=LUCKY):
    screened = Screening([*order, Candidate(0.0, 9.0, "not a finalist")], 4)
    draw = Sampler(sampler, True, meter=Meter(runs=runs))
    return [pair.why for pair in settled(draw, screened, order, 0.0, Budget()).ranked]


def test_the_luckiest_pair_does_not_stay_first():
    assert compared(120_000) == ["by 0.4", "by 0.2", "by 0.05", "not a finalist"]


def test_with_few_runs_or_a_sampler_that_fails_the_order_stays():
    before = ["by 0.05", "by 0.2", "by 0.4", "not a finalist"]
    assert compared(6 * FEWEST - 1) == before

    def fails(data, size, rng):
        raise ValueError("no")

    assert compared(120_000, fails) == before


def test_what_was_drawn_is_taken_from_the_runs_that_are_left():
    meter = Meter(runs=60_000)
    settled(Sampler(shifted, True, meter=meter), Screening(LUCKY, 3), LUCKY, 0.0, Budget())
    assert 0 <= meter.left <= 6


@pytest.mark.parametrize("tails", ["normal", "heavy"])
def test_two_equal_sides_promise_nothing(tails):
    """The same samples promise a loss to models that were fitted to them, and mostly none on fresh ones."""
    fresh, same = [], []
    for seed in range(20):
        rng, encoder = np.random.default_rng([3, seed]), Encoder()
        drawn = rng.normal(size=12_000) if tails == "normal" else rng.standard_cauchy(12_000)
        left, right = (encoder.encode(part, 6000) for part in np.split(drawn, 2))
        aim = Aim(2_000_000, 1e-3)
        same.append(promise(encoder.places, left, right, aim, (Null(0.1),))[2])
        fresh.append(expected_bound(encoder.places, (left[:2000], right[:2000]), (left[2000:], right[2000:]), aim))
    assert np.median(fresh) <= 0.02
    assert np.median(fresh) <= np.median(same)


@pytest.mark.parametrize(
    ("claim", "many", "called"),
    [((Null(0.3),), True, True), ((Null(0.3),), False, False), ((Null(0.01),), True, False), (None, True, False)],
)
def test_a_search_of_many_pairs_audits_the_winner_of_the_finals(monkeypatch, claim, many, called):
    """Where no pair stands out against the claim; of few pairs all have been seen often enough."""
    asked = []

    def last(sampler, screened, finalists, delta, budget):
        asked.append(finalists)
        return replace(screened, ranked=[LUCKY[1], *screened.ranked])

    monkeypatch.setattr(pairs, "settled", last)
    given = [Candidate(0.0, 0.2 * k / 13, f"{k}") for k in range(13 if many else 3)]
    found = pairs.search(Sampler(shifted, True), given, claim, 0.0, Budget(1e-3, 20_000))
    assert bool(asked) is called
    if called:
        assert 2 <= len(asked[0]) <= FINALISTS
        assert (found.left, found.right) == (0.0, 0.2)
