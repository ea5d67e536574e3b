"""Noise that is used twice, that cancels, that is too small, or whose scale tells."""

from __future__ import annotations

from dpwitness import ZCDP, Answers, ApproxDP, Exact, GaussianDP, Interval, PureDP, Records
from tests.deceptive.kit import holds, leaks

UNIT, SWAP = Records(Interval(0, 1), 5, "add-remove"), Records(Interval(0, 1), 5)
BINS = Records((0, 1, 2), 4, "add-remove")
FOUR, ONE = Answers("all", 1, size=4), Answers("one", 1, size=4)


@leaks(UNIT)
def one_draw_on_two_sums(noise, data, *, eps):
    """not private: the difference of the two releases is exact."""
    z = noise.laplace(2 / eps)
    return sum(data) + z, len(data) + z


@leaks(UNIT)
def the_draw_beside_the_sum(noise, data, *, eps):
    """not private: the draw is shown, and with it the sum."""
    z = noise.laplace(1 / eps)
    return [sum(data) + z, z]


@leaks(UNIT)
def the_draw_in_another_unit(noise, data, *, eps):
    """not private: a multiple of the draw is shown."""
    z = noise.laplace(1 / eps)
    return sum(data) + z, 7 * z + 1


@leaks(UNIT)
def draw_and_its_opposite(noise, data, *, eps):
    """not private: the sum of both releases has no noise."""
    z = noise.laplace(1 / (4 * eps))
    return sum(data) + z, sum(data) - z


@leaks(UNIT)
def noise_minus_itself(noise, data, *, eps):
    """not private: the noise cancels."""
    z = noise.laplace(1 / eps)
    return sum(data) + (z - z)


@leaks(UNIT)
def three_draws_four_shares(noise, data, *, eps):
    """not private: three releases at 1/ε each."""
    return [sum(data) + noise.laplace(1 / eps) for _ in range(3)]


@leaks(UNIT)
def shown_after_a_test(noise, data, *, eps):
    """not private: in one branch the draw itself is returned."""
    z = noise.laplace(1 / eps)
    y = sum(data) + z
    if y > 2:
        return y
    return z


@leaks(UNIT)
def scale_of_the_count(noise, data, *, eps):
    """not private: the scale is the true count."""
    return sum(data) + (1 + len(data)) * noise.laplace(1 / eps)


@leaks(UNIT)
def scale_falls_with_the_release(noise, data, *, eps):
    """not private: the noise vanishes where the first release is large."""
    c = max(len(data) + noise.laplace(2 / eps), 1)
    return sum(data) + noise.laplace(2 / (eps * c))


@leaks(UNIT)
def multiplied_by_the_release(noise, data, *, eps):
    """not private: sum and noise are multiplied by a release, but by another one."""
    r = max(len(data) + noise.laplace(3 / eps), 1)
    s = max(len(data) + noise.laplace(3 / eps), 1)
    return r * sum(data) + s * noise.laplace(3 / eps)


@leaks(UNIT)
def scale_times_a_tenth(noise, data, *, eps):
    """not private: a tenth of the noise."""
    return sum(data) + noise.laplace(1 / eps) / 10


@leaks(UNIT)
def uniform_noise(noise, data, *, eps):
    """not private: the ends of a uniform draw tell."""
    return sum(data) + noise.uniform(0, 1000)


@leaks(UNIT)
def one_sided_noise(noise, data, *, eps):
    """not private: exponential noise on a sum has an end."""
    return sum(data) + noise.exponential(1 / eps)


@leaks(UNIT)
def gaussian_said_to_be_pure(noise, data, *, eps):
    """not private: no ε alone holds for Gaussian noise."""
    return sum(data) + noise.gaussian(1000 / eps)


@leaks(BINS, claim=lambda eps: GaussianDP(eps))
def integer_normal_said_to_be_gaussian(noise, data, *, eps):
    """not private: whole noise is no Gaussian DP of this size."""
    return data.count(0) + noise.discrete_gaussian(1 / eps)


@leaks(UNIT)
def whole_noise_on_real_sums(noise, data, *, eps):
    """not private: the fraction of the sum is shown."""
    return sum(data) + noise.discrete_laplace(1 / eps)


@leaks(BINS)
def thirds_of_whole_noise(noise, data, *, eps):
    """not private: noise in steps of a third, and a count that moves by a third of a step."""
    return data.count(0) / 2 + noise.discrete_laplace(1 / eps)


@leaks(UNIT)
def whole_noise_and_a_half(noise, data, *, eps):
    """not private: half of the steps are too wide for the count."""
    return len(data) + 2 * noise.discrete_laplace(1 / eps)


@leaks(SWAP)
def replaced_and_added(noise, data, *, eps):
    """not private: the scale of added records where two bins move."""
    return [sum(x < Exact(1, 2) for x in data) + noise.laplace(1 / eps),
            sum(x >= Exact(1, 2) for x in data) + noise.laplace(1 / eps)]  # fmt: skip


@leaks(FOUR)
def all_answers_one_share(noise, answers, *, eps):
    """not private: four answers move, and the noise is that of one."""
    return [a + noise.laplace(1 / eps) for a in answers]


@leaks(ONE)
def an_answer_twice(noise, answers, *, eps):
    """not private: the first answer is released twice."""
    return [a + noise.laplace(1 / eps) for a in answers], answers[0] + noise.laplace(1 / eps)


@leaks(ONE)
def alias_of_the_answers(noise, answers, *, eps):
    """not private: the list of answers has two names."""
    copy = answers
    copy[0] = 5
    return answers[1]


@leaks(UNIT, claim=lambda eps: ZCDP(eps))
def rho_of_a_pair(noise, data, *, eps):
    """not private: two releases at ρ each."""
    return [sum(data) + noise.gaussian(1 / (2 * eps)) for _ in range(2)]


@leaks(UNIT, claim=lambda eps, delta: ApproxDP(eps, delta), typical={"eps": "1/10", "delta": "1e-6"})
def delta_of_nothing(noise, data, *, eps, delta):
    """not private: a deviation of 3 for ε = 1/10."""
    return sum(data) + noise.gaussian(3)


@leaks(UNIT)
def rest_of_a_shared_draw(noise, data, *, eps):
    """not private: x + y and y of two draws, then x alone: the sum is found by subtraction."""
    x = noise.laplace(2 / eps)
    y = noise.laplace(2 / eps)
    return sum(data) + x + y, y, x


@leaks(UNIT)
def noise_from_the_last_step(noise, data, *, eps):
    """not private: in the second turn the draw of the first one is taken again."""
    z = noise.laplace(2 / eps)
    out = []
    for _ in range(2):
        out.append(sum(data) * (len(out) + 1) + z)
    return out


@leaks(UNIT)
def a_draw_in_a_helper(noise, data, *, eps):
    """not private: a helper adds the same draw to two sums."""
    z = noise.laplace(2 / eps)
    return added(sum(data), z), added(len(data), z)


def added(x, z):
    """The sum."""
    return x + z


@holds(UNIT, claim=lambda eps: PureDP(eps))
def correlated_but_paid_for(noise, data, *, eps):
    """private: the second release is a function of the first and of fresh noise."""
    z = noise.laplace(1 / eps)
    first = sum(data) + z
    return first, first + noise.laplace(1)
