"""Report noisy max and noisy min: which of several answers is the largest or the smallest.

Independent noise is added to every answer; only the index of the winner is released. What is safe to say about the
winner's own value is in `dpwitness.mechanisms.selection`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.core import Answers, PureDP, mechanism
from dpwitness.core.noise import Noise


@mechanism(
    data=Answers(moves="all", by=1),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1},
    tags=("programs", "checkdp", "statdp", "dipc"),
    cites="Dwork and Roth 2014, section 3.3; Wang et al. 2020 (CheckDP); Ding et al. 2018 (StatDP)",
)
def report_noisy_max(noise: Noise, counts: Sequence[Any], *, eps: Any) -> Any:
    r"""Index of the largest :math:`c_i + \mathrm{Lap}(2/\varepsilon)`."""
    return noise.argmax([c + noise.laplace(2 / eps) for c in counts])


# The winner w keeps its place if its noise grows by max_j d_j - d_w: at most 2, but at most 1 where all answers move
# the same way or only one moves.
report_noisy_max.also(data=Answers(moves="up"), claim=lambda eps: PureDP(eps / 2), notes="monotone answers")
report_noisy_max.also(data=Answers(moves="one"), claim=lambda eps: PureDP(eps / 2), notes="one answer moves")
report_noisy_max.also(
    data=Answers(values=(-1, 0, 1), size=3), claim=lambda eps: PureDP(eps), notes="the finite inputs of DiPC"
)


@report_noisy_max.twin("releases-the-value", tags=("programs", "checkdp", "statdp", "dipc"))
def _(noise: Noise, counts: Sequence[Any], *, eps: Any) -> Any:
    """The largest noisy count itself: every count that is not the largest is charged too."""
    return noise.max([c + noise.laplace(2 / eps) for c in counts])


@report_noisy_max.twin("half-scale", tags=("programs",))
def _(noise: Noise, counts: Sequence[Any], *, eps: Any) -> Any:
    r"""Noise :math:`\mathrm{Lap}(1/\varepsilon)`, which is enough for monotone counts only."""
    return noise.argmax([c + noise.laplace(1 / eps) for c in counts])


@report_noisy_max.twin("noise-after-selection", tags=("programs",))
def _(noise: Noise, counts: Sequence[Any], *, eps: Any) -> Any:
    """The index of the true maximum with a noisy value: the selection itself is not protected."""
    winner = noise.argmax(counts)
    return winner, counts[winner] + noise.laplace(2 / eps)


@report_noisy_max.twin("releases-index-and-value", tags=("programs",))
def _(noise: Noise, counts: Sequence[Any], *, eps: Any) -> Any:
    """The winner's index together with the noisy count that won."""
    noisy = [c + noise.laplace(2 / eps) for c in counts]
    winner = noise.argmax(noisy)
    return winner, noisy[winner]


@mechanism(
    data=Answers(moves="all", by=1),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1},
    tags=("programs", "statdp"),
    cites="Dwork and Roth 2014, section 3.3; Ding et al. 2018 (StatDP), noisy max",
)
def noisy_max_exponential(noise: Noise, counts: Sequence[Any], *, eps: Any) -> Any:
    r"""Index of the largest :math:`c_i + \mathrm{Exp}(2/\varepsilon)`, noise on one side only."""
    return noise.argmax([c + noise.exponential(2 / eps) for c in counts])


noisy_max_exponential.also(data=Answers(moves="up"), claim=lambda eps: PureDP(eps / 2), notes="monotone answers")
noisy_max_exponential.also(data=Answers(moves="one"), claim=lambda eps: PureDP(eps / 2), notes="one answer moves")


@noisy_max_exponential.twin("releases-the-value", tags=("programs", "statdp"))
def _(noise: Noise, counts: Sequence[Any], *, eps: Any) -> Any:
    """The largest noisy count itself, which is never below the largest count."""
    return noise.max([c + noise.exponential(2 / eps) for c in counts])


@noisy_max_exponential.twin("half-scale", tags=("programs",))
def _(noise: Noise, counts: Sequence[Any], *, eps: Any) -> Any:
    r"""Noise :math:`\mathrm{Exp}(1/\varepsilon)`, which is enough for monotone counts only."""
    return noise.argmax([c + noise.exponential(1 / eps) for c in counts])


@mechanism(
    data=Answers(moves="all", by=1),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1},
    tags=("programs", "dipc"),
    cites="Bhusal et al. 2025, noisy min",
)
def report_noisy_min(noise: Noise, costs: Sequence[Any], *, eps: Any) -> Any:
    r"""Index of the smallest :math:`c_i + \mathrm{Lap}(2/\varepsilon)`."""
    return noise.argmax([-(c + noise.laplace(2 / eps)) for c in costs])


report_noisy_min.also(data=Answers(moves="up"), claim=lambda eps: PureDP(eps / 2), notes="monotone answers")
report_noisy_min.also(
    data=Answers(values=(-1, 0, 1), size=3), claim=lambda eps: PureDP(eps), notes="the finite inputs of DiPC"
)


@report_noisy_min.twin("one-draw-for-all", tags=("programs",))
def _(noise: Noise, costs: Sequence[Any], *, eps: Any) -> Any:
    """One draw added to every cost, which leaves their order as it was."""
    shared = noise.laplace(2 / eps)
    return noise.argmax([-(c + shared) for c in costs])


@mechanism(
    data=Answers(moves="all", by=1),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1},
    tags=("programs",),
    cites="Zhang and Kifer 2017 (LightDP), noisy max as a loop",
)
def running_noisy_max(noise: Noise, counts: Sequence[Any], *, eps: Any) -> Any:
    r"""Index of the largest :math:`c_i + \mathrm{Lap}(2/\varepsilon)`, found in one pass over the counts."""
    winner = 0
    best = 0
    for i, c in enumerate(counts):
        value = c + noise.laplace(2 / eps)
        if i == 0 or value > best:
            winner = i
            best = value
    return winner


@running_noisy_max.twin(
    "announces-records", tags=("programs",), cites="Chadha, Sistla and Viswanathan 2021, leaking cycle"
)
def _(noise: Noise, counts: Sequence[Any], *, eps: Any) -> Any:
    """Whether each noisy count beats all earlier ones: the stored maximum is tested and replaced again and again."""
    records = []
    best = 0
    for i, c in enumerate(counts):
        value = c + noise.laplace(2 / eps)
        if i == 0 or value > best:
            records.append(True)
            best = value
        else:
            records.append(False)
    return records
