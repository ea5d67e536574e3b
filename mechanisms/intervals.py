"""Programs that compare answers with a noisy interval: range queries, and the range of the first few answers.

They come from the work on automata for differential privacy, where two stored values at a time make the analysis hard.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.core import Answers, PureDP, mechanism, whole
from dpwitness.core.noise import Noise


@mechanism(
    data=Answers(moves="all", by=1),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1, "low": 0, "high": 8},
    tags=("programs", "dipc"),
    cites="Chadha, Sistla and Viswanathan 2021, range query",
)
def leaves_range(noise: Noise, queries: Sequence[Any], *, eps: Any, low: Any, high: Any) -> Any:
    r"""The first answer outside a noisy interval, and the side on which it left.

    Both ends of the interval and all answers get :math:`\mathrm{Lap}(4/\varepsilon)`. The interval
    widens by 1 at each end (ε/2) and the answer that leaves follows by at most 2 (ε/2).
    """
    bottom = low + noise.laplace(4 / eps)
    top = high + noise.laplace(4 / eps)
    for i, q in enumerate(queries):
        value = q + noise.laplace(4 / eps)
        if value < bottom:
            return i, "below"
        if value >= top:
            return i, "above"
    return None


@leaves_range.twin("no-threshold-noise", tags=("programs", "dipc"))
def _(noise: Noise, queries: Sequence[Any], *, eps: Any, low: Any, high: Any) -> Any:
    """An exact interval: every answer inside it is charged."""
    for i, q in enumerate(queries):
        value = q + noise.laplace(4 / eps)
        if value < low:
            return i, "below"
        if value >= high:
            return i, "above"
    return None


@mechanism(
    data=Answers(moves="all", by=1),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1, "low": 0, "high": 1, "ranges": 2},
    domains={"ranges": whole(1)},
    tags=("programs", "dipc"),
    cites="Chadha et al. 2023, m-range; Bhusal et al. 2025, m-range",
)
def m_range(noise: Noise, queries: Sequence[Any], *, eps: Any, low: Any, high: Any, ranges: Any) -> Any:
    r"""The first answer outside its interval, where m noisy intervals are used in turn.

    The 2m ends get :math:`\mathrm{Lap}(4m/\varepsilon)`, the answers :math:`\mathrm{Lap}(4/\varepsilon)`.
    """
    bottoms = [low + noise.laplace(4 * ranges / eps) for _ in range(ranges)]
    tops = [high + noise.laplace(4 * ranges / eps) for _ in range(ranges)]
    for i, q in enumerate(queries):
        value = q + noise.laplace(4 / eps)
        if value < bottoms[i % ranges]:
            return i, "below"
        if value >= tops[i % ranges]:
            return i, "above"
    return None


m_range.also(data=Answers(values=(-1, 0, 1), size=3), claim=lambda eps: PureDP(eps), notes="the finite inputs of DiPC")


@m_range.twin("half-scale", tags=("programs",))
def _(noise: Noise, queries: Sequence[Any], *, eps: Any, low: Any, high: Any, ranges: Any) -> Any:
    r"""The ends get :math:`\mathrm{Lap}(2m/\varepsilon)`, the answers :math:`\mathrm{Lap}(2/\varepsilon)`."""
    bottoms = [low + noise.laplace(2 * ranges / eps) for _ in range(ranges)]
    tops = [high + noise.laplace(2 * ranges / eps) for _ in range(ranges)]
    for i, q in enumerate(queries):
        value = q + noise.laplace(2 / eps)
        if value < bottoms[i % ranges]:
            return i, "below"
        if value >= tops[i % ranges]:
            return i, "above"
    return None


@mechanism(
    data=Answers(moves="all", by=1),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1, "k": 2},
    domains={"k": whole(2)},
    tags=("programs", "dipc"),
    cites="Chadha et al. 2023, k-min-max; Bhusal et al. 2025, k-min-max",
)
def k_min_max(noise: Noise, queries: Sequence[Any], *, eps: Any, k: Any) -> Any:
    r"""The first answer outside the range of the first k, and the side on which it left.

    The first k answers get :math:`\mathrm{Lap}(4k/\varepsilon)`, the others :math:`\mathrm{Lap}(4/\varepsilon)`. The
    largest of the first k rises by 1, the smallest falls by 1, the others stay: at most k + 2 units of ε/(4k), and ε/2
    for the answer that leaves.
    """
    low = 0
    high = 0
    for i, q in enumerate(queries):
        if i < k:
            value = q + noise.laplace(4 * k / eps)
            if i == 0:
                low = value
                high = value
            elif value > high:
                high = value
            elif value < low:
                low = value
        else:
            value = q + noise.laplace(4 / eps)
            if value < low:
                return i, "below"
            if value > high:
                return i, "above"
    return None


k_min_max.also(
    data=Answers(values=(-1, 0, 1), size=3), claim=lambda eps: PureDP(eps), notes="the finite inputs of DiPC"
)


@k_min_max.twin("exact-range", tags=("programs",))
def _(noise: Noise, queries: Sequence[Any], *, eps: Any, k: Any) -> Any:
    """The range of the first k answers gets no noise: between equal answers there is no room."""
    low = 0
    high = 0
    for i, q in enumerate(queries):
        if i < k:
            if i == 0:
                low = q
                high = q
            elif q > high:
                high = q
            elif q < low:
                low = q
        else:
            value = q + noise.laplace(4 / eps)
            if value < low:
                return i, "below"
            if value > high:
                return i, "above"
    return None


@k_min_max.twin("releases-the-range", data=Answers(moves="all", size=7), tags=("programs",))
def _(noise: Noise, queries: Sequence[Any], *, eps: Any, k: Any) -> Any:
    """The noisy range is released as well, and can no longer widen for the answers inside it."""
    low = 0
    high = 0
    for i, q in enumerate(queries):
        if i < k:
            value = q + noise.laplace(4 * k / eps)
            if i == 0:
                low = value
                high = value
            elif value > high:
                high = value
            elif value < low:
                low = value
        else:
            value = q + noise.laplace(4 / eps)
            if value < low:
                return i, "below", low, high
            if value > high:
                return i, "above", low, high
    return None, "inside", low, high
