"""Programs in which Python's numbers are not the exact ones: rounding, zeros, truth values, powers, chained comparisons.

What is exactly so is not so when the program runs. Each says what is released then.
"""

# ruff: noqa

from __future__ import annotations

EVIL = []


def evil(program):
    EVIL.append(program)
    return program


@evil
def noise_times_zero(noise, queries, *, eps):
    """(1e20 + 1) - 1e20 is 0.0: the data in the clear."""
    return [q + noise.laplace(1 / eps) * ((1e20 + 1) - 1e20) for q in queries]


@evil
def noise_times_zero_in_steps(noise, queries, *, eps):
    """The same, over variables."""
    big = 1e20
    more = big + 1
    factor = more - big
    return [q + noise.laplace(1 / eps) * factor for q in queries]


@evil
def noise_absorbed(noise, queries, *, eps):
    """What is added to 1e20 is lost: the noise is 0 or a multiple of 16384."""
    return [q + ((noise.laplace(1 / eps) + 1e20) - 1e20) for q in queries]


@evil
def noise_absorbed_by_a_whole_number(noise, queries, *, eps):
    """The same with an int, which becomes a float."""
    return [q + ((noise.laplace(1 / eps) + 10**8 * 10**8 * 10**4) - 10**8 * 10**8 * 10**4) for q in queries]


@evil
def noise_absorbed_by_a_parameter(noise, queries, *, eps, threshold):
    """Where the threshold is 1e20."""
    return [q + ((noise.laplace(1 / eps) + threshold) - threshold) for q in queries]


@evil
def noise_made_small_and_large(noise, queries, *, eps):
    """1e-300 * 1e-300 is 0.0."""
    return [q + noise.laplace(1 / eps) * (1e-300 * 1e-300) * 1e300 * 1e300 for q in queries]


@evil
def noise_rounded_away(noise, queries, *, eps):
    """x/2**60 + 1 is 1."""
    small = 1 / 2**8 / 2**8 / 2**8 / 2**8 / 2**8 / 2**8 / 2**8
    large = 2**8 * 2**8 * 2**8 * 2**8 * 2**8 * 2**8 * 2**8
    return [q + ((noise.laplace(1 / eps) * small + 1) - 1) * large for q in queries]


@evil
def sum_of_decimals(noise, queries, *, eps):
    """0.1 + 0.2 == 0.3 is False: the data in the clear."""
    out = []
    for q in queries:
        if 0.1 + 0.2 == 0.3:
            out.append(q + noise.laplace(1 / eps))
        else:
            out.append(q)
    return out


@evil
def sum_of_decimals_is_larger(noise, queries, *, eps):
    """0.1 + 0.2 > 0.3 is True."""
    out = []
    for q in queries:
        if 0.1 + 0.2 > 0.3:
            out.append(q)
        else:
            out.append(q + noise.laplace(1 / eps))
    return out


@evil
def sum_of_decimals_with_a_parameter(noise, queries, *, eps):
    """0.1 * eps + 0.2 * eps is not 0.3 * eps."""
    out = []
    for q in queries:
        if 0.1 * eps + 0.2 * eps == 0.3 * eps:
            out.append(q + noise.laplace(1 / eps))
        else:
            out.append(q)
    return out


@evil
def tenths_add_up(noise, queries, *, eps):
    """Ten tenths are 0.9999999999999999."""
    s = 0.0
    for _ in range(10):
        s += 0.1
    out = []
    for q in queries:
        if s == 1.0:
            out.append(q + noise.laplace(1 / eps))
        else:
            out.append(q)
    return out


@evil
def tenths_add_up_in_a_loop(noise, queries, *, eps):
    """Where there are ten answers."""
    s = 0.0
    out = []
    for q in queries:
        s += 0.1
        if s > 0.95 and s < 1.0:
            out.append(q)
        else:
            out.append(q + noise.laplace(1 / eps))
    return out


@evil
def thirds(noise, queries, *, eps):
    """1/3 as a float is below the third."""
    out = []
    for q in queries:
        if 1 / 3 * 3 - 1 == 1 - 1 / 3 - 1 / 3 - 1 / 3:
            out.append(q + noise.laplace(1 / eps))
        else:
            out.append(q)
    return out


@evil
def remainder_of_decimals(noise, queries, *, eps):
    """0.3 % 0.1 is 0.09999999999999998."""
    out = []
    for q in queries:
        if 0.3 % 0.1 == 0:
            out.append(q + noise.laplace(1 / eps))
        else:
            out.append(q)
    return out


@evil
def quotient_of_decimals(noise, queries, *, eps):
    """1.0 // 0.1 is 9.0."""
    out = []
    for q in queries:
        if 1.0 // 0.1 == 10:
            out.append(q + noise.laplace(1 / eps))
        else:
            out.append(q)
    return out


@evil
def remainder_of_a_parameter(noise, queries, *, eps):
    """Where eps is 0.3, eps % 0.1 is no whole multiple."""
    out = []
    for q in queries:
        if eps % 0.1 >= 0:
            out.append(q + noise.laplace(1 / eps))
        else:
            out.append(q)
    return out


@evil
def truth_of_a_small_number(noise, queries, *, eps):
    """0.1 + 0.2 - 0.3 is not 0."""
    out = []
    for q in queries:
        if 0.1 + 0.2 - 0.3:
            out.append(q)
        else:
            out.append(q + noise.laplace(1 / eps))
    return out


@evil
def rounding_of_a_sum_is_tested(noise, queries, *, eps):
    """(q + z) - q == z holds for q = 0 and seldom for others."""
    out = []
    for q in queries:
        z = noise.laplace(1 / eps)
        out.append((q + z) - q == z)
    return out


