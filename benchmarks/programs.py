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
from dpwitness.core.errors import OutsideFragment
from dpwitness.core.evidence import Counterexample, Evidence, Unsupported, UpperBound
from dpwitness.core.mechanism import Mechanism
from dpwitness.proofs.anyn import AnyNProver
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.kernel.programs.comparisons import NotAForest
from dpwitness.proofs.programs.finite_inputs import check_all, read_inputs
from dpwitness.proofs.programs.route import ProgramProver

TAGS = ("checkdp", "statdp", "lyu")
PUBLISHED = {
    "checkdp": "CheckDP (Wang et al. 2020): each of its 17 programs within 70 s, at any number of queries",
    "dipc": "sparse vector, N = 4: DiPC (Barthe et al. 2020) 2850 s at one eps, DiPApprox (Bhusal et al. 2025) 1638 s",
}


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


def timed(evidence: Evidence, seconds: float) -> tuple[float, float, int, bool]:
    """Seconds to decide, milliseconds to re-check, bytes of the certificate, and whether the kernel accepts it."""
    certificate: Any = getattr(evidence, "certificate", None)
    start = time.process_time()
    valid = certificate is None or bool(examine(certificate))
    checked = (time.process_time() - start) * 1000
    size = 0 if certificate is None else len(json.dumps(certificate, separators=(",", ":")))
    return seconds, checked, size, valid


def decide(queries: int | None) -> None:
    """Part 1: each program on its own, at a number of queries and for any number."""
    examine({"type": "none"})  # the kernel's modules are loaded before anything is timed
    print(f"{'target':44} {'claim':24} {'CPU s':>6} {'check ms':>8} {'bytes':>6} {'any N: s':>8} {'bytes':>6}  outcome")
    rows: list[tuple[float, float, int, bool]] = []
    for name, claim in targets():
        start = time.process_time()
        evidence = ProgramProver(queries=queries).run(claim)
        fixed = timed(evidence, time.process_time() - start)
        start = time.process_time()
        every = AnyNProver().run(claim) if AnyNProver().supports(claim) is None else Unsupported("")
        any_n = timed(every, time.process_time() - start)
        rows += [fixed, any_n]
        good = fixed[3] and any_n[3] and isinstance(evidence, UpperBound) == claim.expected_to_hold
        held = isinstance(every, UpperBound) and every.guarantee.implies(claim.guarantee)
        words = describe(evidence, claim) + (", any N" if held else "")
        numbers = f"{fixed[0]:6.3f} {fixed[1]:8.1f} {fixed[2]:6d} {any_n[0]:8.3f} {any_n[2]:6d}"
        print(f"{' ' if good else '!'}{name:43} {claim.describe():24} {numbers}  {words}")
    seconds, checks, sizes = ([row[k] for row in rows] for k in range(3))
    print(
        f"{len(rows)} runs in {sum(seconds):.1f} s of CPU, the slowest {max(seconds):.2f} s; re-checked in at most "
        f"{max(checks):.0f} ms; certificates of at most {max(sizes) / 1000:.1f} kB.\n{PUBLISHED['checkdp']}\n"
    )


def all_pairs(most: int) -> None:
    """Part 2: all inputs from {-1, 0, 1}^N, all pairs, all outputs, all ε, for every program tagged dipc."""
    from dpwitness.catalogue import catalogue

    print(f"{'all inputs from {-1,0,1}^N':36} {'N':>2} {'inputs':>6} {'pairs':>6} {'CPU s':>6}  for every eps > 0")
    totals = dict.fromkeys(range(2, most + 1), 0.0)
    for name, target in catalogue().items():
        if not isinstance(target, Mechanism) or "dipc" not in target.tags:
            continue
        for n in totals:
            start = time.process_time()
            try:
                found = read_inputs(target.claims()[0], values=(-1, 0, 1), queries=n)
            except (OutsideFragment, NotAForest):
                break  # Gaussian noise, or real outputs: not a finite exact law
            broken = check_all(found, Fraction(1))
            seconds = time.process_time() - start
            totals[n] += seconds
            words = "holds at 1·eps" if broken is None else f"fails at eps = {broken.eps}"
            print(f"{name:36} {n:2d} {len(found.inputs):6d} {len(found.pairs):6d} {seconds:6.2f}  {words}")
    print("all of them: " + ", ".join(f"N = {n} in {seconds:.1f} s" for n, seconds in totals.items()))
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
