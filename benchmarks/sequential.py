"""Pairs until refutation: median over seeds, beside the information limit ln(1/α)/KL*.

Run with ``python -m benchmarks.sequential [--seeds 200] [--jobs 2] [--alarms 2000] [--only TEXT] [--held-out]``. What
was tuned on seeds from 0 up is measured anew with ``--first-seed 1000``.

A case whose limit is beyond `MOST_LIMIT` pairs is listed with its limit and not run.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from benchmarks import mechanisms as m
from benchmarks.refutable import Case, cases, held_out, response, response_cells
from dpwitness.auditors.bounds.eprocess import EProcess
from dpwitness.auditors.bounds.evalue import Null
from dpwitness.auditors.bounds.limit import fewest_pairs
from dpwitness.auditors.learners.plans import Plans
from dpwitness.auditors.outputs.table import Encoder
from dpwitness.auditors.running.threads import one_thread
from dpwitness.auditors.sampling.sampler import stream

MOST_LIMIT = 100_000
GIVE_UP = 6  # times the limit
SEEDS_AT_ONCE = 10


@one_thread()
def pairs_to_refute(case: Case, alpha: float, seed: int, most: int) -> float:
    """Pairs drawn until refutation, infinite where `most` were not enough."""
    encoder = Encoder()
    bets = EProcess(encoder, (Null(case.eps, case.delta),), alpha, Plans())
    start, chunk = 0, 256
    while start < most:
        size = min(chunk, most - start)
        tables = [
            encoder.encode(case.sampler(data, size, stream(seed, side, start)), size)
            for side, data in enumerate((case.left, case.right))
        ]
        if bets.feed(*tables):
            return float(bets.refuted_at or math.inf)
        start, chunk = start + size, min(2 * chunk, 1 << 16)
    return math.inf


def tight() -> dict[str, Case]:
    """Mechanisms that are exactly as private as claimed."""
    return {
        "Laplace": Case("Laplace", m.laplace(1.0), 0.0, 1.0, 1.0, 0.0, lambda: response_cells(1.0)),
        "randomized response": Case("randomized response", response(1.0), 0, 1, 1.0, 0.0, lambda: response_cells(1.0)),
    }


def limit_of(name: str, alpha: float) -> float:
    """The limit of a case."""
    case = _find(name)
    return fewest_pairs(*case.law(), case.eps, case.delta, alpha)


def some_seeds(name: str, alpha: float, seeds: Sequence[int], most: int) -> tuple[list[float], float]:
    """Pairs to refute for every seed, and the CPU time spent."""
    started = time.process_time()
    case = _find(name)
    return [pairs_to_refute(case, alpha, seed, most) for seed in seeds], time.process_time() - started


def _find(name: str) -> Case:
    return {**cases(), **held_out(), **tight()}[name]


def _parts(seeds: range) -> list[range]:
    return [seeds[at : at + SEEDS_AT_ONCE] for at in range(0, len(seeds), SEEDS_AT_ONCE)]


def power(names: Sequence[str], seeds: range, alpha: float, jobs: int) -> None:
    """The table of medians."""
    print(f"{'case':76s} {'limit':>8s} {'median':>7s} {'ratio':>6s} {'90 %':>7s} {'CPU/run':>8s}  published")
    ratios, beyond = [], []
    with ProcessPoolExecutor(jobs) as pool:
        for name, limit in zip(names, pool.map(limit_of, names, [alpha] * len(names)), strict=True):
            if limit > MOST_LIMIT:
                beyond.append(f"{name}: {limit:.3g}")
                continue
            most = GIVE_UP * math.ceil(limit) + 200
            runs = [pool.submit(some_seeds, name, alpha, part, most) for part in _parts(seeds)]
            found = np.array([pairs for run in runs for pairs in run.result()[0]])
            each = sum(run.result()[1] for run in runs) / len(seeds)
            middle = float(np.quantile(found, 0.5, method="higher"))
            late = float(np.quantile(found, 0.9, method="higher"))
            ratios.append(middle / limit)
            numbers = f"{limit:8.1f} {middle:7.0f} {middle / limit:6.2f} {late:7.0f} {each:7.3f}s"
            print(f"{name:76s} {numbers}  {_find(name).published}", flush=True)
    if ratios:
        few, most_ratio = (sum(r <= bound for r in ratios) for bound in (1.7, 2.3))
        print(f"{len(seeds)} seeds from {seeds.start}, α = {alpha:g}; of {len(ratios)} cases:")
        middle, worst = np.median(ratios), max(ratios)
        print(f"{few} at most 1.7 × the limit, {most_ratio} 2.3; median {middle:.2f}, largest {worst:.2f}")
    for line in beyond:
        print(f"not run, limit in pairs: {line}")


def alarms(seeds: range, jobs: int, alpha: float = 0.05, pairs: int = 1000) -> None:
    """False alarms of the e-process alone on mechanisms that are exactly tight."""
    with ProcessPoolExecutor(jobs) as pool:
        for name in tight():
            runs = [pool.submit(some_seeds, name, alpha, part, pairs) for part in _parts(seeds)]
            wrong = sum(math.isfinite(at) for run in runs for at in run.result()[0])
            print(f"{name}: {wrong} false alarms in {len(seeds)} runs of {pairs} pairs at α = {alpha:g}", flush=True)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--alarms", type=int, default=0)
    parser.add_argument("--alpha", type=float, default=1e-3)
    parser.add_argument("--only", default="", help="cases whose name holds this text")
    parser.add_argument("--held-out", action="store_true", help="mechanisms outside the list (see refutable.py)")
    chosen = parser.parse_args()
    names = [name for name in (held_out() if chosen.held_out else cases()) if chosen.only in name]
    first = chosen.first_seed
    power(names, range(first, first + chosen.seeds), chosen.alpha, chosen.jobs)
    if chosen.alarms:
        alarms(range(first, first + chosen.alarms), chosen.jobs)


if __name__ == "__main__":
    main()
