"""What a verdict promises to have seen is seen: at the ε that it states, the same audit refutes.

For every law an audit of the private version says which ε it would have seen at the event that it counted. Then the law
is broken further and further until that very event shows this ε, and fresh audits of it must refute.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpwitness.auditors import audit, runner
from dpwitness.auditors.budget import Budget
from dpwitness.auditors.engine import Engine
from dpwitness.auditors.evalue import Null
from dpwitness.auditors.fixed import Count, detectable
from dpwitness.auditors.rules import tally
from dpwitness.auditors.runner import Task, run
from dpwitness.auditors.sampling import as_sampler
from dpwitness.core.evidence import foreseen

PAIRS, SEEDS, FRESH, STEP = 6000, 20, 100_000, 1.04


def additive(draw, width=1, moved=1):
    """Noise on a vector of which `moved` numbers change by 1/moved each."""

    def law(t):
        def sampler(side, size, rng):
            z = draw(rng, (size, width), t)
            z[:, :moved] += side / moved
            return z[:, 0] if width == 1 else z

        return sampler

    return law


def choice(weights):
    """One of several values, with probabilities that depend on the side."""

    def law(t):
        def sampler(side, size, rng):
            w = np.asarray(weights(side, t), dtype=float)
            return rng.choice(len(w), size=size, p=w / w.sum()).astype(float)

        return sampler

    return law


def top(k, count, moved, gumbel=True):
    """The largest k of `count` noisy scores, of which `moved` rise by 1."""

    def law(t):
        def sampler(side, size, rng):
            z = rng.gumbel(size=(size, count)) if gumbel else rng.laplace(size=(size, count))
            z[:, :moved] += t * side / k
            return np.argsort(-z, axis=1)[:, :k].astype(float)

        return sampler

    return law


def bits(width, moved):
    """Randomized response to each of `width` bits, of which `moved` change."""

    def law(t):
        keep = 1 / (1 + math.exp(-t / moved))

        def sampler(side, size, rng):
            truth = np.zeros(width)
            truth[:moved] = side
            return np.where(rng.random((size, width)) < keep, truth, 1 - truth)

        return sampler

    return law


laplace = lambda rng, shape, t: rng.laplace(size=shape) / t  # noqa: E731
LAWS = {
    "laplace": additive(laplace), "laplace 2": additive(laplace, 2), "laplace 5": additive(laplace, 5),
    "laplace 20, one moves": additive(laplace, 20), "laplace 20, all move": additive(laplace, 20, 20),
    "laplace 8, half move": additive(laplace, 8, 4),
    "two scales": additive(lambda rng, shape, t: rng.laplace(size=shape) * rng.choice([1.0, 3.0], size=shape) / t),
    "uniform and laplace": additive(lambda rng, shape, t: rng.laplace(size=shape) / t + rng.uniform(size=shape)),
    "normal": additive(lambda rng, shape, t: rng.normal(size=shape) * 2.5 / t),
    "logistic": additive(lambda rng, shape, t: rng.logistic(size=shape) / t),
    "cauchy": additive(lambda rng, shape, t: rng.standard_cauchy(size=shape) / (2 * t)),
    "geometric": additive(lambda rng, shape, t: (rng.geometric(1 - math.exp(-t), shape)
                                                 - rng.geometric(1 - math.exp(-t), shape)).astype(float)),
    "response": choice(lambda side, t: [math.exp(t), 1] if side else [1, math.exp(t)]),
    "response of 10": choice(lambda side, t: [math.exp(t * (i == side)) for i in range(10)]),
    "exponential of 5": choice(lambda side, t: [math.exp(t / 2 * (i + side * (i < 2))) for i in range(5)]),
    "exponential of 20": choice(lambda side, t: [math.exp(t * side * (i == 3)) for i in range(20)]),
    "rare value": choice(lambda side, t: [20, 1 + side * math.expm1(t)]),
    "top 1 of 5": top(1, 5, 1), "top 2 of 5": top(2, 5, 2), "top 3 of 6": top(3, 6, 3),
    "top 2 of 10, laplace": top(2, 10, 2, gumbel=False),
    "bits 1": bits(1, 1), "bits 8": bits(8, 2), "bits 20": bits(20, 4),
}  # fmt: skip


def audited(law, t, seed):
    """The state of an audit of a law at ε = 1, at its end."""
    states = []
    task = Task(as_sampler(law(t)), 0.0, 1.0, (Null(1.0, 0.0),), 0.0, Budget(alpha=0.05, max_pairs=PAIRS, seed=seed))
    with runner.using(runner.Service(watch=lambda progress: None, keep=lambda task, engine: states.append(engine))):
        found = run(task)
    return found, states[-1]


def shown(engine: Engine, rule, law, t):
    """The ε that an event shows in fresh outputs of a law."""
    rng = np.random.default_rng(99)
    tables = [engine.encoder.encode(law(t)(side, FRESH, rng), FRESH) for side in (0.0, 1.0)]
    right, wrong = tally([rule], *tables)[0]
    return math.log(max(right, 1) / max(wrong, 1))


@pytest.mark.calibration
@pytest.mark.parametrize("name", LAWS)
def test_the_stated_epsilon_is_seen(name):
    law = LAWS[name]
    quiet = 1.0  # as private as claimed, or more so
    found, engine = audited(law, quiet, seed=1)
    assert not found.refuted
    assert found.detectable is not None
    rule = engine.rules[int(np.argmin([_seen(engine, at) for at in range(len(engine.rules))]))]
    strengths = (quiet * STEP**k for k in range(90))
    broken = next((t for t in strengths if shown(engine, rule, law, t) >= found.detectable), None)
    if broken is None:
        pytest.skip("no strength of this law shows so much at that event")
    refuted = sum(audited_refutes(law, broken, 100 + seed) for seed in range(SEEDS))
    assert refuted >= 0.85 * SEEDS, (found.detectable, broken, refuted)


def _seen(engine, at):
    """The ε that the audit says it would have seen by one of its rules."""
    count = Count(*engine.tallies[at], engine.runs, engine.rules[at].sides)
    seen = detectable(count, 1.0, engine.count_alpha * engine.rules[at].share)
    return math.inf if seen is None else seen


def audited_refutes(law, t, seed):
    task = Task(as_sampler(law(t)), 0.0, 1.0, (Null(1.0, 0.0),), 0.0, Budget(alpha=0.05, max_pairs=PAIRS, seed=seed))
    return run(task).refuted


def test_there_are_vectors_of_20_and_selections_among_the_laws():
    assert len(LAWS) >= 20
    assert {"laplace 20, all move", "bits 20", "top 3 of 6"} <= set(LAWS)


def test_an_audit_that_was_cut_promises_only_what_bets_can():
    def slow(data, size, rng):
        return rng.laplace(data, 1.0, size)

    result = audit(slow, 0.0, 1.0, epsilon=1, max_pairs=5000)
    assert "at the event that it counted" in str(result)
    assert "had it been known" in foreseen(1.2, {"cut": "stopped", "rarest": 0.1})


def test_pairs_that_were_not_reached_are_said():
    text = foreseen(1.2, {"rule": "x", "screening": ["the limit ended the comparison after 3 of 64 pairs"]})
    assert text.endswith("of other pairs of inputs little is known: the limit ended the comparison after 3 of 64 pairs")
