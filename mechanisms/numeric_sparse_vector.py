"""Numeric sparse vector: the answers above a threshold, with their values.

The value is noised afresh: the draw that decided the comparison must not be released.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.core import Answers, PureDP, mechanism, whole
from dpwitness.core.noise import Noise


@mechanism(
    data=Answers(moves="all", by=1),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1, "threshold": 0, "cutoff": 1},
    domains={"cutoff": whole(1)},
    tags=("programs", "checkdp", "sniper"),
    cites="Wang et al. 2019 (ShadowDP), numerical sparse vector; Wang et al. 2020 (CheckDP)",
)
def numeric_sparse_vector(noise: Noise, queries: Sequence[Any], *, eps: Any, threshold: Any, cutoff: Any) -> Any:
    r"""Noisy values of the answers above a noisy threshold, a third of the budget for each kind of noise.

    Threshold :math:`\mathrm{Lap}(3/\varepsilon)`, comparison :math:`\mathrm{Lap}(6c/\varepsilon)`, released value
    :math:`\mathrm{Lap}(3c/\varepsilon)`; after c values the program stops.
    """
    t = threshold + noise.laplace(3 / eps)
    out = []
    count = 0
    for q in queries:
        if q + noise.laplace(6 * cutoff / eps) >= t:
            out.append(q + noise.laplace(3 * cutoff / eps))
            count += 1
            if count >= cutoff:
                break
        else:
            out.append(False)
    return out


# Answers that rise by d: the threshold follows by 1, and each value costs (1-d)ε/(6c) for its comparison and dε/(3c)
# for its release. A single answer that moves costs ε/(6c) + ε/(3c).
numeric_sparse_vector.also(data=Answers(moves="up"), claim=lambda eps: PureDP(2 * eps / 3), notes="monotone answers")
numeric_sparse_vector.also(
    data=Answers(moves="one"), claim=lambda eps, cutoff: PureDP(eps / (2 * cutoff)), notes="one answer moves"
)


@numeric_sparse_vector.twin("reuses-the-noise", data=Answers(moves="all", size=10), tags=("programs",))
def _(noise: Noise, queries: Sequence[Any], *, eps: Any, threshold: Any, cutoff: Any) -> Any:
    """The value that was compared is released: no finite privacy loss holds for every number of queries."""
    t = threshold + noise.laplace(3 / eps)
    out = []
    count = 0
    for q in queries:
        value = q + noise.laplace(3 * cutoff / eps)
        if value >= t:
            out.append(value)
            count += 1
            if count >= cutoff:
                break
        else:
            out.append(False)
    return out


@numeric_sparse_vector.twin("unsplit-budget", tags=("programs",))
def _(noise: Noise, queries: Sequence[Any], *, eps: Any, threshold: Any, cutoff: Any) -> Any:
    """Sparse vector at ε followed by Laplace noise at ε, which together cost 2ε."""
    t = threshold + noise.laplace(2 / eps)
    out = []
    count = 0
    for q in queries:
        if q + noise.laplace(4 * cutoff / eps) >= t:
            out.append(q + noise.laplace(cutoff / eps))
            count += 1
            if count >= cutoff:
                break
        else:
            out.append(False)
    return out


@mechanism(
    data=Answers(moves="all", by=1),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1, "threshold": 0, "cutoff": 2},
    domains={"cutoff": whole(1)},
    tags=("programs",),
    cites="Dwork and Roth 2014, algorithm 3 with delta = 0",
)
def numeric_sparse(noise: Noise, queries: Sequence[Any], *, eps: Any, threshold: Any, cutoff: Any) -> Any:
    r"""Noisy values of the answers above a threshold that is noised anew after each of them.

    Eight ninths of the budget go to the comparisons, :math:`\mathrm{Lap}(9c/(4\varepsilon))` for the threshold and
    :math:`\mathrm{Lap}(9c/(2\varepsilon))` for the answers, one ninth to the values,
    :math:`\mathrm{Lap}(9c/\varepsilon)`.
    """
    t = threshold + noise.laplace(9 * cutoff / (4 * eps))
    out = []
    count = 0
    for q in queries:
        if q + noise.laplace(9 * cutoff / (2 * eps)) >= t:
            out.append(q + noise.laplace(9 * cutoff / eps))
            count += 1
            if count >= cutoff:
                break
            t = threshold + noise.laplace(9 * cutoff / (4 * eps))
        else:
            out.append(False)
    return out


@numeric_sparse.twin("noise-ignores-the-cutoff", data=Answers(moves="all", size=6), tags=("programs",))
def _(noise: Noise, queries: Sequence[Any], *, eps: Any, threshold: Any, cutoff: Any) -> Any:
    """Noise for a single value, with a cutoff of two."""
    t = threshold + noise.laplace(9 / (4 * eps))
    out = []
    count = 0
    for q in queries:
        if q + noise.laplace(9 / (2 * eps)) >= t:
            out.append(q + noise.laplace(9 / eps))
            count += 1
            if count >= cutoff:
                break
            t = threshold + noise.laplace(9 / (4 * eps))
        else:
            out.append(False)
    return out
