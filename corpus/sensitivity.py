"""The function moves further than was computed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.core import Answers, ApproxDP, PureDP, Records
from dpwitness.core.noise import Noise
from dpwitness.core.stability.columns import choices, reals, wholes
from dpwitness.core.stability.rows import Rows
from dpwitness.corpus.entry import bug, deterministic, repaired


def with_root(leaves: Sequence[Any]) -> list[Any]:
    """A tree of one level: the leaves, and their sum at the root."""
    return [*leaves, sum(leaves)]


@bug(
    "opendp-2924",
    "OpenDP issue 2924",
    "the ℓ2 sensitivity of a tree of counts is taken to be its height",
    "serious",
    "SPA",
    data=Answers("l2", 1, size=16),
    claim=ApproxDP(1, "0.127"),
)
def tree_of_counts(noise: Noise, data: Sequence[Any]) -> Any:
    """Sixteen leaves and a root: √17 in ℓ2, where 2 levels were counted as 2. Two of the noisy counts are read."""
    tree = with_root(data)
    return [tree[0] + noise.gaussian(2), tree[-1] + noise.gaussian(2)]


@repaired(tree_of_counts)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Noise for √((16² − 1)/(16 − 1)) = √17."""
    tree = with_root(data)
    return [tree[0] + noise.gaussian("4.1232"), tree[-1] + noise.gaussian("4.1232")]


deterministic(tree_of_counts, Answers("l2", 1, size=16), "l2", 2, with_root, None, fixed_bound="4.1232")


def last_of_group(rows: Sequence[Any]) -> list[Any]:
    """The last row of the group, where at most one may stay."""
    return list(rows)[-1:]


@bug(
    "opendp-2945",
    "OpenDP issue 2945",
    "a truncated group of k rows is said to change by k rows; it changes by 2k",
    "serious",
    "SA",
    data=Records((-1, 1), 3, "add-remove"),
    claim=PureDP(1),
)
def truncated_group(noise: Noise, data: Sequence[Any]) -> Any:
    """A new row drives the old one out: −1 leaves and 1 comes."""
    return sum(last_of_group(data)) + noise.laplace(1)


@repaired(truncated_group)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Noise for two changed rows."""
    return sum(last_of_group(data)) + noise.laplace(2)


deterministic(truncated_group, Rows(wholes(-1, 1)), "symmetric", 1, last_of_group, None, fixed_bound=2)


def total_error(marginals: Sequence[Any]) -> Any:
    """The score of a candidate: the sum of the errors of its marginals."""
    return sum(abs(x) for x in marginals)


@bug(
    "opendp-2951",
    "OpenDP issue 2951",
    "an ℓ1 score is bounded by an ℓ2 distance",
    "serious",
    "SA",
    data=Answers("l2", 1, size=4),
    claim=PureDP(1),
)
def score_in_another_norm(noise: Noise, data: Sequence[Any]) -> Any:
    """Four marginals that move by 1 in ℓ2 move the score by 2."""
    return total_error(data) + noise.laplace(1)


@repaired(score_in_another_norm)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Noise for √4."""
    return total_error(data) + noise.laplace(2)


deterministic(score_in_another_norm, Answers("l2", 1, size=4), "l1", 1, total_error, None, fixed_bound=2)


@bug(
    "diffprivlib-104-bounds",
    "diffprivlib issue 104, pull request 110",
    "a bound is taken twice, and the range is 0",
    "critical",
    "AG",
    data=Records((0, 1), 3),
    claim=PureDP(1),
)
def bound_taken_twice(noise: Noise, data: Sequence[Any]) -> Any:
    """The range is upper − upper: no noise."""
    lower, upper = 0, 1
    lower = upper
    scale = upper - lower
    return sum(data) + (noise.laplace(scale) if scale else 0)


@repaired(bound_taken_twice)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """The range is upper − lower."""
    lower, upper = 0, 1
    return sum(data) + noise.laplace(upper - lower)


