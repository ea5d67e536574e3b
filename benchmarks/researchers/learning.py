"""Learning: gradient descent, regression, clustering, naive Bayes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dpwitness import ZCDP, ApproxDP, Box, Exact, Interval, PureDP, Records, mechanism, sqrt
from dpwitness.core.noise import Noise

UNIT = Records(Interval(0, 1), 5, "add-remove")
PLANE = Records(Box((-1, 1), (-1, 1)), 4, "add-remove")
POINTS = Records(Box((0, 1), (0, 1)), 4, "add-remove")
SWAPPED = Records(Box((0, 1), (0, 1)), 4)
LABELLED = Records(tuple((a, b, y) for a in (0, 1) for b in (0, 1) for y in (0, 1)), 4, "add-remove")
ONE = {"eps": 1}


def solve(moments: Sequence[float]) -> list[float]:
    """Slope and intercept from noisy moments n, Σx, Σy, Σx², Σxy."""
    n, x, y, xx, xy = moments
    matrix = np.array([[max(xx, 0.0) + 0.1, x], [x, max(n, 1.0) + 0.1]])
    found = np.linalg.lstsq(matrix, np.array([xy, y]), rcond=None)[0]
    return [float(v) for v in found]


def nearest(values: Sequence[float]) -> float:
    """The largest of some probabilities, between 0 and 1."""
    return float(min(1.0, max(0.0, np.max(values))))


@mechanism(data=UNIT, claim=lambda eps: PureDP(eps), typical={"eps": 1, "steps": 2}, cites="Blum et al. 2005")
def k_means_on_a_line(noise: Noise, data: Sequence[Any], *, eps: Any, steps: Any) -> Any:
    """Two centres: noisy sums and counts on each side of the middle, step by step."""
    left = Exact(1, 4)
    right = Exact(3, 4)
    for _ in range(steps):
        middle = (left + right) / 2
        low = sum(x for x in data if x < middle) + noise.laplace(4 * steps / eps)
        high = sum(x for x in data if x >= middle) + noise.laplace(4 * steps / eps)
        fewer = sum(x < middle for x in data) + noise.laplace(4 * steps / eps)
        more = sum(x >= middle for x in data) + noise.laplace(4 * steps / eps)
        left = low / max(fewer, 1)
        right = high / max(more, 1)
    return left, right


@k_means_on_a_line.twin("steps-not-counted")
def _(noise: Noise, data: Sequence[Any], *, eps: Any, steps: Any) -> Any:
    """Each step has the noise of one, for sums and counts of both sides."""
    out = []
    for k in range(steps):
        middle = Exact(1, 2) - Exact(k, 10)
        out.append(sum(x for x in data if x < middle) + noise.laplace(1 / eps))
        out.append(sum(x < middle for x in data) + noise.laplace(1 / eps))
    return out


@mechanism(data=PLANE, claim=lambda: ApproxDP(1, "1e-5"), typical={"steps": 10}, cites="Abadi et al. 2016")
def dp_sgd(noise: Noise, data: Sequence[Any], *, steps: Any) -> Any:
    """Logistic-like regression by sampled, clipped and noised gradients."""
    w = [0, 0]
    for _ in range(steps):
        batch = noise.subsample(data, Exact(1, 100))
        gradients = [noise.clip([r[0] * w[0] - r[1], r[0] * w[1] + r[1]], 1) for r in batch]
        noisy = [sum(g[j] for g in gradients) + noise.gaussian(2) for j in range(2)]
        w = [w[j] - noisy[j] / 10 for j in range(2)]
    return w


@dp_sgd.twin("noise-of-a-hundredth")
def _(noise: Noise, data: Sequence[Any], *, steps: Any) -> Any:
    """The deviation is divided by the rate of the sample as well."""
    out = []
    for _ in range(steps):
        batch = noise.subsample(data, Exact(1, 2))
        gradients = [noise.clip([r[0], r[1]], 1) for r in batch]
        out.append([sum(g[j] for g in gradients) + noise.gaussian(Exact(1, 5)) for j in range(2)])
    return out


@mechanism(data=PLANE, claim=lambda rho: ZCDP(rho), typical={"rho": "1/2", "steps": 4},
           cites="Bassily, Smith and Thakurta 2014, with zCDP")  # fmt: skip
def full_batch_descent(noise: Noise, data: Sequence[Any], *, rho: Any, steps: Any) -> Any:
    """Gradients of all records clipped to norm 1, a share of ρ for each step."""
    w = [0, 0]
    scale = sqrt(steps / (2 * rho))
    for _ in range(steps):
        gradients = [noise.clip([r[0] * w[0] - r[1], r[0] * w[1] + r[1]], 1) for r in data]
        w = [w[j] - (sum(g[j] for g in gradients) + noise.gaussian(scale)) / 5 for j in range(2)]
    return w


@full_batch_descent.twin("steps-not-counted")
def _(noise: Noise, data: Sequence[Any], *, rho: Any, steps: Any) -> Any:
    """Every step has the noise of one, and its gradients are shown."""
    out = []
    for _ in range(steps):
        gradients = [noise.clip([r[0], r[1]], 1) for r in data]
        out.append([sum(g[j] for g in gradients) + noise.gaussian(sqrt(1 / (2 * rho))) for j in range(2)])
    return out


@mechanism(data=POINTS, claim=lambda eps: PureDP(eps), typical=ONE, cites="Foulds et al. 2016: moments of a regression")
def regression_from_moments(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """A line fitted to five noisy moments by a solver of numpy."""
    n = len(data) + noise.laplace(5 / eps)
    x = sum(r[0] for r in data) + noise.laplace(5 / eps)
    y = sum(r[1] for r in data) + noise.laplace(5 / eps)
    xx = sum(r[0] * r[0] for r in data) + noise.laplace(5 / eps)
    xy = sum(r[0] * r[1] for r in data) + noise.laplace(5 / eps)
    return noise.postprocess(solve, [n, x, y, xx, xy], size=2)


@regression_from_moments.twin("five-moments-at-one-scale")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """Each moment has the noise of the whole budget."""
    n = len(data) + noise.laplace(1 / eps)
    x = sum(r[0] for r in data) + noise.laplace(1 / eps)
    y = sum(r[1] for r in data) + noise.laplace(1 / eps)
    return n, x, y


@mechanism(data=SWAPPED, claim=lambda eps: PureDP(eps), typical=ONE, cites="Alabi et al. 2022, with a public size")
def slope_through_the_origin(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The ratio of two noisy sums where the number of records is public."""
    xy = sum(r[0] * r[1] for r in data) + noise.laplace(2 / eps)
    xx = sum(r[0] * r[0] for r in data) + noise.laplace(2 / eps)
    return xy / max(xx, Exact(1, 10))


