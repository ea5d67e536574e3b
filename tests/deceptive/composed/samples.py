"""Poisson samples with Gaussian noise: looked at too often, mixed with all records, of a size that is shown."""

from __future__ import annotations

from dpwitness import ZCDP, ApproxDP, Box, Exact, GaussianDP, Interval, PureDP, Records, RenyiDP
from tests.deceptive.kit import holds, leaks

UNIT, SWAP = Records(Interval(0, 1), 5, "add-remove"), Records(Interval(0, 1), 5)
PLANE = Records(Box((-1, 1), (-1, 1)), (0, 4), "add-remove")
BITS = Records((0, 1), (0, 4), "add-remove")
RATE = Exact(1, 100)


def small():
    """The claim (1/2, 1/100000)."""
    return ApproxDP(Exact(1, 2), Exact(1, 100000))


FEW = {"claim": small, "typical": {}}


@leaks(UNIT, **FEW)
def looked_at_six_times(noise, data):
    """not private: one sample, six answers about it: whoever is in it is seen."""
    s = noise.subsample(data, RATE)
    return [sum(s) + noise.gaussian(1) for _ in range(6)]


@leaks(UNIT, **FEW)
def the_sample_and_all(noise, data):
    """not private: all records, with the noise of a sample."""
    s = noise.subsample(data, RATE)
    return sum(s) + noise.gaussian(2), sum(data) + noise.gaussian(2)


@leaks(UNIT, **FEW)
def size_beside_the_sum(noise, data):
    """not private: the size of the sample in clear."""
    s = noise.subsample(data, RATE)
    return sum(s) + noise.gaussian(2), len(s)


@leaks(UNIT, **FEW)
def divided_by_the_size(noise, data):
    """not private: the noise is divided by the size of the sample."""
    s = noise.subsample(data, RATE)
    return (sum(s) + noise.gaussian(10)) / max(len(s), 1)


@leaks(UNIT, **FEW)
def one_draw_on_two_samples(noise, data):
    """not private: the difference of two samples without noise."""
    s, t = noise.subsample(data, RATE), noise.subsample(data, RATE)
    z = noise.gaussian(10)
    return sum(s) + z, sum(t) + z


@leaks(UNIT, **FEW)
def one_draw_on_one_sample(noise, data):
    """not private: the same draw hides the sum and twice the sum."""
    s = noise.subsample(data, RATE)
    z = noise.gaussian(10)
    return sum(s) + z, 2 * sum(s) + z


@leaks(UNIT, **FEW)
def draw_of_the_sample_on_all(noise, data):
    """not private: the difference of the sample and of all, with little noise."""
    s = noise.subsample(data, RATE)
    z = noise.gaussian(20)
    return sum(s) + z, sum(data) + z + noise.gaussian(1)


@leaks(UNIT, **FEW)
def back_to_the_sample(noise, data):
    """not private: the sample, all records, and the sample again with little noise."""
    s = noise.subsample(data, RATE)
    first = sum(s) + noise.gaussian(1)
    second = len(data) + noise.gaussian(50)
    return first, second, sum(s) + noise.gaussian(Exact(1, 10))


@leaks(UNIT, **FEW)
def the_sample_in_a_branch(noise, data):
    """not private: where the first answer is large, the sample is shown with little noise."""
    s = noise.subsample(data, RATE)
    a = sum(s) + noise.gaussian(1)
    return (a, sum(s) + noise.gaussian(Exact(1, 10))) if a > 1 else (a, 0)


@leaks(UNIT, **FEW)
def the_sample_before_the_loop(noise, data):
    """not private: drawn once, and seen in each of a hundred turns."""
    s, out = noise.subsample(data, RATE), 0
    for _ in range(100):
        out = out / 2 + sum(s) + noise.gaussian(1)
    return out


