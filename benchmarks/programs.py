"""Programs decided by the exact engine, beside published figures: ``python -m benchmarks.programs``.

Times are of this machine in this run; the published ones are of their authors' machines and are given for the order of
magnitude only.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.evidence import Counterexample, Evidence, UpperBound
from dpwitness.core.mechanism import Mechanism
from dpwitness.proofs.kernel.check import check
from dpwitness.proofs.programs.finite_inputs import check_all, read_inputs
from dpwitness.proofs.programs.route import ProgramProver

TAGS = ("checkdp", "statdp", "lyu")
PUBLISHED = {
    "checkdp": "CheckDP (Wang et al. 2020): each program within 70 s",
    "dipc": "DiPC (Barthe et al. 2020): 2850 s; DiPApprox (Bhusal et al. 2025): 1638 s, sparse vector, N = 4",
}
DIPC = ("above-threshold", "sparse-vector", "report-noisy-max", "k-min-max", "m-range")


def targets() -> Iterator[tuple[str, Claim]]:
    """Every claim of the catalogue that carries one of the tags."""
    from dpwitness.catalogue import catalogue

    for name, target in catalogue().items():
        if isinstance(target, Mechanism) and set(TAGS) & set(target.tags):
            for claim in target.claims():
                yield name, claim


def describe(evidence: Evidence, claim: Claim) -> str:
    """The outcome in a few words."""
    if isinstance(evidence, UpperBound):
        proved = evidence.guarantee.implies(claim.guarantee)
        star = "eps* = " if evidence.exact else "eps* <= "
        return ("PROVED    " if proved else "undecided ") + star + (evidence.formula or str(evidence.guarantee))
    if isinstance(evidence, Counterexample):
        pair = [" ".join(map(str, side)) for side in (evidence.left, evidence.right)]
        return f"REFUTED   ({pair[0]}) -> ({pair[1]}), {evidence.event}"
    return f"undecided {getattr(evidence, 'reason', '')}"


def decide(queries: int | None) -> None:
    """Part 1: each program on its own."""
    check({"type": "none"})  # the kernel's modules are loaded before anything is timed
    print(f"{'target':45} {'claim':24} {'s':>7} {'check ms':>8} {'bytes':>6}  outcome")
    total, worst, count = 0.0, 0.0, 0
    for name, claim in targets():
        start = time.perf_counter()
        evidence = ProgramProver(queries=queries).run(claim)
        seconds = time.perf_counter() - start
        certificate: Any = getattr(evidence, "certificate", None)
        start = time.perf_counter()
        valid = certificate is None or bool(check(certificate))
        checked = (time.perf_counter() - start) * 1000
        size = 0 if certificate is None else len(json.dumps(certificate, separators=(",", ":")))
        total, worst, count = total + seconds, max(worst, seconds), count + 1
        mark = " " if valid and (isinstance(evidence, UpperBound) == claim.expected_to_hold) else "!"
        words = describe(evidence, claim)
        print(f"{mark}{name:44} {claim.describe():24} {seconds:7.3f} {checked:8.1f} {size:6d}  {words}")
    print(f"{count} claims in {total:.1f} s, the slowest {worst:.2f} s.   {PUBLISHED['checkdp']}\n")


def all_pairs(most: int) -> None:
    """Part 2: all inputs from {-1, 0, 1}^N, all pairs, all outputs, all ε."""
    from dpwitness.catalogue import catalogue

    print(f"{'all inputs from {-1,0,1}^N':30} {'N':>2} {'inputs':>6} {'pairs':>7} {'s':>7}  outcome, for every eps > 0")
    for name in DIPC:
        target = catalogue()[name]
        assert isinstance(target, Mechanism)
        for n in range(2, most + 1):
            start = time.perf_counter()
            found = read_inputs(target.claims()[0], values=(-1, 0, 1), queries=n)
            broken = check_all(found, Fraction(1))
            seconds = time.perf_counter() - start
            words = "holds at 1·eps" if broken is None else f"fails at eps = {broken.eps}"
            print(f"{name:30} {n:2d} {len(found.inputs):6d} {len(found.pairs):7d} {seconds:7.2f}  {words}")
    print(PUBLISHED["dipc"])


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=None, help="number of queries (default: each claim's own)")
    parser.add_argument("--most", type=int, default=4, help="largest N of the all-pairs table")
    options = parser.parse_args()
    decide(options.queries)
    all_pairs(options.most)


if __name__ == "__main__":
    main()
