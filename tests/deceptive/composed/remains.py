"""What rounding leaves of numbers whose bounds are much smaller than what was added up to make them."""
# ruff: noqa: SIM102

from __future__ import annotations

from dpwitness import ApproxDP, Exact, Interval, Records, exp, log
from tests.deceptive.kit import holds, leaks

UNIT = Records(Interval(0, 1), 5, "add-remove")
BITS = Records((0, 1), 5, "add-remove")
NAMES = Records(("ann", "bob"), 3, "add-remove")
NONE = {"none": 0}
E = 10**16


@leaks(UNIT)
def known_by_branch(noise, data, *, eps):
    """not private: where the count is 1, the weight is read as 0, and Python has −1.1."""
    m = len(data) + noise.discrete_laplace(2 / eps)
    if m >= 1:
        if m <= 1:
            w = E * (m / 49 * 49 - 1)
            return m, sum(w * r for r in data) + noise.laplace(2 / eps)
    return m


@leaks(UNIT)
def constants_cancel_small(noise, data, *, eps):
    """not private: what is added to m / 7 is lost beside 10^16, and the weight with it."""
    m = len(data) + noise.discrete_laplace(2 / eps)
    if m >= 1:
        if m <= 1:
            w = (m + E) / 7 * 7 - E
            return m, sum(w * r for r in data) + noise.laplace(2 * m / eps)
    return m


@leaks(UNIT)
def exp_of_a_small_one(noise, data, *, eps):
    """not private: the exponent is read as one that is never above 0."""
    m = len(data) + noise.discrete_laplace(2 / eps)
    if m >= 1:
        w = exp(10 * E * (1 - m / 49 * 49))
        return m, sum(w * r for r in data) + noise.laplace(2 / eps)
    return m


@leaks(UNIT)
def score_by_branch(noise, data, *, eps):
    """not private: a score whose weight is read as 0."""
    m = len(data) + noise.discrete_laplace(2 / eps)
    if m >= 1:
        if m <= 1:
            w = E * (1 - m / 49 * 49)
            return m, noise.choice(log_weights=[w * sum(data), 0])
    return m


@leaks(UNIT)
def small_noise(noise, data, *, eps):
    """not private: the weight is as small as the noise, and read as 0."""
    m = len(data) + noise.discrete_laplace(2 / eps)
    if m >= 1:
        if m <= 1:
            w = 1 - m / 49 * 49
            return m, sum(w * r for r in data) + noise.laplace(1 / (1000 * E * eps))
    return m


@leaks(UNIT)
def near_the_end2(noise, data, *, eps):
    """not private: a largest number that is read as 0."""
    y = len(data) + noise.discrete_laplace(2 / eps)
    m = max(y, 1)
    w = 1 + max(E * (1 - m / 49 * 49), 0)
    return y, sum(w * r for r in data) + noise.laplace(2 / eps)


@leaks(UNIT)
def near_the_end3(noise, data, *, eps):
    """not private: the same after a test."""
    y = len(data) + noise.discrete_laplace(2 / eps)
    if y >= 1:
        w = 1 + max(E * (1 - y / 49 * 49), 0)
        return y, sum(w * r for r in data) + noise.laplace(2 / eps)
    return y


@leaks(UNIT)
def constants_cancel(noise, data, *, eps):
    """not private: the weight is known up to 2, and may be 1."""
    m = len(data) + noise.discrete_laplace(2 / eps)
    if m >= 1:
        w = (m + E) / 7 * 7 - E
        return m, sum(w * r for r in data) + noise.laplace(2 * m / eps)
    return m


@leaks(UNIT)
def foreseen_of_a_largest2(noise, data, *, eps):
    """not private: a comparison of a largest number that is read as 0."""
    y = len(data) + noise.discrete_laplace(1 / eps)
    m = max(y, 100)
    if max(100 - m / 49 * 49, 0) > 0:
        return sum(data)
    return y


@leaks(UNIT)
def threshold_rounding(noise, data, *, eps):
    """not private: a threshold of 100 that Python computes as 0."""
    m = len(data) + noise.discrete_laplace(2 / eps)
    if m >= 1:
        if m <= 1:
            return m, noise.present(len(data), 2 / eps, 100 - 90 * E * (1 - m / 49 * 49))
    return m


@leaks(BITS)
def inside_of_points(noise, data, *, eps):
    """not private: numbers of one record cancel where the count is 1."""
    m = len(data) + noise.discrete_laplace(2 / eps)
    if m >= 1:
        if m <= 1:
            return m, sum((r * m / 49 * 49 - r) * E for r in data) + noise.laplace(2 / eps)
    return m


@leaks(UNIT)
def weights_that_cancel(noise, data, *, eps):
    """not private: two weights of one sum cancel where the count is 1."""
    m = len(data) + noise.discrete_laplace(2 / eps)
    if m >= 1:
        if m <= 1:
            s = sum(data)
            return m, s * (m / 49 * 49 * E) - s * E + noise.laplace(2 / eps)
    return m


@leaks(UNIT)
def halved_noise(noise, data, *, eps):
    """not private: a number that is not paid for is taken away by halves."""
    y = sum(data) + noise.laplace(Exact(1, 1000000))
    z = len(data) + noise.laplace(1 / eps)
    b = 2**15 * 2**15 * 2**15 * 2**15
    x = z + y / 49 * 49 * b
    for _ in range(75):
        b = b / 2
        x = x - y * b
    return x


@leaks(UNIT)
def scale_by_comparison(noise, data, *, eps):
    """not private: the comparison says that y is 4 or more, and it may be 2."""
    y = sum(data) + noise.laplace(2 / eps)
    if (y + E) / 7 * 7 - E >= 4:
        return y, sum(data) + noise.laplace(y / 2 / eps)
    return y


