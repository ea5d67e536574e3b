"""Values are clipped too early, too late, together, or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.core import GaussianDP, PureDP, Records, sqrt
from dpwitness.core.noise import Noise
from dpwitness.core.stability.columns import choices, reals, wholes
from dpwitness.core.stability.rows import Rows
from dpwitness.corpus.entry import bug, deterministic, repaired


def clamp(value: Any, low: Any, high: Any) -> Any:
    """The nearest number of an interval."""
    return max(low, min(high, value))


def clamped_then_scaled(values: Sequence[Any]) -> Any:
    """SUM(10 · x), x clamped to [0, 1] before it is multiplied."""
    return sum(10 * clamp(x, 0, 1) for x in values)


def scaled_then_clamped(values: Sequence[Any]) -> Any:
    """SUM(10 · x), the product clamped to [0, 1]."""
    return sum(clamp(10 * x, 0, 1) for x in values)


@bug(
    "smartnoise-sql-201",
    "SmartNoise SQL issue 201",
    "a column is clamped before the expression that uses it",
    "serious",
    "SA",
    data=Records((0, 1), 3, "add-remove"),
    claim=PureDP(1),
)
def clamp_before_expression(noise: Noise, data: Sequence[Any]) -> Any:
    """The bounds hold for x and not for 10·x."""
    return clamped_then_scaled(data) + noise.laplace(1)


@repaired(clamp_before_expression)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """What is summed is clamped."""
    return scaled_then_clamped(data) + noise.laplace(1)


deterministic(clamp_before_expression, Rows(reals(-5, 5)), "l1", 1, clamped_then_scaled, scaled_then_clamped)


def raw_products(pairs: Sequence[Any]) -> Any:
    """Σ x·y as the data are."""
    return sum(x * y for x, y in pairs)


def clipped_products(pairs: Sequence[Any]) -> Any:
    """Σ x·y of values clipped to [−1, 1]."""
    return sum(clamp(x, -1, 1) * clamp(y, -1, 1) for x, y in pairs)


@bug(
    "smartnoise-622",
    "SmartNoise SDK issue 622",
    "a covariance declares clipped values and sums raw ones",
    "critical",
    "SAG",
    data=Records(((0, 0), (1, 1), (5, 5)), 2, "add-remove"),
    claim=PureDP(1),
)
def declared_clipped(noise: Noise, data: Sequence[Any]) -> Any:
    """A record moves the sum by 25."""
    return raw_products(data) + noise.laplace(1)


@repaired(declared_clipped)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """The clipped values are summed."""
    return clipped_products(data) + noise.laplace(1)


PAIRS = Rows({"x": reals(-9, 9), "y": reals(-9, 9)}, form="list")
deterministic(declared_clipped, PAIRS, "l1", 1, raw_products, clipped_products)


def raw_squares(values: Sequence[Any]) -> Any:
    """Σ x² without a clamp."""
    return sum(x * x for x in values)


def clamped_squares(values: Sequence[Any]) -> Any:
    """Σ x² of values clamped to [0, 2]."""
    return sum(clamp(x, 0, 2) ** 2 for x in values)


@bug(
    "google-cpp-3f0e417",
    "Google differential-privacy, C++, commit 3f0e417",
    "the variance forgets to clamp",
    "critical",
    "SA",
    data=Records((0, 1, 10), 3, "add-remove"),
    claim=PureDP(1),
)
def unclamped_squares(noise: Noise, data: Sequence[Any]) -> Any:
    """Noise for squares in [0, 4], of values up to 10."""
    return raw_squares(data) + noise.laplace(4)


@repaired(unclamped_squares)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Each value is clamped."""
    return clamped_squares(data) + noise.laplace(4)


deterministic(unclamped_squares, Rows(reals(0, 100)), "l1", 4, raw_squares, clamped_squares)


def norm(weight: Any, bias: Any) -> Any:
    """The length of a gradient."""
    return sqrt(weight * weight + bias * bias)


def clipped_by_weights(gradients: Sequence[Any]) -> list[Any]:
    """A sum of gradients (weight, bias), clipped by the weights' norm alone."""
    factors = [1 / max(1, abs(w)) for w, _ in gradients]
    return [sum(f * g[i] for f, g in zip(factors, gradients, strict=True)) for i in range(2)]


def clipped_by_all(gradients: Sequence[Any]) -> list[Any]:
    """The same, clipped by the norm of both."""
    factors = [1 / max(1, norm(w, b)) for w, b in gradients]
    return [sum(f * g[i] for f, g in zip(factors, gradients, strict=True)) for i in range(2)]


