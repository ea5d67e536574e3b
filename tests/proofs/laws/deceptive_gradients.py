"""Further programs that look like objective perturbation: other margins, pulls, outputs and memories."""

from __future__ import annotations

from typing import Any

from tests.proofs.laws.deceptive_minimisers import enough, plus, pulls

from dpwitness.core import Exact, exp, logistic, sqrt

MEMORY: list[Any] = []


def much_noise_and_hardly_any_ridge(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))
    return noise.minimiser(lambda f: plus(pulls(f, data, ridge / 1000), [100 * v for v in b]), 2)


def intercept_in_the_margin(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))

    def gradient(f):
        total = plus([len(data) * ridge * a for a in f], b)
        for *x, y in data:
            miss = logistic(x[0] - y * sum(a * v for a, v in zip(f, x, strict=True)))
            total = [t - miss * (y * v) for t, v in zip(total, x, strict=True)]
        return total

    return noise.minimiser(gradient, 2)


def weights_from_data(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))

    def gradient(f):
        total = plus([len(data) * ridge * a for a in f], b)
        for *x, y in data:
            miss = exp(5 * x[0]) * logistic(-y * sum(a * v for a, v in zip(f, x, strict=True)))
            total = [t - miss * (y * v) for t, v in zip(total, x, strict=True)]
        return total

    return noise.minimiser(gradient, 2)


def margins_of_two_records(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))

    def gradient(f):
        total = plus([len(data) * ridge * a for a in f], b)
        for (p, q, y), (r, s, z) in zip(data, data[1:] + data[:1], strict=True):
            miss = logistic(-y * (f[0] * (p + r) + f[1] * (q + s)) * z)
            total = [total[0] - miss * y * z * (p + r), total[1] - miss * y * z * (q + s)]
        return total

    return noise.minimiser(gradient, 2)


def test_of_a_label(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))
    if data[0][2] > 0:
        return [0, 0]
    return noise.minimiser(lambda f: plus(pulls(f, data, ridge), b), 2)


def test_of_the_output(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))
    found = noise.minimiser(lambda f: plus(pulls(f, data, ridge), b), 2)
    return found if found[0] > 0 else [data[0][0], data[0][1]]


def equal_records_are_counted(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))
    return noise.minimiser(lambda f: plus(pulls(f, data, ridge * data.count(data[0])), b), 2)


def different_records_only(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))
    return noise.minimiser(lambda f: plus(pulls(f, list(set(data)), ridge), b), 2)


def half_of_the_point(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))
    return noise.minimiser(lambda f: plus(pulls(f, data, ridge), b), 2)[:1]


def second_vector_ignored(noise, data, *, eps, ridge):
    noise.spherical(2, enough(data, eps, ridge))
    b = noise.spherical(2, enough(data, eps, ridge) / 100)
    return noise.minimiser(lambda f: plus(pulls(f, data, ridge), b), 2)


def best_point_without_noise(noise, data, *, eps, ridge):
    noise.spherical(2, enough(data, eps, ridge))
    return noise.minimiser(lambda f: pulls(f, data, ridge), 2)


def noise_outside_in_one_coordinate(noise, data, *, eps, ridge):
    b = noise.spherical(2, 2 / (len(data) * ridge * eps))
    best = noise.minimiser(lambda f: pulls(f, data, ridge), 2)
    return [best[0] + b[0], best[1]]


def noise_outside_times_a_half(noise, data, *, eps, ridge):
    b = noise.spherical(2, 2 / (len(data) * ridge * eps))
    best = noise.minimiser(lambda f: pulls(f, data, ridge), 2)
    return plus(best, [v / 2 for v in b])


def noise_outside_too_small(noise, data, *, eps, ridge):
    b = noise.spherical(2, 1 / (len(data) * ridge * eps))
    best = noise.minimiser(lambda f: pulls(f, data, ridge), 2)
    return plus(best, b)


def pull_without_bound(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))

    def gradient(f):
        total = plus([len(data) * ridge * a for a in f], b)
        for *x, y in data:
            miss = exp(-y * sum(a * v for a, v in zip(f, x, strict=True)))
            total = [t - miss * (y * v) for t, v in zip(total, x, strict=True)]
        return total

    return noise.minimiser(gradient, 2)


