"""Run every mechanism and twin through the prover by composition and, where it is silent, through all routes."""

from __future__ import annotations

import argparse
import importlib
import json
import time
import warnings
from collections.abc import Iterator

from dpwitness.core.budget import Budget
from dpwitness.core.claims import Claim
from dpwitness.core.mechanism import Mechanism
from dpwitness.proofs.kernel.check import examine
from dpwitness.routes import decide

GROUPS = ("sums", "histograms", "selections", "learning", "local")


def mechanisms() -> Iterator[Mechanism]:
    """The mechanisms of all groups, in the order of their files."""
    for group in GROUPS:
        module = importlib.import_module(f"benchmarks.researchers.{group}")
        for value in vars(module).values():
            if isinstance(value, Mechanism) and value.parent is None and value.program.__module__ == module.__name__:
                yield value


def claims(only: str = "") -> Iterator[Claim]:
    """One claim for each mechanism and each twin."""
    for made in mechanisms():
        for one in (made, *made.twins):
            if only in one.name:
                yield one.claims()[0]


def main() -> None:
    """Print a table: what was decided of each claim, how fast, and how large its certificate is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="names that contain this")
    parser.add_argument("--seconds", type=float, default=45.0)
    parser.add_argument("--pairs", type=int, default=200_000)
    parser.add_argument("--prove", action="store_true", help="proofs and exact counterexamples only")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    tally: dict[tuple[bool, str], int] = {}
    budget = Budget(max_pairs=options.pairs, seconds=options.seconds)
    for claim in claims(options.only):
        start = time.monotonic()
        verdict = decide(claim, budget, "prove" if options.prove else "verify")
        seconds, said = time.monotonic() - start, verdict.decision.value
        holds = claim.mechanism.parent is None  # type: ignore[union-attr]
        tally[holds, said] = tally.get((holds, said), 0) + 1
        wrong = " WRONG" if said in ("CONTRADICTION", "REFUTED" if holds else "PROVED") else ""
        size, checked, method = "", "", ""
        if said == "PROVED" and verdict.upper is not None:
            certificate = dict(verdict.upper.certificate or {})
            begin = time.process_time()
            assert examine(certificate)
            checked = f"{(time.process_time() - begin) * 1000:.0f} ms"
            size, method = f"{len(json.dumps(certificate)) / 1000:.1f} kB", verdict.upper.method
        why = method or "; ".join(e.reason for e in verdict.silent if e.method == "composition")[:110]
        row = f"{claim.target[:58]:58s} {claim.guarantee!s:26s} {seconds:6.2f} s {size:>8s} {checked:>7s}"
        print(f"{row} {said:12s}{why}{wrong}", flush=True)
    for (holds, said), count in sorted(tally.items()):
        print(f"{'mechanisms' if holds else 'twins     '} {said:12s} {count}")


if __name__ == "__main__":
    main()
