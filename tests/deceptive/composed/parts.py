"""Post-processing with reach, mechanisms that are run too often, samples that are mixed, steps that are repeated."""

from __future__ import annotations

import math

from dpwitness import Answers, ApproxDP, Box, Exact, GaussianDP, Interval, PureDP, Records
from dpwitness.mechanisms.above_threshold import above_threshold
from dpwitness.mechanisms.noisy_max import report_noisy_max
from tests.deceptive.kit import leaks

UNIT = Records(Interval(0, 1), 5, "add-remove")
EIGHT = Records(tuple(range(8)), 4, "add-remove")
PLANE = Records(Box((-1, 1), (-1, 1)), 3, "add-remove")
FOUR, ONE = Answers("all", 1, size=4), Answers("one", 1, size=4)
SMALL = {"eps": "1/10", "delta": "1e-6"}
STASH: list[object] = []
SEEN = {"n": 0}


def last_kept():
    """What was kept."""
    return len(STASH)


def keep(x):
    """Remember a number."""
    SEEN["n"] += 1
    return float(SEEN["n"])


def same(x):
    """The number itself."""
    return float(x)


def not_a_number(x):
    """No number."""
    return math.nan


@leaks(UNIT)
def data_kept_outside(noise, data, *, eps):
    """not private: the data are put into a global list."""
    STASH.append(data)
    return noise.postprocess(last_kept) + len(data)


@leaks(UNIT)
def postprocessing_of_the_sum(noise, data, *, eps):
    """not private: what is processed is the sum in clear."""
    return noise.postprocess(same, sum(data))


@leaks(UNIT)
def postprocessing_of_a_list_of_sums(noise, data, *, eps):
    """not private: the sum in clear in a list."""
    return noise.postprocess(max, [0, [sum(data)][0]])


@leaks(UNIT)
def postprocessing_that_remembers(noise, data, *, eps):
    """not private: how often it was called is the number of records."""
    out = [noise.postprocess(keep, 1) for x in data]
    return len(out)


@leaks(UNIT)
def closure_over_the_sum(noise, data, *, eps):
    """not private: a lambda that knows the sum."""
    secret = sum(data)
    return noise.postprocess(lambda r: secret, len(data) + noise.laplace(1 / eps))


@leaks(UNIT)
def default_holds_the_sum(noise, data, *, eps):
    """not private: a default argument that is the sum."""
    secret = sum(data)
    return noise.postprocess(lambda r, s=secret: s, len(data) + noise.laplace(1 / eps))


@leaks(UNIT)
def lambda_that_changes_a_list(noise, data, *, eps):
    """not private: a list is changed behind the reader's back, and then the sum is shown."""
    seen = []
    noise.postprocess(lambda r: seen.append(r) or 0, len(data) + noise.laplace(1 / eps))
    if len(seen) > 0:
        return sum(data)
    return 0


@leaks(UNIT)
def bound_that_is_no_number(noise, data, *, eps):
    """not private: a bound that is NaN does not clip, and clipping by it leaves 100 times the record."""
    bound = noise.postprocess(same, len(data) + noise.laplace(2 / eps))
    return sum(min(100 * x, bound) for x in data) + noise.laplace(2 / eps)


@leaks(FOUR)
def a_mechanism_run_twice(noise, counts, *, eps):
    """not private: each run spends the whole budget."""
    return noise.run(report_noisy_max, counts, eps=eps), noise.run(report_noisy_max, counts, eps=eps)


@leaks(FOUR)
def a_mechanism_at_twice_its_budget(noise, counts, *, eps):
    """not private: the mechanism is run at 2ε."""
    return noise.run(report_noisy_max, counts, eps=2 * eps)


@leaks(FOUR)
def inputs_that_move_by_three(noise, counts, *, eps):
    """not private: the inputs are three times the answers."""
    return noise.run(report_noisy_max, [3 * c for c in counts], eps=eps)


@leaks(FOUR)
def part_and_its_input(noise, counts, *, eps):
    """not private: a mechanism is run, and an input is released at the whole budget."""
    return noise.run(above_threshold, counts, eps=eps, threshold=0), counts[0] + noise.laplace(1 / eps)


@leaks(EIGHT)
def bins_of_overlapping_counts(noise, data, *, eps):
    """not private: a record is in all counts, which are multiplied by two."""
    counts = [2 * sum(x >= v for x in data) for v in range(4)]
    return noise.run(report_noisy_max, counts, eps=eps)


