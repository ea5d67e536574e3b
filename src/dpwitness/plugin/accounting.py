"""The fixture ``assert_account``: a composition has the guarantee that is claimed for it, or the test fails.

    def test_training_budget(assert_account):
        assert_account("poisson(0.01, gaussian(1)) * 1000", epsilon=2, delta="1e-5")

No randomness is involved: the claim is proved with a certificate that the kernel accepts, or refuted with one.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest


@pytest.fixture
def assert_account() -> Callable[..., None]:
    """``assert_account(what, *, epsilon, delta)``: `what` is a composition, its text, or a DpEvent."""
    return check_account


def check_account(what: Any, *, epsilon: object, delta: object) -> None:
    """Fail the test unless the composition is shown to be (ε, δ)-DP."""
    from dpwitness.proofs.accounting.composition import Composition, PrecisionReached
    from dpwitness.proofs.accounting.events import account
    from dpwitness.proofs.accounting.expressions import read_composition

    whole = (
        what if isinstance(what, Composition) else read_composition(what) if isinstance(what, str) else account(what)
    )
    at, size = (Fraction(x) if isinstance(x, float) else x for x in (epsilon, delta))
    try:
        refuted = whole.certificate(at, size)["type"] == "composition-violation"
    except PrecisionReached as error:
        pytest.fail(f"({epsilon}, {delta})-DP of {whole} is not decided: {error}", pytrace=False)
    if refuted:
        needed = whole.epsilon(size)
        pytest.fail(f"{whole} is not ({epsilon}, {delta})-DP: epsilon at delta {delta} is {needed}", pytrace=False)
