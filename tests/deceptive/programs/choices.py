"""Finite choices: coins, weights that depend on the data, samples."""

from __future__ import annotations

import math

from dpwitness import PureDP
from tests.deceptive.kit import BITS, INF, PAIR_OF_BITS, F, Records, holds, leaks

THREE = Records((0, 1, 2), 1)


@holds(BITS, 1)
def randomised_response(noise, d, *, eps):
    """private: the truth with odds e^eps."""
    return d[0] if noise.bernoulli(log_odds=eps) else 1 - d[0]


@leaks(BITS, math.log(3))
def three_quarters(noise, d, *, eps):
    """not private: odds of 3 are ln 3 = 1.0986 at eps = 1."""
    return d[0] if noise.bernoulli(F(3, 4)) else 1 - d[0]


@leaks(BITS, 2)
def asked_twice(noise, d, *, eps):
    """not private: two answers about one record."""
    return [(d[0] == 1) == noise.bernoulli(log_odds=eps) for _ in range(2)]


@holds(BITS, 0)
def one_time_pad(noise, d, *, eps):
    """private: a fair coin hides the record."""
    return (d[0] + int(noise.bernoulli(F(1, 2)))) % 2


@leaks(BITS, INF)
def pad_beside_the_text(noise, d, *, eps):
    """not private: the coin is released too."""
    coin = int(noise.bernoulli(F(1, 2)))
    return [(d[0] + coin) % 2, coin]


@leaks(BITS, INF)
def weight_of_nothing(noise, d, *, eps):
    """not private: with record 0 the first outcome is impossible."""
    return noise.choice([d[0], 1])


@holds(BITS, claim=lambda eps: PureDP(1))
def chance_by_the_record(noise, d, *, eps):
    """private: one half and three fifths are close."""
    return noise.bernoulli(F(1, 2) + F(1, 10) * d[0])


@holds(BITS, math.log(2), claim=lambda eps: PureDP(1))
def two_to_one(noise, d, *, eps):
    """private: odds of 2 are ln 2 = 0.69, the claim is 1."""
    return noise.choice([1, 2] if d[0] else [2, 1])


@leaks(BITS, math.log(3))
def three_to_one(noise, d, *, eps):
    """not private: odds of 3 are ln 3 at eps = 1."""
    return noise.choice([1, 3] if d[0] else [3, 1])


@holds(PAIR_OF_BITS)
def exponential_mechanism(noise, d, *, eps):
    """private: the scores are counts, halved."""
    return noise.choice(log_weights=[eps * sum(x == k for x in d) / 2 for k in (0, 1)])


@leaks(PAIR_OF_BITS)
def exponential_mechanism_without_the_half(noise, d, *, eps):
    """not private: both scores move, and the loss is above eps."""
    return noise.choice(log_weights=[eps * sum(x == k for x in d) for k in (0, 1)])


@leaks(THREE, INF)
def choice_among_the_others(noise, d, *, eps):
    """not private: the record itself is never released."""
    others = [k for k in range(3) if k != d[0]]
    return others[noise.choice([1, 1])]


@holds(THREE, 1)
def response_among_three(noise, d, *, eps):
    """private: the record has weight e^eps, the others 1."""
    return noise.choice(log_weights=[eps if k == d[0] else 0 for k in range(3)])


@leaks(THREE, 2)
def response_among_three_with_two(noise, d, *, eps):
    """not private: the record has weight e^(2 eps)."""
    return noise.choice(log_weights=[2 * eps if k == d[0] else 0 for k in range(3)])


@leaks(PAIR_OF_BITS, INF)
def sum_of_a_sample(noise, d, *, eps):
    """not private: a sampled 1 is seen."""
    return sum(noise.subsample(d, F(1, 2)))


@holds(PAIR_OF_BITS, 0)
def size_of_a_sample(noise, d, *, eps):
    """private: the size of the sample does not depend on the records."""
    return len(noise.subsample(d, F(1, 2)))


@leaks(PAIR_OF_BITS, INF)
def one_of_two_records(noise, d, *, eps):
    """not private: one record is drawn and released."""
    return noise.sample(d, 1)[0]


@holds(PAIR_OF_BITS)
def noisy_sum_of_a_sample(noise, d, *, eps):
    """private: the sample only helps."""
    return sum(noise.subsample(d, F(1, 2))) + noise.laplace(1 / eps)


@leaks(BITS, INF)
def coin_by_the_record(noise, d, *, eps):
    """not private: a coin is thrown only for record 1."""
    return "heads" if d[0] and noise.bernoulli(F(1, 2)) else "nothing"


@leaks(BITS, INF)
def sure_coin(noise, d, *, eps):
    """not private: the coin of probability 1 always tells the truth."""
    return d[0] if noise.bernoulli(1) else 1 - d[0]


@holds(BITS, 0)
def fair_coin(noise, d, *, eps):
    """private: with a fair coin both records look alike."""
    return d[0] if noise.bernoulli(F(1, 2)) else 1 - d[0]


@leaks(BITS, INF)
def truth_or_another_type(noise, d, *, eps):
    """not private: record 1 comes out as True or 0, record 0 as False or 1."""
    return d[0] == 1 if noise.bernoulli(log_odds=eps) else 1 - d[0]


@leaks(BITS)
def first_success(noise, d, *, eps):
    """not private: three throws with chance 1/2 or 1/10: the loss of no success is 3 ln(9/5) = 1.76."""
    for i in range(3):
        if noise.bernoulli(F(1, 2) if d[0] else F(1, 10)):
            return i
    return None


@holds(BITS, claim=lambda eps: PureDP(1))
def weights_in_floats(noise, d, *, eps):
    """private: 0.4 to 0.6, one way or the other, is ln 1.5."""
    return noise.choice([0.4, 0.6] if d[0] else [0.6, 0.4])


@leaks(BITS, math.log(4))
def weights_in_floats_too_far_apart(noise, d, *, eps):
    """not private: 0.2 to 0.8 is ln 4."""
    return noise.choice([0.2, 0.8] if d[0] else [0.8, 0.2])
