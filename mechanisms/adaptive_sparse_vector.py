"""Adaptive sparse vector: answers far above the threshold are found with more noise, and so cost less."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.core import Answers, PureDP, mechanism, real, whole
from dpwitness.core.noise import Noise


@mechanism(
    data=Answers(moves="all", by=1),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1, "threshold": 0, "margin": 8, "cutoff": 1},
    domains={"cutoff": whole(1), "margin": real(least=0)},
    tags=("programs", "checkdp"),
    cites="Ding et al. 2019, adaptive sparse vector with gap; Wang et al. 2020 (CheckDP)",
)
def adaptive_sparse_vector(
    noise: Noise, queries: Sequence[Any], *, eps: Any, threshold: Any, margin: Any, cutoff: Any
) -> Any:
    r"""Gaps of the answers above a noisy threshold, each found by a cheap test or by a precise one.

    The cheap test, with :math:`\mathrm{Lap}(8c/\varepsilon)`, asks whether the gap reaches the margin and costs
    :math:`\varepsilon/(4c)`; the precise one, with :math:`\mathrm{Lap}(4c/\varepsilon)`, costs
    :math:`\varepsilon/(2c)`. Negative answers are free. The program stops when the rest would not pay for another.
    """
    t = threshold + noise.laplace(2 / eps)
    spent = eps / 2
    out = []
    for q in queries:
        far = q + noise.laplace(8 * cutoff / eps) - t
        if far >= margin:
            out.append(("far", far))
            spent = spent + eps / (4 * cutoff)
        else:
            near = q + noise.laplace(4 * cutoff / eps) - t
            if near >= 0:
                out.append(("near", near))
                spent = spent + eps / (2 * cutoff)
            else:
                out.append(("below", 0))
        if spent > eps - eps / (2 * cutoff):
            break
    return out


adaptive_sparse_vector.also(data=Answers(moves="up"), claim=lambda eps: PureDP(3 * eps / 4), notes="monotone answers")


@adaptive_sparse_vector.twin("releases-the-answer", data=Answers(moves="all", size=6), tags=("programs", "checkdp"))
def _(noise: Noise, queries: Sequence[Any], *, eps: Any, threshold: Any, margin: Any, cutoff: Any) -> Any:
    """The cheap test releases the noisy answer in place of the gap."""
    t = threshold + noise.laplace(2 / eps)
    spent = eps / 2
    out = []
    for q in queries:
        answer = q + noise.laplace(8 * cutoff / eps)
        if answer - t >= margin:
            out.append(("far", answer))
            spent = spent + eps / (4 * cutoff)
        else:
            near = q + noise.laplace(4 * cutoff / eps) - t
            if near >= 0:
                out.append(("near", near))
                spent = spent + eps / (2 * cutoff)
            else:
                out.append(("below", 0))
        if spent > eps - eps / (2 * cutoff):
            break
    return out


@adaptive_sparse_vector.twin("forgets-the-threshold", data=Answers(moves="all", size=4), tags=("programs",))
def _(noise: Noise, queries: Sequence[Any], *, eps: Any, threshold: Any, margin: Any, cutoff: Any) -> Any:
    """The budget of the threshold is not counted: the answers may spend all of ε."""
    t = threshold + noise.laplace(2 / eps)
    spent = 0 * eps
    out = []
    for q in queries:
        far = q + noise.laplace(8 * cutoff / eps) - t
        if far >= margin:
            out.append(("far", far))
            spent = spent + eps / (4 * cutoff)
        else:
            near = q + noise.laplace(4 * cutoff / eps) - t
            if near >= 0:
                out.append(("near", near))
                spent = spent + eps / (2 * cutoff)
            else:
                out.append(("below", 0))
        if spent > eps - eps / (2 * cutoff):
            break
    return out


@adaptive_sparse_vector.twin("counts-precise-tests-as-cheap", data=Answers(moves="all", size=4), tags=("programs",))
def _(noise: Noise, queries: Sequence[Any], *, eps: Any, threshold: Any, margin: Any, cutoff: Any) -> Any:
    r"""Every positive answer is charged :math:`\varepsilon/(4c)`, and the program stops when all is spent."""
    t = threshold + noise.laplace(2 / eps)
    spent = eps / 2
    out = []
    for q in queries:
        far = q + noise.laplace(8 * cutoff / eps) - t
        if far >= margin:
            out.append(("far", far))
            spent = spent + eps / (4 * cutoff)
        else:
            near = q + noise.laplace(4 * cutoff / eps) - t
            if near >= 0:
                out.append(("near", near))
                spent = spent + eps / (4 * cutoff)
            else:
                out.append(("below", 0))
        if spent >= eps:
            break
    return out
