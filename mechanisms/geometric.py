"""Integer noise: the two-sided geometric law, clamped and truncated versions of it.

An integer count with noise :math:`P[k] \\propto e^{-\\varepsilon|k|}` is ε-private, and so is all that follows
from it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from dpwitness.core import Exact, PureDP, Records, log, mechanism
from dpwitness.core.noise import Noise


@mechanism(
    data=Records((0, 1), 5),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1},
    tags=("sources", "geometric", "sum"),
    cites="Ghosh, Roughgarden and Sundararajan 2009",
)
def geometric(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    r"""How many records are 1, with two-sided geometric noise: :math:`P[k] \propto e^{-\varepsilon|k|}`."""
    return sum(data) + noise.discrete_laplace(1 / eps)


geometric.also(data=Records((0, 1), 5, "add-remove"), claim=lambda eps: PureDP(eps))


@geometric.twin("half-the-scale", tags=("geometric",))
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """Half of the noise: the loss is 2ε."""
    return sum(data) + noise.discrete_laplace(1 / (2 * eps))


@geometric.twin("one-sided", tags=("geometric",), notes="outputs below the larger count give it away")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The noise is never negative."""
    return sum(data) + abs(noise.discrete_laplace(1 / eps))


@geometric.twin("fractional-records", data=Records((0, Exact(1, 2), 1), 3), tags=("geometric",))
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """Integer noise on half-integers: the fractional part of the sum passes through."""
    return sum(data) + noise.discrete_laplace(1 / eps)


@mechanism(
    data=Records((0, 1), 5),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1},
    tags=("geometric", "finite"),
    cites="Ghosh, Roughgarden and Sundararajan 2009, section 2",
)
def clamped_geometric(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    r"""A geometric count, pushed back into 0..n: :math:`\min(n, \max(0, \sum_i x_i + k))`."""
    noisy = sum(data) + noise.discrete_laplace(1 / eps)
    return min(len(data), max(0, noisy))


@clamped_geometric.twin("renormalised", tags=("geometric", "finite"), notes="the normaliser depends on the count")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    r"""The law is cut to 0..n and rescaled: :math:`P[y] \propto e^{-\varepsilon|y-c|}` for y in 0..n."""
    count = sum(data)
    return noise.choice(log_weights=[-eps * abs(y - count) for y in range(len(data) + 1)])


def _rational_geometric(noise: Noise, count: Any, n: int, k: int) -> Any:
    """A clamped geometric draw with base 2^k/(2^k+1): every probability is rational."""
    base = Exact(2**k, 2**k + 1)
    inside = [(1 - base) * base ** abs(y - count) for y in range(1, n)]
    return noise.choice(weights=[base**count, *inside, base ** (n - count)])


@mechanism(
    data=Records((0, 1), 5),
    claim=lambda eps: PureDP(eps / 2),
    typical={"eps": "1/10"},
    tags=("sniper", "geometric", "finite", "audit"),
    cites="Balcer and Vadhan 2019, algorithm 4.8",
)
def truncated_geometric(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    r"""A clamped geometric count for finite computers: all probabilities are rational.

    The base :math:`e^{-\tilde\varepsilon} = 2^k/(2^k+1)` uses :math:`k = \lceil\log_2(2/\varepsilon)\rceil`, so that
    :math:`\tilde\varepsilon = \ln(1+2^{-k}) \le \varepsilon/2`.
    """
    k = 0
    while 2**k * eps < 2:
        k += 1
    return _rational_geometric(noise, sum(data), len(data), k)


@truncated_geometric.twin(
    "natural-logarithm", claim=lambda eps: PureDP(eps), tags=("sniper", "geometric", "finite", "audit"),
    notes="at ε = 1/10: k = 3 and the loss is ln(9/8) = 0.1178; for some larger ε the claim is true",
)  # fmt: skip
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The exponent k is computed with the natural logarithm in place of the binary one."""
    k = math.ceil(log(2 / eps))
    return _rational_geometric(noise, sum(data), len(data), k)
