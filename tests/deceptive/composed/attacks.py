"""Attacks on presence, coins and remainders, each of which was refused when it was first tried."""
# ruff: noqa: SIM102

from __future__ import annotations

from dpwitness import ApproxDP, Exact, Interval, PureDP, Records, exp
from tests.deceptive.kit import leaks

UNIT = Records(Interval(0, 1), 5, "add-remove")
NAMES = Records(("ann", "bob"), 3, "add-remove")
SWAP, ONE = Records(("ann", "bob"), 3), Records(Interval(-1, 1), 1)
MIXED = Records((0, False, 1, True), 3, "add-remove")
NUMS = Records((0, 1, 2, 3), 3, "add-remove")
U1, BIT = Records(Interval(0, 1), 1), Records((0, 1), 1)
SIGNED = Records((-3, -2, -1, 0, 1, 2, 3), 4, "add-remove")
FLAGS = Records((True, False), 4, "add-remove")
NONE = {"none": 0}


def loose():
    return ApproxDP(1, "1/100")


@leaks(NAMES, claim=lambda none: loose(), typical=NONE)
def same_name_twice(noise, data, *, none):
    """not private: one name is counted twice."""
    out = []
    for name in ("ann", "ann"):
        if name in data:
            noisy = data.count(name) + noise.laplace(1)
            if noisy > 5:
                out.append(noisy)
    return out


@leaks(NAMES, claim=lambda none: loose(), typical=NONE)
def nested(noise, data, *, none):
    """not private: the count of a name is looked at where somebody has another one."""
    if "ann" in data:
        if "bob" in data:
            noisy = data.count("bob") + noise.laplace(1)
            if noisy > 5:
                return noisy
    return 0


@leaks(MIXED, claim=lambda none: loose(), typical=NONE)
def equal_records(noise, data, *, none):
    """not private: 0 and False are one record, which is counted twice."""
    out = []
    for v in (0, False):
        if v in data:
            noisy = data.count(v) + noise.laplace(1)
            if noisy > 5:
                out.append(noisy)
    return out


