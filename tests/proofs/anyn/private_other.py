"""Private programs that release sums, noisy answers, or the index of the largest one."""

from __future__ import annotations


def total(noise, queries, *, eps):
    s = 0
    for q in queries:
        s += q
    return s + noise.laplace(1 / eps)


def total_short(noise, queries, *, eps):
    return sum(queries) + noise.laplace(1 / eps)


def prefix_chain(noise, queries, *, eps):
    out = []
    acc = 0
    for q in queries:
        acc = acc + q + noise.laplace(1 / eps)
        out.append(acc)
    return out


def prefix_each(noise, queries, *, eps):
    out = []
    s = 0
    n = len(queries)
    for q in queries:
        s += q
        out.append(s + noise.laplace(n / eps))
    return out


def smart_sum(noise, queries, *, eps, block):
    step = base = s = 0
    out = []
    for i, q in enumerate(queries):
        if (i + 1) % block == 0:
            base = base + s + q + noise.laplace(1 / eps)
            step = base
            s = 0
        else:
            step = step + q + noise.laplace(1 / eps)
            s = s + q
        out.append(step)
    return out


def histogram(noise, queries, *, eps):
    return [q + noise.laplace(1 / eps) for q in queries]


def all_answers(noise, queries, *, eps):
    n = len(queries)
    return [q + noise.laplace(n / eps) for q in queries]


def large_change(noise, queries, *, eps, threshold):
    t = threshold + noise.laplace(4 / eps)
    previous = 0
    for i, q in enumerate(queries):
        if q - previous + noise.laplace(8 / eps) >= t:
            return i
        previous = q
    return None


def running_total_above(noise, queries, *, eps, threshold):
    t = threshold + noise.laplace(2 / eps)
    s = 0
    for i, q in enumerate(queries):
        s += q
        if s + noise.laplace(4 / eps) >= t:
            return i
    return None


def release_until(noise, queries, *, eps, threshold):
    out = []
    for q in queries:
        r = q + noise.laplace(1 / eps)
        out.append(r)
        if r > threshold:
            break
    return out


def decaying(noise, queries, *, eps):
    out = []
    budget = eps
    for q in queries:
        budget = budget / 2
        out.append(q + noise.laplace(1 / budget))
    return out


def three_times(noise, queries, *, eps):
    out = []
    for q in queries:
        for _ in range(3):
            out.append(q + noise.laplace(3 / eps))
    return out


def mean(noise, queries, *, eps):
    n = len(queries)
    return sum(queries) / n + noise.laplace(1 / (n * eps))


def weighted(noise, queries, *, eps, weight):
    s = 0
    for q in queries:
        s += weight * q
    return s + noise.laplace(weight / eps)


def scaled(noise, queries, *, eps, threshold, weight):
    t = threshold + noise.laplace(2 * weight / eps)
    for i, q in enumerate(queries):
        if weight * q + noise.laplace(4 * weight / eps) >= t:
            return i
    return None


def total_as_threshold(noise, queries, *, eps):
    s = 0
    for q in queries:
        s += q
    t = s + noise.laplace(2 / eps)
    for i, q in enumerate(queries):
        if q + noise.laplace(2 / eps) >= t:
            return i
    return None


def noisy_max(noise, queries, *, eps):
    best = index = None
    for i, q in enumerate(queries):
        v = q + noise.laplace(2 / eps)
        if i == 0 or v > best:
            best = v
            index = i
    return index


def noisy_max_exponential(noise, queries, *, eps):
    best = float("-inf")
    index = None
    for i, q in enumerate(queries):
        v = q + noise.exponential(scale=2 / eps)
        if v > best:
            best, index = v, i
    return index


def noisy_min(noise, queries, *, eps):
    best = index = 0
    for i in range(len(queries)):
        v = queries[i] + noise.laplace(2 / eps)
        if i == 0 or v < best:
            best = v
            index = i
    return index


def noisy_argmax(noise, queries, *, eps):
    values = [q + noise.laplace(2 / eps) for q in queries]
    return noise.argmax(values)


def noisy_argmax_collected(noise, queries, *, eps):
    values = []
    for q in queries:
        values.append(q + noise.laplace(2 / eps))
    return noise.argmax(values)
