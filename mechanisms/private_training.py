"""Training by noisy gradients: samples of the records, clipped gradients, normal noise, many times over.

One step draws each record with probability q, clips its gradient to length C and releases the sum with normal noise of
deviation σC. One record moves the sum by at most C, so a step is a Gaussian mechanism on a random sample, and T steps
are an adaptive composition: the account of T sampled Gaussian steps holds for whatever the gradients are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.core import ApproxDP, Box, Exact, Records, mechanism
from dpwitness.core.noise import Noise

PLANE = Records(Box((-1, 1), (-1, 1)), (0, 6), "add-remove")
RATE, DEVIATION = Exact(1, 2), 5


@mechanism(
    data=PLANE,
    claim=lambda: ApproxDP("3/2", "1e-5"),
    typical={"steps": 10},
    tags=("gaussian", "vector", "subsampling"),
    cites="Abadi, Chu, Goodfellow, McMahan, Mironov, Talwar and Zhang 2016",
)
def noisy_gradient_descent(noise: Noise, data: Sequence[Any], *, steps: Any) -> Any:
    """Ten steps on samples of rate 1/2 with noise of deviation 5: their account gives ε ≤ 1.279 at δ = 1e-5."""
    weights = [0, 0]
    for _ in range(steps):
        batch = noise.subsample(data, RATE)
        gradients = [noise.clip([r[0] * weights[0] - r[1], r[0] * weights[1] + r[1]], 1) for r in batch]
        noisy = [sum(g[j] for g in gradients) + noise.gaussian(DEVIATION) for j in range(2)]
        weights = [weights[j] - noisy[j] / 10 for j in range(2)]
    return weights


@noisy_gradient_descent.twin("not-clipped", claim=lambda: ApproxDP("1/10", "1e-5"))
def _(noise: Noise, data: Sequence[Any], *, steps: Any) -> Any:
    """One step on everybody whose gradients have any length up to √2, accounted as a step on a sample."""
    return [sum(r[j] for r in data) + noise.gaussian(1) for j in range(2)]


@noisy_gradient_descent.twin("noise-over-the-batch-size", claim=lambda: ApproxDP(1, "1e-5"))
def _(noise: Noise, data: Sequence[Any], *, steps: Any) -> Any:
    """The deviation is divided by the expected size of the batch, and the sum is not."""
    batch = noise.subsample(data, Exact(1, 2))
    return [sum(noise.clip([r[0], r[1]], 1)[j] for r in batch) + noise.gaussian(Exact(1, 10)) for j in range(2)]


@noisy_gradient_descent.twin("noise-drawn-once", claim=lambda: ApproxDP(1, "1e-5"))
def _(noise: Noise, data: Sequence[Any], *, steps: Any) -> Any:
    """All steps share their noise, so that the difference of two of them shows the gradients."""
    shared = [noise.gaussian(8), noise.gaussian(8)]
    first = [sum(noise.clip([r[0], r[1]], 1)[j] for r in data) + shared[j] for j in range(2)]
    second = [sum(noise.clip([r[1], r[0]], 1)[j] for r in data) + shared[j] for j in range(2)]
    return [first, second]


@noisy_gradient_descent.twin("releases-the-batch-size", claim=lambda: ApproxDP(1, "1e-5"))
def _(noise: Noise, data: Sequence[Any], *, steps: Any) -> Any:
    """The mean over the batch, of which the size is released as it is."""
    batch = noise.subsample(data, Exact(1, 2))
    return [len(batch), sum(noise.clip([r[0], r[1]], 1)[0] for r in batch) + noise.gaussian(4)]
