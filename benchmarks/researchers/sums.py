"""Sums, counts, means and moments: what a survey or a telemetry service publishes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness import ZCDP, Answers, ApproxDP, Box, Exact, GaussianDP, Interval, PureDP, Records, mechanism, sqrt
from dpwitness.core.noise import Noise

UNIT = Records(Interval(0, 1), 5, "add-remove")
REAL = Records(Interval(-100, 100), 5, "add-remove")
SWAP = Records(Interval(0, 1), 5)
PLANE = Records(Box((0, 1), (0, 1)), 4, "add-remove")
GROUPS = Records(Box((0, 1), (-5, 5)), 4, "add-remove")
ONE = {"eps": 1}


@mechanism(data=REAL, claim=lambda eps: PureDP(eps), typical=ONE, cites="Dwork and Roth 2014, section 3.3")
def mean_by_a_loop(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """Sum and count in one loop over the records, each with half of the budget."""
    total = 0
    count = 0
    for x in data:
        y = min(max(x, -10), 10)
        total += y
        count += 1
    noisy = total + noise.laplace(20 / eps)
    return noisy / max(count + noise.laplace(2 / eps), 1)


@mean_by_a_loop.twin("scale-of-the-range-forgotten")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The noise is that of records clipped to 5."""
    total = sum(min(max(x, -10), 10) for x in data)
    return (total + noise.laplace(10 / eps)) / max(len(data) + noise.laplace(2 / eps), 1)


