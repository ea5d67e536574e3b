"""Steps with hardly any noise: a bracket, or words that say why there is none."""

from __future__ import annotations

from fractions import Fraction

import pytest

import dpwitness as dpw
from dpwitness.proofs.accounting.engine import PrecisionReached


def test_a_sample_with_little_noise_is_enclosed() -> None:
    """Whoever is in the sample is seen: δ is nearly the rate."""
    found = dpw.poisson(dpw.gaussian(Fraction(1, 10)), "1/100").delta(Fraction(1, 2))
    assert 0.0099 < float(found.low) <= float(found.high) < 0.01


def test_a_sample_with_hardly_any_noise_is_refused_in_words() -> None:
    with pytest.raises(PrecisionReached):
        dpw.poisson(dpw.gaussian(Fraction(1, 100000)), "1/100").delta(Fraction(1, 2))
