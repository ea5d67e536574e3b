"""Finite mechanisms with a δ: rare outcomes that give everything away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.core import ApproxDP, PureDP, Records, mechanism, real
from dpwitness.core.noise import Noise


@mechanism(
    data=Records((0, 1), 1),
    claim=lambda eps, delta: ApproxDP(eps, 2 * delta),
    typical={"eps": "1/10", "delta": "1/10"},
    domains={"delta": real(above=0, below="1/2")},
    tags=("sources", "finite", "approximate"),
    cites="A homework problem on (ε,δ)-privacy for single outcomes and for sets",
)
def two_rare_outcomes(noise: Noise, data: Sequence[Any], *, eps: Any, delta: Any) -> Any:
    """One input has two rare outcomes, each of probability δ; the other input never gives them."""
    (x,) = data
    rare = x * delta
    return noise.choice(weights=[1 - 2 * rare, rare, rare])


@two_rare_outcomes.twin(
    "judged-by-single-outcomes", claim=lambda eps, delta: ApproxDP(eps, delta), tags=("sources", "finite"),
    notes="(ε,δ) holds for each single outcome; the set of both rare ones has 2δ against 0",
)  # fmt: skip
def _(noise: Noise, data: Sequence[Any], *, eps: Any, delta: Any) -> Any:
    """The same law with a δ that is right for each outcome alone but not for the pair of rare ones."""
    (x,) = data
    rare = x * delta
    return noise.choice(weights=[1 - 2 * rare, rare, rare])


@mechanism(
    data=Records((0, 1), 3),
    claim=lambda delta: ApproxDP(0, delta),
    typical={"delta": "1/20"},
    tags=("finite", "approximate"),
    cites="Smith, Lectures on differential privacy: name and shame",
)
def name_and_shame(noise: Noise, data: Sequence[Any], *, delta: Any) -> Any:
    """Every record is published as it is with probability δ, and withheld otherwise."""
    return [x if noise.bernoulli(delta) else None for x in data]


@name_and_shame.twin("claimed-pure", claim=lambda: PureDP(10), tags=("finite",), notes="a published record is certain")
def _(noise: Noise, data: Sequence[Any], *, delta: Any) -> Any:
    """The same program with a pure claim."""
    return [x if noise.bernoulli(delta) else None for x in data]


@name_and_shame.twin("two-lotteries", tags=("finite",), notes="δ(0) = 2δ − δ²")
def _(noise: Noise, data: Sequence[Any], *, delta: Any) -> Any:
    """Two independent chances of being published in place of one."""
    published = []
    for x in data:
        first, second = noise.bernoulli(delta), noise.bernoulli(delta)
        published.append(x if first or second else None)
    return published
