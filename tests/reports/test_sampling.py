"""How many samples an exact counterexample would take."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpwitness.auditors.limit import fewest_pairs
from dpwitness.catalogue import find
from dpwitness.core.budget import Budget
from dpwitness.core.evidence import Counterexample
from dpwitness.core.guarantees import PureDP, RenyiDP
from dpwitness.reports.sampling import by_sampling, pairs_needed
from dpwitness.routes import confirmed_proofs


@pytest.mark.parametrize(
    ("p", "q", "eps", "delta"),
    [(0.1, 0.01, 1.0, 0.0), (0.4, 0.3, 0.1, 0.0), (0.02, 0.0, 2.0, 0.0), (0.2, 0.01, 1.0, 1e-3)],
)
def test_the_number_is_the_information_limit_of_two_coins(p, q, eps, delta):
    limit = fewest_pairs(np.array([p, 1 - p]), np.array([q, 1 - q]), eps, delta)
    assert pairs_needed(p, q, eps, delta) == pytest.approx(limit, rel=0.01)


def test_rare_events_need_as_many_more_pairs():
    assert pairs_needed(1e-20, 1e-22, 1.0) == pytest.approx(1e10 * pairs_needed(1e-10, 1e-12, 1.0), rel=1e-6)
    assert pairs_needed(0.2, 0.1, 1.0) == math.inf


def counterexample(target: str) -> tuple[Counterexample, object]:
    claim = next(iter(find([target])[0].claims()))
    found = next(x for x in confirmed_proofs(claim, Budget(seconds=20.0)) if isinstance(x, Counterexample))
    return found, claim.guarantee


def test_the_report_says_what_is_beyond_sampling():
    found, guarantee = counterexample("gaussian/claimed-pure")
    assert "beyond sampling" in by_sampling(found, guarantee)
    found, guarantee = counterexample("above-threshold/no-query-noise")
    assert isinstance(guarantee, PureDP)
    text = by_sampling(found, guarantee)
    assert text.startswith("by sampling: about ")
    assert "beyond" not in text
    assert by_sampling(found, RenyiDP(2, 1)) == ""