@leaks(UNIT)
def joined(noise, data, *, eps):
    """not private: the weight is read as 0 on both ways."""
    m = len(data) + noise.discrete_laplace(3 / eps)
    c = noise.bernoulli(1 / 2)
    w = 0.0
    if m >= 1:
        if m <= 1:
            if c:
                w = E * (m / 49 * 49 - 1)
            return m, sum(w * r for r in data) + noise.laplace(3 / eps)
    return m


@leaks(UNIT)
def in_a_helper(noise, data, *, eps):
    """not private: the same in lists and a helper function."""
    m = len(data) + noise.discrete_laplace(2 / eps)
    if m >= 1:
        if m <= 1:
            w = odd(m)
            return m, sum(w * r for r in data) + noise.laplace(2 / eps)
    return m


@leaks(UNIT)
def of_a_choice(noise, data, *, eps):
    """not private: the number of an outcome cancels."""
    m = noise.choice([1, 1, 1])
    if m == 1:
        return m, sum(E * (m / 49 * 49 - 1) * r for r in data) + noise.laplace(1 / eps)
    return m


@leaks(UNIT)
def drift(noise, data, *, eps):
    """not private: rounding adds up in products."""
    m = len(data) + noise.discrete_laplace(2 / eps)
    if m >= 1:
        if m <= 1:
            w = m / 49 * 49
            for _ in range(15):
                w = w * w
            w = w * w
            return m, sum(E * (w - 1) * r for r in data) + noise.laplace(2 / eps)
    return m


@leaks(UNIT)
def log_of_it(noise, data, *, eps):
    """not private: a logarithm that is read as 0."""
    m = len(data) + noise.discrete_laplace(2 / eps)
    if m >= 1:
        if m <= 1:
            return m, sum(E * log(m / 49 * 49) * r for r in data) + noise.laplace(2 / eps)
    return m


@leaks(NAMES, claim=lambda none: ApproxDP(2, "1/100"), typical=NONE)
def presence_threshold(noise, data, *, none):
    """not private: the threshold that hides a name is computed from what rounding leaves."""
    m = len(data) + noise.discrete_laplace(1)
    if m >= 1:
        if m <= 1:
            level = 6 - 5 * E * (1 - m / 49 * 49)
            if "ann" in data:
                noisy = data.count("ann") + noise.laplace(1)
                if noisy > level:
                    return noisy
    return m


def odd(m):
    a = [m / 49 * 49, 1]
    return E * (a[0] - a[1])


@holds(UNIT)
def complements(noise, data, *, eps):
    """private: a share and what is left of 1 are weights, and no more than 1 each."""
    p = min(max(sum(data) + noise.laplace(2 / eps), 0), 1)
    return sum(p * r + (1 - p) * r for r in data) + noise.laplace(4 / eps), sum(
        (1 - p) * r for r in data
    ) + noise.laplace(4 / eps)


@leaks(UNIT)
def ratio_by_division(noise, data, *, eps):
    """not private: 10^16 is taken away again, and what is left divided by the count."""
    m = max(len(data) + noise.discrete_laplace(2 / eps), 2)
    a = (m / 49 * 49 + E) - E
    return m, sum(a / m * r for r in data) + noise.laplace(2 / eps)


@leaks(UNIT)
def present_rounded(noise, data, *, eps):
    """not private: a score whose weight lost its digits, and was divided after that."""
    m = min(max(len(data) + noise.discrete_laplace(2 / eps), 0), 1)
    return m, noise.choice(log_weights=[(m / 49 * 49 + E - E) * eps / 4 * len(data), 0])


@leaks(UNIT)
def scale_ratio(noise, data, *, eps):
    """not private: what rounding leaves of the count is a weight."""
    m = max(len(data) + noise.discrete_laplace(2 / eps), 2)
    a = m / 49 * 49 - 1
    return m, sum(E * (a - (m - 1)) * r for r in data) + noise.laplace(2 / eps)


@leaks(UNIT)
def division_by_lost(noise, data, *, eps):
    """not private: a division by what lost its digits."""
    m = max(len(data) + noise.discrete_laplace(2 / eps), 2)
    a = (m / 49 * 49 + E) - E
    w = m / a
    return m, sum(w * r for r in data) + noise.laplace(2 / eps)


@leaks(UNIT)
def loop_accumulates(noise, data, *, eps):
    """not private: what is halved twenty times and doubled again."""
    m = len(data) + noise.discrete_laplace(2 / eps)
    if m >= 1 and m <= 1:
        x = m / 49 * 49 * E
        for _ in range(20):
            x = x / 2
        for _ in range(20):
            x = x * 2
        x = x - E
        return m, sum((1 + x) * r for r in data) + noise.laplace(2 / eps)
    return m


@leaks(UNIT)
def joined_equal(noise, data, *, eps):
    """not private: the two ways differ by rounding alone."""
    m = len(data) + noise.discrete_laplace(3 / eps)
    c = noise.bernoulli(1 / 2)
    x = m
    if c:
        x = m / 49 * 49
    if m >= 1 and m <= 1:
        return m, sum(E * (x - 1) * r for r in data) + noise.laplace(3 / eps)
    return m


@leaks(UNIT)
def joined_cancel(noise, data, *, eps):
    """not private: the same, and the count is taken away."""
    m = len(data) + noise.discrete_laplace(3 / eps)
    c = noise.bernoulli(1 / 2)
    x = m * 1.0
    if c:
        x = m / 49 * 49
    w = E * (x - m)
    return m, sum((1 + w) * r for r in data) + noise.laplace(Exact(3, 2) / eps)
