"""Reference intervals: they are what they are called, and no part of any verdict."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest

from dpwitness import audit
from dpwitness.core.errors import BadInput
from dpwitness.core.reference import adjusted, p_value, ratio_interval, reference

ROUNDS = 400


def _laplace(scale: float) -> object:
    return lambda data, size, rng: rng.laplace(data, scale, size)


@pytest.mark.parametrize(("p", "q", "size"), [(0.5, 0.2, 400), (0.1, 0.05, 1000), (0.02, 0.004, 2000)])
def test_coverage(p: float, q: float, size: int) -> None:
    """At 95% each method misses its target about one time in twenty; Clopper–Pearson never much more often.

    With 400 rounds a method of exactly 95% covers at least 0.91 of the time but for one chance in ten thousand.
    """
    rng = np.random.default_rng(7)
    hits = dict.fromkeys(("Clopper–Pearson", "Jeffreys", "score", "ratio", "epsilon"), 0)
    for _ in range(ROUNDS):
        a, b = int(rng.binomial(size, p)), int(rng.binomial(size, q))
        found = reference([a, size, b, size], "left")
        for name in ("Clopper–Pearson", "Jeffreys", "score"):
            low, high = found.more[name]
            hits[name] += low <= p <= high
        hits["ratio"] += found.ratio[0] <= p / q <= found.ratio[1]
        hits["epsilon"] += found.epsilon[0] <= math.log(p / q) <= found.epsilon[1]
    assert all(count >= 0.91 * ROUNDS for count in hits.values()), hits
    assert all(count <= 0.995 * ROUNDS for name, count in hits.items() if name != "Clopper–Pearson"), (
        hits
    )  # none is idle


def test_the_test_of_the_claim_keeps_its_level_and_has_power() -> None:
    rng = np.random.default_rng(1)
    q, size = 0.1, 2000
    for factor, low, high in ((1.0, 0.02, 0.09), (1.5, 0.9, 1.0)):
        p = math.e * q * factor
        found = [
            p_value(int(rng.binomial(size, p)), size, int(rng.binomial(size, q)), size, 1.0) for _ in range(ROUNDS)
        ]
        assert low <= np.mean(np.array(found) < 0.05) <= high


def test_the_event_did_not_see_the_samples_that_count() -> None:
    found = audit(_laplace(1.0), 0.0, 1.0, epsilon=1, max_pairs=20_000)
    left, n, right, m = found.details["fresh"]
    assert 0 <= left <= n
    assert 0 <= right <= m
    assert 0.6 * 20_000 < n < 20_000  # a tenth chose the event
    known = found.reference()
    assert known is not None
    assert known.epsilon[0] <= 1 <= known.epsilon[1] + 0.05
    assert any("no part of α" in text for text in known.lines())


def test_an_audit_that_stops_early_counts_since_its_last_fit() -> None:
    found = audit(_laplace(0.5), 0.0, 1.0, epsilon=1, max_pairs=50_000)
    assert found.refuted
    _, n, _, m = found.details["fresh"]
    assert n == m < found.pairs


def test_no_hits_and_all_hits() -> None:
    none = reference([0, 50, 0, 50], "left", epsilon=1.0)
    assert none.estimate == 0
    assert none.ratio == (0.0, math.inf)
    one = reference([30, 50, 0, 50], "left", epsilon=1.0)
    assert one.estimate == math.inf
    assert one.ratio[1] == math.inf
    assert one.ratio[0] > 1
    assert reference([50, 50, 50, 50], "left").estimate == 0
    with pytest.raises(BadInput, match="counts"):
        reference([51, 50, 0, 50], "left")


def test_adjusted_values() -> None:
    holm, benjamini = adjusted([0.01, 0.02, 0.03, 0.5])
    assert holm == pytest.approx((0.04, 0.06, 0.06, 0.5))
    assert benjamini == pytest.approx((0.04, 0.04, 0.04, 0.5))
    assert adjusted([]) == ((), ())


def test_adjusted_values_are_those_of_statsmodels() -> None:
    from statsmodels.stats.multitest import multipletests

    rng = np.random.default_rng(3)
    for size in (1, 2, 3, 8, 20):
        values = (rng.random(size) ** rng.choice([1, 4])).round(2).tolist()
        for found, method in zip(adjusted(values), ("holm", "fdr_bh"), strict=True):
            assert list(found) == multipletests(values, method=method)[1].tolist()


@pytest.mark.parametrize("code", [
    "import dpwitness",
    "from dpwitness.cli import main; main(['list'])",
    "import dpwitness as d; d.audit(lambda x, n, rng: rng.laplace(x, 1, n), 0.0, 1.0, epsilon=1, max_pairs=2000)",
])  # fmt: skip
def test_heavy_packages_wait(code: str) -> None:
    """Neither sympy nor statsmodels is imported by what does not use them."""
    probe = f"{code}\nimport sys\nprint([m for m in ('sympy', 'statsmodels', 'matplotlib') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.strip().endswith("[]")


@pytest.mark.filterwarnings("error")
def test_a_ratio_where_every_output_hits() -> None:
    for n, m in ((10, 10), (3471, 3491)):
        low, high = ratio_interval(n, n, m, m)
        assert 0 < low <= 1 <= high
