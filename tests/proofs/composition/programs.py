"""Small programs made of parts, each with a tight claim, for the tests of this folder."""

from __future__ import annotations

import numpy as np

from dpwitness import ZCDP, Answers, ApproxDP, Box, Exact, GaussianDP, Interval, PureDP, Records, log, mechanism
from dpwitness.mechanisms.noisy_max import report_noisy_max

UNIT = Records(Interval(0, 1), 4, "add-remove")
WIDE = Records(Interval(-5, 5), 4, "add-remove")
SWAP = Records(Interval(0, 1), 3)
BINS = Records((0, 1, 2), 3, "add-remove")
PLANE = Records(Box((-1, 1), (-1, 1)), 3, "add-remove")
FOUR = Answers("all", 1, size=4)
ONE = {"eps": 1}


def spread(values):
    """The largest minus the smallest."""
    return float(np.max(values) - np.min(values))


@mechanism(data=UNIT, claim=lambda eps: PureDP(eps), typical=ONE)
def mean(noise, data, *, eps):
    """A noisy sum over a noisy count."""
    return (sum(data) + noise.laplace(2 / eps)) / max(len(data) + noise.laplace(2 / eps), 1)


@mechanism(data=WIDE, claim=lambda eps: PureDP(eps), typical=ONE)
def chosen_bound(noise, data, *, eps):
    """A bound from a noisy count, and a sum clipped there."""
    bound = 1
    if sum(abs(x) <= 2 for x in data) + noise.laplace(2 / eps) < 2:
        bound = 4
    return sum(min(max(x, -bound), bound) for x in data) + noise.laplace(2 * bound / eps)


@mechanism(data=BINS, claim=lambda eps: PureDP(eps), typical=ONE)
def whole_bins(noise, data, *, eps):
    """Bins with integer noise, and what a function makes of them."""
    counts = [data.count(v) + noise.discrete_laplace(1 / eps) for v in range(3)]
    return counts, noise.postprocess(spread, counts)


@mechanism(data=SWAP, claim=lambda eps: PureDP(eps), typical=ONE)
def replaced(noise, data, *, eps):
    """Two halves of records that are replaced."""
    low = sum(x for x in data if x < Exact(1, 2)) + noise.laplace(1 / (2 * eps))
    return low, len(data)


@mechanism(data=FOUR, claim=lambda eps: PureDP(eps), typical=ONE)
def winner_measured(noise, answers, *, eps):
    """A selection, and the winner measured anew."""
    j = noise.argmax([a + noise.laplace(4 / eps) for a in answers])
    return answers[j] + noise.laplace(2 / eps)


@mechanism(data=PLANE, claim=lambda mu: GaussianDP(mu), typical={"mu": 1})
def clipped_vector(noise, data, *, mu):
    """The sum of clipped vectors."""
    v = [noise.clip([2 * r[0], r[1]], 1) for r in data]
    return [sum(g[j] for g in v) + noise.gaussian(1 / mu) for j in range(2)]


@mechanism(data=UNIT, claim=lambda rho: ZCDP(rho), typical={"rho": "1/2"})
def repeated(noise, data, *, rho):
    """Twenty equal steps."""
    w = 0
    for _ in range(20):
        w = w / 2 + sum(min(x, 1) for x in data) + noise.gaussian(Exact(9, 2))
    return w


@mechanism(data=Records(("a", "b"), 3, "add-remove"), claim=lambda eps, delta: ApproxDP(eps, delta),
           typical={"eps": 1, "delta": "1/100"}, domains={})  # fmt: skip
def names(noise, data, *, eps, delta):
    """Names that are present."""
    threshold = 1 + log(1 / (2 * delta)) / eps
    return [noise.present(data.count(name), 1 / eps, threshold) for name in ("a", "b")]


@mechanism(data=FOUR, claim=lambda eps: PureDP(eps), typical=ONE)
def with_a_part(noise, answers, *, eps):
    """A mechanism that is run, and an answer."""
    return noise.run(report_noisy_max, answers, eps=eps / 2), answers[0] + noise.laplace(2 / eps)


@mechanism(data=UNIT, claim=lambda: PureDP("1/2"), typical={})
def sampled(noise, data):
    """A count of a sample: ln(1 + (e − 1)/4) is below 1/2."""
    part = noise.subsample(data, Exact(1, 4))
    return len(part) + noise.laplace(1)


@mechanism(data=Records(("a", "b", "c"), 3, "add-remove"), claim=lambda: ApproxDP(1, "1/100"), typical={})
def in_the_data(noise, data):
    """Names that are in the data and whose noisy counts pass a threshold."""
    found = []
    for name in ("a", "b"):
        if name not in data:
            continue
        noisy = data.count(name) + noise.laplace(1)
        if noisy > 5:
            found.append((name, noisy))
    return found


@mechanism(data=Records((0, 1, 2), 3, "add-remove"), claim=lambda: ApproxDP(1, "1/500"), typical={})
def whole_in_the_data(noise, data):
    """The same with integer noise, for one value: e^-6/(1 + e^-1) is below 1/500."""
    if 1 in data:
        extra = 1
        noisy = noise.discrete_laplace(1) + data.count(1)
        if noisy > 6:
            return noisy + extra
    return 0


@mechanism(data=Records(Interval(0, 10), 4, "add-remove"), claim=lambda eps: PureDP(eps), typical=ONE)
def remainders(noise, data, *, eps):
    """What is left of records after whole pairs, and how many of them are in an odd unit."""
    left = sum(x % 2 for x in data) + noise.laplace(4 / eps)
    odd = sum((x // 1) % 2 for x in data) + noise.laplace(8 / eps)
    return left, odd, sum((x > 2) & (x <= 3) | (x > 8) for x in data) + noise.laplace(4 / eps)


@mechanism(data=Records(tuple(range(8)), 3, "add-remove"), claim=lambda eps: PureDP(eps), typical=ONE)
def bits_of_numbers(noise, data, *, eps):
    """A count for each of three bits, with weights that go with them."""
    counts = [sum(r & bit > 0 for r in data) + noise.discrete_laplace(3 / eps) for bit in (1, 2, 4)]
    return [(w, c) for c, w in zip(counts, (1, 2, 4), strict=True)]


ALL = [
    mean, chosen_bound, whole_bins, replaced, winner_measured, clipped_vector, repeated, names, with_a_part, sampled,
    in_the_data, whole_in_the_data, remainders, bits_of_numbers,
]  # fmt: skip
