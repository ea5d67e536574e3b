"""Loops with flags and counters, searches that stop, loops inside loops."""

from __future__ import annotations

from tests.deceptive.kit import ALL, FIVE, INF, ONE, F, holds, leaks


@leaks(FIVE, INF)
def flag_that_turns(noise, q, *, eps):
    """not private: every second answer is released as it is."""
    noisy, out = True, []
    for x in q:
        out.append(x + noise.laplace(1 / eps) if noisy else x)
        noisy = not noisy
    return out


@leaks(FIVE, 10)
def remainder_kept_from_before(noise, q, *, eps):
    """not private: the remainder is taken before the loop, and the counter goes on."""
    n = 2
    kept = n % 3
    out = []
    for x in q:
        out.append(x + noise.laplace((1 if n % 3 == kept else F(1, 10)) / eps))
        n += 1
    return out


@leaks(FIVE, 4)
def quotient_kept_from_before(noise, q, *, eps):
    """not private: from the third answer on the quotient has changed, and the noise is a quarter."""
    n, out = 0, []
    kept = n // 2
    for x in q:
        out.append(x + noise.laplace((1 if n // 2 == kept else F(1, 4)) / eps))
        n += 1
    return out


@holds(FIVE, 1)
def remainder_that_makes_no_difference(noise, q, *, eps):
    """private: both branches have noise enough."""
    n, out = 1, []
    odd = n % 2
    for x in q:
        out.append(x + noise.laplace((1 if n % 2 == odd else 3) / eps))
        n += 1
    return out


@leaks(ONE, INF)
def count_of_the_positive(noise, q, *, eps):
    """not private: the counter is released beside noisy answers."""
    count, out = 0, []
    for x in q:
        count += x > 0
        out.append(x + noise.laplace(1 / eps))
    return [count, *out]


@leaks(FIVE, INF)
def the_fourth(noise, q, *, eps):
    """not private: the fourth answer has no noise."""
    i, out = 0, []
    while i < len(q):
        out.append(q[i] if i == 3 else q[i] + noise.laplace(1 / eps))
        i += 1
    return out


@leaks(ALL, INF)
def search_that_fails(noise, q, *, eps):
    """not private: where no noisy answer is large the first one is released as it is."""
    threshold = 100 + noise.laplace(2 / eps)
    for i, x in enumerate(q):
        if x + noise.laplace(4 / eps) >= threshold:
            break
    else:
        return q[0]
    return i


@holds(ALL)
def search(noise, q, *, eps):
    """private: the sparse vector technique."""
    threshold = noise.laplace(2 / eps)
    for i, x in enumerate(q):
        if x + noise.laplace(4 / eps) >= threshold:
            return i
    return None


@leaks(ALL, INF)
def search_without_noise_on_the_answers(noise, q, *, eps):
    """not private: answers are compared with one noisy threshold."""
    threshold = noise.laplace(1 / eps)
    return [x >= threshold for x in q]


@leaks(ALL)
def search_that_goes_on(noise, q, *, eps):
    """not private: the search does not stop at the first large answer."""
    threshold = noise.laplace(2 / eps)
    return [x + noise.laplace(4 / eps) >= threshold for x in [*q, *q, *q]]


@leaks(ALL, INF)
def search_that_tells_the_answer(noise, q, *, eps):
    """not private: the answer that was found is released as it is."""
    threshold = noise.laplace(2 / eps)
    for x in q:
        if x + noise.laplace(4 / eps) >= threshold:
            return x
    return None


@leaks(FIVE, INF)
def backwards(noise, q, *, eps):
    """not private: the loop ends at place 0, which is released as it is."""
    out = []
    for i in range(len(q) - 1, -1, -1):
        out.append(q[i] + noise.laplace(1 / eps) if i else q[i])
    return out


@leaks(ONE, 2)
def sums_of_pairs(noise, q, *, eps):
    """not private: every answer stands in two of three sums."""
    out = []
    for i in range(len(q)):
        for j in range(i):
            out.append(q[i] + q[j] + noise.laplace(1 / eps))
    return out


@leaks(ONE, 3)
def growing_sum(noise, q, *, eps):
    """not private: the first answer is part of three sums."""
    total, out = 0, []
    for x in q:
        total += x
        out.append(total + noise.laplace(1 / eps))
    return out


@leaks(ONE, 2)
def steps(noise, q, *, eps):
    """not private: every answer but the last is part of two differences."""
    before, out = 0, []
    for x in q:
        out.append(x - before + noise.laplace(1 / eps))
        before = x
    return out


@holds(ONE, 1)
def steps_with_enough_noise(noise, q, *, eps):
    """private: two differences at half of the budget."""
    before, out = 0, []
    for x in q:
        out.append(x - before + noise.laplace(2 / eps))
        before = x
    return out


@leaks(ALL, 3)
def stops_by_the_noise_alone(noise, q, *, eps):
    """not private: it may stop early, but where it does not three answers are seen."""
    out = []
    for x in q:
        out.append(x + noise.laplace(1 / eps))
        if noise.laplace(1) > 3:
            break
    return out


@leaks(ONE, INF)
def skips_by_the_data(noise, q, *, eps):
    """not private: negative answers are left out."""
    out = []
    for x in q:
        if x < 0:
            continue
        out.append(x + noise.laplace(1 / eps))
    return out


@holds(ONE, 1)
def counter_that_is_not_used(noise, q, *, eps):
    """private: the counter of large noisy answers is made of noisy answers."""
    large, out = 0, []
    for x in q:
        noisy = x + noise.laplace(1 / eps)
        large += noisy > 1
        out.append(noisy)
    return [large, *out]


@leaks(ONE, 3)
def reset_too_late(noise, q, *, eps):
    """not private: the divisor grows to 3 before it is set back."""
    divisor, out = 1, []
    for x in q:
        out.append(x + noise.laplace(F(1, divisor) / eps))
        divisor = 1 if divisor == 3 else divisor + 1
    return out
