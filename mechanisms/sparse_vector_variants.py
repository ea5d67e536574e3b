"""Correct variants of the sparse vector technique: other noise, other budgets, and the gap for free.

Each keeps the structure of `dpwitness.mechanisms.sparse_vector` and changes one thing about how it is paid for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.core import Answers, PureDP, Refuted, mechanism, real, whole
from dpwitness.core.noise import Noise


@mechanism(
    data=Answers(moves="up", by=1),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1, "threshold": 0, "cutoff": 1},
    domains={"cutoff": whole(1)},
    tags=("programs", "checkdp"),
    cites="Lyu, Su and Li 2017, theorem 5; Wang et al. 2020 (CheckDP), increasing and decreasing sparse vector",
)
def monotone_sparse_vector(noise: Noise, queries: Sequence[Any], *, eps: Any, threshold: Any, cutoff: Any) -> Any:
    r"""Sparse vector with query noise :math:`\mathrm{Lap}(2c/\varepsilon)`, for answers that all move the same way."""
    t = threshold + noise.laplace(2 / eps)
    out = []
    count = 0
    for q in queries:
        if q + noise.laplace(2 * cutoff / eps) >= t:
            out.append(True)
            count += 1
            if count >= cutoff:
                break
        else:
            out.append(False)
    return out


monotone_sparse_vector.also(data=Answers(moves="down"), claim=lambda eps: PureDP(eps), notes="answers that all fall")
monotone_sparse_vector.also(
    data=Answers(moves="all"), claim=lambda eps: PureDP(eps), expected=Refuted, notes="answers that move both ways"
)


@monotone_sparse_vector.twin("half-scale", tags=("programs",))
def _(noise: Noise, queries: Sequence[Any], *, eps: Any, threshold: Any, cutoff: Any) -> Any:
    r"""Query noise :math:`\mathrm{Lap}(c/\varepsilon)`, too little even for monotone answers."""
    t = threshold + noise.laplace(2 / eps)
    out = []
    count = 0
    for q in queries:
        if q + noise.laplace(cutoff / eps) >= t:
            out.append(True)
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
    tags=("programs", "lyu", "sniper"),
    cites="Dwork and Roth 2014, algorithm 2; Lyu, Su and Li 2017, algorithm 2",
)
def refreshed_sparse_vector(noise: Noise, queries: Sequence[Any], *, eps: Any, threshold: Any, cutoff: Any) -> Any:
    r"""Sparse vector whose threshold gets fresh :math:`\mathrm{Lap}(2c/\varepsilon)` after each positive answer."""
    t = threshold + noise.laplace(2 * cutoff / eps)
    out = []
    count = 0
    for q in queries:
        if q + noise.laplace(4 * cutoff / eps) >= t:
            out.append(True)
            count += 1
            if count >= cutoff:
                break
            t = threshold + noise.laplace(2 * cutoff / eps)
        else:
            out.append(False)
    return out


@refreshed_sparse_vector.twin("noise-ignores-the-cutoff", data=Answers(moves="all", size=6), tags=("programs",))
def _(noise: Noise, queries: Sequence[Any], *, eps: Any, threshold: Any, cutoff: Any) -> Any:
    """Noise for one positive answer, spent anew for each of them."""
    t = threshold + noise.laplace(2 / eps)
    out = []
    count = 0
    for q in queries:
        if q + noise.laplace(4 / eps) >= t:
            out.append(True)
            count += 1
            if count >= cutoff:
                break
            t = threshold + noise.laplace(2 / eps)
        else:
            out.append(False)
    return out


@mechanism(
    data=Answers(moves="all", by=1),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1, "threshold": 0, "cutoff": 1, "share": "1/3"},
    domains={"cutoff": whole(1), "share": real(above=0, below=1)},
    tags=("programs", "lyu"),
    cites="Lyu, Su and Li 2017, algorithm 7",
)
def split_sparse_vector(
    noise: Noise, queries: Sequence[Any], *, eps: Any, threshold: Any, cutoff: Any, share: Any
) -> Any:
    r"""Sparse vector with a share s of the budget for the threshold.

    The noises are :math:`\mathrm{Lap}(1/(s\varepsilon))` and :math:`\mathrm{Lap}(2c/((1-s)\varepsilon))`.
    The comparison is most accurate at :math:`s = 1/(1+(2c)^{2/3})`.
    """
    t = threshold + noise.laplace(1 / (share * eps))
    out = []
    count = 0
    for q in queries:
        if q + noise.laplace(2 * cutoff / ((1 - share) * eps)) >= t:
            out.append(True)
            count += 1
            if count >= cutoff:
                break
        else:
            out.append(False)
    return out


@split_sparse_vector.twin("queries-spend-it-all", tags=("programs",))
def _(noise: Noise, queries: Sequence[Any], *, eps: Any, threshold: Any, cutoff: Any, share: Any) -> Any:
    r"""Query noise :math:`\mathrm{Lap}(2c/\varepsilon)`: the threshold's share is spent twice."""
    t = threshold + noise.laplace(1 / (share * eps))
    out = []
    count = 0
    for q in queries:
        if q + noise.laplace(2 * cutoff / eps) >= t:
            out.append(True)
            count += 1
            if count >= cutoff:
                break
        else:
            out.append(False)
    return out


