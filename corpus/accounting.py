"""The claim comes from an accountant that is wrong: each program is right, and its ε is not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.core import Answers, ApproxDP, GaussianDP, PureDP, Records
from dpwitness.core.noise import Noise
from dpwitness.corpus.entry import bug, repaired

NUMBER = Answers("all", 1, size=1)


@bug(
    "smartnoise-621",
    "SmartNoise SDK issue 621",
    "the odometer lacks a logarithm",
    "serious",
    "PAK",
    data=NUMBER,
    claim=ApproxDP("1.92", "0.001"),
)
def missing_logarithm(noise: Noise, data: Sequence[Any]) -> Any:
    """ρ + 2·√ρ in place of ρ + 2·√(ρ·ln(1/δ)), at ρ = 1/2."""
    return data[0] + noise.gaussian(1)


@repaired(missing_logarithm, claim=lambda: ApproxDP("4.22", "0.001"))
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """With the logarithm."""
    return data[0] + noise.gaussian(1)


@bug(
    "opendp-621",
    "OpenDP issue 621",
    "a conversion from zCDP returns negative ε for a large δ",
    "theoretical",
    "PK",
    data=NUMBER,
    claim=ApproxDP(0, "0.3"),
)
def negative_epsilon(noise: Noise, data: Sequence[Any]) -> Any:
    """A negative ε is cut to 0; δ(0) of this noise is 0.38."""
    return data[0] + noise.gaussian(1)


@repaired(negative_epsilon, claim=lambda: ApproxDP(0, "0.39"))
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """A δ that suffices at ε = 0."""
    return data[0] + noise.gaussian(1)


@bug(
    "dp-accounting-0e99a6f",
    "dp_accounting commit 0e99a6f",
    "a loss distribution is built for one order of the neighbours",
    "serious",
    "PAK",
    data=Records((0, 1), (0, 1), "add-remove"),
    claim=PureDP("0.6"),
)
def one_direction(noise: Noise, data: Sequence[Any]) -> Any:
    """ln(0.9/0.5) = 0.59 in one direction, ln(0.5/0.1) = 1.61 in the other."""
    return noise.bernoulli(1 / 2 if len(data) else 1 / 10)


@repaired(one_direction, claim=lambda: PureDP("1.61"))
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """The larger of the two."""
    return noise.bernoulli(1 / 2 if len(data) else 1 / 10)


@bug(
    "dp-accounting-1a3c5b3",
    "dp_accounting commit 1a3c5b3",
    "a truncated tail of the loss is not added to δ",
    "serious",
    "PAK",
    data=Records((0, 1), 1),
    claim=ApproxDP(1, "0.001"),
)
def truncated_tail(noise: Noise, data: Sequence[Any]) -> Any:
    """With probability 1/100 the record is published."""
    if noise.bernoulli("0.01"):
        return ["published", data[0]]
    return ["noisy", 1 - data[0] if noise.bernoulli("0.27") else data[0]]


@repaired(truncated_tail, claim=lambda: ApproxDP(1, "0.01"))
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """The tail is part of δ."""
    if noise.bernoulli("0.01"):
        return ["published", data[0]]
    return ["noisy", 1 - data[0] if noise.bernoulli("0.27") else data[0]]


@bug(
    "dp-accounting-a7914d6",
    "dp_accounting commits a7914d6 and 2ca1d8e",
    "δ at ε = 0 is computed as at a larger ε",
    "theoretical",
    "PAK",
    data=NUMBER,
    claim=ApproxDP(0, "0.05"),
)
def delta_at_zero(noise: Noise, data: Sequence[Any]) -> Any:
    """1 − e^(−1/4) = 0.22 for Laplace noise of scale 2."""
    return data[0] + noise.laplace(2)


@repaired(delta_at_zero, claim=lambda: ApproxDP(0, "0.222"))
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """The total variation distance."""
    return data[0] + noise.laplace(2)


@bug(
    "opacus-346",
    "Opacus issue 346, pull request 348",
    "a binary search for the noise ends on the wrong side of the target",
    "serious",
    "PAK",
    data=NUMBER,
    claim=ApproxDP(1, "0.01"),
)
def wrong_side(noise: Noise, data: Sequence[Any]) -> Any:
    """The last step overshoots: ε = 1 needs a deviation of 1.88."""
    return data[0] + noise.gaussian("1.5")


@repaired(wrong_side)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """The smallest noise that was seen to suffice."""
    return data[0] + noise.gaussian("1.9")


@bug(
    "opacus-541",
    "Opacus issue 541",
    "asking the accountant for ε changes what it remembers",
    "serious",
    "PAK",
    data=NUMBER,
    claim=GaussianDP("1/2"),
)
def forgotten_step(noise: Noise, data: Sequence[Any]) -> Any:
    """Two steps at μ = 1/2 are √2/2 together."""
    return [data[0] + noise.gaussian(2), data[0] + noise.gaussian(2)]


@repaired(forgotten_step, claim=lambda: GaussianDP("0.7072"))
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Both steps."""
    return [data[0] + noise.gaussian(2), data[0] + noise.gaussian(2)]


@bug(
    "prv-17",
    "prv_accountant issue 17",
    "at δ near 1e-18 rounding decides which ε comes out",
    "theoretical",
    "PK",
    data=NUMBER,
    claim=ApproxDP("0.16", "1e-18"),
)
def tiny_delta(noise: Noise, data: Sequence[Any]) -> Any:
    """No sample ever sees it; the exact tail does."""
    return data[0] + noise.gaussian(10)


@repaired(tiny_delta, claim=lambda: ApproxDP(1, "1e-18"))
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """An ε that suffices."""
    return data[0] + noise.gaussian(10)


@bug(
    "prv-38",
    "prv_accountant issue 38",
    "the mean of a discretised loss is put on the wrong grid point",
    "theoretical",
    "PK",
    data=NUMBER,
    claim=PureDP("0.98"),
)
def shifted_grid(noise: Noise, data: Sequence[Any]) -> Any:
    """Two Laplace releases at 1/2 cost 1; a shift of 0.01 for each is lost."""
    return [data[0] + noise.laplace(2), data[0] + noise.laplace(2)]


@repaired(shifted_grid, claim=lambda: PureDP(1))
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Rounded upwards."""
    return [data[0] + noise.laplace(2), data[0] + noise.laplace(2)]
