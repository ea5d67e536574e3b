"""Running sums of a stream by a tree: each complete subtree is summed once, with normal noise of its own.

Of four arrivals the nodes are complete in the order 1, 2, 12, 3, 4, 34, 1234; every running sum is made from at most
two of them. One arrival is counted in three nodes, so the released vector moves by √3: with deviation σ it is
3/(2σ²)-zCDP.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.core import ZCDP, Answers, ApproxDP, Exact, log, mechanism, real, sqrt
from dpwitness.core.noise import Noise

FOUR = Answers("one", 1, size=4)


@mechanism(
    data=FOUR,
    claim=lambda sigma: ZCDP(3 / (2 * sigma**2)),
    typical={"sigma": 4},
    domains={"sigma": real(above=0)},
    tags=("gaussian", "vector", "streams"),
    cites="Dwork, Naor, Pitassi and Rothblum 2010; Chan, Shi and Song 2011; Kairouz et al. 2021 (DP-FTRL)",
)
def tree_sums(noise: Noise, arrivals: Sequence[Any], *, sigma: Any) -> Any:
    r"""All seven nodes over four arrivals, each :math:`+\,N(0, \sigma^2)`."""
    a, b, c, d = arrivals
    return [node + noise.gaussian(sigma) for node in (a, b, a + b, c, d, c + d, a + b + c + d)]


@tree_sums.twin("paid-once", claim=lambda sigma: ZCDP(1 / (2 * sigma**2)))
def _(noise: Noise, arrivals: Sequence[Any], *, sigma: Any) -> Any:
    """The budget of one node for all: an arrival is counted in three of them."""
    a, b, c, d = arrivals
    return [node + noise.gaussian(sigma) for node in (a, b, a + b, c, d, c + d, a + b + c + d)]


@tree_sums.twin("noise-on-the-leaves-alone")
def _(noise: Noise, arrivals: Sequence[Any], *, sigma: Any) -> Any:
    """Inner nodes are released without noise."""
    a, b, c, d = arrivals
    return [*(leaf + noise.gaussian(sigma) for leaf in (a, b, c, d)), a + b, c + d, a + b + c + d]


@mechanism(
    data=FOUR,
    claim=lambda eps, delta: ApproxDP(eps, delta),
    typical={"eps": "1/2", "delta": "1e-5"},
    domains={"eps": real(above=0, below=1)},
    tags=("gaussian", "vector", "streams"),
    cites="Denisov, McMahan, Rush, Smith and Guha Thakurta 2022",
)
def banded_sums(noise: Noise, arrivals: Sequence[Any], *, eps: Any, delta: Any) -> Any:
    r"""A stream through the band :math:`y_i = x_i + x_{i-1}/2` with noise for :math:`\|(1, 1/2)\|^2 = 5/4`."""
    a, b, c, d = arrivals
    sigma = sqrt(Exact(5, 4)) * sqrt(2 * log(Exact(5, 4) / delta)) / eps
    return [y + noise.gaussian(sigma) for y in (a, b + a / 2, c + b / 2, d + c / 2)]


@banded_sums.twin(
    "noise-for-one-coefficient",
    domains={"eps": real(least="1/2", below=1), "delta": real(above=0, below="2e-5")},
    typical={"eps": "9/10"},
)
def _(noise: Noise, arrivals: Sequence[Any], *, eps: Any, delta: Any) -> Any:
    """The noise of an arrival that is released once: the second coefficient is forgotten, and so is a factor 2."""
    a, b, c, d = arrivals
    sigma = sqrt(log(1 / delta)) / eps
    return [y + noise.gaussian(sigma) for y in (a, b + a / 2, c + b / 2, d + c / 2)]
