r"""Programs on counts with whole noise: selection, threshold tests and a sum with the two-sided geometric law.

Real machines can draw :math:`P[k] \propto e^{-|k|/s}` exactly, so what is proved here is true of the running program
and not of ideal reals only. Ties have positive probability, and so it matters which of equal values wins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.core import Answers, PureDP, Refuted, mechanism, whole
from dpwitness.core.noise import Noise


@mechanism(
    data=Answers(moves="all", by=1, whole=True),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1},
    tags=("programs", "geometric"),
    cites="Ghosh, Roughgarden and Sundararajan 2009; Dwork and Roth 2014, section 3.3",
)
def geometric_noisy_max(noise: Noise, counts: Sequence[Any], *, eps: Any) -> Any:
    r"""The first index of the largest count plus geometric noise, :math:`P[k] \propto e^{-\varepsilon|k|/2}`."""
    return noise.argmax([c + noise.discrete_laplace(2 / eps) for c in counts])


geometric_noisy_max.also(
    data=Answers(moves="up", whole=True), claim=lambda eps: PureDP(eps / 2), notes="a record is added or removed"
)


@geometric_noisy_max.twin("half-scale", tags=("programs", "geometric"))
def _(noise: Noise, counts: Sequence[Any], *, eps: Any) -> Any:
    r"""Noise with :math:`P[k] \propto e^{-\varepsilon|k|}`."""
    return noise.argmax([c + noise.discrete_laplace(1 / eps) for c in counts])


@mechanism(
    data=Answers(moves="all", by=1, whole=True),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1, "threshold": 0, "cutoff": 2},
    domains={"cutoff": whole(1)},
    tags=("programs", "geometric"),
    cites="Lyu, Su and Li 2017, algorithm 1, with whole noise",
)
def geometric_sparse_vector(noise: Noise, queries: Sequence[Any], *, eps: Any, threshold: Any, cutoff: Any) -> Any:
    r"""For each count, whether it reaches the threshold, both with geometric noise; stops after c positive answers."""
    t = threshold + noise.discrete_laplace(2 / eps)
    out = []
    count = 0
    for q in queries:
        if q + noise.discrete_laplace(4 * cutoff / eps) >= t:
            out.append(True)
            count += 1
            if count >= cutoff:
                break
        else:
            out.append(False)
    return out


@geometric_sparse_vector.twin("no-query-noise", tags=("programs", "geometric"))
def _(noise: Noise, queries: Sequence[Any], *, eps: Any, threshold: Any) -> Any:
    """Exact counts against a noisy threshold, without a cutoff."""
    t = threshold + noise.discrete_laplace(2 / eps)
    out = []
    for q in queries:
        if q >= t:
            out.append(True)
        else:
            out.append(False)
    return out


@geometric_sparse_vector.twin("half-scale", tags=("programs", "geometric"))
def _(noise: Noise, queries: Sequence[Any], *, eps: Any, threshold: Any, cutoff: Any) -> Any:
    """Half of the noise on the threshold and on the counts."""
    t = threshold + noise.discrete_laplace(1 / eps)
    out = []
    count = 0
    for q in queries:
        if q + noise.discrete_laplace(2 * cutoff / eps) >= t:
            out.append(True)
            count += 1
            if count >= cutoff:
                break
        else:
            out.append(False)
    return out


@mechanism(
    data=Answers(moves="one", by=1, whole=True),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1},
    tags=("programs", "geometric", "sum"),
    cites="Ghosh, Roughgarden and Sundararajan 2009; Wang et al. 2020 (CheckDP), partial sum",
)
def geometric_partial_sum(noise: Noise, queries: Sequence[Any], *, eps: Any) -> Any:
    r"""The sum of the counts plus geometric noise, :math:`P[k] \propto e^{-\varepsilon|k|}`."""
    total = 0
    for q in queries:
        total = total + q
    return total + noise.discrete_laplace(1 / eps)


geometric_partial_sum.also(
    data=Answers(moves="one", by=1),
    claim=lambda eps: PureDP(eps),
    expected=Refuted,
    notes="answers that are not whole: their fractional part passes through",
)


@geometric_partial_sum.twin("half-scale", tags=("programs", "geometric"))
def _(noise: Noise, queries: Sequence[Any], *, eps: Any) -> Any:
    r"""Noise with :math:`P[k] \propto e^{-2\varepsilon|k|}`."""
    total = 0
    for q in queries:
        total = total + q
    return total + noise.discrete_laplace(1 / (2 * eps))
