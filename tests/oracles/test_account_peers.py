"""Other accountants against the certified bracket.

Which of their values lie below the lower end is computed here and not listed by hand: a Fourier transform in floats may
be below from about δ = 1e-8 on, and must not be far below where δ is large.
"""

from __future__ import annotations

import math
from typing import Any

import pytest
from tests.proofs.accounting.made import sampled

import dpwitness as dpw
from dpwitness.proofs.accounting.events import account, to_event
from dpwitness.proofs.accounting.peers import compare, peer_accountant

pytestmark = [pytest.mark.oracles, pytest.mark.filterwarnings("ignore")]
SETTINGS = {
    "training": sampled("0.01", "1", 1000),
    "long training": sampled("0.01", "0.8", 10000),
    "gaussian": dpw.gaussian(10) * 100,
    "mixture": dpw.laplace(10) * 100 + dpw.gaussian(2),
    "laplace": dpw.laplace(1) * 10,
}


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("delta", ["1e-3", "1e-5"])
def test_upper_bounds_are_not_below_where_delta_is_large(
    accounting: Any, autodp: Any, prv: Any, name: str, delta: str
) -> None:
    found = compare(SETTINGS[name], delta)
    for peer in found.peers:
        if "No module named" in peer.note or peer.note.startswith("not asked"):
            continue
        assert peer.value is not None, peer
        if peer.place == "below":  # by rounding alone
            assert float(found.bracket.low) - peer.value < 1e-8 * float(found.bracket.low), peer
        if "RDP" not in peer.name:
            assert peer.value <= float(found.bracket.high) * 1.01 + 0.02, peer


def test_a_fourier_transform_in_floats_is_below_the_truth_at_small_delta(accounting: Any) -> None:
    whole = sampled("0.05", "2", 5000)
    places = {d: compare(whole, d, ("dp-accounting PLD 1e-4",)).peers[0] for d in ("1e-5", "1e-12", "1e-13")}
    assert places["1e-5"].place in ("inside", "loose")
    assert any(places[d].place == "below" for d in ("1e-12", "1e-13"))


def test_renyi_accountants_stay_right_and_loose(accounting: Any) -> None:
    for delta in ("1e-5", "1e-15"):
        (peer,) = compare(SETTINGS["training"], delta, ("dp-accounting RDP",)).peers
        assert peer.place == "loose"


def test_events_go_there_and_back(accounting: Any) -> None:
    whole = dpw.poisson(dpw.gaussian("1/2"), "1/4") * 7 + dpw.laplace(2) * 3 + dpw.geometric(4, 2)
    assert dict(account(to_event(whole)).steps) == dict(whole.steps)


def test_the_certified_accountant_has_their_interface(accounting: Any) -> None:
    dp = accounting.package
    mine = peer_accountant()
    training = dp.SelfComposedDpEvent(dp.PoissonSampledDpEvent(0.01, dp.GaussianDpEvent(1.0)), 1000)
    value = mine.compose(training).get_epsilon(1e-5)
    assert math.isclose(value, 1.8282366665, rel_tol=1e-9)
    assert mine.get_delta(value) <= 1e-5
    assert mine.compose(dp.LaplaceDpEvent(2.0)).get_epsilon(1e-5) > value
    assert not mine.supports(dp.ZCDpEvent(1.0))
    assert mine.supports(dp.NoOpDpEvent())
    drawn = dp.SampledWithoutReplacementDpEvent(100, 10, dp.GaussianDpEvent(1.0))
    assert not mine.supports(drawn)  # about replaced records
    assert peer_accountant("replace").supports(drawn)
    assert not peer_accountant("replace").supports(training)
    with pytest.raises(Exception, match="no pair of laws is proved"):
        mine.compose(dp.ZCDpEvent(1.0))
