"""The laws from which limits are computed are the laws of the samplers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from benchmarks import mechanisms as m
from benchmarks.refutable import cases, held_out
from scipy import stats

SIZE = 40_000


def test_the_integrated_law_of_the_mean_is_the_law_of_its_sampler():
    options = (0.1, "laplace", "exact", "noised", 1e-5, 0.5)
    law = m.clipped_mean_law([0.0, 1.0], *options, nodes=500, cells=600)
    std = math.sqrt(2 * math.log(1.25 / 1e-5))
    reach = np.geomspace(1e-7, 1.0, 300) * 40 * max(1.0, std / 3) * 2 / 0.1
    edges = np.concatenate([-reach[::-1], [0.0], reach])
    drawn = m.clipped_mean(*options)([0.0, 1.0], SIZE, np.random.default_rng(1))
    hits = np.bincount(np.searchsorted(edges, drawn), minlength=len(edges) + 1)
    group = np.minimum((np.cumsum(law) * 30).astype(int), 29)
    seen, expected = (np.bincount(group, weights=w, minlength=30) for w in (hits, law * SIZE))
    full = expected > 5
    distance = float(np.sum((seen - expected)[full] ** 2 / expected[full]))
    assert stats.chi2.sf(distance, np.count_nonzero(full)) > 1e-4


@pytest.mark.parametrize(
    "name", ["numerical sparse vector, reused noise", "prefix sum, claimed 0.1", "RAPPOR, claimed 0.1"]
)
def test_laws_of_vectors_are_probabilities(name):
    for side in cases()[name].law():
        assert side.sum() == pytest.approx(1.0, abs=1e-3)
        assert side.min() >= 0


def test_the_index_of_the_numerical_sparse_vector_is_as_frequent_as_its_law_says():
    case = cases()["numerical sparse vector, reused noise"]
    law = case.law()[1]
    step = (len(law) - 1) // 10
    drawn = np.asarray(case.sampler(case.right, SIZE, np.random.default_rng(2)))
    for index in (0, 4, 9):
        p = float(law[index * step : (index + 1) * step].sum())
        seen = np.count_nonzero(~np.isnan(drawn[:, index]))
        assert abs(seen - SIZE * p) < 4.5 * math.sqrt(SIZE * p * (1 - p)) + 0.001 * SIZE * p


@pytest.mark.parametrize("name", ["staircase 1.4 for 1", "discrete Laplace 1.6 for 1"])
def test_held_out_laws_lose_what_their_names_say(name):
    left, right = held_out()[name].law()
    worst = float(np.abs(np.log(left[5:-5]) - np.log(right[5:-5])).max())
    assert worst == pytest.approx(float(name.split()[-3]), abs=1e-6)
