"""Families of noise: learnt from few outputs, and never a danger to a guess."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpwitness.auditors.learners import noise_families as families
from dpwitness.auditors.learners.segments import tree


def counted(x, y, cells=64):
    pool = np.sort(np.concatenate([x, y]))
    edges = pool[:: max(1, len(pool) // cells)][1:]
    a, b = (np.bincount(np.searchsorted(edges, z), minlength=len(edges) + 1) for z in (x, y))
    u = np.concatenate([edges - 1e-9, [pool[-1]]])
    return a, b, u


def gain(pi, truth, mass):
    """How much of the expected log-likelihood of the truth over a coin flip is reached."""
    reached = mass @ (truth * np.log(2 * pi) + (1 - truth) * np.log(2 * (1 - pi)))
    return reached / (mass @ (truth * np.log(2 * truth) + (1 - truth) * np.log(2 * (1 - truth))))


@pytest.mark.parametrize("family", ["laplace", "normal", "largest"])
@pytest.mark.parametrize(("shift", "ratio"), [(1.0, 1.0), (0.0, 2.0), (-1.5, 1.0), (0.0, 0.5)])
def test_sixty_outputs_teach_a_shift_or_a_change_of_scale(family, shift, ratio):
    from scipy import stats

    law = {"laplace": stats.laplace, "normal": stats.norm, "largest": stats.gumbel_r}[family]
    rng = np.random.default_rng(3)
    x, y = law.rvs(0, 1, 60, random_state=rng), law.rvs(shift, ratio, 60, random_state=rng)
    a, b, u = counted(x, y)
    pi, _ = getattr(families, family)(a, b, u, float(np.median(np.concatenate([x, y]))))
    p, q = law.pdf(u, 0, 1), law.pdf(u, shift, ratio)
    assert gain(pi, p / (p + q), (a + b) / 120) > 0.6


@pytest.mark.parametrize("sign", [1, -1])
def test_a_shifted_largest_or_smallest_value_is_explained_best_by_its_own_family(sign):
    rng = np.random.default_rng(2)
    x, y = (sign * (c + rng.exponential(2.0, (400, 5)).max(axis=1)) for c in (0.0, 1.0))
    a, b, u = counted(x, y)
    center = float(np.median(np.concatenate([x, y])))
    own, *others = (getattr(families, name)(a, b, u, center)[1] for name in ("largest", "laplace", "normal"))
    assert own > max(others) + 3.0
    x, y = (sign * rng.laplace(c, 1.0, 400) for c in (0.0, 1.0))
    a, b, u = counted(x, y)
    own, other = (getattr(families, name)(a, b, u, 0.5 * sign)[1] for name in ("laplace", "largest"))
    assert own > other + 3.0


def test_any_symmetric_noise_with_a_shift_is_learnt_without_knowing_its_shape():
    """A mixture of a narrow and a wide Laplace law, of which log-odds rise, fall and rise again."""
    from scipy import stats

    rng = np.random.default_rng(1)
    x, y = (np.sort(c + rng.laplace(0, np.where(rng.random(300) < 0.5, 0.2, 3.0))) for c in (0.0, 0.7))
    a, b, u = counted(x, y)
    pi, evidence = families.shifted(x, y, a, b, u)
    p, q = (stats.laplace.pdf(u, c, 0.2) + stats.laplace.pdf(u, c, 3.0) for c in (0.0, 0.7))
    assert gain(pi, p / (p + q), (a + b) / 600) > 0.7
    size = 1 << int(math.log2(len(a)))
    assert evidence > tree(a[:size], b[:size])[1] - 5.0


def test_any_symmetric_noise_with_a_shift_and_a_ratio_is_learnt_without_knowing_its_shape():
    """The same, with the right side narrower: a shift alone explains it worse."""
    from scipy import stats

    rng = np.random.default_rng(1)
    x, y = (
        np.sort(c + s * rng.laplace(0, np.where(rng.random(600) < 0.5, 0.2, 3.0))) for c, s in ((0.0, 1.0), (0.5, 0.45))
    )
    a, b, u = counted(x, y)
    p, q = ((stats.laplace.pdf(u, c, 0.2 * s) + stats.laplace.pdf(u, c, 3.0 * s)) for c, s in ((0.0, 1.0), (0.5, 0.45)))
    (plain, less), (pi, more) = (families.shifted(x, y, a, b, u, stretched=s) for s in (False, True))
    found, before = (gain(guess, p / (p + q), (a + b) / 1200) for guess in (pi, plain))
    assert found > 0.8
    assert found > before
    assert more > less + 5.0


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(-1e140, 1e140), min_size=2, max_size=30),
    st.lists(st.floats(-1e140, 1e140), min_size=2, max_size=30),
)
def test_guesses_are_probabilities_whatever_the_outputs(left, right):
    x, y = np.sort(left), np.sort(right)
    u = np.unique(np.concatenate([x, y]))
    a, b = (np.array([np.count_nonzero(z == v) for v in u]) for z in (x, y))
    center = float(np.median(np.concatenate([x, y])))
    fits = [f(a, b, u, center) for f in (families.laplace, families.normal, families.largest)]
    for pi, evidence in [*fits, *(families.shifted(x, y, a, b, u, stretched=s) for s in (False, True))]:
        assert np.all((pi >= 0) & (pi <= 1))
        assert evidence <= 1e-9


def test_evidence_falls_short_of_a_coin_flip_where_the_sides_are_alike():
    rng = np.random.default_rng(0)
    x, y = np.sort(rng.normal(size=400)), np.sort(rng.normal(size=400))
    a, b, u = counted(x, y)
    coin = -800 * math.log(2)
    symmetric = [families.shifted(x, y, a, b, u, stretched=s) for s in (False, True)]
    named = [family(a, b, u, 0.0) for family in (families.laplace, families.normal, families.largest)]
    for _, evidence in (*named, *symmetric):
        assert evidence < coin + 1.0
