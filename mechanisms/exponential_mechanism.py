"""The exponential mechanism: a candidate is chosen with probability exponential in its score.

With scores that move by at most 1, :math:`P[y] \\propto e^{\\varepsilon s(y)/2}` is ε-private: the weight and the
normaliser each move by a factor of at most :math:`e^{\\varepsilon/2}`. Where all scores move the same way, ε/2 holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.core import Answers, Proved, PureDP, Records, mechanism
from dpwitness.core.noise import Noise

VALUES = (0, 1, 2, 3)
TAGS = ("exponential-mechanism", "finite")


@mechanism(
    data=Answers("all", 1, size=3, values=(0, 1, 2)),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1},
    tags=("sources", *TAGS),
    cites="McSherry and Talwar 2007, theorem 6",
)
def exponential_mechanism(noise: Noise, scores: Sequence[Any], *, eps: Any) -> Any:
    r"""The index of a candidate, by its score: :math:`P[i] \propto e^{\varepsilon s_i/2}`."""
    return noise.choice(log_weights=[eps * s / 2 for s in scores])


exponential_mechanism.also(data=Answers("up", 1, size=3, values=(0, 1, 2)), claim=lambda eps: PureDP(eps / 2))


@exponential_mechanism.twin("without-the-factor-two", tags=TAGS, notes="scores (0, 2, 2) and (1, 1, 1)")
def _(noise: Noise, scores: Sequence[Any], *, eps: Any) -> Any:
    r"""The normaliser is forgotten: :math:`P[i] \propto e^{\varepsilon s_i}`."""
    return noise.choice(log_weights=[eps * s for s in scores])


@mechanism(
    data=Records(VALUES, 3),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1},
    tags=TAGS,
    cites="Dwork and Roth 2014, section 3.4",
)
def private_mode(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The most frequent value: the score of a value is its count."""
    return noise.choice(log_weights=[eps * data.count(v) / 2 for v in VALUES])


private_mode.also(data=Records(VALUES, 3, "add-remove"), claim=lambda eps: PureDP(eps / 2), notes="one count moves")


@private_mode.twin("without-the-factor-two", tags=TAGS, notes="right where records come and go")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The factor that suffices when one count moves, used where two counts move in opposite ways."""
    return noise.choice(log_weights=[eps * data.count(v) for v in VALUES])


private_mode.twins[-1].also(data=Records(VALUES, 3, "add-remove"), claim=lambda eps: PureDP(eps), expected=Proved)


@mechanism(
    data=Records(VALUES, 3),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1},
    tags=("sources", *TAGS, "median"),
    cites="Blum, A brief tour of differential privacy; McSherry and Talwar 2007",
)
def exponential_median(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    r"""A median, by rank: the score of y is :math:`-\tfrac12 |\#\{x_i<y\} - \#\{x_i>y\}|`, which moves by at most 1."""
    gaps = [abs(sum(x < y for x in data) - sum(x > y for x in data)) for y in VALUES]
    return noise.choice(log_weights=[-eps * gap / 4 for gap in gaps])


exponential_median.also(data=Records(VALUES, 3, "add-remove"), claim=lambda eps: PureDP(eps / 2))


@exponential_median.twin("scored-by-distance", tags=(*TAGS, "median"), notes="the median jumps by 3, not by 1")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The score is minus the distance to the median, taken to move by at most 1."""
    middle = sorted(data)[len(data) // 2]
    return noise.choice(log_weights=[-eps * abs(y - middle) / 2 for y in VALUES])
