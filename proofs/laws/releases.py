"""δ(ε) and ε(δ) of a mechanism that adds noise to numbers or has finitely many outcomes, for one run or several."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from dpwitness.core.errors import BadInput, DPWitnessWarning, OutsideFragment
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.numbers import exact
from dpwitness.proofs.kernel.arith import Rejected, Undecided, outward
from dpwitness.proofs.kernel.laws.noise import at_most, enclosure
from dpwitness.proofs.laws.privacy_curves.curves import Enclosure, threshold
from dpwitness.proofs.laws.worst import PairOfLaws, Worst, worst_pairs

WIDTH = Fraction(1, 10**12)


class WideEnclosure(DPWitnessWarning):
    """The enclosure is right but wider than a relative 10⁻¹²; the text says why."""


def mechanism_delta(
    mechanism: Mechanism, eps: object, times: int = 1, params: Mapping[str, Any] | None = None
) -> Enclosure:
    """Rigorous enclosure of the smallest δ such that the mechanism is (`eps`, δ)-DP on the inputs of its first claim.

    >>> from dpwitness.catalogue import catalogue
    >>> low, high = mechanism_delta(catalogue()["laplace-count"], "1/2")
    >>> round(float(low), 12), round(float(high), 12)                     # 1 − e^(−1/4)
    (0.221199216929, 0.221199216929)
    """
    e = Fraction(exact(eps, "eps"))
    if e < 0:
        raise BadInput(f"eps={e} must not be negative")

    def at(pair: PairOfLaws) -> Enclosure:
        low, high = enclosure(pair.curve(e))
        return max(low, Fraction(0)), min(high, Fraction(1))

    return _widest(worst_pairs(mechanism, times, params), at)


def mechanism_epsilon(
    mechanism: Mechanism, delta: object, times: int = 1, params: Mapping[str, Any] | None = None
) -> Enclosure:
    """Rigorous enclosure of the smallest ε such that the mechanism is (ε, `delta`)-DP on the inputs of its first claim.

    >>> from dpwitness.catalogue import catalogue
    >>> mechanism_epsilon(catalogue()["laplace-count"], 0, times=3)
    (Fraction(3, 1), Fraction(3, 1))
    """
    d = Fraction(exact(delta, "delta"))
    if not 0 <= d < 1:
        raise BadInput(f"delta={d} must lie in [0, 1)")

    def at(pair: PairOfLaws) -> Enclosure:
        if d > 0:
            return threshold(lambda e: at_most(pair.curve(e), d))
        loss = pair.loss()
        if loss is None:
            raise BadInput(f"{mechanism.name} has an unbounded privacy loss: no ε is large enough for delta=0")
        return loss

    return _widest(worst_pairs(mechanism, times, params), at)


def _widest(worst: Worst, at: Callable[[PairOfLaws], Enclosure]) -> Enclosure:
    """The largest value that is reached, from below, and the largest that is possible, from above."""
    try:
        known = {pair: at(pair) for pair in {*worst.reached, *worst.bounds}}
    except (Rejected, Undecided) as error:
        raise OutsideFragment(str(error)) from None
    low = max((known[pair][0] for pair in worst.reached), default=Fraction(0))
    high = max((known[pair][1] for pair in worst.bounds), default=Fraction(0))
    low, high = outward(low, high, 25)
    if high - low > WIDTH * high:
        why = worst.why or "the size of the noise is irrational and was rounded"
        with contextlib.suppress(WideEnclosure):  # the two ends say it as well, where warnings are errors
            text = f"the enclosure is wider than a relative {float(WIDTH):.0e}: {why}"
            warnings.warn(text, WideEnclosure, stacklevel=4)
    return low, high
