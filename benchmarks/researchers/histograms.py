"""Histograms, marginals and queries answered from noisy counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dpwitness import ZCDP, Answers, ApproxDP, Exact, Interval, PureDP, Records, log, mechanism, real, sqrt
from dpwitness.core.noise import Noise

EIGHT = Records(tuple(range(8)), 4, "add-remove")
EIGHT_SWAP = Records(tuple(range(8)), 3)
UNIT = Records(Interval(0, 1), 5, "add-remove")
PAIRS = Records(tuple((a, b) for a in range(3) for b in range(3)), 3, "add-remove")
NAMES = ("ann", "bob", "cid", "dan")
PEOPLE = Records(NAMES, 4, "add-remove")
ONE = {"eps": 1}


def consistent(tree: Sequence[float]) -> float:
    """The root of a tree of noisy counts, averaged with the sum of its leaves."""
    return float((tree[0] + np.sum(tree[-4:])) / 2)


def least_squares(counts: Sequence[float]) -> list[float]:
    """Counts moved to sum up to their rounded total."""
    total = round(sum(counts))
    return [float(c + (total - sum(counts)) / len(counts)) for c in counts]


@mechanism(data=EIGHT, claim=lambda eps: PureDP(eps), typical=ONE, cites="Hay et al. 2010")
def hierarchical_histogram(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """Counts at three levels of a binary tree, made consistent afterwards."""
    tree = []
    for level in range(3):
        width = 2 ** (2 - level)
        for k in range(8 // width):
            tree.append(sum(k * width <= x < (k + 1) * width for x in data) + noise.laplace(3 / eps))
    return tree, noise.postprocess(consistent, tree)


@hierarchical_histogram.twin("budget-of-two-levels")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """Three levels with the noise of two."""
    tree = []
    for level in range(3):
        width = 2 ** (2 - level)
        for k in range(8 // width):
            tree.append(sum(k * width <= x < (k + 1) * width for x in data) + noise.laplace(2 / eps))
    return tree


@mechanism(data=UNIT, claim=lambda eps: PureDP(eps), typical=ONE, cites="Dwork and Roth 2014, section 3.3")
def bins_of_an_interval(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """A histogram with ten bins of a continuous attribute."""
    counts = []
    for k in range(10):
        counts.append(sum(Exact(k, 10) <= x < Exact(k + 1, 10) for x in data) + noise.laplace(1 / eps))
    return counts


@bins_of_an_interval.twin("bins-share-their-edges-and-more")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """Bins of twice the width, each record in two of them."""
    return [sum(Exact(k, 10) <= x <= Exact(k + 2, 10) for x in data) + noise.laplace(1 / eps) for k in range(10)]


@mechanism(data=EIGHT, claim=lambda eps: PureDP(eps), typical=ONE, cites="Ghosh, Roughgarden and Sundararajan 2009")
def geometric_counts(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """Whole counts with two-sided geometric noise, then cut at 0."""
    return [max(data.count(v) + noise.discrete_laplace(1 / eps), 0) for v in range(8)]


@geometric_counts.twin("half-of-the-scale")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """Half of the scale."""
    return [max(data.count(v) + noise.discrete_laplace(1 / (2 * eps)), 0) for v in range(8)]


@mechanism(data=PAIRS, claim=lambda rho: ZCDP(rho), typical={"rho": "1/2"}, cites="Abowd et al. 2022: census tables")
def census_tables(noise: Noise, data: Sequence[Any], *, rho: Any) -> Any:
    """Two marginals with discrete Gaussian noise, half of ρ each."""
    first = [sum(r[0] == v for r in data) + noise.discrete_gaussian(variance=1 / rho) for v in range(3)]
    second = [sum(r[1] == v for r in data) + noise.discrete_gaussian(variance=1 / rho) for v in range(3)]
    return first, second


@census_tables.twin("whole-budget-each")
def _(noise: Noise, data: Sequence[Any], *, rho: Any) -> Any:
    """Each marginal has the noise of the whole ρ."""
    first = [sum(r[0] == v for r in data) + noise.discrete_gaussian(variance=1 / (2 * rho)) for v in range(3)]
    second = [sum(r[1] == v for r in data) + noise.discrete_gaussian(variance=1 / (2 * rho)) for v in range(3)]
    return first, second


@mechanism(data=PAIRS, claim=lambda rho: ZCDP(rho), typical={"rho": "1/2"}, cites="McKenna, Sheldon and Miklau 2019")
def gaussian_marginals(noise: Noise, data: Sequence[Any], *, rho: Any) -> Any:
    """All cells of a joint table and both marginals, a third of ρ each; then least squares."""
    scale = sqrt(Exact(3, 2) / rho)
    joint = [data.count((a, b)) + noise.gaussian(scale) for a in range(3) for b in range(3)]
    first = [sum(r[0] == v for r in data) + noise.gaussian(scale) for v in range(3)]
    second = [sum(r[1] == v for r in data) + noise.gaussian(scale) for v in range(3)]
    return joint, noise.postprocess(least_squares, first, size=3), noise.postprocess(least_squares, second, size=3)


@gaussian_marginals.twin("budget-of-one")
def _(noise: Noise, data: Sequence[Any], *, rho: Any) -> Any:
    """The noise is that of a single table."""
    scale = sqrt(Exact(1, 2) / rho)
    joint = [data.count((a, b)) + noise.gaussian(scale) for a in range(3) for b in range(3)]
    first = [sum(r[0] == v for r in data) + noise.gaussian(scale) for v in range(3)]
    return joint, first


@mechanism(data=EIGHT_SWAP, claim=lambda eps: PureDP(eps), typical=ONE, cites="Xu et al. 2013, simplified")
def histogram_of_replaced_records(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """Two bins move when a record is replaced: scale 2/ε."""
    return [data.count(v) + noise.laplace(2 / eps) for v in range(8)]


@histogram_of_replaced_records.twin("scale-of-added-records")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The scale is that of records that come and go."""
    return [data.count(v) + noise.laplace(1 / eps) for v in range(8)]


