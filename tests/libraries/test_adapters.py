"""Every adapter, where its library is installed: releases are clean, half of the noise is refuted, maps hold."""

from __future__ import annotations

import pytest

from dpwitness.auditors.stability.api import check_claim
from dpwitness.core.budget import Budget
from dpwitness.core.errors import UnknownTarget
from dpwitness.libraries import ADAPTERS, items, maps, targets
from dpwitness.routes import decide

pytestmark = pytest.mark.libraries
BUDGET = Budget(1e-4, 100_000, 300.0, 0)  # classical Gaussian noise is so much larger than need be that half is slight


def known(load):
    found = []
    for name in ADAPTERS:
        try:
            found += [(name, entry) for entry in load(name)]
        except UnknownTarget:
            continue
    return found


@pytest.mark.parametrize(("name", "item"), known(items), ids=lambda x: getattr(x, "name", x))
def test_a_release_is_not_refuted_and_half_of_its_noise_is(name, item):
    wanted = [t for t in targets(name, controls=True) if t.name.split("/")[2] == item.name]
    for target in wanted:
        if target.name == "library/tally/private_mean":
            continue  # wrong on purpose
        verdict = decide(target.claims()[0], BUDGET, "audit")
        assert (verdict.decision.name == "REFUTED") == target.name.endswith("/half"), verdict


@pytest.mark.parametrize(("name", "claim"), known(maps), ids=lambda x: getattr(x, "name", x))
def test_a_declared_map_holds(name, claim):
    assert check_claim(claim, seconds=20).refuted == (claim.name == "total (with NaN)")
