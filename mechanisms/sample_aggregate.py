"""Sample and aggregate: a function of unknown sensitivity is computed on disjoint blocks, and the results are combined.

One record lies in one block, so it changes one of the k results, whatever the function is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.core import Interval, PureDP, Records, mechanism
from dpwitness.core.noise import Noise

BLOCKS = 3
CITES = "Nissim, Raskhodnikova and Smith 2007, section 4; Blum, A brief tour of differential privacy"


def _disjoint(data: Sequence[Any]) -> list[Sequence[Any]]:
    """Record i goes to block i mod 3."""
    return [data[i::BLOCKS] for i in range(BLOCKS)]


def _overlapping(data: Sequence[Any]) -> list[Sequence[Any]]:
    """Every record goes to two of the three blocks."""
    parts = [list(data[i::BLOCKS]) for i in range(BLOCKS)]
    return [parts[i] + parts[(i + 1) % BLOCKS] for i in range(BLOCKS)]


@mechanism(
    data=Records(Interval(0, 1), 6),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1},
    tags=("sources", "sample-aggregate", "laplace"),
    cites=CITES,
)
def sample_and_aggregate(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    r"""The mean of the maxima of k disjoint blocks: :math:`\frac1k\sum_j \max B_j + \mathrm{Lap}(1/(k\varepsilon))`."""
    results = [noise.max(block) for block in _disjoint(data)]
    return sum(results) / BLOCKS + noise.laplace(1 / (BLOCKS * eps))


@sample_and_aggregate.twin("overlapping-blocks", tags=("sample-aggregate",), notes="one record moves two maxima")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """Every record lies in two blocks, and the noise is that of disjoint ones: the loss is 2ε."""
    results = [noise.max(block) for block in _overlapping(data)]
    return sum(results) / BLOCKS + noise.laplace(1 / (BLOCKS * eps))


@mechanism(
    data=Records((0, 1), 6),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1},
    tags=("sources", "sample-aggregate", "exponential-mechanism", "finite"),
    cites=CITES,
)
def blocks_vote(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    r"""Every block of two bits votes for its sum; one wins with probability :math:`\propto e^{\varepsilon v/2}`."""
    votes = [sum(block) for block in _disjoint(data)]
    return noise.choice(log_weights=[eps * votes.count(c) / 2 for c in range(3)])


@blocks_vote.twin("overlapping-blocks", tags=("sample-aggregate", "finite"), notes="one record moves two votes")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """Every record lies in two blocks of four bits, and votes are weighted as for disjoint ones."""
    votes = [sum(block) for block in _overlapping(data)]
    return noise.choice(log_weights=[eps * votes.count(c) / 2 for c in range(5)])