@leaks(UNIT, **FEW)
def twice_in_each_turn(noise, data):
    """not private: sum and size of each sample, for the noise of one."""
    out = 0
    for _ in range(200):
        s = noise.subsample(data, Exact(1, 10))
        out = out + sum(s) + noise.gaussian(1) + len(s) + noise.gaussian(1)
    return out


@leaks(UNIT, **FEW)
def two_kinds_of_noise(noise, data):
    """not private: Laplace noise of a tenth on the sample."""
    s = noise.subsample(data, RATE)
    return sum(s) + noise.gaussian(1), sum(s) + noise.laplace(Exact(1, 10))


@leaks(SWAP, **FEW)
def sample_of_replaced_records(noise, data):
    """not private: a record of −1 or 1 is replaced, and noise of a tenth."""
    s = noise.subsample(data, RATE)
    return sum(2 * r - 1 for r in s) + noise.gaussian(Exact(1, 10))


@leaks(UNIT, claim=lambda: GaussianDP(Exact(1, 10)), typical={})
def gaussian_dp_of_the_rate(noise, data):
    """not private: a sample of a tenth is not a tenth of the μ."""
    return sum(noise.subsample(data, Exact(1, 10))) + noise.gaussian(1)


@leaks(UNIT, claim=lambda: ZCDP(Exact(1, 100)), typical={})
def zero_concentrated_of_the_rate(noise, data):
    """not private: of large orders the divergence of a sample is that of all."""
    return sum(noise.subsample(data, Exact(1, 10))) + noise.gaussian(1)


@leaks(UNIT, claim=lambda: RenyiDP(order=40, eps=Exact(1, 10)), typical={})
def renyi_of_a_large_order(noise, data):
    """not private: at order 40 the sample costs nearly 20."""
    return sum(noise.subsample(data, Exact(1, 10))) + noise.gaussian(1)


@leaks(UNIT, claim=lambda: PureDP(100), typical={})
def no_pure_loss(noise, data):
    """not private: no ε alone holds for Gaussian noise."""
    return sum(noise.subsample(data, Exact(1, 10))) + noise.gaussian(1)


@leaks(UNIT, claim=lambda: ApproxDP(Exact(1, 2), 0), typical={})
def no_delta(noise, data):
    """not private: as before, with δ = 0 written out."""
    return sum(noise.subsample(data, Exact(1, 10))) + noise.gaussian(1)


@leaks(UNIT, **FEW)
def hardly_any_noise(noise, data):
    """not private: a rate above δ, and a deviation of 1/3."""
    return sum(noise.subsample(data, RATE)) + noise.gaussian(Exact(1, 3))


@leaks(UNIT, **FEW)
def rare_samples_in_number(noise, data):
    """not private: each sample has a rate below δ, together they have not."""
    out = []
    for _ in range(20):
        out.append(sum(noise.subsample(data, Exact(9, 1000000))) + noise.gaussian(Exact(1, 4)))
    return out


@leaks(UNIT, **FEW)
def scale_by_an_earlier_answer(noise, data):
    """not private: where the first answer is large the second has a twentieth of the noise."""
    a = sum(noise.subsample(data, RATE)) + noise.gaussian(2)
    t = noise.subsample(data, RATE)
    return a, sum(t) + noise.gaussian(2 if a > 1 else Exact(1, 20))


@leaks(UNIT, **FEW)
def scale_is_an_earlier_answer(noise, data):
    """not private: the second answer's noise is the first, down to a third."""
    a = sum(noise.subsample(data, RATE)) + noise.gaussian(2)
    t = noise.subsample(data, RATE)
    return a, sum(t) + noise.gaussian(max(a, Exact(1, 3)))


@leaks(PLANE, **FEW)
def clipped_to_two(noise, data):
    """not private: vectors are clipped to a norm of 2, the noise is that of 1."""
    g = [noise.clip([2 * r[0], 2 * r[1]], 2) for r in noise.subsample(data, RATE)]
    return [sum(v[j] for v in g) + noise.gaussian(1) for j in range(2)]


