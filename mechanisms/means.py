"""The mean of clipped values where records come and go: a noisy sum over a noisy count.

With values clipped to [0, 1], half of the budget goes to the count, n + Lap(2/ε), and half to the sum. The mean is the
sum over the count, plus noise of scale 2/(ε·count). Both the count under the sum and the count in the scale must be the
noisy one: a program with the true count in either place leaks it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.core import ApproxDP, Exact, Interval, PureDP, Records, log, mechanism, real, sqrt
from dpwitness.core.noise import Noise

EDGES = [((0,), (0, 1)), ((0, 0), (0, 0, 1)), ((0, 0), (0, 0, 0))]
PEOPLE = Records(Interval(-1, 2), (1, 5), "add-remove", examples=EDGES)
LEAST = Exact(1, 1000)  # a noisy count is not allowed to fall below this
CITES = "Kong, Muñoz Medina, Ribero and Syed 2024, section 5"


def _clipped_sum(data: Sequence[Any]) -> Any:
    return sum(min(max(x, 0), 1) for x in data)


def _noisy_count(noise: Noise, data: Sequence[Any], eps: Any) -> Any:
    return noise.max([len(data) + noise.laplace(2 / eps), LEAST])


@mechanism(
    data=PEOPLE,
    claim=lambda eps: PureDP(eps),
    typical={"eps": "1/10"},
    tags=("mean", "laplace", "audit"),
    cites=CITES,
)
def clipped_mean(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    r"""Laplace noise on count and sum: :math:`\tilde n = n + \mathrm{Lap}(2/\varepsilon)`, then the noisy mean.

    .. math:: \frac{1}{\tilde n}\sum_i [x_i]_0^1 + \frac{2}{\varepsilon\tilde n} \mathrm{Lap}(1)
    """
    count = _noisy_count(noise, data, eps)
    return _clipped_sum(data) / count + 2 / (eps * count) * noise.laplace(1)


@clipped_mean.twin(
    "exact-count-in-the-mean", domains={"eps": real(above=0, below="5/4")}, tags=("mean", "laplace", "audit"),
    notes="means 0 and 1/2 of one and two records lose more than 0.8 however small ε is",
)  # fmt: skip
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The sum is divided by the true count; only the scale uses the noisy one."""
    count = _noisy_count(noise, data, eps)
    return _clipped_sum(data) / len(data) + 2 / (eps * count) * noise.laplace(1)


@clipped_mean.twin("exact-count-in-the-scale", tags=("mean", "laplace", "audit"), notes="scales of neighbours differ")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The scale of the noise uses the true count; only the mean uses the noisy one."""
    count = _noisy_count(noise, data, eps)
    return _clipped_sum(data) / count + 2 / (eps * len(data)) * noise.laplace(1)


@clipped_mean.twin("exact-counts", tags=("mean", "laplace", "audit"), notes="scales of neighbours differ")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The true count is used twice."""
    return _clipped_sum(data) / len(data) + noise.laplace(2 / (eps * len(data)))


@clipped_mean.twin("half-the-noise", tags=("mean", "laplace", "audit"), notes="the loss is 2ε, in the lower tail")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """Count and sum each get the noise of the whole budget."""
    count = noise.max([len(data) + noise.laplace(1 / eps), LEAST])
    return _clipped_sum(data) / count + 1 / (eps * count) * noise.laplace(1)


@clipped_mean.twin("not-clipped", tags=("mean", "laplace"), notes="a record of 2 moves the sum by 2: the loss is 3ε/2")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The values are not clipped, and the noise is that of clipped ones."""
    count = _noisy_count(noise, data, eps)
    return sum(data) / count + 2 / (eps * count) * noise.laplace(1)


@mechanism(
    data=PEOPLE,
    claim=lambda eps, delta: ApproxDP(eps, delta),
    typical={"eps": "1/10", "delta": "1e-5"},
    domains={"eps": real(above=0, below=2)},
    tags=("mean", "gaussian", "audit", "approximate"),
    cites=CITES,
)
def gaussian_clipped_mean(noise: Noise, data: Sequence[Any], *, eps: Any, delta: Any) -> Any:
    r"""Laplace noise on the count, normal noise of deviation :math:`\sigma/\tilde n` on the mean.

    .. math:: \sigma = \frac{2}{\varepsilon}\sqrt{2\ln(1.25/\delta)}
    """
    sigma = 2 / eps * sqrt(2 * log(Exact(5, 4) / delta))
    count = _noisy_count(noise, data, eps)
    return _clipped_sum(data) / count + sigma / count * noise.gaussian(1)


@gaussian_clipped_mean.twin(
    "exact-count-in-the-mean", domains={"eps": real(above=0, below="1/5")}, tags=("mean", "gaussian", "audit"),
    notes="δ(1/10) is 0.011 for means 0 and 1/2 of one and two records; the leak is hidden by the noise at large ε",
)  # fmt: skip
def _(noise: Noise, data: Sequence[Any], *, eps: Any, delta: Any) -> Any:
    """The sum is divided by the true count; only the deviation uses the noisy one."""
    sigma = 2 / eps * sqrt(2 * log(Exact(5, 4) / delta))
    count = _noisy_count(noise, data, eps)
    return _clipped_sum(data) / len(data) + sigma / count * noise.gaussian(1)


@gaussian_clipped_mean.twin(
    "exact-count-in-the-scale", tags=("mean", "gaussian", "audit"), notes="deviations of neighbours differ"
)
def _(noise: Noise, data: Sequence[Any], *, eps: Any, delta: Any) -> Any:
    """The deviation uses the true count; only the mean uses the noisy one."""
    sigma = 2 / eps * sqrt(2 * log(Exact(5, 4) / delta))
    count = _noisy_count(noise, data, eps)
    return _clipped_sum(data) / count + sigma / len(data) * noise.gaussian(1)


@gaussian_clipped_mean.twin("exact-counts", tags=("mean", "gaussian", "audit"), notes="deviations of neighbours differ")
def _(noise: Noise, data: Sequence[Any], *, eps: Any, delta: Any) -> Any:
    """The true count is used twice."""
    sigma = 2 / eps * sqrt(2 * log(Exact(5, 4) / delta))
    return _clipped_sum(data) / len(data) + noise.gaussian(sigma / len(data))
