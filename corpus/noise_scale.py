"""The noise has the wrong scale: a square too many, a sign, a factor, the inverse."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.core import ZCDP, Answers, ApproxDP, GaussianDP, PureDP, Records
from dpwitness.core.noise import Noise
from dpwitness.corpus.entry import bug, repaired

NUMBER = Answers("all", 1, size=1)
TWO_SCORES = Answers("all", 1, size=2)


@bug(
    "opendp-2911",
    "OpenDP issue 2911",
    "permute-and-flip is given the bound ε²/8 of the exponential mechanism",
    "serious",
    "PA",
    data=TWO_SCORES,
    claim=ZCDP("1/2"),
)
def permute_and_flip(noise: Noise, data: Sequence[Any]) -> Any:
    """Exponential noise chooses as permute-and-flip does; at ε = 2 its divergence is 0.94 at order 1."""
    return noise.argmax([score + noise.exponential(1) for score in data])


@repaired(permute_and_flip)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Gumbel noise: the exponential mechanism, of bounded range."""
    return noise.argmax([score + noise.gumbel(1) for score in data])


@bug(
    "smartnoise-core-316-sign",
    "SmartNoise core pull request 316",
    "a sign in the analytic Gaussian calibration",
    "serious",
    "PA",
    data=NUMBER,
    claim=ApproxDP(1, "0.01"),
)
def wrong_sign(noise: Noise, data: Sequence[Any]) -> Any:
    """σ = (√(1 + v) − √v)/√2 where the difference should be a sum (v = 2.55)."""
    return data[0] + noise.gaussian("0.2021")


@repaired(wrong_sign)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """σ = (√(1 + v) + √v)/√2."""
    return data[0] + noise.gaussian("2.4613")


@bug(
    "smartnoise-core-316-square",
    "SmartNoise core pull request 316",
    "σ is squared on the way to the sampler",
    "serious",
    "PA",
    data=NUMBER,
    claim=GaussianDP(2),
)
def squared_deviation(noise: Noise, data: Sequence[Any]) -> Any:
    """σ = 1/2 becomes 1/4."""
    sigma = 1 / 2
    return data[0] + noise.gaussian(sigma**2)


@repaired(squared_deviation)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """σ as it is."""
    sigma = 1 / 2
    return data[0] + noise.gaussian(sigma)


@bug(
    "tumult-2315028",
    "tumult-core, fixed in 0.10",
    "a sampler of Gaussian noise takes σ² and uses it as σ",
    "serious",
    "PA",
    data=Answers("l2", 1, size=2),
    claim=ZCDP(2),
)
def variance_for_deviation(noise: Noise, data: Sequence[Any]) -> Any:
    """Two sums, each with noise of deviation σ² = 1/4."""
    variance = 1 / 4
    return [x + noise.gaussian(variance) for x in data]


@repaired(variance_for_deviation)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """The root of the variance."""
    return [x + noise.gaussian(1 / 2) for x in data]


@bug(
    "diffprivlib-249a9a3",
    "diffprivlib commit 249a9a3",
    "the scale of the vector mechanism is inverted",
    "serious",
    "PA",
    data=NUMBER,
    claim=PureDP("1/2"),
)
def inverted_scale(noise: Noise, data: Sequence[Any]) -> Any:
    """At ε = 1/2 the scale should be 2 and is 1/2."""
    eps, sensitivity = 1 / 2, 1
    return data[0] + noise.laplace(eps / sensitivity)


@repaired(inverted_scale)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Sensitivity over ε."""
    eps, sensitivity = 1 / 2, 1
    return data[0] + noise.laplace(sensitivity / eps)


@bug(
    "diffprivlib-37df97f",
    "diffprivlib commits 37df97f and 27f6990",
    "the noise of an objective is rescaled twice",
    "serious",
    "PA",
    data=Records((-1, 1), 4),
    claim=PureDP(1),
)
def rescaled_twice(noise: Noise, data: Sequence[Any]) -> Any:
    """The gradient is divided by the number of records, and its noise twice."""
    size = len(data)
    return sum(data) / size + noise.laplace(2) / size / size


@repaired(rescaled_twice)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Noise and gradient are divided together, once."""
    return (sum(data) + noise.laplace(2)) / len(data)


@bug(
    "diffprivlib-25",
    "diffprivlib pull request 25",
    "positive noise: the Wishart mechanism cannot be private",
    "critical",
    "PA",
    data=Records((-1, 0, 1), 3),
    claim=PureDP(1),
)
def positive_noise(noise: Noise, data: Sequence[Any]) -> Any:
    """In one dimension: a sum of squares plus a Gamma variable is never below the sum."""
    return sum(x * x for x in data) + noise.exponential(1)


@repaired(positive_noise)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Noise on both sides."""
    return sum(x * x for x in data) + noise.laplace(1)


@bug(
    "autodp-29",
    "autodp pull request 29 (review)",
    "a dominating pair is built with scale σ² in place of σ",
    "serious",
    "PAK",
    data=NUMBER,
    claim=GaussianDP("1/4"),
)
def accounted_with_variance(noise: Noise, data: Sequence[Any]) -> Any:
    """The accountant takes noise of deviation 2 for noise of deviation 4."""
    return data[0] + noise.gaussian(2)


@repaired(accounted_with_variance, claim=lambda: GaussianDP("1/2"))
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """The same noise with the bound 1/σ."""
    return data[0] + noise.gaussian(2)


@bug(
    "autodp-em",
    "autodp, notes on the exponential mechanism",
    "the exponential mechanism is accounted at ε/2",
    "serious",
    "PAK",
    data=TWO_SCORES,
    claim=PureDP("1/2"),
)
def halved_exponential_mechanism(noise: Noise, data: Sequence[Any]) -> Any:
    """Weights exp(score/2) cost ε = 1 where scores move in both directions."""
    return noise.choice(log_weights=[score / 2 for score in data])


@repaired(halved_exponential_mechanism, claim=lambda: PureDP(1))
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """The same weights, accounted at ε."""
    return noise.choice(log_weights=[score / 2 for score in data])
