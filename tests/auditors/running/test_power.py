"""Every broken claim of the catalogue is refuted by an audit by itself, or the evidence says what it cannot see."""

from __future__ import annotations

import pytest
from benchmarks.power import broken, measure

from dpwitness.core.budget import Budget

CLAIMS = list(broken())


def test_the_catalogue_has_broken_claims():
    assert len(CLAIMS) > 50
    assert not any(claim.expected_to_hold for claim in CLAIMS)


@pytest.mark.slow
@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: f"{claim.target}-{claim.index}")
def test_a_broken_claim_is_refuted_or_said_to_be_beyond_sampling(claim):
    refuted, _, pairs, remark = measure(claim, Budget(seconds=600.0))
    assert refuted or pairs == 0 or "are not seen" in remark, remark
