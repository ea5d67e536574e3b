"""``python -m benchmarks.service``: the sampling service in figures.

The first row audits Laplace noise at a claim that is exactly tight, so that nothing stops it before the last of the
samples, and prints the largest resident size of the process and of its workers. The second part repeats a shorter audit
with one and with several workers, prints the ratio of the times, and says whether the evidence is the same, byte for
byte. Run it on an idle machine.
"""

from __future__ import annotations

import argparse
import pickle
import resource
import subprocess
import sys
import time
from typing import Any

import numpy as np

from dpwitness.auditors import audit

MEGABYTE = 1024.0  # ru_maxrss counts kilobytes on Linux


def laplace(data: float, size: int, rng: np.random.Generator) -> Any:
    """Laplace noise of scale 1 on one number."""
    return rng.laplace(data, 1.0, size)


def measure(pairs: int, jobs: int) -> tuple[float, float, bytes]:
    """Seconds, megabytes of the largest process, and the evidence without its time."""
    started = time.perf_counter()
    result = audit(laplace, 0.0, 1.0, epsilon=1.0, max_pairs=pairs, executor=jobs)
    seconds = time.perf_counter() - started
    here, workers = (resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    evidence = {name: value for name, value in vars(result).items() if name != "seconds"}
    return seconds, max(here, workers) / MEGABYTE, pickle.dumps(evidence)


def _alone(pairs: int, jobs: int) -> tuple[float, float, str]:
    """One measurement in a process of its own, so that memory is not counted twice."""
    code = (
        "import hashlib, sys; from benchmarks.service import measure; "
        f"s, m, e = measure({pairs}, {jobs}); print(s, m, hashlib.sha256(e).hexdigest())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    seconds, megabytes, digest = done.stdout.split()
    return float(seconds), float(megabytes), digest


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--samples", type=float, default=1e9, help="samples of the long audit, both sides together")
    options.add_argument("--speed-samples", type=float, default=1e8, help="samples of the comparison of workers")
    options.add_argument("--jobs", type=int, default=2)
    given = options.parse_args()
    print(f"{'samples':>10}  {'workers':>7}  {'seconds':>8}  {'samples/s':>10}  {'MB':>6}")

    def row(samples: float, jobs: int) -> tuple[float, str]:
        seconds, megabytes, digest = _alone(round(samples / 2), jobs)
        rate = samples / seconds
        print(f"{samples:10.3g}  {jobs:7d}  {seconds:8.1f}  {rate:10.3g}  {megabytes:6.0f}", flush=True)
        return seconds, digest

    if given.samples:
        row(given.samples, given.jobs)
    if given.speed_samples:
        one, first = row(given.speed_samples, 1)
        many, second = row(given.speed_samples, given.jobs)
        same = "equal" if first == second else "DIFFERS"
        print(f"{given.jobs} workers: {one / many:.2f} times as fast; evidence {same}")


if __name__ == "__main__":
    main()
