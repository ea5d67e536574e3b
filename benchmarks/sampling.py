"""``python -m benchmarks.sampling``: samples per second of every mechanism beside bare numpy.

*Bare numpy* draws the same number of noise variables of the same laws, with no program around them; integer laws, which
the project samples exactly, are compared with numpy's floating-point generators of the same shape. Peak memory is
measured at 10⁵ and at 10⁶ samples.
"""

from __future__ import annotations

import argparse
import time
import tracemalloc
import warnings
from collections import Counter
from typing import Any

import numpy as np

from dpwitness.catalogue import find
from dpwitness.core import Answers, PureDP, mechanism
from dpwitness.core.laws import Law
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.noise import Noise
from dpwitness.core.readers.lanes import run_block

BLOCK = 65536
FINITE = ("choice", "log_choice", "bernoulli", "logit")
EXACT = ("discrete_laplace", "discrete_gaussian")


@mechanism(data=Answers(size=20), claim=lambda eps: PureDP(eps), typical={"eps": 1}, name="noisy-max-of-20")
def noisy_max_of_20(noise: Noise, counts: Any, *, eps: Any) -> Any:
    """Index of the largest of twenty noisy counts."""
    return noise.argmax([c + noise.laplace(2 / eps) for c in counts])


class Counting(Noise):
    """Counts the draws of each law, weighted by the number of lanes."""

    def __init__(self, inner: Any, counter: Counter[str]) -> None:
        self.inner, self.counter = inner, counter

    def draw(self, law: Law) -> Any:
        made = list(getattr(self.inner, "made", []))
        value = self.inner.draw(law)
        if len(getattr(self.inner, "made", [*made, None])) > len(made):  # a fresh draw, not a replay
            self.counter[law.name] += len(getattr(value, "array", [0]))
        return value

    def check(self, name: str, value: Any, **bounds: Any) -> Any:
        return self.inner.check(name, value, **bounds)

    def argmax(self, values: Any) -> Any:
        self.counter["argmax"] += 1
        return self.inner.argmax(values)

    def max(self, values: Any) -> Any:
        self.counter["argmax"] += 1
        return self.inner.max(values)


def bare(counts: Counter[str], rng: np.random.Generator, block: int) -> None:
    """Draw as many variables of each law as the mechanism did, in blocks of the same size."""
    for law, count in counts.items():
        for size in [block] * (count // block) + [count % block]:
            match law:
                case "laplace" | "staircase":
                    rng.laplace(0.0, 1.0, size)
                case "exponential" | "gamma":
                    rng.exponential(1.0, size)
                case "gaussian" | "discrete_gaussian":
                    rng.normal(0.0, 1.0, size)
                case "discrete_laplace":
                    rng.geometric(0.5, size)
                case "admissible":  # numpy has no such law: the two gamma variables of which it is made
                    rng.standard_gamma(0.5, size)
                    rng.standard_gamma(0.5, size)
                case "choice" | "log_choice":
                    rng.choice(4, size, p=[0.25] * 4)
                case "uniform" | "bernoulli" | "logit":
                    rng.random(size)
                case _:
                    rng.random(size)


def measure(made: Mechanism, seconds: float) -> tuple[float, float, str]:
    """Samples per second of the mechanism and of bare numpy, and the kind of program."""
    data = made.space.typical_pairs()[0].left
    program = made.bind(data, made.params())
    block = BLOCK if made.batched else 64
    counts: Counter[str] = Counter()
    rng = np.random.default_rng(0)
    run_block(lambda noise: program(Counting(noise, counts)), rng, block, batched=made.batched)
    selects = counts.pop("argmax", 0) > 0
    ours = repeat(lambda: run_block(program, rng, block, batched=made.batched), seconds)
    plain = repeat(lambda: bare(counts, rng, block), seconds / 2)
    executions = _executions(program, block, batched=made.batched)
    additive = executions == 1 and not selects and not any(name in counts for name in FINITE)
    if any(name in counts for name in EXACT):
        kind = "exact"
    else:
        kind = "no noise" if not counts else "additive" if additive else "program"
    return block / ours, block / plain, kind if made.batched else "solver"


def _executions(program: Any, block: int, *, batched: bool) -> int:
    runs: list[int] = []

    def counted(noise: Noise) -> Any:
        runs.append(1)
        return program(noise)

    run_block(counted, np.random.default_rng(0), min(block, 4096), batched=batched)
    return len(runs)


def repeat(action: Any, seconds: float) -> float:
    """Best time of repeated runs within the given total."""
    best, start = float("inf"), time.perf_counter()
    while time.perf_counter() - start < seconds:
        begin = time.perf_counter()
        action()
        best = min(best, time.perf_counter() - begin)
    return best


def peak(made: Mechanism, samples: int) -> float:
    """Peak memory in MB while streaming `samples` outputs."""
    stream = made.stream(made.space.typical_pairs()[0].left, 0)
    tracemalloc.start()
    for _ in range(samples // 50_000):
        stream.take(50_000)
    _, top = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return top / 2**20


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*")
    parser.add_argument("--seconds", type=float, default=0.3, help="time for each mechanism")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    chosen = [noisy_max_of_20, *find(options.targets)]
    print(f"{'mechanism':48} {'kind':9} {'samples/s':>12} {'bare numpy/s':>13} {'ratio':>6}  goal")
    goals = {"additive": 0.5, "program": 0.2}
    missed = 0
    for made in chosen:
        if not isinstance(made, Mechanism):
            continue
        ours, plain, kind = measure(made, options.seconds)
        goal = goals.get(kind)
        ok = goal is None or ours / plain >= goal
        missed += not ok
        mark = "" if goal is None else f"≥ {goal}" + ("" if ok else "  missed")
        print(f"{made.name:48} {kind:9} {ours:12,.0f} {plain:13,.0f} {ours / plain:6.2f}  {mark}", flush=True)
    print(f"\n{missed} below their goal")
    for made in [noisy_max_of_20, *find(["above-threshold"])]:
        if isinstance(made, Mechanism):
            print(f"peak memory of {made.name}: {peak(made, 10**5):.1f} MB at 10⁵, {peak(made, 10**6):.1f} MB at 10⁶")


if __name__ == "__main__":
    main()