@leaks(NUMS, claim=lambda none: loose(), typical=NONE)
def mapped(noise, data, *, none):
    """not private: the presence of a record is asked of another list than the count is of."""
    rows = [r // 2 for r in data]
    if 1 in rows:
        noisy = data.count(2) + noise.laplace(1)
        if noisy > 5:
            return noisy
    return None


@leaks(NUMS, claim=lambda none: loose(), typical=NONE)
def mapped2(noise, data, *, none):
    """not private: a record is counted in two lists."""
    rows = [r // 2 for r in data]
    out = []
    if 1 in rows:
        noisy = rows.count(1) + noise.laplace(1)
        if noisy > 5:
            out.append(noisy)
    if 2 in data:
        noisy2 = data.count(2) + noise.laplace(1)
        if noisy2 > 5:
            out.append(noisy2)
    return out


@leaks(NUMS, claim=lambda none: loose(), typical=NONE)
def filtered(noise, data, *, none):
    """not private: a size without noise is shown where the count passes."""
    rows = [r for r in data if r > 1]
    if 2 in data:
        noisy = rows.count(2) + noise.laplace(1)
        m = len(rows)
        if noisy > 5:
            return m
    return None


@leaks(NAMES, claim=lambda none: loose(), typical=NONE)
def count_changed(noise, data, *, none):
    """not private: the count is doubled before the branch."""
    c = data.count("ann")
    c = c * 2
    if "ann" in data:
        noisy = c + noise.laplace(1)
        if noisy > 5:
            return noisy
    return None


@leaks(NAMES, claim=lambda none: loose(), typical=NONE)
def count_shown_inside(noise, data, *, none):
    """not private: the count without noise is shown."""
    c = data.count("ann")
    if "ann" in data:
        noisy = c + noise.laplace(1)
        if noisy > 5:
            return noisy, noisy - c
    return None


@leaks(NAMES, claim=lambda none: loose(), typical=NONE)
def threshold_from_release(noise, data, *, none):
    """not private: the threshold is a released number that may be 3."""
    n = len(data) + noise.laplace(1000)
    t = min(max(n, 3), 5)
    if "ann" in data:
        noisy = data.count("ann") + noise.laplace(1)
        if noisy > t:
            return noisy
    return None


@leaks(NAMES, claim=lambda none: loose(), typical=NONE)
def threshold_private(noise, data, *, none):
    """not private: the threshold depends on the number of records."""
    if "ann" in data:
        noisy = data.count("ann") + noise.laplace(1)
        if noisy > 5 - len(data):
            return noisy
    return None


@leaks(NAMES, claim=lambda none: loose(), typical=NONE)
def int_edge(noise, data, *, none):
    """not private: whole noise passes the threshold with probability a⁴/(1 + a), above 1/100."""
    if "ann" in data:
        noisy = data.count("ann") + noise.discrete_laplace(1)
        if noisy >= 5:
            return noisy
    return None


@leaks(NAMES, claim=lambda none: loose(), typical=NONE)
def int_fraction_threshold(noise, data, *, none):
    """not private: above 9/2 is from 5 on for whole numbers."""
    if "ann" in data:
        noisy = data.count("ann") + noise.discrete_laplace(1)
        if noisy > Exact(9, 2):
            return noisy
    return None


@leaks(NAMES, claim=lambda none: loose(), typical=NONE)
def helper_presence_loop(noise, data, *, none):
    """not private: a helper counts each name, and is called twice."""
    out = helper(noise, data)
    again = helper(noise, data)
    return out, again


def helper(noise, data):
    out = []
    for v in ("ann", "bob"):
        if v in data:
            noisy = data.count(v) + noise.laplace(1)
            if noisy > 5:
                out.append(noisy)
    return out


@leaks(NAMES, claim=lambda none: loose(), typical=NONE)
def alias(noise, data, *, none):
    """not private: a list has another name where somebody has the name."""
    out = [0]
    if "ann" in data:
        box = out
        noisy = data.count("ann") + noise.laplace(1)
        if noisy > 5:
            box[0] = 1
            return out
    return out, box


@leaks(NAMES, claim=lambda none: loose(), typical=NONE)
def continue_first(noise, data, *, none):
    """not private: turns are counted where somebody has the name."""
    n = 0
    for name in ("ann", "bob"):
        n += 1
        if name not in data:
            continue
        noisy = data.count(name) + noise.laplace(1)
        if noisy > 5:
            n += noisy
        n += 1
    return n


@leaks(NAMES, claim=lambda none: ApproxDP(1, "1/1000"), typical=NONE)
def repeated_loop_presence(noise, data, *, none):
    """not private: twenty thresholds, each with its own chance."""
    t = 0
    for _ in range(20):
        if "ann" in data:
            noisy = data.count("ann") + noise.laplace(20)
            if noisy > 150:
                t = t + 1
    return t


@leaks(SWAP, claim=lambda none: loose(), typical=NONE)
def swapped_edge(noise, data, *, none):
    """not private: a replaced record moves two counts."""
    out = []
    for name in ("ann", "bob"):
        if name not in data:
            continue
        noisy = data.count(name) + noise.laplace(1)
        if noisy > 9:
            out.append(noisy)
    return out


@leaks(BIT)
def exp_half(noise, data, *, eps):
    """not private: odds of e^2ε on one side."""
    w = exp(eps)
    noise.choice([w, 1])
    return 1 * noise.bernoulli(exp(2 * eps) / (1 + exp(2 * eps)) * data[0] + (1 - data[0]) / (1 + exp(eps)))


@leaks(BIT)
def two_records_answers(noise, data, *, eps):
    """not private: the same chance is tossed twice."""
    p = data[0] * exp(eps) / (1 + exp(eps)) + (1 - data[0]) * 1 / (1 + exp(eps))
    q = noise.bernoulli(p)
    return 1 * q, 1 * noise.bernoulli(p)


@leaks(ONE, claim=lambda eps: PureDP(Exact(11, 10) * eps))
def coin_of_coin(noise, data, *, eps):
    """not private: a coin decides two others, of which one alone tells 1.08 and both tell 2.1."""
    c = noise.bernoulli(Exact(1, 2) + data[0] * Exact(49, 100))
    d = noise.bernoulli(Exact(1, 4) + c * Exact(1, 2))
    e = noise.bernoulli(Exact(1, 4) + c * Exact(1, 2))
    return 1 * d, 1 * e


@leaks(ONE)
def coin_and_coin(noise, data, *, eps):
    """not private: a coin, one that it decides, and one more of the record."""
    c = noise.bernoulli(Exact(1, 2) + data[0] * (exp(eps) - 1) / (2 * (exp(eps) + 1)))
    d = noise.bernoulli(Exact(1, 4) + c * Exact(1, 2))
    return 1 * c, 1 * d, 1 * noise.bernoulli(Exact(1, 2) + data[0] / 8)


@leaks(ONE)
def squared(noise, data, *, eps):
    """not private: two coins of one record, one of them of its square."""
    slope = (exp(eps) - 1) / (exp(eps) + 1)
    first = noise.bernoulli(Exact(1, 2) + (data[0] * data[0] - Exact(1, 2)) * slope)
    return 1 * first, 1 * noise.bernoulli(Exact(1, 2) + data[0] / 1000)


@leaks(ONE)
def odds(noise, data, *, eps):
    """not private: log-odds that move by 2ε."""
    return 1 * noise.bernoulli(log_odds=data[0] * eps)


@leaks(U1)
def vanishing_eps(noise, data, *, eps):
    """not private: the chance is 1 % above that of e^ε, and above 1 for a large ε."""
    p = Exact(1, 2) * (1 - data[0]) + data[0] * exp(eps) / (exp(eps) + 1) * Exact(101, 100)
    return 1 * noise.bernoulli(p)


@leaks(U1)
def ratio_large_eps(noise, data, *, eps):
    """not private: the chance is 1/e^ε times smaller for one record."""
    e = exp(eps)
    p = (1 + data[0] * (e * e - 1)) / (e * e + e)
    return 1 * noise.bernoulli(p)


@leaks(SIGNED)
def negative_mod(noise, data, *, eps):
    """not private: remainders of negative numbers are positive, and go to 2."""
    return sum((r % 3) for r in data) + noise.laplace(1 / eps)


@leaks(SIGNED)
def negative_floor(noise, data, *, eps):
    """not private: −3 // 2 is −2."""
    return sum((r // 2) for r in data) + noise.laplace(Exact(3, 2) / eps)


@leaks(SIGNED)
def negative_modulus(noise, data, *, eps):
    """not private: remainders by a negative number go to −2."""
    return sum((r % -3) for r in data) + noise.laplace(1 / eps)


@leaks(SIGNED)
def bits(noise, data, *, eps):
    """not private: the bits of −1 are all set."""
    return sum((r & 3) for r in data) + noise.laplace(2 / eps)


@leaks(FLAGS)
def flags(noise, data, *, eps):
    """not private: two truths make 2."""
    return sum((r + r) & 2 for r in data) + noise.laplace(1 / eps)


@leaks(FLAGS)
def flags2(noise, data, *, eps):
    """not private: the bits of truths, added."""
    return sum((r & True) + (r | False) for r in data) + noise.laplace(1 / eps)


@leaks(UNIT)
def interval_mod(noise, data, *, eps):
    """not private: the remainder jumps to 2."""
    return sum((5 * r) % 2 for r in data) + noise.laplace(1 / eps)
