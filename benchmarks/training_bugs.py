"""Eight planted bugs in a numpy trainer: what a step, one run and 20 or 100 runs show of them."""

from __future__ import annotations

import time
from fractions import Fraction
from typing import Any

import numpy as np

import dpwitness as dpw
from benchmarks.trainer import BUGS, Trainer, examples, records
from dpwitness.auditors.bounds.curves import as_curve
from dpwitness.auditors.training.canaries import likelihood_ratio, toss
from dpwitness.auditors.training.worst_pair import Ranking

CANARIES, GUESSES, ALPHA = 500, 150, 0.05
ONE_RUNS, MANY = 2, 2


def claim() -> Any:
    """What the trainer is accounted for: σ = 1.5, q = 0.1, T = 200."""
    return dpw.poisson(dpw.gaussian("3/2"), Fraction(1, 10)) * 200


def scores(sums: np.ndarray) -> dict[str, np.ndarray]:
    """Three scores of every canary, and the share of α that each of them may spend."""
    return {
        "likelihood ratio": likelihood_ratio(sums, clip=1.0, deviation=1.5, rate=0.1),
        "neighbouring steps": np.abs(np.diff(sums, axis=0)).max(axis=0),
        "last step": sums[-1],
    }


def step_audit(bug: str) -> tuple[str, float]:
    """What the audit of one step says, and how long it takes."""
    trainer = Trainer(bug=bug)
    trainer.last = bug == "no noise in the last step"
    began = time.perf_counter()
    found = dpw.audit_step(trainer.step, records(60), examples(), noise_multiplier=1.5, reseed=trainer.reseed)
    failed = [f.name for f in found.findings if not f.passed]
    return ", ".join(failed) if found.refuted else "-", time.perf_counter() - began


def one_run(bug: str, seed: int, whole: Any) -> tuple[bool, bool, str, str]:
    """Whether one run refutes the claim by fair coins, and with the assumption; what the logs show."""
    trainer = Trainer(bug=bug, canaries=CANARIES)
    coins = toss(CANARIES, seed)
    data = [*records(), *map(int, np.flatnonzero(coins))]
    _, sums = trainer.train(data, seed)
    along = sums[:, -CANARIES:]
    plain = assumed = False
    for values in scores(along).values():
        found = dpw.audit_one_run(values, coins, claim=whole, guesses=GUESSES, sides=1, alpha=ALPHA / 3, seed=seed)
        plain = plain or found.refuted
        assumed = assumed or falls(values[coins], values[~coins], whole, seed)
    noise = dpw.check_noise(along[:, ~coins], deviation=1.5)
    sizes = dpw.check_batch_sizes(trainer.batch_sizes, records=len(data), rate=0.1)
    return plain, assumed, "no" if noise.passed else "yes", "no" if sizes.passed else "yes"


def falls(inside: np.ndarray, outside: np.ndarray, whole: Any, seed: int) -> bool:
    """The test of `audit_scores` without its bounds."""
    return Ranking(inside, outside, draws=999, seed=seed).p_value(as_curve(whole), "both") <= ALPHA / 3


def many_runs(bug: str, runs: int, seed: int, whole: Any) -> bool:
    """Whether so many runs on each side refute the claim: one canary, all sums seen."""
    trainer, data = Trainer(bug=bug, canaries=1), records()
    found = []
    for side in (0, 1):
        each = [trainer.train([*data, 0] if side else data, int(s)) for s in
                np.random.SeedSequence([seed, side]).generate_state(runs)]  # fmt: skip
        found.append([scores(sums[:, -1:]) for _, sums in each])
    for name in found[0][0]:
        inside, outside = ([float(run[name][0]) for run in side] for side in (found[1], found[0]))
        if falls(np.array(inside), np.array(outside), whole, seed):
            return True
    return False


def bugs(first: int) -> None:
    """The table."""
    whole = claim()
    print(f"\na trainer of 200 steps, σ = 1.5, q = 0.1, {CANARIES} gradient canaries; α = 0.05")
    print(f"{'bug':26} {'step (α = 1e-3)':32} {'s':>5}  one run  assumed  noise log  batch sizes  10+10  50+50")
    for bug in ("", *BUGS):
        said, took = step_audit(bug)
        ones = [one_run(bug, first + k, whole) for k in range(ONE_RUNS)]
        plain, assumed = (f"{sum(row[i] for row in ones)}/{ONE_RUNS}" for i in (0, 1))
        small, large = (f"{sum(many_runs(bug, n, first + k, whole) for k in range(MANY))}/{MANY}" for n in (10, 50))
        print(f"{bug or 'none':26} {said:32} {took:5.1f}  {plain:>7}  {assumed:>7}  {ones[0][2]:>9}  {ones[0][3]:>11}"
              f"  {small:>5}  {large:>5}", flush=True)  # fmt: skip


if __name__ == "__main__":
    bugs(1000)
