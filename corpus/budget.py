"""Something is released that the budget was not charged for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.core import PureDP, Records
from dpwitness.core.noise import Noise
from dpwitness.corpus.entry import bug, repaired

BITS = Records((0, 1), 3, "add-remove")
PAIRS = Records(((0, 0), (1, 0), (1, 1)), 2, "add-remove")


@bug(
    "diffprivlib-104-budget",
    "diffprivlib issue 104, item 2",
    "centring X and y share one slice of the budget",
    "serious",
    "PA",
    data=PAIRS,
    claim=PureDP(1),
)
def shared_slice(noise: Noise, data: Sequence[Any]) -> Any:
    """Three releases at ε/2 each."""
    return [sum(x for x, _ in data) + noise.laplace(2), sum(y for _, y in data) + noise.laplace(2),
            sum(x * y for x, y in data) + noise.laplace(2)]  # fmt: skip


@repaired(shared_slice)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Three releases at ε/3 each."""
    return [sum(x for x, _ in data) + noise.laplace(3), sum(y for _, y in data) + noise.laplace(3),
            sum(x * y for x, y in data) + noise.laplace(3)]  # fmt: skip


@bug(
    "mbi-11",
    "mbi issue 11",
    "an example spends ε on the structure and ε again on the marginals",
    "serious",
    "PA",
    data=BITS,
    claim=PureDP(1),
)
def spent_twice(noise: Noise, data: Sequence[Any]) -> Any:
    """A choice at ε = 1, then a count at ε = 1."""
    ones = sum(data)
    chosen = noise.choice(log_weights=[0, ones])
    return chosen, ones + noise.discrete_laplace(1)


@repaired(spent_twice)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Half for each."""
    ones = sum(data)
    chosen = noise.choice(log_weights=[0, ones / 2])
    return chosen, ones + noise.discrete_laplace(2)


@bug(
    "mostlyai-double",
    "MOSTLY AI (found by Re:cord-play)",
    "pre-processing and training each spend the whole budget",
    "serious",
    "PA",
    data=BITS,
    claim=PureDP(1),
)
def pre_processing(noise: Noise, data: Sequence[Any]) -> Any:
    """A noisy count for the pre-processing, a noisy sum for the model."""
    return [len(data) + noise.laplace(1), sum(data) + noise.laplace(1)]


@repaired(pre_processing)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """The budget is split."""
    return [len(data) + noise.laplace(2), sum(data) + noise.laplace(2)]


@bug(
    "smartnoise-synth-batch",
    "SmartNoise Synthesizers change log, before 0.2.4",
    "the last batch is not charged",
    "serious",
    "PA",
    data=BITS,
    claim=PureDP(1),
)
def last_batch(noise: Noise, data: Sequence[Any]) -> Any:
    """Three steps where two were accounted."""
    return [sum(data) + noise.laplace(2) for _ in range(2 + 1)]


@repaired(last_batch)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """As many steps as were accounted."""
    return [sum(data) + noise.laplace(2) for _ in range(2)]


@bug(
    "opacus-779",
    "Opacus issues 779 and 807",
    "the count behind an adaptive clipping norm is released without noise",
    "critical",
    "AG",
    data=Records((0, 1, 5), 3, "add-remove"),
    claim=PureDP(1),
)
def uncharged_count(noise: Noise, data: Sequence[Any]) -> Any:
    """The norm grows where a gradient was clipped."""
    clipped = sum(x > 1 for x in data)
    bound = 2 if clipped > 1 else 1
    return bound, sum(min(x, 1) for x in data) + noise.laplace(1)


@repaired(uncharged_count)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """The count is noisy, and has its share."""
    clipped = sum(x > 1 for x in data) + noise.laplace(2)
    bound = 2 if clipped > 1 else 1
    return bound, sum(min(x, 1) for x in data) + noise.laplace(2)


@bug(
    "tff-1080",
    "TensorFlow Federated issue 1080",
    "the quantile estimate of adaptive clipping is not charged",
    "serious",
    "PA",
    data=Records((0, 1, 5), 3, "add-remove"),
    claim=PureDP(1),
)
def quantile_for_free(noise: Noise, data: Sequence[Any]) -> Any:
    """Both answers are noisy; one was forgotten in the sum."""
    return [sum(x > 1 for x in data) + noise.laplace(1), sum(min(x, 1) for x in data) + noise.laplace(1)]


@repaired(quantile_for_free)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Half of the budget for each."""
    return [sum(x > 1 for x in data) + noise.laplace(2), sum(min(x, 1) for x in data) + noise.laplace(2)]


@bug(
    "opendp-2933",
    "OpenDP issue 2933",
    "measurements on one sample are amplified one by one, then composed",
    "serious",
    "PA",
    data=BITS,
    claim=PureDP("1.49"),
)
def amplified_one_by_one(noise: Noise, data: Sequence[Any]) -> Any:
    """3·ln(1 + (e² − 1)/10) = 1.48, but one sample serves all three: ln(1 + (e⁶ − 1)/10) = 3.7."""
    chosen = noise.subsample(data, 1 / 10)
    return [sum(chosen) + noise.laplace(1 / 2) for _ in range(3)]


@repaired(amplified_one_by_one)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Each measurement has a sample of its own."""
    return [sum(x for x in data if noise.bernoulli(1 / 10)) + noise.laplace(1 / 2) for _ in range(3)]