@mechanism(data=PEOPLE, claim=lambda eps, delta: ApproxDP(eps, delta), typical={"eps": 1, "delta": "1/100"},
           domains={"delta": real(above=0, below="1/2")},
           cites="Korolova et al. 2009; Wilson et al. 2020: partition selection")  # fmt: skip
def partition_selection(noise: Noise, data: Sequence[Any], *, eps: Any, delta: Any) -> Any:
    """Names whose noisy count passes a threshold that a single holder passes with probability δ."""
    threshold = 1 + log(1 / (2 * delta)) / eps
    return [(name, noise.present(data.count(name), 1 / eps, threshold)) for name in NAMES]


@partition_selection.twin("threshold-without-the-holder")
def _(noise: Noise, data: Sequence[Any], *, eps: Any, delta: Any) -> Any:
    """The threshold forgets the one record that a name may have."""
    threshold = log(1 / (2 * delta)) / eps
    return [(name, noise.present(data.count(name), 1 / eps, threshold)) for name in NAMES]


@mechanism(data=PEOPLE, claim=lambda: ApproxDP(1, "1/1000"), typical={}, cites="Balcer and Vadhan 2019")
def whole_partition_selection(noise: Noise, data: Sequence[Any]) -> Any:
    """The same with integer noise and a whole threshold: e^-7/(1 + e^-1) is below 1/1000."""
    return [(name, noise.present(data.count(name), 1, 8, whole=True)) for name in NAMES]


@whole_partition_selection.twin("threshold-of-four")
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """A single holder passes 4 with probability e^-3/(1 + e^-1)."""
    return [(name, noise.present(data.count(name), 1, 4, whole=True)) for name in NAMES]


@mechanism(data=UNIT, claim=lambda eps: PureDP(eps), typical=ONE, cites="Qardaji, Yang and Li 2013: adaptive grids")
def adaptive_grid(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """Two coarse counts; a half that seems full is split once more."""
    out = []
    for low, high in ((0, Exact(1, 2)), (Exact(1, 2), 2)):
        coarse = sum(low <= x < high for x in data) + noise.laplace(2 / eps)
        if coarse > 2:
            middle = (low + min(high, 1)) / 2
            out.append(sum(low <= x < middle for x in data) + noise.laplace(2 / eps))
            out.append(sum(middle <= x < high for x in data) + noise.laplace(2 / eps))
        else:
            out.append(coarse / 2)
            out.append(coarse / 2)
    return out


@adaptive_grid.twin("second-level-for-free")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """Both levels have the noise of the whole budget."""
    out = []
    for low, high in ((0, Exact(1, 2)), (Exact(1, 2), 2)):
        out.append(sum(low <= x < high for x in data) + noise.laplace(1 / eps))
        middle = (low + min(high, 1)) / 2
        out.append(sum(low <= x < middle for x in data) + noise.laplace(1 / eps))
    return out


@mechanism(data=Answers("one", 1, size=4), claim=lambda eps: PureDP(eps), typical=ONE, cites="Barak et al. 2007")
def haar_wavelet(noise: Noise, counts: Sequence[Any], *, eps: Any) -> Any:
    """Three levels of wavelet coefficients of four counts, from which every count is put together."""
    total = sum(counts) + noise.laplace(3 / eps)
    halves = counts[0] + counts[1] - counts[2] - counts[3] + noise.laplace(3 / eps)
    left = counts[0] - counts[1] + noise.laplace(3 / eps)
    right = counts[2] - counts[3] + noise.laplace(3 / eps)
    return [(total + halves) / 4 + left / 2, (total + halves) / 4 - left / 2, (total - halves) / 4 + right / 2,
            (total - halves) / 4 - right / 2]  # fmt: skip


@haar_wavelet.twin("one-level-paid")
def _(noise: Noise, counts: Sequence[Any], *, eps: Any) -> Any:
    """Three levels with the noise of one."""
    total = sum(counts) + noise.laplace(1 / eps)
    halves = counts[0] + counts[1] - counts[2] - counts[3] + noise.laplace(1 / eps)
    left = counts[0] - counts[1] + noise.laplace(1 / eps)
    return [total, halves, left]