@evil
def rounding_of_a_sum_is_released(noise, queries, *, eps):
    """(q + z) - q - z is 0 for q = 0 and seldom for others."""
    out = []
    for q in queries:
        z = noise.laplace(1 / eps)
        out.append((q + z) - q - z)
    return out


@evil
def rounding_decides_the_larger(noise, queries, *, eps):
    """The larger one of two numbers that are equal but for rounding."""
    out = []
    for q in queries:
        z = noise.laplace(1 / eps)
        out.append((q + z) + 1 > (q + 1) + z)
    return out


@evil
def sign_of_zero(noise, queries, *, eps):
    """q * 0 is -0.0 for negative q."""
    return [q * 0 for q in queries]


@evil
def sign_of_zero_with_a_float(noise, queries, *, eps):
    """The same with 0.0, after noise has been added: the sign of the noisy answer, ten times."""
    out = []
    for q in queries:
        for _ in range(10):
            out.append((q + noise.laplace(1 / eps)) * 0.0)
    return out


@evil
def constants_of_either_sign(noise, queries, *, eps):
    """-0.0 is not 0.0."""
    out = []
    for q in queries:
        out.append(-0.0 if q > 0 else 0.0)
    return out


@evil
def whole_or_real(noise, queries, *, eps):
    """1 is not 1.0."""
    out = []
    for q in queries:
        out.append(1 if q > 0 else 1.0)
    return out


@evil
def whole_or_true(noise, queries, *, eps):
    """True is not 1."""
    out = []
    for q in queries:
        out.append(True if q > 0 else 1)
    return out


@evil
def whole_or_real_after_noise(noise, queries, *, eps, threshold):
    """Both branches release the noisy answer; one as an int plus, one as a float plus. Ten comparisons of an exact answer."""
    out = []
    for q in queries:
        if q >= threshold:
            out.append(0 + 2)
        else:
            out.append(1.0 + 1)
    return out


@evil
def kind_kept_in_the_state(noise, queries, *, eps, threshold):
    """x is 1 or 1.0, by the last answer."""
    x = 1
    for q in queries:
        x = 1 if q >= threshold else 1.0
    return x


@evil
def kind_by_division(noise, queries, *, eps, threshold):
    """n / 1 is a float."""
    x = 4
    for q in queries:
        if q >= threshold:
            x = 4 / 1
        else:
            x = 4
    return x


@evil
def kind_by_a_power(noise, queries, *, eps, threshold):
    """1 ** -1 is 1.0."""
    x = 1
    for q in queries:
        x = 1**-1 if q >= threshold else 1**1
    return x


@evil
def kind_by_or(noise, queries, *, eps, threshold):
    """Either test gives the same number, as an int or as a truth value."""
    x = 1
    for q in queries:
        x = (q >= threshold) or 1
    return x


@evil
def largest_of_true_and_one(noise, queries, *, eps, threshold):
    """max keeps the first of equal values: True or 1."""
    out = []
    for q in queries:
        out.append(max(q >= threshold, 1))
    return out


@evil
def truth_values_in_arithmetic(noise, queries, *, eps, threshold):
    """The number of answers above the threshold, with too little noise where many move."""
    n = 0
    for q in queries:
        n += 10 * (q >= threshold)
    return n + noise.laplace(1 / eps)


@evil
def truth_value_as_a_factor(noise, queries, *, eps, threshold):
    """The noise is switched off above the threshold."""
    return [q + noise.laplace(1 / eps) * (q < threshold) for q in queries]


@evil
def truth_value_as_a_scale(noise, queries, *, eps):
    """True as a scale is refused by the noise: the program does not run."""
    return [q + noise.laplace(True) for q in queries]


@evil
def negative_power(noise, queries, *, eps):
    """eps ** -1 * eps ** 2 is eps, not 1/eps, where eps > 1."""
    return [q + noise.laplace(eps**-1 * eps**2) for q in queries]


@evil
def power_of_minus_one(noise, queries, *, eps):
    """(-1) ** 2 is 1: the answer is released twice, once with each sign."""
    out = []
    for q in queries:
        out.append(q + noise.laplace(1 / eps))
        out.append((-1) ** 3 * q + noise.laplace(1 / eps))
    return out


@evil
def chained_comparison(noise, queries, *, eps, threshold):
    """Two exact comparisons in one."""
    out = []
    for q in queries:
        out.append(threshold <= q + noise.laplace(1 / eps) <= q)
    return out


@evil
def chained_and_mixed(noise, queries, *, eps, low, high):
    """The first comparison has noise, the second has none."""
    for i, q in enumerate(queries):
        if low < q + noise.laplace(2 / eps) and low < q < high:
            return i
    return None


@evil
def equal_up_to_type(noise, queries, *, eps, threshold):
    """(q >= threshold) == 1 is the comparison itself."""
    out = []
    for q in queries:
        out.append((q >= threshold) == 1)
    return out


@evil
def large_literal_scale(noise, queries, *, eps):
    """1e16 + 1 - 1e16 is 0.0 in the denominator: the program fails, or has no noise."""
    return [q + noise.laplace((1e16 + 1 - 1e16) / eps) for q in queries]


@evil
def literal_beyond_floats(noise, queries, *, eps):
    """1e400 is infinite."""
    return [q + noise.laplace(1 / eps) / 1e400 for q in queries]


@evil
def loop_over_a_float(noise, queries, *, eps):
    """range(2.0) fails in Python."""
    out = []
    for i in range(4 / 2):
        out.append(queries[0] + noise.laplace(2 / eps))
    return out


@evil
def index_by_a_float(noise, queries, *, eps):
    """queries[0.0] fails in Python."""
    return queries[0 / 1] + noise.laplace(1 / eps)
