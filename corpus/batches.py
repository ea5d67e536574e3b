"""Batches are not what was accounted: their size, how they are drawn, what is divided by it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.core import PureDP, Records
from dpwitness.core.noise import Noise
from dpwitness.corpus.entry import bug, repaired

BITS = Records((0, 1), (1, 6), "add-remove")
FIXED = Records((0, 1), 4)


@bug(
    "opacus-571",
    "Opacus issue 571",
    "the expected batch size is floored from the number of records",
    "theoretical",
    "PAG",
    data=BITS,
    claim=PureDP(1),
)
def floored_batch_size(noise: Noise, data: Sequence[Any]) -> Any:
    """Sum and noise are divided by a number that a record can change."""
    batch = max(1, len(data) // 2)
    return (sum(data) + noise.laplace(1)) / batch


@repaired(floored_batch_size)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Divided by a public number."""
    return (sum(data) + noise.laplace(1)) / 3


@bug(
    "opacus-819",
    "Opacus issue 819",
    "the number of steps follows from the number of records",
    "serious",
    "AG",
    data=BITS,
    claim=PureDP(3),
)
def steps_from_size(noise: Noise, data: Sequence[Any]) -> Any:
    """One more record can mean one more step."""
    steps = (len(data) + 1) // 2
    return [sum(data) + noise.laplace(1) for _ in range(steps)]


@repaired(steps_from_size)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Three steps."""
    return [sum(data) + noise.laplace(1) for _ in range(3)]


@bug(
    "opacus-80",
    "Opacus issue 80, TensorFlow Privacy issue 19",
    "fixed batches are accounted as Poisson samples",
    "serious",
    "PA",
    data=FIXED,
    claim=PureDP("0.63"),
)
def fixed_batches(noise: Noise, data: Sequence[Any]) -> Any:
    """ln(1 + (e − 1)/2) = 0.62 needs a coin for every record; here each is in one batch for sure."""
    return [sum(data[:2]) + noise.laplace(1), sum(data[2:]) + noise.laplace(1)]


@repaired(fixed_batches, claim=lambda: PureDP(1))
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """The same batches, without amplification."""
    return [sum(data[:2]) + noise.laplace(1), sum(data[2:]) + noise.laplace(1)]


@bug(
    "private-transformers-7",
    "private-transformers issue 7",
    "samples of fixed size are accounted as if records were removed",
    "serious",
    "PA",
    data=Records((-1, 1), 2),
    claim=PureDP("0.63"),
)
def sampled_and_replaced(noise: Noise, data: Sequence[Any]) -> Any:
    """Noise for 1 and rate 1/2, but a replaced record moves the sum by 2: ln(1 + (e² − 1)/2) = 1.43."""
    return sum(noise.sample(data, 1)) + noise.laplace(1)


@repaired(sampled_and_replaced)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Noise for 2."""
    return sum(noise.sample(data, 1)) + noise.laplace(2)


@bug(
    "backprop-clipping",
    "Tramèr et al. 2022 (2202.12219)",
    "the sensitivity of a layer is off by the batch size",
    "critical",
    "PA",
    data=FIXED,
    claim=PureDP(1),
)
def off_by_the_batch(noise: Noise, data: Sequence[Any]) -> Any:
    """Noise for a mean of four is added to their sum."""
    return sum(data) + noise.laplace(1 / 4)


@repaired(off_by_the_batch)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Noise for a mean is added to a mean."""
    return sum(data) / 4 + noise.laplace(1 / 4)


@bug(
    "tf-privacy-153",
    "TensorFlow Privacy issue 153",
    "a tutorial divides the noise by the batch size once more than the sum",
    "serious",
    "PA",
    data=FIXED,
    claim=PureDP(1),
)
def divided_once_more(noise: Noise, data: Sequence[Any]) -> Any:
    """The mean of four, with noise for a mean of sixteen."""
    batch = len(data)
    return (sum(data) + noise.laplace(1) / batch) / batch


@repaired(divided_once_more)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Sum and noise are divided together."""
    return (sum(data) + noise.laplace(1)) / len(data)


@bug(
    "opacus-813",
    "Opacus issue 813",
    "a weighted sampler draws some records more often than the accountant believes",
    "serious",
    "PA",
    data=Records((0, 1), 3, "add-remove"),
    claim=PureDP("0.16"),
)
def weighted_sampler(noise: Noise, data: Sequence[Any]) -> Any:
    """Accounted at rate 1/10, drawn at rate 1/2."""
    return sum(noise.subsample(data, 1 / 2)) + noise.laplace(1)


@repaired(weighted_sampler)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Drawn at the rate that is accounted."""
    return sum(noise.subsample(data, "0.1")) + noise.laplace(1)
