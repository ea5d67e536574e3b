"""Against prv-accountant 0.2.0.

Its accuracy is its answer: a lower bound, an estimate and an upper bound, for a chosen error in ε and in δ (Gopi, Lee
and Wutschitz 2021, theorem 5.5). It works with absolute errors in δ, so it does not go far into the tail.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from tests.oracles.ours import delta, epsilon

F = Fraction
pytestmark = pytest.mark.oracles
ERRORS = {"eps_error": 0.01, "delta_error": 1e-10}


def variable(prv: Any, name: str, size: int) -> tuple[Any, dict[str, Any]]:
    if name == "gaussian":
        return prv.variables.GaussianMechanism(noise_multiplier=float(size)), {"std": size}
    if name == "laplace":
        return prv.variables.LaplaceMechanism(mu=1 / size), {"scale": size}
    return prv.variables.PureDPMechanism(eps=1 / size), {"log_odds": F(1, size)}


@pytest.mark.parametrize("name", ["gaussian", "laplace", "response"])
@pytest.mark.parametrize(("size", "times"), [(2, 1), (8, 10), (8, 40)])
def test_bounds(prv: Any, name: str, size: int, times: int) -> None:
    law, params = variable(prv, name, size)
    accountant = prv.package.PRVAccountant(prvs=[law], max_self_compositions=[times], **ERRORS)
    for eps in (F(1, 8), F(1, 2), F(1), F(2), F(4)):
        low, _, high = accountant.compute_delta(float(eps), [times])
        ours = delta(name, eps, times, **params)
        assert ours[0] <= F(high), (eps, high)
        assert ours[1] >= F(low), (eps, low)
    for at in ("1e-2", "1e-4", "1e-6"):
        low, _, high = accountant.compute_epsilon(float(at), [times])
        mine = epsilon(name, at, times, **params)
        assert mine[0] <= F(float(high)), (at, high)
        assert mine[1] >= F(float(low)), (at, low)
