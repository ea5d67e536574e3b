"""The privacy curve of a mechanism that releases one noisy number."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from dpwitness.core.errors import OutsideFragment
from dpwitness.core.mechanism import Mechanism
from dpwitness.proofs.kernel.noise import NoiseLaw
from dpwitness.proofs.laws.additive import additive_form
from dpwitness.proofs.laws.curves import Enclosure, delta, epsilon

Curve = Callable[[NoiseLaw, Fraction], Enclosure]


def mechanism_delta(mechanism: Mechanism, eps: object, **params: Any) -> Enclosure:
    """Rigorous enclosure of the smallest δ such that the mechanism is (`eps`, δ)-DP on the inputs of its first claim.

    >>> from dpwitness.catalogue import catalogue
    >>> low, high = mechanism_delta(catalogue()["laplace-count"], "1/2")
    >>> round(float(low), 12) == round(float(high), 12)
    True
    """
    return _enclose(mechanism, params, lambda law, shift: delta(law, shift, eps))


def mechanism_epsilon(mechanism: Mechanism, at: object, **params: Any) -> Enclosure:
    """Rigorous enclosure of the smallest ε such that the mechanism is (ε, `at`)-DP on the inputs of its first claim."""
    return _enclose(mechanism, params, lambda law, shift: epsilon(law, shift, at))


def _enclose(mechanism: Mechanism, params: dict[str, Any], curve: Curve) -> Enclosure:
    form, moves = additive_form(mechanism.claims(**params)[0])
    if len(form.laws) != 1 or form.laws[0] is None:
        raise OutsideFragment(f"{mechanism.name} does not release exactly one noisy number")
    thin, thick = form.laws[0]  # they differ where an irrational scale had to be rounded
    reached = max((abs(move[0]) for _, _, move in moves.tries), default=Fraction(0))
    bounds = [Fraction(entry[0] if isinstance(entry, list) else entry) for entry in moves.by]
    return curve(thick, reached)[0], curve(thin, max(bounds))[1]
