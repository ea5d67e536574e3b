"""The sparse vector technique: which of many answers lie above a threshold, up to a cutoff.

The correct algorithm and the wrong ones that the literature has published, most of them collected by Lyu, Su and Li.
Variants that are correct for other reasons are in `dpwitness.mechanisms.sparse_vector_variants`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.core import Answers, PureDP, mechanism, whole
from dpwitness.core.noise import Noise


@mechanism(
    data=Answers(moves="all", by=1),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1, "threshold": 0, "cutoff": 2},
    domains={"cutoff": whole(1)},
    tags=("programs", "checkdp", "statdp", "lyu", "sniper", "dipc"),
    cites="Lyu, Su and Li 2017, algorithm 1; Wang et al. 2020 (CheckDP), sparse vector; Ding et al. 2018",
)
def sparse_vector(noise: Noise, queries: Sequence[Any], *, eps: Any, threshold: Any, cutoff: Any) -> Any:
    r"""For each answer, whether :math:`q_i + \mathrm{Lap}(4c/\varepsilon) \ge T + \mathrm{Lap}(2/\varepsilon)`.

    The threshold's noise is drawn once. After c positive answers the program stops.
    """
    t = threshold + noise.laplace(2 / eps)
    out = []
    count = 0
    for q in queries:
        if q + noise.laplace(4 * cutoff / eps) >= t:
            out.append(True)
            count += 1
            if count >= cutoff:
                break
        else:
            out.append(False)
    return out


# Where all answers rise the threshold pays ε/2 and each of the c positive ones ε/(4c), half as much as in general.
# A single answer that moves is followed by its own noise alone.
sparse_vector.also(data=Answers(moves="up"), claim=lambda eps: PureDP(3 * eps / 4), notes="monotone answers")
sparse_vector.also(
    data=Answers(moves="one"), claim=lambda eps, cutoff: PureDP(eps / (4 * cutoff)), notes="one answer moves"
)
sparse_vector.also(
    data=Answers(values=(-1, 0, 1), size=3), claim=lambda eps: PureDP(eps), notes="the finite inputs of DiPC"
)


@sparse_vector.twin(
    "no-query-noise",
    tags=("programs", "checkdp", "statdp", "lyu", "sniper"),
    cites="Stoddard, Chen and Machanavajjhala 2014; Lyu, Su and Li 2017, algorithm 5; Ding et al. 2018, iSVT 1",
)
def _(noise: Noise, queries: Sequence[Any], *, eps: Any, threshold: Any) -> Any:
    """Exact answers against a noisy threshold, without a cutoff."""
    t = threshold + noise.laplace(2 / eps)
    out = []
    for q in queries:
        if q >= t:
            out.append(True)
        else:
            out.append(False)
    return out


@sparse_vector.twin(
    "no-cutoff",
    tags=("programs", "checkdp", "statdp", "lyu", "sniper"),
    cites="Chen et al. 2015; Lyu, Su and Li 2017, algorithm 6; Ding et al. 2018, iSVT 2",
)
def _(noise: Noise, queries: Sequence[Any], *, eps: Any, threshold: Any) -> Any:
    r"""Query noise :math:`\mathrm{Lap}(2/\varepsilon)` and any number of positive answers."""
    t = threshold + noise.laplace(2 / eps)
    out = []
    for q in queries:
        if q + noise.laplace(2 / eps) >= t:
            out.append(True)
        else:
            out.append(False)
    return out


@sparse_vector.twin(
    "unscaled-query-noise",
    tags=("programs", "checkdp", "statdp", "lyu", "sniper"),
    cites="Lee and Clifton 2014; Lyu, Su and Li 2017, algorithm 4; Ding et al. 2018, iSVT 3",
)
def _(noise: Noise, queries: Sequence[Any], *, eps: Any, threshold: Any, cutoff: Any) -> Any:
    r"""Threshold noise :math:`\mathrm{Lap}(4/\varepsilon)`, query noise :math:`\mathrm{Lap}(4/(3\varepsilon))`.

    The query noise does not grow with c: the program is :math:`(1+6c)\varepsilon/4`-private.
    """
    t = threshold + noise.laplace(4 / eps)
    out = []
    count = 0
    for q in queries:
        if q + noise.laplace(4 / (3 * eps)) >= t:
            out.append(True)
            count += 1
            if count >= cutoff:
                break
        else:
            out.append(False)
    return out


@sparse_vector.twin(
    "releases-the-value",
    data=Answers(moves="all", size=10),
    typical={"cutoff": 1},
    tags=("programs", "statdp", "lyu", "sniper"),
    cites="Roth 2011 (lecture notes); Lyu, Su and Li 2017, algorithm 3; Ding et al. 2018, iSVT 4",
)
def _(noise: Noise, queries: Sequence[Any], *, eps: Any, threshold: Any, cutoff: Any) -> Any:
    r"""A positive answer is released as :math:`q_i + \mathrm{Lap}(2c/\varepsilon)`, the value that was compared.

    It bounds the noisy threshold from above, so that the threshold can no longer pay for the negative answers.
    """
    t = threshold + noise.laplace(2 / eps)
    out = []
    count = 0
    for q in queries:
        value = q + noise.laplace(2 * cutoff / eps)
        if value >= t:
            out.append(value)
            count += 1
            if count >= cutoff:
                break
        else:
            out.append(False)
    return out


@sparse_vector.twin("stops-one-late", typical={"cutoff": 1}, tags=("programs",))
def _(noise: Noise, queries: Sequence[Any], *, eps: Any, threshold: Any, cutoff: Any) -> Any:
    """Stops when the positive answers exceed the cutoff: one more is given than paid for."""
    t = threshold + noise.laplace(2 / eps)
    out = []
    count = 0
    for q in queries:
        if q + noise.laplace(4 * cutoff / eps) >= t:
            out.append(True)
            count += 1
            if count > cutoff:
                break
        else:
            out.append(False)
    return out


@sparse_vector.twin("noise-ignores-the-cutoff", tags=("programs",))
def _(noise: Noise, queries: Sequence[Any], *, eps: Any, threshold: Any, cutoff: Any) -> Any:
    r"""Query noise :math:`\mathrm{Lap}(4/\varepsilon)`, right for one positive answer, with a cutoff of two."""
    t = threshold + noise.laplace(2 / eps)
    out = []
    count = 0
    for q in queries:
        if q + noise.laplace(4 / eps) >= t:
            out.append(True)
            count += 1
            if count >= cutoff:
                break
        else:
            out.append(False)
    return out


@sparse_vector.twin(
    "releases-the-threshold", data=Answers(moves="all", size=8), typical={"cutoff": 1}, tags=("programs",)
)
def _(noise: Noise, queries: Sequence[Any], *, eps: Any, threshold: Any, cutoff: Any) -> Any:
    """The noisy threshold is released with the answers, and so can no longer move with them."""
    t = threshold + noise.laplace(2 / eps)
    out = []
    count = 0
    for q in queries:
        if q + noise.laplace(4 * cutoff / eps) >= t:
            out.append(True)
            count += 1
            if count >= cutoff:
                break
        else:
            out.append(False)
    return t, out


@sparse_vector.twin(
    "releases-the-negatives",
    data=Answers(moves="all", size=8),
    typical={"cutoff": 1},
    tags=("programs",),
    cites="Chadha, Sistla and Viswanathan 2021, disclosing cycle",
)
def _(noise: Noise, queries: Sequence[Any], *, eps: Any, threshold: Any, cutoff: Any) -> Any:
    """Every negative answer is released with the noise of its comparison, of which there may be any number."""
    t = threshold + noise.laplace(2 / eps)
    out = []
    count = 0
    for q in queries:
        value = q + noise.laplace(4 * cutoff / eps)
        if value >= t:
            out.append(True)
            count += 1
            if count >= cutoff:
                break
        else:
            out.append(value)
    return out
