"""The weights of a one-run bound as a certificate that ``dpwitness check`` accepts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from dpwitness.auditors.training.program import Weights
from dpwitness.core.errors import BadInput

SCALE = 10**20
_ODDS, _DELTA = 2**60, 10**24
_DIGITS = 7  # of the stated bound, after the first one
MOST_NUMBERS = 150_000


def certificate_of(
    found: Weights, claim: Mapping[str, Any], deltas: Any, canaries: int, guesses: int, right: int, sides: int
) -> dict[str, Any] | None:
    """A certificate of the bound, with weights rounded to whole numbers; None where it would be too long to check.

    Parameters
    ----------
    claim
        The claimed curve as the certificate states it.
    deltas
        Upper ends of δ at the points of `found`.
    """
    used = [i for i in range(len(found.eps)) if found.up[i].any() or found.down[i].any()]
    if 2 * len(used) * guesses > MOST_NUMBERS:
        return None
    used = used or [0]
    points = []
    total, price = [Fraction(0)] * (guesses + 1), Fraction(0)
    for i in used:
        eps = Fraction(float(found.eps[i]))
        odds = Fraction(math.ceil(Fraction(math.exp(float(found.eps[i]))) * (1 + Fraction(1, 2**45)) * _ODDS), _ODDS)
        delta = Fraction(math.ceil(Fraction(float(deltas[i])) * (1 + Fraction(1, 10**9)) * _DELTA), _DELTA)
        up, down = ([int(w * SCALE) for w in map(Fraction, side[i].tolist())] for side in (found.up, found.down))
        points.append({"epsilon": str(eps), "odds": str(odds), "delta": str(min(delta, Fraction(1))), "up": up,
                       "down": down, "hints": None})  # fmt: skip
        for j in range(1, guesses + 1):
            u, d = up[j - 1], down[j - 1]
            if u or d:
                total[j] += j * (u - odds * d)
                total[j - 1] += (guesses - j + 1) * (d - odds * u)
        highest = max(up), max(down)
        price += (max(highest) if sides == 2 else Fraction(sum(highest), 2)) * canaries * min(delta, Fraction(1))
    rest = max((SCALE if j >= right else 0) - value for j, value in enumerate(total))
    bound = max((rest + price) / SCALE, Fraction(0))
    unit = Fraction(10) ** (_DIGITS - math.floor(math.log10(max(float(bound), 1e-300))))
    stated = Fraction(math.ceil(bound * unit)) / unit
    return {
        "type": "one-run-count", "claim": dict(claim), "canaries": canaries, "guesses": guesses, "right": right,
        "sides": sides, "scale": SCALE, "points": points, "bound": str(stated),
    }  # fmt: skip


def certified(found: Weights, claim: Any, curve: Any, count: tuple[int, int, int, int]) -> dict[str, Any] | None:
    """The certificate of a bound, where the kernel knows the claim's curve."""
    stated = claim_json(claim)
    if stated is not None:
        return certificate_of(found, stated, curve.deltas(found.eps), *count)
    if not callable(getattr(claim, "certificate", None)):
        return None
    made = certificate_of(found, {}, curve.deltas(found.eps), *count)
    return None if made is None else _of_steps(made, claim)


def _of_steps(made: dict[str, Any], claim: Any) -> dict[str, Any] | None:
    """The certificate about a composition: each point's δ rests on what its own certificate rests on."""
    for point in made["points"]:
        try:
            under = claim.certificate(Fraction(point["epsilon"]), Fraction(point["delta"]))
        except (ArithmeticError, BadInput):  # δ could not be shown there
            return None
        if under.get("type") != "composition":
            return None
        point["hints"] = under["orders"]
        made["claim"] = {"kind": "composition", "relation": under["relation"], "steps": under["steps"]}
    return made


def claim_json(claim: Any) -> dict[str, Any] | None:
    """The claim as a certificate states it; None where the kernel knows no curve of it."""
    from dpwitness.core.guarantees import ApproxDP, GaussianDP, PureDP

    if isinstance(claim, PureDP | ApproxDP | GaussianDP):
        return {name: str(value) for name, value in claim.to_json().items()}
    return None


def bound_of(certificate: Mapping[str, Any]) -> float:
    """The stated bound as a float, not below it."""
    exact = Fraction(certificate["bound"])
    found = float(exact)
    return found if found >= exact else float(np.nextafter(found, np.inf))