@bug(
    "smartnoise-core-360",
    "SmartNoise core issue 360",
    "a histogram with a known number of records has sensitivity 2, not 1",
    "serious",
    "PA",
    data=Records((0, 1), 3),
    claim=PureDP(1),
)
def both_cells_move(noise: Noise, data: Sequence[Any]) -> Any:
    """A replaced record leaves one cell and enters the other."""
    ones = sum(data)
    return [len(data) - ones + noise.laplace(1), ones + noise.laplace(1)]


@repaired(both_cells_move)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Noise for sensitivity 2."""
    ones = sum(data)
    return [len(data) - ones + noise.laplace(2), ones + noise.laplace(2)]


def histogram(records: Sequence[Any]) -> list[int]:
    """How many records are 0, and how many 1."""
    return [sum(x == 0 for x in records), sum(x == 1 for x in records)]


deterministic(both_cells_move, Rows(wholes(0, 1), (3, 3), "substitute"), "l1", 1, histogram, None, fixed_bound=2)


def variance(values: Sequence[Any]) -> Any:
    """The mean square less the square of the mean."""
    mean = sum(values) / len(values)
    return sum(x * x for x in values) / len(values) - mean * mean


@bug(
    "smartnoise-sql-203",
    "SmartNoise SQL issue 203",
    "noise for a variance is scaled by the range, not by its square",
    "serious",
    "SA",
    data=Records((0, 4), 2),
    claim=PureDP(1),
)
def range_not_squared(noise: Noise, data: Sequence[Any]) -> Any:
    """Two values in [0, 4]: the variance moves by 4, the noise is for 4/2."""
    return variance(data) + noise.laplace(2)


@repaired(range_not_squared)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Noise for 4²·(n − 1)/n² = 4."""
    return variance(data) + noise.laplace(4)


deterministic(range_not_squared, Rows(reals(0, 4), (2, 2), "substitute"), "l1", 2, variance, None, fixed_bound=4)


def clipped_sum(values: Sequence[Any]) -> Any:
    """The sum of values clipped to [−1, 1]."""
    return sum(max(-1, min(1, x)) for x in values)


@bug(
    "jax-privacy-338",
    "jax_privacy issue 338",
    "a clipped function documents sensitivity 1 for replaced records",
    "serious",
    "SA",
    data=Records((-5, 0, 5), 2),
    claim=PureDP(1),
)
def replaced_not_removed(noise: Noise, data: Sequence[Any]) -> Any:
    """From −1 to 1 is a move by 2."""
    return clipped_sum(data) + noise.laplace(1)


@repaired(replaced_not_removed)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Noise for 2."""
    return clipped_sum(data) + noise.laplace(2)


deterministic(replaced_not_removed, Rows(reals(-5, 5), (2, 2), "substitute"), "l1", 1, clipped_sum, None, fixed_bound=2)


@bug(
    "synthcity-privbayes",
    "synthcity PrivBayes (found by Re:cord-play)",
    "parameters make the sensitivity 0",
    "critical",
    "AG",
    data=Records((0, 1), 4),
    claim=PureDP(1),
)
def sensitivity_of_zero(noise: Noise, data: Sequence[Any]) -> Any:
    """2 // n is 0 for more than two records, and noise of scale 0 is none."""
    scale = 2 // len(data)
    return sum(data) + (noise.laplace(scale) if scale else 0)


@repaired(sensitivity_of_zero)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """A number is a number: noise for 1."""
    return sum(data) + noise.laplace(1)


ORDERS = ("a", "a", "a", "b")


def joined_rows(customers: Sequence[Any]) -> int:
    """Rows of customers joined with a public table of orders."""
    return sum(customer == order for customer in customers for order in ORDERS)


@bug(
    "uber-sql-dp-1",
    "Uber sql-differential-privacy issue 1",
    "a join multiplies records, and its stability is ignored",
    "serious",
    "SA",
    data=Records(("a", "b"), 2, "add-remove"),
    claim=PureDP(1),
)
def join_without_stability(noise: Noise, data: Sequence[Any]) -> Any:
    """Customer a has three orders."""
    return joined_rows(data) + noise.laplace(1)


@repaired(join_without_stability)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Noise for the largest multiplicity."""
    return joined_rows(data) + noise.laplace(3)


deterministic(join_without_stability, Rows(choices("a", "b", "c")), "l1", 1, joined_rows, None, fixed_bound=3)
