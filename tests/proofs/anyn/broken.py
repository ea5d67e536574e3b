"""Programs that are not private as claimed."""

from __future__ import annotations


def no_query_noise(noise, queries, *, eps, threshold, cutoff):
    t = threshold + noise.laplace(2 / eps)
    out = []
    count = 0
    for q in queries:
        if q >= t:
            out.append(True)
            count += 1
            if count >= cutoff:
                break
        else:
            out.append(False)
    return out


def no_cutoff(noise, queries, *, eps, threshold):
    t = threshold + noise.laplace(2 / eps)
    return [q + noise.laplace(4 / eps) >= t for q in queries]


def no_noise_no_cutoff(noise, queries, *, eps, threshold):
    t = threshold + noise.laplace(1 / eps)
    return [q >= t for q in queries]


def unscaled(noise, queries, *, eps, threshold, cutoff):
    t = threshold + noise.laplace(2 / eps)
    out = []
    count = 0
    for q in queries:
        if q + noise.laplace(4 / eps) >= t:
            out.append(True)
            count += 1
            if count >= cutoff:
                break
        else:
            out.append(False)
    return out


def three_quarters(noise, queries, *, eps, threshold, cutoff):
    t = threshold + noise.laplace(4 / eps)
    out = []
    count = 0
    for q in queries:
        if q + noise.laplace(4 / (3 * eps)) >= t:
            out.append(True)
            count += 1
            if count >= cutoff:
                break
        else:
            out.append(False)
    return out


def value_released(noise, queries, *, eps, threshold, cutoff):
    t = threshold + noise.laplace(2 / eps)
    out = []
    count = 0
    for q in queries:
        v = q + noise.laplace(4 * cutoff / eps)
        if v >= t:
            out.append(v)
            count += 1
            if count >= cutoff:
                break
        else:
            out.append(None)
    return out


def adaptive_value(noise, queries, *, eps, threshold, sigma, cutoff):
    e1 = eps / 2 / cutoff
    t = threshold + noise.laplace(2 / eps)
    out = []
    spent = eps / 2
    for q in queries:
        v = q + noise.laplace(4 / e1)
        if v - t >= sigma:
            out.append(v)
            spent += e1 / 2
        else:
            out.append(None)
        if spent > eps - e1:
            break
    return out


def adaptive_budget(noise, queries, *, eps, threshold, sigma, cutoff):
    e1 = eps / 2 / cutoff
    e2 = e1 / 2
    t = threshold + noise.laplace(2 / eps)
    out = []
    spent = eps / 2
    for q in queries:
        v = q + noise.laplace(2 / e2)
        if v - t >= sigma:
            out.append(v - t)
            spent += e2
        else:
            w = q + noise.laplace(2 / e1)
            if w >= t:
                out.append(w - t)
                spent += e1
            else:
                out.append(None)
        if spent > eps:
            break
    return out


def one_too_many(noise, queries, *, eps, threshold, cutoff):
    t = threshold + noise.laplace(2 / eps)
    out = []
    count = 0
    for q in queries:
        if q + noise.laplace(4 * cutoff / eps) >= t:
            out.append(True)
            count += 1
            if count > cutoff:
                break
        else:
            out.append(False)
    return out


def monotone_scale(noise, queries, *, eps, threshold, cutoff):
    t = threshold + noise.laplace(2 / eps)
    count = 0
    for q in queries:
        if q + noise.laplace(2 * cutoff / eps) >= t:
            count += 1
            if count >= cutoff:
                break
    return count


def cheap_refresh(noise, queries, *, eps, threshold, cutoff):
    t = threshold + noise.laplace(2 / eps)
    out = []
    count = 0
    for q in queries:
        if q + noise.laplace(4 * cutoff / eps) >= t:
            out.append(True)
            count += 1
            if count >= cutoff:
                break
            t = threshold + noise.laplace(2 / eps)
        else:
            out.append(False)
    return out


def threshold_released(noise, queries, *, eps, threshold):
    t = threshold + noise.laplace(2 / eps)
    for i, q in enumerate(queries):
        if q + noise.laplace(4 / eps) >= t:
            return i, t
    return None, t


def wrong_units(noise, queries, *, eps, threshold):
    t = threshold + noise.laplace(2 * eps)
    for i, q in enumerate(queries):
        if q + noise.laplace(4 / eps) >= t:
            return i
    return None


def half_the_noise(noise, queries, *, eps):
    return sum(queries) + noise.laplace(1 / (2 * eps))


def constant_noise_on_prefixes(noise, queries, *, eps):
    out = []
    s = 0
    for q in queries:
        s += q
        out.append(s + noise.laplace(1 / eps))
    return out


def block_without_noise(noise, queries, *, eps, block):
    step = base = s = 0
    out = []
    for i, q in enumerate(queries):
        if (i + 1) % block == 0:
            base = base + s + q
            step = base
            s = 0
        else:
            step = step + q + noise.laplace(1 / eps)
            s = s + q
        out.append(step)
    return out


def largest_value(noise, queries, *, eps):
    best = None
    for i, q in enumerate(queries):
        v = q + noise.laplace(2 / eps)
        if i == 0 or v > best:
            best = v
    return best


def small_noise_max(noise, queries, *, eps):
    return noise.argmax([q + noise.laplace(1 / eps) for q in queries])


def index_and_value(noise, queries, *, eps):
    best = index = None
    for i, q in enumerate(queries):
        v = q + noise.laplace(2 / eps)
        if best is None or v > best:
            best = v
            index = i
    return index, best


def all_leaders(noise, queries, *, eps):
    best = None
    out = []
    for i, q in enumerate(queries):
        v = q + noise.laplace(2 / eps)
        if best is None or v > best:
            best = v
            out.append(i)
    return out


def number_of_leaders(noise, queries, *, eps):
    best = None
    leaders = 0
    for q in queries:
        v = q + noise.laplace(2 / eps)
        if best is None or v > best:
            best = v
            leaders += 1
    return leaders


def stops_at_a_leader(noise, queries, *, eps):
    best = None
    index = 0
    for i, q in enumerate(queries):
        v = q + noise.laplace(2 / eps)
        if best is None or v > best:
            best = v
            index = i
            if index == 3:
                break
    return index


def histogram(noise, queries, *, eps):
    return [q + noise.laplace(1 / eps) for q in queries]


def partial_sum(noise, queries, *, eps):
    return sum(queries) + noise.laplace(1 / eps)


def inside(noise, queries, *, eps, low, high):
    a = low + noise.laplace(4 / eps)
    b = high + noise.laplace(4 / eps)
    for i, q in enumerate(queries):
        v = q + noise.laplace(4 / eps)
        if a <= v <= b:
            return i
    return None


def public_bound(noise, queries, *, eps, low, high):
    a = low + noise.laplace(4 / eps)
    for i, q in enumerate(queries):
        v = q + noise.laplace(4 / eps)
        if v >= a or v >= high:
            return i
    return None