@mechanism(
    data=Answers(moves="all", by=1),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1, "threshold": 0, "cutoff": 1},
    domains={"cutoff": whole(1)},
    tags=("programs",),
    cites="Liu et al. 2024, sparse vector with exponential noise",
)
def exponential_sparse_vector(noise: Noise, queries: Sequence[Any], *, eps: Any, threshold: Any, cutoff: Any) -> Any:
    r"""For each answer, whether :math:`q_i + \mathrm{Exp}(4c/\varepsilon) \ge T + \mathrm{Exp}(2/\varepsilon)`.

    One-sided noise is enough, since the proof only ever raises the threshold and the positive answers.
    """
    t = threshold + noise.exponential(2 / eps)
    out = []
    count = 0
    for q in queries:
        if q + noise.exponential(4 * cutoff / eps) >= t:
            out.append(True)
            count += 1
            if count >= cutoff:
                break
        else:
            out.append(False)
    return out


@exponential_sparse_vector.twin("noise-of-the-wrong-sign", tags=("programs",))
def _(noise: Noise, queries: Sequence[Any], *, eps: Any, threshold: Any, cutoff: Any) -> Any:
    """The query noise is subtracted: an answer below the threshold is never reported."""
    t = threshold + noise.exponential(2 / eps)
    out = []
    count = 0
    for q in queries:
        if q - noise.exponential(4 * cutoff / eps) >= t:
            out.append(True)
            count += 1
            if count >= cutoff:
                break
        else:
            out.append(False)
    return out


@mechanism(
    data=Answers(moves="all", by=1),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1, "threshold": 0, "cutoff": 1},
    domains={"cutoff": whole(1)},
    tags=("programs", "checkdp"),
    cites="Wang et al. 2019, gap sparse vector; Ding et al. 2019; Wang et al. 2020 (CheckDP)",
)
def gap_sparse_vector(noise: Noise, queries: Sequence[Any], *, eps: Any, threshold: Any, cutoff: Any) -> Any:
    """Sparse vector that also releases by how much each positive answer beat the noisy threshold."""
    t = threshold + noise.laplace(2 / eps)
    out = []
    count = 0
    for q in queries:
        value = q + noise.laplace(4 * cutoff / eps)
        if value >= t:
            out.append(value - t)
            count += 1
            if count >= cutoff:
                break
        else:
            out.append(False)
    return out


gap_sparse_vector.also(data=Answers(moves="up"), claim=lambda eps: PureDP(3 * eps / 4), notes="monotone answers")


@gap_sparse_vector.twin("releases-the-answer", data=Answers(moves="all", size=8), tags=("programs", "checkdp"))
def _(noise: Noise, queries: Sequence[Any], *, eps: Any, threshold: Any, cutoff: Any) -> Any:
    """The noisy answer in place of the gap: it bounds the noisy threshold, which can no longer move."""
    t = threshold + noise.laplace(2 / eps)
    out = []
    count = 0
    for q in queries:
        value = q + noise.laplace(4 * cutoff / eps)
        if value >= t:
            out.append(value)
            count += 1
            if count >= cutoff:
                break
        else:
            out.append(False)
    return out
