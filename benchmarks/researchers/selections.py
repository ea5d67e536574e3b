"""Selections: quantiles, best answers, splits, votes, and what is measured afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness import ZCDP, Answers, Exact, Interval, PureDP, Records, mechanism, sqrt
from dpwitness.core.noise import Noise
from dpwitness.mechanisms.above_threshold import above_threshold
from dpwitness.mechanisms.noisy_max import report_noisy_max

UNIT = Records(Interval(0, 1), 5, "add-remove")
EIGHT = Records(tuple(range(8)), 4, "add-remove")
LABELLED = Records(tuple((a, b, y) for a in (0, 1) for b in (0, 1) for y in (0, 1)), 4, "add-remove")
FOUR, VOTES = Answers("all", 1, size=4), Answers("one", 1, size=5)
QUERIES = ((0, 1, 2, 3), (0, 2, 4, 6), (1, 3, 5, 7), (4, 5, 6, 7))
ONE = {"eps": 1}


def weigh(history: Sequence[tuple[int, float]], j: int) -> float:
    """An answer to query j from the history of measured ones: multiplicative weights."""
    import_free = [1.0] * 8
    for index, measured in history:
        guess = sum(import_free[x] for x in QUERIES[int(index)])
        for x in QUERIES[int(index)]:
            import_free[x] *= 2.0 ** max(-1.0, min(1.0, (measured - guess) / 16))
    return float(sum(import_free[x] for x in QUERIES[j]))


@mechanism(data=EIGHT, claim=lambda eps: PureDP(eps), typical={"eps": 1, "rounds": 2},
           cites="Hardt, Ligett and McSherry 2012")  # fmt: skip
def mwem(noise: Noise, data: Sequence[Any], *, eps: Any, rounds: Any) -> Any:
    """Multiplicative weights: the worst query is chosen by the exponential mechanism and measured, again and again."""
    history = []
    for _ in range(rounds):
        guess = [noise.postprocess(weigh, history, j) for j in range(4)]
        scores = [abs(sum(x in q for x in data) - guess[j]) for j, q in enumerate(QUERIES)]
        j = noise.choice(log_weights=[eps / (4 * rounds) * s for s in scores])
        q = QUERIES[j]
        history.append((j, sum(x in q for x in data) + noise.laplace(2 * rounds / eps)))
    return noise.postprocess(weigh, history, 0)


@mwem.twin("measures-at-the-whole-budget")
def _(noise: Noise, data: Sequence[Any], *, eps: Any, rounds: Any) -> Any:
    """Every round spends the budget of all."""
    history = []
    for _ in range(rounds):
        scores = [abs(sum(x in q for x in data) - 2) for q in QUERIES]
        j = noise.choice(log_weights=[eps / 4 * s for s in scores])
        q = QUERIES[j]
        history.append((j, sum(x in q for x in data) + noise.laplace(2 / eps)))
    return history


@mechanism(data=UNIT, claim=lambda eps: PureDP(eps), typical=ONE, cites="Smith 2011; McSherry and Talwar 2007")
def quantile_by_scores(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The median among ten candidates, by how unevenly they divide the records."""
    scores = []
    for k in range(10):
        t = Exact(k, 10)
        scores.append(-abs(sum(x < t for x in data) - sum(x >= t for x in data)))
    return noise.choice(log_weights=[eps / 2 * s for s in scores])


@quantile_by_scores.twin("factor-two-forgotten")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The scores count with ε in place of ε/2."""
    scores = [-abs(sum(x < Exact(k, 10) for x in data) - sum(x >= Exact(k, 10) for x in data)) for k in range(10)]
    return noise.choice(log_weights=[eps * s for s in scores])


@mechanism(data=UNIT, claim=lambda eps: PureDP(eps), typical={"eps": 1, "steps": 5},
           cites="Gillenwater, Joseph and Kulesza 2021, the baseline")  # fmt: skip
def quantile_by_bisection(noise: Noise, data: Sequence[Any], *, eps: Any, steps: Any) -> Any:
    """Five noisy comparisons of the records below and above a middle that moves."""
    low = 0
    high = 1
    for _ in range(steps):
        middle = (low + high) / 2
        balance = sum((x < middle) - (x >= middle) for x in data) + noise.laplace(steps / eps)
        if balance > 0:
            high = middle
        else:
            low = middle
    return low


@quantile_by_bisection.twin("each-step-the-whole-budget")
def _(noise: Noise, data: Sequence[Any], *, eps: Any, steps: Any) -> Any:
    """Each comparison has the noise of one."""
    low = 0
    high = 1
    for _ in range(steps):
        middle = (low + high) / 2
        balance = sum((x < middle) - (x >= middle) for x in data) + noise.laplace(1 / eps)
        if balance > 0:
            high = middle
        else:
            low = middle
    return low


@mechanism(data=FOUR, claim=lambda eps: PureDP(eps), typical=ONE, cites="Ding et al. 2021: the gap, measured anew")
def noisy_max_and_its_value(noise: Noise, queries: Sequence[Any], *, eps: Any) -> Any:
    """The index of the largest noisy answer, and that answer with new noise."""
    j = noise.argmax([q + noise.laplace(4 / eps) for q in queries])
    return j, queries[j] + noise.laplace(2 / eps)


@noisy_max_and_its_value.twin("shows-the-same-draws")
def _(noise: Noise, queries: Sequence[Any], *, eps: Any) -> Any:
    """All noisy answers are shown beside the index."""
    noisy = [q + noise.laplace(2 / eps) for q in queries]
    return noise.argmax(noisy), noisy


@mechanism(data=FOUR, claim=lambda eps: PureDP(eps), typical=ONE, cites="Dwork and Roth 2014, section 3.3")
def selection_as_a_part(noise: Noise, queries: Sequence[Any], *, eps: Any) -> Any:
    """Report noisy max as it stands in the library, and the first answer beside it."""
    return noise.run(report_noisy_max, queries, eps=eps / 2), queries[0] + noise.laplace(2 / eps)


@selection_as_a_part.twin("whole-budget-for-both")
def _(noise: Noise, queries: Sequence[Any], *, eps: Any) -> Any:
    """Both parts spend all."""
    return noise.run(report_noisy_max, queries, eps=eps), queries[0] + noise.laplace(1 / eps)


@mechanism(data=EIGHT, claim=lambda eps: PureDP(eps), typical=ONE, cites="Dwork et al. 2009; Lyu, Su and Li 2017")
def sparse_vector_on_bins(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The first crowded bin by the sparse vector technique, and the number of records."""
    counts = [data.count(v) for v in range(8)]
    return noise.run(above_threshold, counts, eps=eps / 2, threshold=2), len(data) + noise.laplace(2 / eps)


