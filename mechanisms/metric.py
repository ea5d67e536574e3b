"""Noise in a metric space: the density of an output falls exponentially with its distance to the true value.

With f of sensitivity S in the metric d, :math:`h(y) \\propto e^{-\\varepsilon d(y, f(x))/(2S)}` is ε-private. Where the
normaliser does not depend on f(x) the factor 2 can go.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

from dpwitness.core import Answers, Interval, Proved, PureDP, Records, exp, log, mechanism, sqrt
from dpwitness.core.noise import Noise

PEOPLE = 4
CORNERS = tuple(product((0, 1), repeat=3))
CITES = "Dwork, McSherry, Nissim and Smith 2006, section 3.3"


@mechanism(
    data=Records((0, 1), PEOPLE),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1},
    tags=("sources", "metric", "finite"),
    cites=CITES,
)
def metric_on_a_path(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    r"""A count in {0, ..., n} with the distance :math:`|y - z|`: :math:`P[y] \propto e^{-\varepsilon|y-f(x)|/2}`."""
    count = sum(data)
    return noise.choice(log_weights=[-eps * abs(y - count) / 2 for y in range(PEOPLE + 1)])


@metric_on_a_path.twin("without-the-factor-two", tags=("sources", "metric", "finite"), notes="the path has ends")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The factor 2 is dropped although the normaliser is smaller at the ends of the path."""
    count = sum(data)
    return noise.choice(log_weights=[-eps * abs(y - count) for y in range(PEOPLE + 1)])


@metric_on_a_path.twin("squared-distance", tags=("metric", "finite"), notes="no triangle inequality")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The squared distance is not a metric: far away it moves by much more than 1."""
    count = sum(data)
    return noise.choice(log_weights=[-eps * (y - count) ** 2 / 2 for y in range(PEOPLE + 1)])


def _around(y: Any, z: Any, length: int) -> Any:
    """Distance on a cycle."""
    return min((y - z) % length, (z - y) % length)


@mechanism(
    data=Records((0, 1), PEOPLE),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1},
    tags=("sources", "metric", "finite"),
    cites=CITES,
)
def metric_on_a_cycle(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    r"""A count modulo 5 with the distance around the cycle; every point looks alike, so the factor 2 is not needed."""
    count = sum(data) % 5
    return noise.choice(log_weights=[-eps * _around(y, count, 5) for y in range(5)])


@metric_on_a_cycle.twin("missing-point", tags=("metric", "finite"), notes="less weight lies near the gap")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """One point of the cycle cannot be given as output, and the factor 2 is not put back."""
    count = sum(data) % 5
    return noise.choice(log_weights=[-eps * _around(y, count, 5) for y in range(4)])


@mechanism(
    data=Records((0, 1), 3),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1},
    tags=("sources", "metric", "finite"),
    cites=CITES,
)
def metric_on_a_cube(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    r"""The database itself, by Hamming distance, without factor 2: :math:`P[y] \propto e^{-\varepsilon d_H(y,x)}`."""
    distances = [sum(int(a != b) for a, b in zip(y, data, strict=True)) for y in CORNERS]
    return CORNERS[noise.choice(log_weights=[-eps * d for d in distances])]


@metric_on_a_cube.twin("distance-in-pairs", tags=("metric", "finite"), notes="one record moves two of the comparisons")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The distance counts neighbouring pairs that differ, and is taken to move by 1."""
    near = [(0, 1), (1, 2), (2, 0)]
    distances = [sum(int((y[i], y[j]) != (data[i], data[j])) for i, j in near) for y in CORNERS]
    return CORNERS[noise.choice(log_weights=[-eps * d for d in distances])]


@mechanism(
    data=Answers("one", 1, size=1),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1},
    tags=("sources", "metric", "laplace"),
    cites=CITES,
)
def metric_on_the_line(noise: Noise, answers: Sequence[Any], *, eps: Any) -> Any:
    r"""A real number; all points of ℝ look alike, and without the factor 2 this is the Laplace mechanism."""
    return answers[0] + noise.laplace(1 / eps)


@metric_on_the_line.twin(
    "with-the-factor-two", expected=Proved, claim=lambda eps: [PureDP(eps), PureDP(eps / 2)],
    tags=("sources", "metric", "laplace"),
)  # fmt: skip
def _(noise: Noise, answers: Sequence[Any], *, eps: Any) -> Any:
    """The factor 2 kept where it is not needed: twice the noise, and ε/2 holds."""
    return answers[0] + noise.laplace(2 / eps)


@metric_on_the_line.twin("squared-distance", tags=("metric", "gaussian"), notes="the loss has no bound")
def _(noise: Noise, answers: Sequence[Any], *, eps: Any) -> Any:
    r"""The squared distance is not a metric: :math:`h(y) \propto e^{-\varepsilon(y-f)^2/2}` is normal noise."""
    return answers[0] + noise.gaussian(1 / sqrt(eps))


def _inside_the_unit(noise: Noise, centre: Any, rate: Any) -> Any:
    r"""A draw with density proportional to :math:`e^{-r|y-c|}` on [0, 1]: first the side, then the place on it."""
    below, above = 1 - exp(-rate * centre), 1 - exp(-rate * (1 - centre))
    if noise.bernoulli(below / (below + above)):
        return centre + log(1 - below * noise.uniform()) / rate
    return centre - log(1 - above * noise.uniform()) / rate


@mechanism(
    data=Records(Interval(0, 1), PEOPLE, examples=[((0, 0, 0, 0), (1, 0, 0, 0))]),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1},
    tags=("sources", "metric"),
    cites=CITES,
)
def metric_on_the_unit(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    r"""The mean of n numbers in [0, 1], kept in [0, 1]: :math:`h(y) \propto e^{-\varepsilon n|y-f(x)|/2}`."""
    n = len(data)
    return _inside_the_unit(noise, sum(data) / n, eps * n / 2)


@metric_on_the_unit.twin(
    "without-the-factor-two", tags=("sources", "metric"), notes="at means 0 and 1/4 the loss is 1.477 for ε = 1"
)
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The factor 2 is dropped although the normaliser is smaller at the ends of the interval."""
    n = len(data)
    return _inside_the_unit(noise, sum(data) / n, eps * n)


@metric_on_the_unit.twin(
    "one-record-without-the-factor-two", expected=Proved, data=Records(Interval(0, 1), 1), tags=("sources", "metric"),
    notes="e^{εf} Z(f) grows by exactly e^ε from f = 0 to f = 1, where Z is the normaliser",
)  # fmt: skip
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """For a single record, where neighbours are any two points of [0, 1], the factor 2 is not needed."""
    return _inside_the_unit(noise, data[0], eps)
