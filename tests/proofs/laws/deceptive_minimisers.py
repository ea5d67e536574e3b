"""Programs that look like objective perturbation. None of them may be proved ε-private with this noise."""

from __future__ import annotations

from typing import Any

from dpwitness.core import exp, log, logistic

MEMORY: list[Any] = []


def pulls(f: Any, data: Any, ridge: Any) -> list[Any]:
    total = [len(data) * ridge * a for a in f]
    for *x, y in data:
        miss = logistic(-y * sum(a * v for a, v in zip(f, x, strict=True)))
        total = [t - miss * (y * v) for t, v in zip(total, x, strict=True)]
    return total


def plus(one: Any, two: Any) -> list[Any]:
    return [a + b for a, b in zip(one, two, strict=True)]


def enough(data: Any, eps: Any, ridge: Any) -> Any:
    return 2 / (eps - 2 * log(1 + 1 / (4 * len(data) * ridge)))


def honest(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))
    return noise.minimiser(lambda f: plus(pulls(f, data, ridge), b), 2)


def scale_from_data(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge) + data[0][0])
    return noise.minimiser(lambda f: plus(pulls(f, data, ridge), b), 2)


def scale_from_a_minimiser(noise, data, *, eps, ridge):
    best = noise.minimiser(lambda f: pulls(f, data, ridge), 2)
    b = noise.spherical(2, enough(data, eps, ridge) + best[0] * best[0])
    return noise.minimiser(lambda f: plus(pulls(f, data, ridge), b), 2)


def ridge_from_data(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))
    return noise.minimiser(lambda f: plus(pulls(f, data, ridge * (2 + data[0][0])), b), 2)


def falling_pull(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))

    def gradient(f):
        total = plus([len(data) * ridge * a for a in f], b)
        for *x, y in data:
            miss = logistic(-y * sum(a * v for a, v in zip(f, x, strict=True)))
            total = [t + miss * (y * v) for t, v in zip(total, x, strict=True)]
        return total

    return noise.minimiser(gradient, 2)


def negative_ridge(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))
    return noise.minimiser(lambda f: plus(pulls(f, data, -ridge), b), 2)


def noise_divided_by_ten(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))
    return noise.minimiser(lambda f: plus(pulls(f, data, ridge), [v / 10 for v in b]), 2)


def noise_divided_by_a_record(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))
    return noise.minimiser(lambda f: plus(pulls(f, data, ridge), [v / (3 + data[0][2]) for v in b]), 2)


def records_twice(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))
    return noise.minimiser(lambda f: plus(pulls(f, data + data, ridge / 2), b), 2)


def first_record_weighs_more(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))
    return noise.minimiser(lambda f: plus(pulls(f, [*data, data[0]], ridge), b), 2)


def last_record_weighs_more(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))
    long = [*data[:-1], tuple(10 * x for x in data[-1])]
    return noise.minimiser(lambda f: plus(pulls(f, long, ridge), b), 2)


def last_record_left_out(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))
    return noise.minimiser(lambda f: plus(pulls(f, data[:-1], ridge), b), 2)


def pull_times_the_point(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))

    def gradient(f):
        total = plus([len(data) * ridge * a for a in f], b)
        for *x, y in data:
            miss = logistic(-y * sum(a * v for a, v in zip(f, x, strict=True)))
            total = [t - miss * (y * v) * f[0] * f[0] for t, v in zip(total, x, strict=True)]
        return total

    return noise.minimiser(gradient, 2)


def function_of_the_point_alone(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))
    return noise.minimiser(lambda f: plus(pulls(f, data, ridge), [b[0] - 40 * logistic(9 * f[0]), b[1]]), 2)


def features_ten_times_as_long(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))
    long = [(10 * p, 10 * q, y) for p, q, y in data]
    return noise.minimiser(lambda f: plus(pulls(f, long, ridge), b), 2)


def rounded_output(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))
    return [round(v, 3) for v in noise.minimiser(lambda f: plus(pulls(f, data, ridge), b), 2)]


def extra_output(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))
    return [*noise.minimiser(lambda f: plus(pulls(f, data, ridge), b), 2), data[0][0]]


