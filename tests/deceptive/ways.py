"""The five ways in, and what each of them says of a program: proved, refuted, or neither."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import dpwitness as dpw
from dpwitness.core.budget import Budget
from dpwitness.core.errors import DPWitnessError
from dpwitness.core.evidence import Counterexample, UpperBound
from dpwitness.core.guarantees import epsilon_delta
from dpwitness.plugin.weighing import Question, weigh

SECONDS, PAIRS = 4.0, 100
SLACK = 1e-9  # of the enclosures that are compared with a loss known as a float


@contextmanager
def quiet() -> Iterator[None]:
    """Without the warnings about wide enclosures and floats: they are right, and there are many."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _word(verdict: Any) -> str:
    """The decision; a proof at one ε of a claim about a function is a word of its own: nothing is said of others."""
    only = verdict.upper is not None and verdict.upper.scope.epsilon != "all" and "eps" in verdict.claim.free
    return "PROVED HERE" if verdict.decision.value == "PROVED" and only else str(verdict.decision.value)


def by_verify(case: Any, **params: Any) -> str:
    """What `dpw.verify` says."""
    return _word(dpw.verify(case.made, budget=Budget(max_pairs=PAIRS, seconds=SECONDS), **params))


def by_prove(case: Any, **params: Any) -> str:
    """What `dpw.prove` says, for every ε where none is given."""
    found = dpw.prove(case.made, seconds=SECONDS, **params)
    if isinstance(found, Counterexample):
        return "REFUTED"
    claim = case.made.claims(**params)[0]
    proved = isinstance(found, UpperBound) and found.guarantee.implies(claim.guarantee)
    return "PROVED" if proved else "UNDECIDED"


def by_assertion(case: Any, **params: Any) -> str:
    """What `assert_private` says, asked without its pytest."""
    claim = case.made.claims(**params)[0]
    return _word(weigh(Question(claim, None, None, case.made, max_pairs=PAIRS, seconds=SECONDS)))


VERDICTS: dict[str, Callable[..., str]] = {"verify": by_verify, "prove": by_prove, "assert_private": by_assertion}


def wrong_verdict(case: Any, way: str) -> str | None:
    """What is wrong with the verdict of one way, None where nothing is."""
    places: list[dict[str, Any]] = [{}] if case.at is None else [{}, {"eps": case.at}]
    for params in places:
        with quiet():
            said = VERDICTS[way](case, **params)
        if said == "PROVED HERE":  # true where the program leaks elsewhere alone
            said = "UNDECIDED" if case.at is not None else "PROVED"
        if said in ("CONTRADICTION", "REFUTED" if case.private else "PROVED"):
            return f"{way} says {said} of {case.name} at {params or 'its typical parameters'}: {case.made.summary}"
    return None


def wrong_curve(case: Any) -> str | None:
    """What is wrong with the enclosures of `dpw.delta` and `dpw.epsilon`, None where nothing is."""
    params = {} if case.at is None else {"eps": case.at}
    claim = case.made.claims(**params)[0]
    pair = epsilon_delta(claim.guarantee)
    assert pair is not None
    claimed = float(pair[0])
    delta = _enclosure(lambda: dpw.delta(case.made, eps=pair[0], params=params))
    epsilon = _enclosure(lambda: dpw.epsilon(case.made, delta=0, params=params))
    loss = case.loss if case.at is None else None
    if delta is not None and (delta[0] > SLACK if case.private else delta[1] <= 0):
        return f"delta({claimed}) lies in {delta} for {case.name}: {case.made.summary}"
    if epsilon is None:
        return None
    low, high = epsilon
    if loss is not None and not low * (1 - SLACK) - SLACK <= loss <= high * (1 + SLACK) + SLACK:
        return f"epsilon lies in {epsilon} and not around {loss} for {case.name}: {case.made.summary}"
    if low > claimed * (1 + SLACK) if case.private else high <= claimed:
        return f"epsilon lies in {epsilon} for {case.name}: {case.made.summary}"
    return None


def _enclosure(compute: Callable[[], Any]) -> tuple[float, float] | None:
    """Two floats; None where nothing is said, infinity where the loss is said to be without bound."""
    try:
        with quiet():
            low, high = compute()
    except DPWitnessError as error:
        return (math.inf, math.inf) if "unbounded privacy loss" in str(error) else None
    return float(low), float(high)