@leaks(UNIT, **FEW)
def sample_of_a_sample(noise, data):
    """not private: drawn of the sample with rate 1, noise of a tenth."""
    s = noise.subsample(noise.subsample(data, RATE), 1)
    return sum(s) + noise.gaussian(Exact(1, 10))


@leaks(UNIT, **FEW)
def all_but_the_sample(noise, data):
    """not private: what is not in the sample is nearly everything."""
    return sum(data) - sum(noise.subsample(data, RATE)) + noise.gaussian(1)


@leaks(UNIT, **FEW)
def rate_by_an_answer(noise, data):
    """not private: where the first answer is negative everybody is taken."""
    a = sum(data) + noise.gaussian(20)
    s = noise.subsample(data, RATE if a > 0 else 1)
    return a, sum(s) + noise.gaussian(1)


@leaks(UNIT, **FEW)
def everybody_is_taken(noise, data):
    """not private: a rate of 1 is no sample."""
    return sum(noise.subsample(data, 1)) + noise.gaussian(1)


@leaks(UNIT, **FEW)
def weights_above_one(noise, data):
    """not private: a record counts up to 2."""
    return sum(r + 1 for r in noise.subsample(data, RATE)) + noise.gaussian(1)


@leaks(BITS, **FEW)
def whole_noise_on_a_sample(noise, data):
    """not private: integer noise of deviation 1/10 is mostly 0."""
    return sum(noise.subsample(data, RATE)) + noise.discrete_gaussian(Exact(1, 10))


@leaks(UNIT, **FEW)
def larger_of_two_samples(noise, data):
    """not private: noise of a tenth on the larger of two sums."""
    s, t = noise.subsample(data, RATE), noise.subsample(data, RATE)
    return max(sum(s), sum(t)) + noise.gaussian(Exact(1, 10))


@leaks(UNIT, claim=lambda: ApproxDP(Exact(1, 100), Exact(1, 1000)), typical={})
def present_in_a_sample(noise, data):
    """not private: a threshold of 2 is reached by half of those who are taken with one other."""
    return noise.present(len(noise.subsample(data, Exact(1, 2))), 1, 2)


@leaks(UNIT, **FEW)
def fixed_number_of_records(noise, data):
    """not private: two of the records, for the noise of a rate of 1/100."""
    return sum(noise.sample(data, 2)) + noise.gaussian(1)


@leaks(UNIT, **FEW)
def pure_beside_the_samples(noise, data):
    """not private: the pure release alone takes the whole ε."""
    first = len(data) + noise.laplace(2)
    out = 0
    for _ in range(200):
        out = sum(noise.subsample(data, RATE)) + noise.gaussian(1)
    return first, out


@leaks(UNIT, claim=lambda: ApproxDP(1, Exact(1, 100000)), typical={})
def other_ways_at_other_costs(noise, data):
    """not private: in one branch two hundred samples, in the other the sum with little noise."""
    a, out = len(data) + noise.gaussian(20), 0
    if a > 2:
        for _ in range(200):
            out = sum(noise.subsample(data, RATE)) + noise.gaussian(1)
    else:
        out = sum(data) + noise.gaussian(Exact(1, 2))
    return out


@holds(UNIT, claim=lambda: ApproxDP(Exact(1, 100), Exact(99, 100)), typical={})
def delta_of_nearly_one(noise, data):
    """private: with δ = 99/100 nearly everything is."""
    return sum(noise.subsample(data, Exact(1, 10))) + noise.gaussian(1)


@holds(UNIT, claim=lambda: ApproxDP(2, Exact(1, 100000)), typical={})
def two_hundred_steps(noise, data):
    """private: each step has a sample of its own, at ε = 2 there is room."""
    out = 0
    for _ in range(200):
        out = out / 2 + sum(noise.subsample(data, RATE)) + noise.gaussian(1)
    return out
