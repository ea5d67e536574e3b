"""Private programs that compare answers with noisy thresholds."""

# ruff: noqa: SIM108

from __future__ import annotations


def first_above(noise, queries, *, eps, threshold):
    t = threshold + noise.laplace(2 / eps)
    for i, q in enumerate(queries):
        if q + noise.laplace(4 / eps) >= t:
            return i
    return None


def first_below(noise, queries, *, eps, threshold):
    t = threshold + noise.laplace(2 / eps)
    for i, q in enumerate(queries):
        noisy = q + noise.laplace(4 / eps)
        if noisy <= t:
            return i
    return -1


def sparse(noise, queries, *, eps, threshold, cutoff):
    t = threshold + noise.laplace(2 / eps)
    out = []
    count = 0
    for q in queries:
        if q + noise.laplace(4 * cutoff / eps) >= t:
            out.append(True)
            count += 1
            if count >= cutoff:
                break
        else:
            out.append(False)
    return out


def sparse_equal(noise, queries, *, eps, threshold, cutoff):
    eps1 = eps / 2
    eps2 = eps - eps1
    t = threshold + noise.laplace(1 / eps1)
    out: list[bool] = []
    count = 0
    for q in queries:
        above = q + noise.laplace(2 * cutoff / eps2) >= t
        out.append(above)
        if above:
            count += 1
            if count == cutoff:
                return out
    return out


def sparse_while(noise, queries, *, eps, threshold, cutoff):
    t = threshold + noise.laplace(2 / eps)
    out = []
    count = i = 0
    while i < len(queries) and count < cutoff:
        if queries[i] + noise.laplace(4 * cutoff / eps) >= t:
            out.append(True)
            count += 1
        else:
            out.append(False)
        i += 1
    return out


def sparse_indices(noise, queries, *, eps, threshold, cutoff):
    t = threshold + noise.laplace(2 / eps)
    out = []
    left = cutoff
    for i in range(len(queries)):
        if left == 0:
            break
        if queries[i] + noise.laplace(4 * cutoff / eps) > t:
            out += [i]
            left -= 1
    return out


def sparse_flag(noise, queries, *, eps, threshold):
    t = threshold + noise.laplace(2 / eps)
    out, done = [], False
    for q in queries:
        if done:
            out.append(0)
        elif q + noise.laplace(4 / eps) >= t:
            out.append(1)
            done = True
        else:
            out.append(0)
    return out


def sparse_monotone(noise, queries, *, eps, threshold, cutoff):
    t = threshold + noise.laplace(2 / eps)
    out = []
    count = 0
    for q in queries:
        if q + noise.laplace(2 * cutoff / eps) >= t:
            out.append(True)
            count += 1
            if count >= cutoff:
                break
        else:
            out.append(False)
    return out


def sparse_gap(noise, queries, *, eps, threshold, cutoff):
    t = threshold + noise.laplace(2 / eps)
    out = []
    count = 0
    for q in queries:
        v = q + noise.laplace(4 * cutoff / eps)
        if v >= t:
            out.append(v - t)
            count += 1
            if count >= cutoff:
                break
        else:
            out.append(None)
    return out


def sparse_numeric(noise, queries, *, eps, threshold, cutoff):
    t = threshold + noise.laplace(3 / eps)
    out = []
    count = 0
    for q in queries:
        if q + noise.laplace(6 * cutoff / eps) >= t:
            out.append(q + noise.laplace(3 * cutoff / eps))
            count += 1
            if count >= cutoff:
                break
        else:
            out.append(None)
    return out


def sparse_adaptive(noise, queries, *, eps, threshold, sigma, cutoff):
    e0 = eps / 2
    e1 = (eps - e0) / cutoff
    e2 = e1 / 2
    t = threshold + noise.laplace(1 / e0)
    out = []
    spent = e0
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
        if spent > eps - e1:
            break
    return out


def sparse_refreshed(noise, queries, *, eps, threshold, cutoff):
    t = threshold + noise.laplace(2 * cutoff / eps)
    out = []
    count = 0
    for q in queries:
        if q + noise.laplace(4 * cutoff / eps) >= t:
            out.append(True)
            count += 1
            if count >= cutoff:
                break
            t = threshold + noise.laplace(2 * cutoff / eps)
        else:
            out.append(False)
    return out


def sparse_alternating(noise, queries, *, eps, threshold, cutoff):
    t = threshold + noise.laplace(2 * cutoff / eps)
    out = []
    count = 0
    up = True
    for q in queries:
        v = q + noise.laplace(4 * cutoff / eps)
        hit = v >= t if up else v <= t
        out.append(hit)
        if hit:
            count += 1
            if count >= cutoff:
                break
            t = threshold + noise.laplace(2 * cutoff / eps)
            up = not up
    return out


def sparse_split(noise, queries, *, eps, threshold, cutoff, share):
    t = threshold + noise.laplace(1 / (share * eps))
    out = []
    count = 0
    for q in queries:
        if q + noise.laplace(2 * cutoff / ((1 - share) * eps)) >= t:
            out.append(True)
            count += 1
            if count >= cutoff:
                break
        else:
            out.append(False)
    return out


def sparse_two_budgets(noise, queries, *, eps1, eps2, threshold, cutoff):
    t = threshold + noise.laplace(1 / eps1)
    out = []
    count = 0
    for q in queries:
        if q + noise.laplace(2 * cutoff / eps2) >= t:
            out.append(True)
            count += 1
            if count >= cutoff:
                break
        else:
            out.append(False)
    return out


def outside(noise, queries, *, eps, low, high):
    a = low + noise.laplace(4 / eps)
    b = high + noise.laplace(4 / eps)
    for i, q in enumerate(queries):
        v = q + noise.laplace(4 / eps)
        if v < a:
            return i, "low"
        if v > b:
            return i, "high"
    return None


def pointless_test(noise, queries, *, eps, threshold):
    t = threshold + noise.laplace(2 / eps)
    for i, q in enumerate(queries):
        if q >= threshold:
            kind = 1
        else:
            kind = 1
        if q + noise.laplace(4 / eps) >= t:
            return i, kind
    return None


def count_above(noise, queries, *, eps, threshold, cutoff):
    t = threshold + noise.laplace(2 / eps)
    count = 0
    for q in queries:
        if q + noise.laplace(4 * cutoff / eps) >= t:
            count += 1
            if count >= cutoff:
                break
    return count
