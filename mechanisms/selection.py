"""Selection with more than one index: the gap to the runner-up, the k best, and permute-and-flip."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.core import Answers, PureDP, mechanism, whole
from dpwitness.core.noise import Noise


@mechanism(
    data=Answers(moves="all", by=1),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1},
    tags=("programs",),
    cites="Ding et al. 2019, noisy top-k with gap for k = 1",
)
def noisy_max_with_gap(noise: Noise, counts: Sequence[Any], *, eps: Any) -> Any:
    r"""Index of the largest :math:`c_i + \mathrm{Lap}(2/\varepsilon)` and its lead over the second largest.

    Given all other noises, the winner and the runner-up's value move by at most 1 each, and so the winner's noise by at
    most 2. That shift depends on the other noises.
    """
    noisy = [c + noise.laplace(2 / eps) for c in counts]
    winner = noise.argmax(noisy)
    second = noise.max([value for i, value in enumerate(noisy) if i != winner])
    return winner, noisy[winner] - second


noisy_max_with_gap.also(data=Answers(moves="up"), claim=lambda eps: PureDP(eps / 2), notes="monotone answers")
noisy_max_with_gap.also(data=Answers(moves="one"), claim=lambda eps: PureDP(eps / 2), notes="one answer moves")


@noisy_max_with_gap.twin("releases-all-gaps", tags=("programs",))
def _(noise: Noise, counts: Sequence[Any], *, eps: Any) -> Any:
    """The winner's lead over every other count, which fixes all noisy counts up to a common shift."""
    noisy = [c + noise.laplace(2 / eps) for c in counts]
    winner = noise.argmax(noisy)
    return winner, [noisy[winner] - value for i, value in enumerate(noisy) if i != winner]


@mechanism(
    data=Answers(moves="all", by=1),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1, "k": 2},
    domains={"k": whole(1)},
    tags=("programs",),
    cites="Durfee and Rogers 2019, one-shot top-k; Ding et al. 2019",
)
def noisy_top_k(noise: Noise, counts: Sequence[Any], *, eps: Any, k: Any) -> Any:
    r"""Indices of the k largest :math:`c_i + \mathrm{Lap}(2k/\varepsilon)`, the largest first."""
    noisy = [c + noise.laplace(2 * k / eps) for c in counts]
    rest = list(range(len(counts)))
    winners = []
    for _ in range(k):
        place = noise.argmax([noisy[i] for i in rest])
        winners.append(rest.pop(place))
    return winners


# All winners rise by 1 above where they were, each with its own noise: at most 2 for each, and at most 1 where all
# counts move the same way. A single count that moves is followed by its own noise alone.
noisy_top_k.also(data=Answers(moves="up"), claim=lambda eps: PureDP(eps / 2), notes="monotone answers")
noisy_top_k.also(data=Answers(moves="one"), claim=lambda eps, k: PureDP(eps / (2 * k)), notes="one answer moves")


@noisy_top_k.twin("noise-ignores-k", tags=("programs",))
def _(noise: Noise, counts: Sequence[Any], *, eps: Any, k: Any) -> Any:
    r"""Noise :math:`\mathrm{Lap}(2/\varepsilon)`, right for a single winner."""
    noisy = [c + noise.laplace(2 / eps) for c in counts]
    rest = list(range(len(counts)))
    winners = []
    for _ in range(k):
        place = noise.argmax([noisy[i] for i in rest])
        winners.append(rest.pop(place))
    return winners


@mechanism(
    data=Answers(moves="all", by=1, values=(0, 1, 2), size=3),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1},
    tags=("programs",),
    cites="McKenna and Sheldon 2020, permute-and-flip",
)
def permute_and_flip(noise: Noise, scores: Sequence[Any], *, eps: Any) -> Any:
    r"""The first candidate, in random order, that is accepted: i with probability :math:`e^{-\varepsilon(q^*-q_i)/2}`.

    The flip asks whether an exponential draw of scale :math:`2/\varepsilon` covers the distance to the best score
    :math:`q^*`. The law of the output is that of noisy max with exponential noise.
    """
    best = noise.max(scores)
    rest = list(range(len(scores)))
    while len(rest) > 1:
        i = rest.pop(noise.choice(weights=[1] * len(rest)))
        if noise.exponential(2 / eps) >= best - scores[i]:
            return i
    return rest[0]


permute_and_flip.also(
    data=Answers(moves="up", values=(0, 1, 2), size=3), claim=lambda eps: PureDP(eps / 2), notes="monotone scores"
)


@permute_and_flip.twin("no-permutation", tags=("programs",))
def _(noise: Noise, scores: Sequence[Any], *, eps: Any) -> Any:
    """Candidates in the given order: after a candidate with the best score no other is ever reached."""
    best = noise.max(scores)
    for i, score in enumerate(scores):
        if noise.exponential(2 / eps) >= best - score:
            return i
    return None


@permute_and_flip.twin("half-scale", tags=("programs",))
def _(noise: Noise, scores: Sequence[Any], *, eps: Any) -> Any:
    r"""Acceptance with probability :math:`e^{-\varepsilon(q^* - q_i)}`, right for scores that all move the same way."""
    best = noise.max(scores)
    rest = list(range(len(scores)))
    while len(rest) > 1:
        i = rest.pop(noise.choice(weights=[1] * len(rest)))
        if noise.exponential(1 / eps) >= best - scores[i]:
            return i
    return rest[0]