@sparse_vector_on_bins.twin("budget-counted-once")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The count spends all of the budget, and is then looked at once more."""
    counts = [data.count(v) for v in range(8)]
    n = len(data) + noise.laplace(1 / eps)
    return noise.run(above_threshold, counts, eps=eps, threshold=2), n, len(data) + noise.laplace(1 / eps)


@mechanism(data=LABELLED, claim=lambda eps: PureDP(eps), typical=ONE, cites="Friedman and Schuster 2010")
def decision_stump(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """A split by one of two attributes, chosen by how many labels it gets right; then counts in its leaves."""
    scores = [sum(r[k] == r[2] for r in data) for k in range(2)]
    k = noise.choice(log_weights=[eps / 2 * s for s in scores])
    leaves = []
    for side in (0, 1):
        for label in (0, 1):
            leaves.append(sum(r[k] == side and r[2] == label for r in data) + noise.laplace(2 / eps))
    return k, leaves


@decision_stump.twin("leaves-at-the-whole-budget")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """Leaves with the noise of all of the budget, and a split on top."""
    scores = [sum(r[k] == r[2] for r in data) for k in range(2)]
    k = noise.choice(log_weights=[eps * s for s in scores])
    return k, [sum(r[2] == label for r in data) + noise.laplace(1 / eps) for label in (0, 1)]


@mechanism(data=EIGHT, claim=lambda eps: PureDP(eps), typical=ONE, cites="Bassily et al. 2017, in the central model")
def heavy_hitters_in_a_tree(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """Prefixes of three bits whose noisy count is large are followed further."""
    found = []
    for a in range(2):
        first = sum(a * 4 <= x < a * 4 + 4 for x in data) + noise.laplace(3 / eps)
        if first > 1:
            for b in range(2):
                low = a * 4 + b * 2
                second = sum(low <= x < low + 2 for x in data) + noise.laplace(3 / eps)
                if second > 1:
                    for c in range(2):
                        found.append((low + c, data.count(low + c) + noise.laplace(3 / eps)))
    return found


@heavy_hitters_in_a_tree.twin("each-level-the-whole-budget")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """Three levels with the noise of one."""
    out = []
    for width in (4, 2, 1):
        for low in range(0, 8, width):
            out.append(sum(low <= x < low + width for x in data) + noise.laplace(1 / eps))
    return out


@mechanism(data=VOTES, claim=lambda rho: ZCDP(rho), typical={"rho": "1/2"}, cites="Papernot et al. 2018: PATE")
def votes_of_teachers(noise: Noise, votes: Sequence[Any], *, rho: Any) -> Any:
    """The class with the most noisy votes; a teacher changes one count."""
    return noise.argmax([v + noise.gaussian(sqrt(1 / (2 * rho))) for v in votes])


@votes_of_teachers.twin("two-counts-move", data=FOUR)
def _(noise: Noise, votes: Sequence[Any], *, rho: Any) -> Any:
    """Where all counts may move, the noisy votes themselves are shown."""
    return [v + noise.gaussian(sqrt(1 / (2 * rho))) for v in votes]


@mechanism(data=UNIT, claim=lambda eps: PureDP(eps), typical=ONE, cites="Smith 2011: winsorised mean")
def winsorised_sum(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """A quantile chosen among five, then the sum of values clipped there."""
    scores = [-abs(sum(x <= Exact(k, 5) for x in data) - sum(x > Exact(k, 5) for x in data)) for k in range(1, 6)]
    k = noise.choice(log_weights=[eps / 4 * s for s in scores])
    bound = (k + 1) * Exact(1, 5)
    return bound, sum(min(x, bound) for x in data) + noise.laplace(2 * bound / eps)


@winsorised_sum.twin("clips-without-paying")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The choice spends all, and the sum too."""
    scores = [-abs(sum(x <= Exact(k, 5) for x in data) - sum(x > Exact(k, 5) for x in data)) for k in range(1, 6)]
    k = noise.choice(log_weights=[eps / 2 * s for s in scores])
    bound = (k + 1) * Exact(1, 5)
    return bound, sum(min(x, bound) for x in data) + noise.laplace(bound / eps)


@mechanism(data=UNIT, claim=lambda eps: PureDP(eps), typical=ONE, cites="Dwork and Lei 2009, with a noisy test")
def test_then_mean(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """A mean is released where the noisy count is large, with noise scaled by that count."""
    n = len(data) + noise.laplace(2 / eps)
    if n < 2:
        return None
    return (sum(data) + noise.laplace(2 / eps)) / n


@test_then_mean.twin("tests-the-true-count")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """Whether something is released depends on the number of records in clear."""
    if len(data) < 2:
        return None
    return (sum(data) + noise.laplace(2 / eps)) / 2
