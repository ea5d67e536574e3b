"""Above threshold and below threshold: the first answer on the other side of a noisy threshold.

The threshold gets one draw of noise, every answer its own; the place of the first crossing is released and the program
stops. However many answers come before the crossing, they are paid for once, by the noise of the threshold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.core import Answers, PureDP, mechanism
from dpwitness.core.noise import Noise


@mechanism(
    data=Answers(moves="all", by=1),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1, "threshold": 0},
    tags=("programs", "dipc"),
    cites="Dwork and Roth 2014, algorithm 1; Barthe et al. 2020; Bhusal et al. 2025",
)
def above_threshold(noise: Noise, queries: Sequence[Any], *, eps: Any, threshold: Any) -> Any:
    r"""Index of the first :math:`q_i + \mathrm{Lap}(4/\varepsilon) \ge T + \mathrm{Lap}(2/\varepsilon)`, or None."""
    t = threshold + noise.laplace(2 / eps)
    for i, q in enumerate(queries):
        if q + noise.laplace(4 / eps) >= t:
            return i
    return None


# Answers that all rise: the threshold follows by 1 (ε/2) and the crossing answer by at most 1 (ε/4). Answers that all
# fall need the second payment only; so does a single answer that moves, whichever it is.
above_threshold.also(data=Answers(moves="up"), claim=lambda eps: PureDP(3 * eps / 4), notes="monotone answers")
above_threshold.also(data=Answers(moves="one"), claim=lambda eps: PureDP(eps / 4), notes="one answer moves")
above_threshold.also(
    data=Answers(values=(-1, 0, 1), size=3), claim=lambda eps: PureDP(eps), notes="the finite inputs of DiPC"
)


@above_threshold.twin("no-query-noise", tags=("programs", "dipc"))
def _(noise: Noise, queries: Sequence[Any], *, eps: Any, threshold: Any) -> Any:
    """Exact answers against a noisy threshold: the order of the answers shows."""
    t = threshold + noise.laplace(2 / eps)
    for i, q in enumerate(queries):
        if q >= t:
            return i
    return None


@above_threshold.twin(
    "no-threshold-noise", tags=("programs", "dipc"), cites="Bhusal et al. 2025, leaky above threshold"
)
def _(noise: Noise, queries: Sequence[Any], *, eps: Any, threshold: Any) -> Any:
    """Noisy answers against the exact threshold: every answer before the crossing is charged."""
    for i, q in enumerate(queries):
        if q + noise.laplace(4 / eps) >= threshold:
            return i
    return None


@above_threshold.twin("fresh-threshold-noise", data=Answers(moves="all", size=8), tags=("programs",))
def _(noise: Noise, queries: Sequence[Any], *, eps: Any, threshold: Any) -> Any:
    """The threshold is noised anew for every answer, and so no longer pays for all of them at once."""
    for i, q in enumerate(queries):
        if q + noise.laplace(4 / eps) >= threshold + noise.laplace(2 / eps):
            return i
    return None


@above_threshold.twin(
    "goes-on-until-it-falls",
    data=Answers(moves="all", size=6),
    tags=("programs",),
    cites="Chadha, Sistla and Viswanathan 2021, leaking pair",
)
def _(noise: Noise, queries: Sequence[Any], *, eps: Any, threshold: Any) -> Any:
    """The first crossing upwards and the first one downwards after it, against the same noisy threshold."""
    t = threshold + noise.laplace(2 / eps)
    start = None
    for i, q in enumerate(queries):
        value = q + noise.laplace(4 / eps)
        if start is None:
            if value >= t:
                start = i
        elif value < t:
            return start, i
    return start, None


@mechanism(
    data=Answers(moves="all", by=1),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1, "threshold": 0},
    tags=("programs", "dipc"),
    cites="Bhusal et al. 2025, below threshold",
)
def below_threshold(noise: Noise, queries: Sequence[Any], *, eps: Any, threshold: Any) -> Any:
    r"""Index of the first :math:`q_i + \mathrm{Lap}(4/\varepsilon) < T + \mathrm{Lap}(2/\varepsilon)`, or None."""
    t = threshold + noise.laplace(2 / eps)
    for i, q in enumerate(queries):
        if q + noise.laplace(4 / eps) < t:
            return i
    return None


below_threshold.also(data=Answers(moves="up"), claim=lambda eps: PureDP(3 * eps / 4), notes="monotone answers")
below_threshold.also(data=Answers(moves="one"), claim=lambda eps: PureDP(eps / 4), notes="one answer moves")
below_threshold.also(
    data=Answers(values=(-1, 0, 1), size=3), claim=lambda eps: PureDP(eps), notes="the finite inputs of DiPC"
)


@below_threshold.twin(
    "no-threshold-noise", tags=("programs", "dipc"), cites="Bhusal et al. 2025, leaky below threshold"
)
def _(noise: Noise, queries: Sequence[Any], *, eps: Any, threshold: Any) -> Any:
    """Noisy answers against the exact threshold: every answer before the crossing is charged."""
    for i, q in enumerate(queries):
        if q + noise.laplace(4 / eps) < threshold:
            return i
    return None


@below_threshold.twin("both-noises-halved", tags=("programs",))
def _(noise: Noise, queries: Sequence[Any], *, eps: Any, threshold: Any) -> Any:
    r"""Threshold noise :math:`\mathrm{Lap}(1/\varepsilon)` and query noise :math:`\mathrm{Lap}(2/\varepsilon)`."""
    t = threshold + noise.laplace(1 / eps)
    for i, q in enumerate(queries):
        if q + noise.laplace(2 / eps) < t:
            return i
    return None
