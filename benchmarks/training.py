"""Audits of many runs, of one run and of a trainer with planted bugs, beside other formulas in the same run.

Run with ``python -m benchmarks.training [--part many|one|sharp|bugs] [--seeds 200] [--first-seed 1000]``. Seeds below
1000 were used while the methods were written. ``--seeds`` is for the smallest samples; larger ones take fewer.
"""

from __future__ import annotations

import argparse
import math
import time

import numpy as np

from benchmarks import training_peers as peers
from dpwitness.auditors.bounds.curves import ApproxCurve, GaussianCurve, epsilon_of
from dpwitness.auditors.training.bands import band, epsilon_of_band, mu_of_band
from dpwitness.auditors.training.one_run import Count, guess
from dpwitness.auditors.training.plan import guesses_for
from dpwitness.auditors.training.program import closed_form, sharp
from dpwitness.auditors.training.recursion import recursion_p
from dpwitness.auditors.training.worst_pair import Ranking, lower_bound

ALPHA, DELTA = 0.05, 1e-5


def mu_for(eps: float) -> float:
    """The μ at which Gaussian privacy gives ε at δ."""
    return peers.largest(lambda mu: epsilon_of(GaussianCurve(max(mu, 1e-3)), DELTA) < eps)


def many(seeds: int, first: int) -> None:
    """Bounds from n + n scores N(0,1) and N(μ,1): medians."""
    names = ("ranks", "band", "CP all", "CP 20", "CP split")
    print("many runs: ε at δ = 1e-5 with no assumption (truth 4.38, 10.0), then μ if the curve is Gaussian")
    print(f"{'n + n':>6} {'μ':>2} {'seeds':>5} | " + " ".join(f"{n:>8}" for n in names) + " | " + " ".join(
        f"{n:>8}" for n in names) + " | s a bound  worse than a peer")  # fmt: skip
    for n, share in ((20, 1.0), (100, 0.3), (1000, 0.05)):
        for mu in (1, 2):
            count = max(5, int(seeds * share))
            began, rows = time.process_time(), []
            for seed in range(first, first + count):
                rng = np.random.default_rng(seed)
                rows.append(_bounds(rng.standard_normal(n) + mu, rng.standard_normal(n), seed))
            found = np.median(rows, axis=0)
            lost = [names[k % 5] for k in range(10) if found[k] > found[5 * (k // 5)] + 1e-9]
            took = (time.process_time() - began) / count
            print(f"{n:>6} {mu:>2} {count:>5} | " + " ".join(f"{x:8.2f}" for x in found[:5]) + " | " + " ".join(
                f"{x:8.2f}" for x in found[5:]) + f" | {took:9.2f}  {', '.join(lost) or 'none'}",
                flush=True)  # fmt: skip


def _bounds(inside: np.ndarray, outside: np.ndarray, seed: int) -> list[float]:
    ranking = Ranking(inside, outside, draws=999, seed=seed)
    eps = lower_bound(lambda x: ranking.p_value(ApproxCurve(x, DELTA), "scan") <= ALPHA, top=20.0, ladder=True)
    mu = lower_bound(lambda x: ranking.p_value(GaussianCurve(x), "sum") <= ALPHA, top=12.0, ladder=False)
    points = band(inside, outside, ALPHA)
    found = []
    for ours, level in ((eps, lambda p: epsilon_of_band(p, DELTA)), (mu, mu_of_band)):
        found += [ours, level(points), peers.bonferroni(inside, outside, ALPHA, level),
                  peers.bonferroni(inside, outside, ALPHA, level, 20),
                  peers.split(inside, outside, ALPHA, level)]  # fmt: skip
    return found


def one(seeds: int, first: int) -> None:
    """One run with Gaussian noise on orthogonal canaries: ε at δ of the bound on μ, medians."""
    names = ("Steinke*", "Mahlouj.*", "ours", "Steinke", "jax Bonf", "jax split")
    print("\none run: ε at δ = 1e-5; * is the best number of guesses in hindsight, which is not valid")
    print(
        f"{'m':>7} {'true ε':>6} {'seeds':>5} {'guesses':>7} | "
        + " ".join(f"{n:>9}" for n in names)
        + "  worse than a valid peer"
    )
    for m, share in ((1000, 0.2), (10_000, 0.03)):
        for true in (1, 2, 4, 8):
            mu, count = mu_for(true), max(3, int(seeds * share))
            rows = [_one_run(m, mu, seed) for seed in range(first, first + count)]
            found = np.median(rows, axis=0)
            c = guesses_for(GaussianCurve(round(mu, 6)), m, ALPHA, 2)
            lost = [names[k] for k in (3, 4, 5) if found[k] > found[2] + 1e-9]
            print(f"{m:>7} {true:>6} {count:>5} {c:>7} | " + " ".join(f"{x:9.2f}" for x in found)
                  + f"  {', '.join(lost) or 'none'}", flush=True)  # fmt: skip


def _one_run(m: int, mu: float, seed: int) -> list[float]:
    rng = np.random.default_rng(seed)
    coins = rng.random(m) < 0.5
    scores = rng.standard_normal(m) + mu * coins
    to_eps = lambda level: epsilon_of(GaussianCurve(level), DELTA) if level > 1e-3 else 0.0  # noqa: E731
    _, marks = guess(scores, coins, m, 2, rng)
    right = np.cumsum(marks)
    tries = np.unique(np.round(np.geomspace(5, 0.6 * m, 24)).astype(int))
    eps_of = lambda c: peers.largest(lambda e: peers.steinke(e, DELTA, m, int(c), int(right[c - 1])) <= ALPHA)  # noqa: E731
    c = guesses_for(GaussianCurve(round(mu, 6)), m, ALPHA, 2)
    ours = Count(m, c, int(right[c - 1]), 2).level(lambda x: GaussianCurve(max(x, 1e-6)), ALPHA, 20.0)
    return [
        max(eps_of(c) for c in tries),
        to_eps(max(peers.recursion_mu(m, int(c), int(right[c - 1]), ALPHA) for c in tries)),
        to_eps(ours), eps_of(c), to_eps(peers.one_sided(scores, coins, ALPHA, "bonferroni")),
        to_eps(peers.one_sided(scores, coins, ALPHA, "split")),
    ]  # fmt: skip


def sharp_values() -> None:
    """p-values of counts: the program, the recursion, the closed form, and published formulas."""
    print("\np-values of counts: ours is the smaller of program and recursion, or the closed form")
    for m, c, v, mu in ((1000, 50, 49, 0.5), (1000, 100, 92, 0.7), (1000, 300, 250, 0.7), (400, 240, 225, 1.0)):
        found = sharp(GaussianCurve(mu), m, c, v, 2)
        other = recursion_p(GaussianCurve(mu), m, c, v, 2)
        print(f"m={m} c={c} right={v} GDP {mu}: {found.bound:.5f}  recursion {other:.5f}")
    ratios = []
    rng = np.random.default_rng(1)
    for _ in range(200):
        m, c = int(rng.integers(200, 20_000)), int(rng.integers(10, 150))
        eps, delta = float(rng.uniform(0.3, 4)), float(10 ** rng.uniform(-6, -3))
        v = int(rng.binomial(c, 1 / (1 + math.exp(-eps)) ** 0.7))
        base = closed_form(ApproxCurve(eps, 0.0), m, c, v, 2).bound
        ours = closed_form(ApproxCurve(eps, delta), m, c, v, 2).bound - base
        theirs = peers.steinke(eps, delta, m, c, v) - base
        if 0 < ours < 0.5 and theirs < 0.5:
            ratios.append(theirs / ours)
    low, middle, high = np.quantile(ratios, [0, 0.5, 1])
    print(f"δ term of Steinke et al. over ours, {len(ratios)} counts: median {middle:.1f} ({low:.1f} to {high:.1f})")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=("many", "one", "sharp", "bugs"))
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--first-seed", type=int, default=1000)
    chosen = parser.parse_args()
    if chosen.part in (None, "many"):
        many(chosen.seeds, chosen.first_seed)
    if chosen.part in (None, "sharp"):
        sharp_values()
    if chosen.part in (None, "one"):
        one(chosen.seeds, chosen.first_seed)
    if chosen.part in (None, "bugs"):
        from benchmarks.training_bugs import bugs

        bugs(chosen.first_seed)


if __name__ == "__main__":
    main()
