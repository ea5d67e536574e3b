"""What it costs to run models beside the programs that they stand for.

Run with ``python -m benchmarks.coexecution [TARGET ...]``. Every claim of the catalogue is decided as ``dpwitness
prove`` would, in one process. The table has CPU seconds: of everything, of the kernel's checks, and of co-execution;
the claims where co-execution takes most stand below it. Reading a program to make its model belongs to the provers.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

from dpwitness.catalogue import find
from dpwitness.core.budget import Budget
from dpwitness.proofs.checker import KernelChecker
from dpwitness.routes import decide

SHOWN = 8  # claims below the table


class Clock:
    """CPU seconds inside one method; calls inside calls count once."""

    def __init__(self, name: str) -> None:
        self.seconds, self.depth = 0.0, 0
        self.inner: Callable[..., Any] = getattr(KernelChecker, name)
        setattr(KernelChecker, name, lambda *args: self.run(*args))

    def run(self, *args: Any) -> Any:
        """Call the method and count its time."""
        self.depth += 1
        started = time.process_time()
        try:
            return self.inner(*args)
        finally:
            self.depth -= 1
            if not self.depth:
                self.seconds += time.process_time() - started


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="catalogue names, twins or tags; none: all")
    chosen = parser.parse_args()
    checks, runs = Clock("check"), Clock("coexecute")
    spent: list[tuple[float, float, str]] = []
    begun = time.process_time()
    for target in find(chosen.targets):
        for claim in target.claims():
            started, before = time.process_time(), runs.seconds
            decide(claim, Budget(), "prove")
            spent.append((runs.seconds - before, time.process_time() - started, claim.target))
    total = time.process_time() - begun
    print(f"{'':16s}{'CPU s':>8s}  share")
    rows = {"all": total, "kernel checks": checks.seconds, "co-execution": runs.seconds}
    for name, seconds in rows.items():
        print(f"{name:16s}{seconds:8.1f}  {seconds / total:5.1%}")
    print(f"\n{len(spent)} claims; those with the dearest co-execution:")
    for seconds, whole, name in sorted(spent, reverse=True)[:SHOWN]:
        print(f"{name:52s}{seconds:8.2f} of {whole:6.2f} s")


if __name__ == "__main__":
    main()