@bug(
    "opacus-751",
    "Opacus issue 751",
    "ghost clipping leaves the bias out of the norm",
    "serious",
    "SA",
    data=Records(((0, 0), (1, 0), (0, 3)), 2, "add-remove"),
    claim=GaussianDP(1),
)
def norm_without_bias(noise: Noise, data: Sequence[Any]) -> Any:
    """A gradient (0, 3) passes unclipped."""
    return [x + noise.gaussian(1) for x in clipped_by_weights(data)]


@repaired(norm_without_bias)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """The norm of the whole gradient."""
    return [x + noise.gaussian(1) for x in clipped_by_all(data)]


GRADIENTS = Rows({"weight": wholes(-9, 9), "bias": wholes(-9, 9)})
deterministic(norm_without_bias, GRADIENTS, "l2", 1, clipped_by_weights, clipped_by_all)


def sum_clipped(values: Sequence[Any]) -> Any:
    """The sum, clipped to [−1, 1]."""
    return clamp(sum(values), -1, 1)


def clipped_sum(values: Sequence[Any]) -> Any:
    """The sum of values clipped to [−1, 1]."""
    return sum(clamp(x, -1, 1) for x in values)


@bug(
    "opacus-664",
    "Opacus issue 664",
    "the clip factor is applied to the sum in place of each gradient",
    "serious",
    "SA",
    data=Records((-5, 5, 10), 2, "add-remove"),
    claim=PureDP(1),
)
def clip_of_the_sum(noise: Noise, data: Sequence[Any]) -> Any:
    """One record turns −1 into 1."""
    return sum_clipped(data) + noise.laplace(1)


@repaired(clip_of_the_sum)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Each gradient is clipped."""
    return clipped_sum(data) + noise.laplace(1)


deterministic(clip_of_the_sum, Rows(wholes(-10, 10)), "l1", 1, sum_clipped, clipped_sum)


def mean_of_kept(labels: Sequence[Any]) -> Any:
    """The mean over the labels that are not ignored (−1)."""
    kept = [x for x in labels if x != -1]
    return sum(kept) / max(1, len(kept))


def mean_of_all(labels: Sequence[Any]) -> Any:
    """The sum over the labels that are not ignored, divided by the number of all."""
    return sum(x for x in labels if x != -1) / len(labels)


@bug(
    "opacus-808",
    "Opacus issue 808",
    "ignored labels are left out of the number by which a loss is divided",
    "serious",
    "SA",
    data=Records((-1, 0, 1), 4),
    claim=PureDP(1),
)
def divided_by_the_kept(noise: Noise, data: Sequence[Any]) -> Any:
    """Where three of four are ignored, the fourth moves the mean by 1, not by 1/4."""
    return mean_of_kept(data) + noise.laplace(1 / 4)


@repaired(divided_by_the_kept)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """The divisor does not depend on the data."""
    return mean_of_all(data) + noise.laplace(1 / 4)


IGNORED = Rows(wholes(-1, 1), (4, 4), "substitute")
deterministic(divided_by_the_kept, IGNORED, "l1", "1/4", mean_of_kept, mean_of_all)


def microbatches(gradients: Sequence[Any]) -> Any:
    """The sum over pairs of records of their mean, clipped to [−1, 1]."""
    return sum(clamp((a + b) / 2, -1, 1) for a, b in zip(gradients[::2], gradients[1::2], strict=False))


@bug(
    "tf-privacy-620",
    "TensorFlow Privacy issues 620 and 81",
    "the sensitivity of a microbatch is twice its clipping norm",
    "serious",
    "SA",
    data=Records((-5, 0, 5), 4),
    claim=PureDP(1),
)
def microbatch(noise: Noise, data: Sequence[Any]) -> Any:
    """A replaced record turns a mean of −1 into one of 1."""
    return microbatches(data) + noise.laplace(1)


@repaired(microbatch)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Noise for 2."""
    return microbatches(data) + noise.laplace(2)


FOUR = Rows(wholes(-5, 5), (4, 4), "substitute")
deterministic(microbatch, FOUR, "l1", 1, microbatches, None, fixed_bound=2)


def common_factor(gradients: Sequence[Any]) -> Any:
    """A sum in which one factor clips all gradients, by the largest of them."""
    return sum(gradients) / max(1, max(map(abs, gradients), default=1))


@bug(
    "tf-privacy-66d05a2",
    "TensorFlow Privacy commit 66d05a2",
    "a norm is taken over the microbatch axis as well",
    "serious",
    "SA",
    data=Records((0, 1, 10), 4, "add-remove"),
    claim=PureDP(1),
)
def norm_of_the_batch(noise: Noise, data: Sequence[Any]) -> Any:
    """One large gradient shrinks all others: from 3 to 1.3."""
    return common_factor(data) + noise.laplace(1)


@repaired(norm_of_the_batch)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Each gradient has its own factor."""
    return clipped_sum(data) + noise.laplace(1)


deterministic(norm_of_the_batch, Rows(choices(0, 1, 10)), "l1", 1, common_factor, clipped_sum)
