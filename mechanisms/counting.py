"""Counting queries: how many records satisfy each of several predicates.

One record may enter all k counts at once, so the ℓ1 sensitivity is k. A fraction of n records moves by 1/n.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.core import Answers, PureDP, Records, mechanism, sqrt
from dpwitness.core.noise import Noise


@mechanism(
    data=Answers("all", 1, size=4),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1},
    tags=("sources", "laplace", "counting", "composition"),
    cites="Dwork and Roth 2014, section 3.3 and theorem 3.16",
)
def counting_queries(noise: Noise, counts: Sequence[Any], *, eps: Any) -> Any:
    r"""k counts that one record may all change, each with budget ε/k: :math:`c_i + \mathrm{Lap}(k/\varepsilon)`."""
    k = len(counts)
    return [c + noise.laplace(k / eps) for c in counts]


counting_queries.also(
    data=Answers("one", 1, size=4), claim=lambda eps: PureDP(eps / 4), notes="disjoint predicates: one count moves"
)


@counting_queries.twin("scale-of-one-query", tags=("laplace", "counting"), notes="the loss is kε")
def _(noise: Noise, counts: Sequence[Any], *, eps: Any) -> Any:
    """Every count is noised as if it were the only one."""
    return [c + noise.laplace(1 / eps) for c in counts]


@counting_queries.twin(
    "square-root-composition", tags=("laplace", "counting", "composition"),
    notes="√k suffices for (ε,δ), not for pure privacy: the loss is √k·ε",
)  # fmt: skip
def _(noise: Noise, counts: Sequence[Any], *, eps: Any) -> Any:
    """The scale grows like √k, as if advanced composition gave pure privacy."""
    k = len(counts)
    return [c + noise.laplace(sqrt(k) / eps) for c in counts]


@mechanism(
    data=Records((0, 1), 5),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1},
    tags=("sources", "laplace", "counting"),
    cites="Dwork and Roth 2014, section 3.3",
)
def noisy_fraction(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    r"""The fraction of records that satisfy a predicate: :math:`\frac1n\sum_i x_i + \mathrm{Lap}(1/(n\varepsilon))`."""
    n = len(data)
    return sum(data) / n + noise.laplace(1 / (n * eps))


@noisy_fraction.twin("fraction-of-the-ones", tags=("counting",), notes="scales of neighbours differ")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The noise is scaled by the number of ones, which is private, instead of the number of records."""
    n = len(data)
    return sum(data) / n + noise.laplace(1 / ((1 + sum(data)) * eps))