@leaks(UNIT)
def sample_seen_twice(noise, data, *, eps):
    """not private: half of the records, in two releases at the whole budget."""
    part = noise.subsample(data, Exact(1, 2))
    return sum(part) + noise.laplace(1 / eps), len(part) + noise.laplace(1 / eps)


@leaks(UNIT, claim=lambda eps: PureDP(Exact(3, 10)))
def sample_minus_the_rest(noise, data, *, eps):
    """not private: the sum of a sample minus that of all."""
    part = noise.subsample(data, Exact(1, 4))
    return sum(part) - sum(data) + noise.laplace(1)


@leaks(UNIT)
def size_of_the_sample(noise, data, *, eps):
    """not private: the size of the sample in clear."""
    part = noise.subsample(data, Exact(1, 2))
    return len(part)


@leaks(UNIT)
def sample_of_a_sample(noise, data, *, eps):
    """not private: the sample and the sample of it have noise for a quarter each."""
    part = noise.subsample(data, Exact(9, 10))
    again = noise.subsample(part, Exact(9, 10))
    return sum(part) + noise.laplace(1 / (2 * eps)), sum(again) + noise.laplace(1 / (2 * eps))


@leaks(UNIT)
def rate_above_a_half(noise, data, *, eps):
    """not private: at a rate of 9/10 hardly anything is gained."""
    part = noise.subsample(data, Exact(9, 10))
    return sum(part) + noise.laplace(1 / (2 * eps))


@leaks(UNIT, claim=lambda eps, delta: ApproxDP(eps, delta), typical=SMALL)
def interleaved_samples(noise, data, *, eps, delta):
    """not private: the sample is looked at again after a look at all records."""
    a = noise.subsample(data, Exact(1, 2))
    one = sum(a) + noise.gaussian(3)
    two = sum(data) + noise.gaussian(30)
    if two > one:
        return sum(a) + noise.gaussian(3), one, two
    return len(a) + noise.gaussian(3), one, two


@leaks(PLANE, claim=lambda eps, delta: ApproxDP(eps, delta), typical=SMALL)
def many_steps_of_descent(noise, data, *, eps, delta):
    """not private: thirty steps with the noise of one."""
    w = [0, 0]
    for _ in range(30):
        part = noise.subsample(data, Exact(1, 2))
        g = [noise.clip([x[0] - w[0], x[1] - w[1]], 1) for x in part]
        w = [w[j] - sum(v[j] for v in g) - noise.gaussian(2) for j in range(2)]
    return w


@leaks(UNIT)
def twenty_equal_steps(noise, data, *, eps):
    """not private: the same release twenty times, in a loop whose number is not looked at."""
    w = 0
    for _ in range(20):
        w = w + sum(x > w for x in data) + noise.laplace(2 / eps)
    return w


@leaks(UNIT)
def thirteen_steps_and_one(noise, data, *, eps):
    """not private: each step is paid for, and one more is not."""
    w = 0
    for _ in range(13):
        w = w / 2 + sum(data) + noise.laplace(13 / eps)
    return w, sum(data) + noise.laplace(1 / eps)


@leaks(UNIT)
def steps_with_one_draw(noise, data, *, eps):
    """not private: all steps share one draw, and their differences are exact."""
    z = noise.laplace(40 / eps)
    w = 0
    for _ in range(20):
        w = w + 1
        z = z + 1
    return sum(data) + z, len(data) + z


@leaks(UNIT)
def scale_shrinks_from_step_to_step(noise, data, *, eps):
    """not private: the scale is halved in every step."""
    scale = 20 / eps
    w = 0
    for _ in range(20):
        w = w / 2 + sum(data) + noise.laplace(scale)
        scale = scale / 2
    return w


@leaks(PLANE, claim=lambda eps: GaussianDP(eps))
def two_vectors_of_one_norm(noise, data, *, eps):
    """not private: two clipped vectors, each with the noise of one."""
    u = [noise.clip([x[0], x[1]], 1) for x in data]
    v = [noise.clip([x[1], x[0]], 1) for x in data]
    return [sum(g[j] for g in w) + noise.gaussian(1 / eps) for w in (u, v) for j in range(2)]


@leaks(UNIT)
def truth_that_shows_its_type(noise, data, *, eps):
    """not private: a sum of ints is an int, a sum with a float is a float."""
    return sum(0 if x < Exact(1, 2) else 0.0 for x in data)