def pull_with_a_pole(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))

    def gradient(f):
        total = plus([len(data) * ridge * a for a in f], b)
        for *x, y in data:
            miss = 1 / (3 - exp(y * sum(a * v for a, v in zip(f, x, strict=True))))
            total = [t + miss * (y * v) / 100 for t, v in zip(total, x, strict=True)]
        return total

    return noise.minimiser(gradient, 2)


def root_of_a_margin(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))

    def gradient(f):
        total = plus([len(data) * ridge * a for a in f], b)
        for *x, y in data:
            margin = sum(a * v for a, v in zip(f, x, strict=True))
            total = [t + y * v * margin / sqrt(1 + margin * margin) for t, v in zip(total, x, strict=True)]
        return total

    return noise.minimiser(gradient, 2)


def asks_what_it_was_given(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge) / (100 if isinstance(data[0][0], Exact) else 1))
    return noise.minimiser(lambda f: plus(pulls(f, data, ridge), b), 2)


def formula_changed_afterwards(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))
    kept = []

    def gradient(f):
        kept.append(0 * f[0] + Exact(1, 50))
        return [s + kept[0] * v for s, v in zip(pulls(f, data, ridge), b, strict=True)]

    found = noise.minimiser(gradient, 2)
    kept[0].args[1].value = 1
    return found


def remembers(noise, data, *, eps, ridge):
    MEMORY.append(1)
    b = noise.spherical(2, enough(data, eps, ridge) if len(MEMORY) < 50 else eps / 100)
    return noise.minimiser(lambda f: plus(pulls(f, data, ridge), b), 2)


def noise_squared(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))
    return noise.minimiser(lambda f: plus(pulls(f, data, ridge), [v * v for v in b]), 2)


def noise_cubed(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))
    return noise.minimiser(lambda f: plus(pulls(f, data, ridge), [v * v * v for v in b]), 2)


def noise_times_an_irrational(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))
    return noise.minimiser(lambda f: plus(pulls(f, data, ridge), [v * exp(-5 * eps) for v in b]), 2)


def no_ridge_at_all(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))
    return noise.minimiser(lambda f: plus(pulls(f, data, exp(ridge) - exp(ridge)), b), 2)


def weights_from_features(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))

    def gradient(f):
        total = plus([len(data) * ridge * a for a in f], b)
        for *x, y in data:
            miss = (1 + 99 * x[0] * x[0]) * logistic(-y * sum(a * v for a, v in zip(f, x, strict=True)))
            total = [t - miss * (y * v) for t, v in zip(total, x, strict=True)]
        return total

    return noise.minimiser(gradient, 2)


def steep_loss(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))

    def gradient(f):
        total = plus([len(data) * ridge * a for a in f], b)
        for *x, y in data:
            miss = logistic(-40 * y * sum(a * v for a, v in zip(f, x, strict=True)))
            total = [t - miss * (y * v) for t, v in zip(total, x, strict=True)]
        return total

    return noise.minimiser(gradient, 2)


def loss_with_a_hump(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge) / 4)

    def gradient(f):
        total = plus([len(data) * ridge * a / 100 for a in f], b)
        for *x, y in data:
            margin = y * sum(a * v for a, v in zip(f, x, strict=True))
            total = [t + logistic(margin) * logistic(-margin) * (y * v) for t, v in zip(total, x, strict=True)]
        return total

    return noise.minimiser(gradient, 2)


def noise_over_itself(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))

    def gradient(f):
        return [s + (v + 0 * a) * v / (v + 0 * a) / 50 for s, v, a in zip(pulls(f, data, ridge), b, f, strict=True)]

    return noise.minimiser(gradient, 2)


def unknowns_kept(noise, data, *, eps, ridge):
    b, kept = noise.spherical(2, enough(data, eps, ridge)), []

    def gradient(f):
        kept.extend(f)
        return plus(pulls(f, data, ridge), b)

    noise.minimiser(gradient, 2)
    return kept


def records_sorted(noise, data, *, eps, ridge):
    b = noise.spherical(2, enough(data, eps, ridge))
    return noise.minimiser(lambda f: plus(pulls(f, sorted(data)[:1] * 3, ridge), b), 2)


MORE_DECEPTIVE = [f for f in list(globals().values()) if getattr(f, "__module__", "") == __name__]