@mechanism(data=UNIT, claim=lambda eps: PureDP(eps), typical=ONE, cites="Smith 2011, section 1")
def variance(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """Count, sum and sum of squares, a third of the budget each; nothing where the noisy count is small."""
    n = len(data) + noise.laplace(3 / eps)
    s = sum(data) + noise.laplace(3 / eps)
    q = sum(x * x for x in data) + noise.laplace(3 / eps)
    if n < 1:
        return 0.0
    return q / n - (s / n) ** 2


@variance.twin("two-of-three")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """Three releases, each with half of the budget."""
    n = len(data) + noise.laplace(2 / eps)
    s = sum(data) + noise.laplace(2 / eps)
    q = sum(x * x for x in data) + noise.laplace(2 / eps)
    return n, s, q


@mechanism(data=SWAP, claim=lambda eps: PureDP(eps), typical=ONE, cites="Dwork et al. 2006, section 3")
def mean_of_known_size(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The mean where the number of records is public: scale 1/(nε)."""
    n = len(data)
    return sum(data) / n + noise.laplace(1 / (n * eps))


@mean_of_known_size.twin("scale-of-a-larger-sample")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The scale of twice as many records."""
    n = len(data)
    return sum(data) / n + noise.laplace(1 / (2 * n * eps))


@mechanism(data=GROUPS, claim=lambda eps: PureDP(eps), typical=ONE, cites="McSherry 2009: parallel composition")
def difference_of_group_means(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """Means of two groups told apart by the first coordinate; a record is in one of them."""
    means = []
    for low, high in ((0, Exact(1, 2)), (Exact(1, 2), 2)):
        part = [r[1] for r in data if low <= r[0] < high]
        total = sum(min(max(x, -1), 1) for x in part) + noise.laplace(2 / eps)
        means.append(total / max(len(part) + noise.laplace(2 / eps), 1))
    return means[0] - means[1]


@difference_of_group_means.twin("groups-overlap")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """Records between 1/4 and 1/2 are in both groups."""
    sums = []
    for low, high in ((0, Exact(1, 2)), (Exact(1, 4), 2)):
        part = [r[1] for r in data if low <= r[0] < high]
        sums.append(sum(min(max(x, -1), 1) for x in part) + noise.laplace(1 / eps))
    return sums


@mechanism(data=UNIT, claim=lambda eps: PureDP(eps), typical=ONE, cites="Andrew et al. 2021, simplified")
def clip_at_a_released_level(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """A level is released first; values are clipped there, and the noise is proportional to it."""
    level = max(sum(data) + noise.laplace(2 / eps), Exact(1, 100))
    return sum(min(max(x, 0), level) for x in data) + level * noise.laplace(2 / eps)


@clip_at_a_released_level.twin("noise-forgets-the-level", data=Records(Interval(0, 100), 5, "add-remove"))
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The noise is that of values up to 1."""
    level = max(sum(data) + noise.laplace(200 / eps), Exact(1, 100))
    return sum(min(max(x, 0), level) for x in data) + noise.laplace(2 / eps)


@mechanism(data=REAL, claim=lambda eps: PureDP(eps), typical=ONE, cites="Kaplan, Schnapp and Stemmer 2022, simplified")
def adaptive_clipping(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """Noisy counts below powers of two choose where to clip."""
    bound = 1
    for b in (1, 2, 4, 8, 16, 32):
        below = sum(abs(x) <= b for x in data) + noise.laplace(12 / eps)
        if below < 3:
            bound = 2 * b
    return sum(min(max(x, -bound), bound) for x in data) + noise.laplace(2 * bound / eps)


@adaptive_clipping.twin("noise-of-the-first-bound")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The scale of the sum forgets the bound that was chosen."""
    bound = 1
    for b in (1, 2, 4, 8, 16, 32):
        below = sum(abs(x) <= b for x in data) + noise.laplace(12 / eps)
        if below < 3:
            bound = 2 * b
    return sum(min(max(x, -bound), bound) for x in data) + noise.laplace(2 / eps)


@mechanism(data=PLANE, claim=lambda rho: ZCDP(rho), typical={"rho": "1/2"}, cites="Bun and Steinke 2016")
def covariance(noise: Noise, data: Sequence[Any], *, rho: Any) -> Any:
    """Three second moments of vectors in the unit square, with Gaussian noise."""
    scale = sqrt(Exact(3, 2) / rho)
    a = sum(r[0] * r[0] for r in data) + noise.gaussian(scale)
    b = sum(r[0] * r[1] for r in data) + noise.gaussian(scale)
    c = sum(r[1] * r[1] for r in data) + noise.gaussian(scale)
    return [[a, b], [b, c]]


@covariance.twin("noise-of-one-moment")
def _(noise: Noise, data: Sequence[Any], *, rho: Any) -> Any:
    """Each of the three has the noise of a release of its own."""
    scale = sqrt(Exact(1, 2) / rho)
    a = sum(r[0] * r[0] for r in data) + noise.gaussian(scale)
    b = sum(r[0] * r[1] for r in data) + noise.gaussian(scale)
    c = sum(r[1] * r[1] for r in data) + noise.gaussian(scale)
    return [[a, b], [b, c]]


@mechanism(data=PLANE, claim=lambda mu: GaussianDP(mu), typical={"mu": 1}, cites="Dong, Roth and Su 2022")
def federated_average(noise: Noise, data: Sequence[Any], *, mu: Any) -> Any:
    """Vectors of clients clipped to norm 1/2, summed, with Gaussian noise."""
    clipped = [noise.clip([r[0], r[1]], Exact(1, 2)) for r in data]
    return [sum(v[j] for v in clipped) + noise.gaussian(1 / (2 * mu)) for j in range(2)]


@federated_average.twin("clips-each-coordinate")
def _(noise: Noise, data: Sequence[Any], *, mu: Any) -> Any:
    """Each coordinate is clipped to 1/2 by itself: the norm may be larger by √2."""
    clipped = [[noise.clip([r[0]], Exact(1, 2))[0], noise.clip([r[1]], Exact(1, 2))[0]] for r in data]
    return [sum(v[j] for v in clipped) + noise.gaussian(1 / (2 * mu)) for j in range(2)]


@mechanism(data=UNIT, claim=lambda: ApproxDP(1, "1e-5"), typical={}, cites="Balle and Wang 2018")
def pure_count_beside_gaussian_sum(noise: Noise, data: Sequence[Any]) -> Any:
    """A count with Laplace noise of scale 10, and a sum with Gaussian noise of deviation 5."""
    n = len(data) + noise.laplace(10)
    return n, sum(data) + noise.gaussian(5)


@pure_count_beside_gaussian_sum.twin("deviation-of-one")
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """The deviation is a fifth of what it must be."""
    n = len(data) + noise.laplace(10)
    return n, sum(data) + noise.gaussian(1)


@mechanism(data=Answers("one", 1, size=6), claim=lambda eps: PureDP(eps), typical=ONE, cites="Chan, Shi and Song 2011")
def running_sums_with_shared_draws(noise: Noise, steps: Sequence[Any], *, eps: Any) -> Any:
    """All running sums of a stream, each the sum of noisy steps: they share their draws."""
    noisy = [x + noise.laplace(1 / eps) for x in steps]
    return [sum(noisy[: k + 1]) for k in range(len(noisy))]


@running_sums_with_shared_draws.twin("adds-the-total-in-clear")
def _(noise: Noise, steps: Sequence[Any], *, eps: Any) -> Any:
    """The noisy steps and, for checks, the sum without noise."""
    noisy = [x + noise.laplace(1 / eps) for x in steps]
    return noisy, sum(steps)
