"""Events of counterexamples, decided on outputs of real runs."""

from __future__ import annotations

import ast
from fractions import Fraction

import numpy as np
from scipy.stats import binomtest


def matches(run, output, box):
    """Whether one output of the program is the event's, with its real numbers inside the box."""
    if output[0] == "slot":
        low, high = next(box)
        number = isinstance(run, int | float) and not isinstance(run, bool)
        return number and (low is None or run >= Fraction(low)) and (high is None or run <= Fraction(high))
    if output[0] == "const":
        return run == output[2] and isinstance(run, type(output[2]))
    if not isinstance(run, list | tuple) or len(run) != len(output) - 1:
        return False
    return all(matches(a, b, box) for a, b in zip(run, output[1:], strict=True))


def happens(run, certificate):
    """Whether an output of a real run is in the event of a counterexample."""
    if certificate["type"] == "program-counterexample":
        event = certificate["event"]
        return matches(run, certificate["tree"]["outputs"][event["output"]], iter(event["box"]))
    names = certificate["outputs" if certificate["type"] == "program-pair" else "event"]
    return any(matches(run, ast.literal_eval(name), iter(())) for name in names)


def confirm(target, claim, evidence, runs, seed, alpha):
    """Both exact probabilities of a counterexample against samples of the program; returns the two frequencies."""
    params = {**claim.params, **({"eps": Fraction(evidence.scope.epsilon)} if "eps" in claim.params else {})}
    rates = []
    for side, data, exact in (
        (0, evidence.left, evidence.p_left_decimal),
        (1, evidence.right, evidence.p_right_decimal),
    ):
        rng = np.random.default_rng([seed, side])
        hits = sum(
            happens(run, evidence.certificate) for run in target.sample(list(data), runs, rng, **params).values()
        )
        rates.append(hits / runs)
        sure = float(hits in (0, runs)) if not 0 < exact < 1 else None
        chance = sure if sure is not None else binomtest(hits, runs, exact).pvalue
        assert chance > alpha / 2, (target.name, claim.describe(), side, hits, runs, exact)
    return rates