def output_moved_by_data(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))
    found = noise.minimiser(lambda f: plus(pulls(f, data, ridge), b), 2)
    return [found[0] + data[0][0], found[1]]


def noise_taken_away_again(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))
    found = noise.minimiser(lambda f: plus(pulls(f, data, ridge), b), 2)
    return plus(found, b)


def noise_in_one_coordinate(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))
    return noise.minimiser(lambda f: plus(pulls(f, data, ridge), [b[0], 0]), 2)


def one_number_in_both_coordinates(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))
    return noise.minimiser(lambda f: plus(pulls(f, data, ridge), [b[0], b[0]]), 2)


def noise_of_three_dimensions(noise, data, *, eps, ridge):
    b = noise.spherical(3, enough(data, eps, ridge))
    return noise.minimiser(lambda f: plus(pulls(f, data, ridge), b[:2]), 2)


def noise_times_the_point(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))
    return noise.minimiser(
        lambda f: plus(pulls(f, data, ridge), [v * (1 + exp(a)) for v, a in zip(b, f, strict=True)]), 2
    )


def noise_in_the_margin(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))
    return noise.minimiser(lambda f: plus(pulls(plus(f, b), data, ridge), b), 2)


def home_made_noise(noise, data, *, eps, ridge):
    b = [noise.gaussian(1) * noise.gamma(2, enough(data, eps, ridge)) for _ in range(2)]
    return noise.minimiser(lambda f: plus(pulls(f, data, ridge), b), 2)


def coordinates_exchanged_in_the_margin(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))
    return noise.minimiser(lambda f: plus(pulls([f[1], f[0]], data, ridge), b), 2)


def coordinates_exchanged_in_the_pull(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))

    def gradient(f):
        total = plus([len(data) * ridge * a for a in f], b)
        for p, q, y in data:
            miss = logistic(-y * (f[0] * p + f[1] * q))
            total = [total[0] - miss * (y * q), total[1] - miss * (y * p)]
        return total

    return noise.minimiser(gradient, 2)


def one_coordinate_twice(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))
    return noise.minimiser(lambda f: plus(pulls([f[0], f[0]], data, ridge), b), 2)


def ridge_in_one_coordinate(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))
    small = [0, -len(data) * ridge * 99 / 100]
    return noise.minimiser(
        lambda f: plus(plus(pulls(f, data, ridge), b), [s * a for s, a in zip(small, f, strict=True)]), 2
    )


def hardly_any_ridge_along_a_diagonal(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))
    most = len(data) * ridge * 999 / 1000
    return noise.minimiser(lambda f: plus(plus(pulls(f, data, ridge), b), [most * f[1], most * f[0]]), 2)


def hardly_any_noise_along_a_diagonal(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))
    mixed = [b[0] + b[1] * 999 / 1000, b[1] + b[0] * 999 / 1000]
    return noise.minimiser(lambda f: plus(pulls(f, data, ridge), mixed), 2)


def point_turned_round(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))
    return noise.minimiser(lambda f: plus(plus(pulls(f, data, ridge), b), [50 * f[1], -50 * f[0]]), 2)


def negative_noise_factor(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))
    return noise.minimiser(lambda f: plus(pulls(f, data, ridge), [-v / 20 for v in b]), 2)


def quadratic_term_of_a_record(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))
    return noise.minimiser(lambda f: plus(plus(pulls(f, data, ridge), b), [data[0][0] ** 2 * a for a in f]), 2)


def offset_from_a_record(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))
    return noise.minimiser(lambda f: plus(plus(pulls(f, data, ridge), b), [100 * data[0][0], 0]), 2)


def margin_times_an_irrational(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))

    def gradient(f):
        total = plus([len(data) * ridge * a for a in f], b)
        for *x, y in data:
            miss = logistic(-y * exp(4 * eps) * sum(a * v for a, v in zip(f, x, strict=True)))
            total = [t - miss * (y * v) for t, v in zip(total, x, strict=True)]
        return total

    return noise.minimiser(gradient, 2)


DECEPTIVE = [f for name, f in list(globals().items()) if name not in ("pulls", "plus", "enough", "honest")
             and getattr(f, "__module__", "") == __name__]  # fmt: skip
