"""Runs of every catalogue program that release, beside the output, every number that was drawn."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

import numpy as np

from dpwitness.catalogue import catalogue
from dpwitness.core.errors import DPWitnessWarning, OutsideFragment
from dpwitness.core.laws import Bernoulli, Law
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.noise import Noise
from dpwitness.core.readers.finite import finite_weights
from dpwitness.core.readers.lane import Lane
from dpwitness.core.readers.lanes import run_block
from dpwitness.core.readers.outputs import SLOT, Outputs
from dpwitness.core.readers.scalar import Scalar

NAMES = [name for name, target in catalogue().items() if isinstance(target, Mechanism)]
RUNS, FEW = 10_000, 300
SHARED = {"bernoulli", "logit", "choice", "log_choice"}


class Spy(Noise):
    """Passes every request on and keeps the draws and their laws."""

    def __init__(self, inner: Noise) -> None:
        self.inner = inner
        self.draws: list[Any] = []
        self.laws: list[Law] = []

    def draw(self, law: Law) -> Any:
        value = self.inner.draw(law)
        self.draws.append(value)
        self.laws.append(law)
        return value

    def check(self, name: str, value: Any, **bounds: Any) -> Any:
        return self.inner.check(name, value, **bounds)

    def argmax(self, values: Sequence[Any]) -> Any:
        return self.inner.argmax(values)

    def max(self, values: Sequence[Any]) -> Any:
        return self.inner.max(values)

    def minimiser(self, gradient: Any, size: int) -> list[Any]:
        return self.inner.minimiser(gradient, size)


class Given(Scalar):
    """Draws that were made before."""

    def __init__(self, values: Sequence[Any]) -> None:
        super().__init__(np.random.default_rng(0))
        self.values = list(values)

    def draw(self, law: Law) -> Any:
        return self.values.pop(0)


def mechanism(name: str) -> Mechanism:
    target = catalogue()[name]
    assert isinstance(target, Mechanism)
    return target


def typical_input(made: Mechanism) -> tuple[Any, ...]:
    pairs = made.space.typical_pairs()
    return pairs[len(pairs) // 2].left


@cache
def recorded(name: str) -> tuple[Outputs, list[list[Law]]]:
    """Runs that release (output, draws); and the laws of each execution, to know parameters that do not vary."""
    made = mechanism(name)
    program = made.bind(typical_input(made), made.params())
    laws: list[list[Law]] = []

    def open_program(noise: Noise) -> Any:
        spy = Spy(noise)
        output = program(spy)
        laws.append(spy.laws)
        return [output, spy.draws]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DPWitnessWarning)  # long programs may fall back to single runs
        size = RUNS if made.batched else FEW
        return run_block(open_program, np.random.default_rng(42), size, batched=made.batched), laws


@lru_cache(maxsize=1)
def rows_of(out: Outputs) -> list[Any]:
    """All runs as Python objects: putting them together once serves every draw of the program."""
    return out.values()


def draws_of(out: Outputs, k: int) -> np.ndarray:
    """Draw k of every run, from the columns of ``[output, draws]``."""
    if not all(skeleton[2][1 + k] == SLOT for skeleton in out.skeletons):
        return np.array([row[1][k] for row in rows_of(out)])
    # draws before it that do not vary within a skeleton, such as coins, have no column
    before = [count_slots(skeleton[1]) + sum(map(count_slots, skeleton[2][1 : 1 + k])) for skeleton in out.skeletons]
    return np.concatenate([columns[before[s]] for s, columns in enumerate(out.columns)])


def count_slots(skeleton: Any) -> int:
    if skeleton == SLOT:
        return 1
    return 0 if skeleton[0] == "const" else sum(map(count_slots, skeleton[1:]))


def weights_of(law: Law) -> tuple[list[Any], list[float]]:
    """Outcomes and probabilities of a finite law, in floats."""
    try:
        outcomes, weights = finite_weights(law)
    except OutsideFragment:  # a probability that is irrational and not given by log-odds
        assert isinstance(law, Bernoulli)
        return [True, False], [float(law.p), 1 - float(law.p)]
    return outcomes, [float(w) for w in weights]


def constant(law: Law) -> bool:
    return not any(
        isinstance(v, Lane) or (isinstance(v, tuple) and any(isinstance(x, Lane) for x in v))
        for v in law.params().values()
    )
