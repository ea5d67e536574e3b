"""Values at which models are tried: parameters, answers and draws of several magnitudes, with ties and zeros.

All numbers are multiples of a power of two and not large, so that doubles add them without rounding, but for parameters
that a domain confines.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from dpwitness.core import laws
from dpwitness.core.claims import Claim
from dpwitness.core.numbers import Exact
from dpwitness.core.spaces import Answers

GRID = 2**20
SIZES = (Fraction(1, 16), Fraction(1, 4), Fraction(1, 2), Fraction(1), Fraction(2), Fraction(4), Fraction(16))


def parameters(
    domains: Mapping[str, Mapping[str, Any]],
    rng: random.Random,
    given: Mapping[str, Any] | None = None,
    hints: Sequence[Fraction] = (),
) -> dict[str, Exact]:
    """A value for every parameter: the given ones, or some of its domain; `hints` are numbers that may matter."""
    if given is not None:
        return {name: Exact(Fraction(given[name])) for name in domains}
    return {name: Exact(_parameter(domain, rng, hints)) for name, domain in domains.items()}


def _parameter(domain: Mapping[str, Any], rng: random.Random, hints: Sequence[Fraction]) -> Fraction:
    bounds = {key: Fraction(domain[key]) for key in ("above", "least", "below") if key in domain}
    low = max((bounds[key] for key in ("above", "least") if key in bounds), default=None)
    high = bounds.get("below")
    whole = bool(domain.get("whole"))
    for _ in range(50):
        if low is not None and high is not None and rng.random() < 0.8:
            value = low + (high - low) * Fraction(rng.randint(1, 15), 16)
        elif hints and rng.random() < 0.4:
            value = rng.choice(hints) + rng.choice((0, 0, 1, -1, Fraction(1, 4), Fraction(-1, 4)))
        elif low is not None:
            value = low + (rng.randint(0, 4) if whole else rng.choice(SIZES))
        elif high is not None:
            value = high - rng.choice(SIZES)
        else:
            value = rng.choice((-1, 1, 1)) * rng.choice((Fraction(0), *SIZES))
        value = Fraction(round(value)) if whole else value
        above = "above" not in bounds or value > bounds["above"]
        if above and ("least" not in bounds or value >= bounds["least"]) and (high is None or value < high):
            return value
    raise ValueError(f"no number of the domain {dict(domain)} was found")


def answers(claim: Claim, count: int, rng: random.Random) -> list[Exact]:
    """Answers from the claim's space: all equal, mostly equal, of one magnitude or of several."""
    way = rng.randrange(4)
    first = answer(claim, rng)
    made = [first if way == 0 or (way == 1 and rng.random() < 0.6) else answer(claim, rng) for _ in range(count)]
    return made if way < 3 else sorted(made, reverse=rng.random() < 0.5)


def answer(claim: Claim, rng: random.Random, near: Fraction | None = None) -> Exact:
    """One answer from the claim's space; where `near` is given, the closest one to it that was found."""
    space = claim.space
    assert isinstance(space, Answers)
    if space.values is not None:
        return rng.choice(space.values) if near is None else min(space.values, key=lambda v: abs(v - near))
    value = near if near is not None else rng.choice((-1, 1)) * rng.choice((Fraction(0), *SIZES, Fraction(1000)))
    if near is None and rng.random() < 0.5:
        value = Fraction(rng.randint(-256, 256), 64)
    value = Fraction(round(value)) if space.whole else value
    if near is None and (space.low is not None or space.high is not None):
        low = Fraction(space.low if space.low is not None else (space.high or 0) - 8)
        high = Fraction(space.high if space.high is not None else low + 8)
        value = low + (high - low) * Fraction(rng.randint(0, 16), 16)
        value = Fraction(round(value)) if space.whole else value
    value = value if space.low is None else max(value, Fraction(space.low))
    return Exact(value if space.high is None else min(value, Fraction(space.high)))


def draw(law: laws.Law, rng: random.Random, magnitude: int | None = None) -> Any:
    """A value of a draw: of the order of the scale, far out, minute or zero; for `magnitude` 0 one of few values."""
    scale = Fraction(law.scale)  # type: ignore[attr-defined]
    if magnitude == 0:
        size = Fraction(rng.randint(0, 4))
    else:
        kind = rng.random()
        factor = Fraction(rng.randint(1, 400), 128)
        size = (
            Fraction(0)
            if kind < 0.05
            else scale * factor * (64 if kind < 0.15 else Fraction(1, 1024) if kind < 0.25 else 1)
        )
    return value_of(law, size if law.support == "nonnegative" or rng.random() < 0.5 else -size)


def value_of(law: laws.Law, value: Fraction) -> Any:
    """A number as a draw of a law: a whole number, or a double on the grid."""
    if law.support == "integers":
        return round(value)
    return float(Fraction(round(value * GRID), GRID))
