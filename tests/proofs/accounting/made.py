"""Compositions for the tests: written out, and drawn at random."""

from __future__ import annotations

import random
from fractions import Fraction

from dpwitness.proofs.accounting.composition import Composition
from dpwitness.proofs.accounting.steps import (
    approximate,
    discrete_gaussian,
    from_table,
    gaussian,
    geometric,
    laplace,
    poisson,
    response,
    sample,
)

F = Fraction


def sampled(rate: str, sigma: str, times: int) -> Composition:
    return poisson(gaussian(sigma), rate) * times


EXAMPLES: dict[str, tuple[Composition, str]] = {
    "training": (sampled("0.01", "1", 1000), "2"),
    "more training": (sampled("0.05", "2", 5000), "10"),
    "mixture": (laplace(10) * 100 + gaussian(2) + sampled("0.01", "1", 1000), "7"),
    "gaussian": (gaussian(10) * 100, "5"),
    "laplace": (laplace(2) * 10, "3"),
    "response": (response("0.1") * 100, "3"),
    "approximate": (approximate("0.1", "1e-9") * 50, "2"),
    "geometric": (geometric(3, 2) * 12, "4"),
    "integer gaussian": (discrete_gaussian(4) * 20, "4"),
    "table": (from_table(["1/2", "1/3", "1/6"], ["1/4", "1/4", "1/2"]) * 10, "4"),
    "sampled laplace": (poisson(laplace(1), "0.1") * 20, "2"),
    "without replacement": (sample(gaussian(2), 10, 100) * 10, "1"),
}


def random_composition(draw: random.Random) -> Composition:
    """A composition for which both engines work: some sampled Gaussian steps, and perhaps others."""
    whole = sampled(
        draw.choice(["0.3", "0.1", "0.05", "0.02", "0.01"]),
        draw.choice(["0.7", "1", "1.5", "2", "3"]),
        draw.choice([50, 200, 500, 2000]),
    )
    if draw.random() < 0.5:
        whole = whole + gaussian(draw.choice([1, 3, 10]))
    if draw.random() < 0.4:
        whole = whole + laplace(draw.choice([2, 5, 20])) * draw.choice([1, 7])
    if draw.random() < 0.3:
        whole = whole + response(F(1, draw.choice([2, 5, 10]))) * draw.choice([1, 9])
    return whole