@slope_through_the_origin.twin("denominator-in-clear")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The sum of squares has no noise."""
    return (sum(r[0] * r[1] for r in data) + noise.laplace(1 / eps)) / (sum(r[0] * r[0] for r in data) + 1)


@mechanism(data=LABELLED, claim=lambda eps: PureDP(eps), typical=ONE, cites="Vaidya et al. 2013")
def naive_bayes(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """Counts of labels, and of two attributes given the label, a third of the budget each."""
    prior = [sum(r[2] == y for r in data) + noise.laplace(3 / eps) for y in (0, 1)]
    given = []
    for k in range(2):
        for y in (0, 1):
            ones = sum(r[k] == 1 and r[2] == y for r in data) + noise.laplace(3 / eps)
            given.append(noise.postprocess(nearest, [ones / max(prior[y], 1)]))
    return prior, given


@naive_bayes.twin("attributes-at-half")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """Three releases with the noise of one."""
    prior = [sum(r[2] == y for r in data) + noise.laplace(1 / eps) for y in (0, 1)]
    return prior, [
        sum(r[k] == 1 and r[2] == y for r in data) + noise.laplace(1 / eps) for k in range(2) for y in (0, 1)
    ]


@mechanism(data=Records(Interval(0, 1), 4, "add-remove"), claim=lambda eps: PureDP(eps), typical={"eps": "1/2"},
           cites="Kasiviswanathan et al. 2011: sampling amplifies")  # fmt: skip
def bins_of_a_sample(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """A histogram of a Poisson sample of rate 1/4: ln(1 + (e − 1)/4) is below 1/2."""
    sample = noise.subsample(data, Exact(1, 4))
    return [sum(Exact(k, 4) <= x < Exact(k + 1, 4) for x in sample) + noise.laplace(1) for k in range(4)]


@bins_of_a_sample.twin("sample-of-nearly-all")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """At a rate of 9/10 the sample hides hardly anything."""
    sample = noise.subsample(data, Exact(9, 10))
    return [sum(Exact(k, 4) <= x < Exact(k + 1, 4) for x in sample) + noise.laplace(1) for k in range(4)]


@mechanism(
    data=PLANE, claim=lambda eps: PureDP(eps), typical=ONE, cites="Chaudhuri and Monteleoni 2008, by ℓ1 clipping"
)
def laplace_gradient(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """One gradient clipped in ℓ1 norm, with Laplace noise on its coordinates."""
    gradients = [noise.clip([r[0], r[1]], 1, norm=1) for r in data]
    return [sum(g[j] for g in gradients) + noise.laplace(1 / eps) for j in range(2)]


@laplace_gradient.twin("clipped-in-the-other-norm")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """An ℓ2 norm of 1 is an ℓ1 norm of up to √2."""
    gradients = [noise.clip([r[0], r[1]], 1) for r in data]
    return [sum(g[j] for g in gradients) + noise.laplace(1 / eps) for j in range(2)]
