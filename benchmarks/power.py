"""Which broken twins the default audit refutes: seconds of CPU, pairs drawn, and why not where it does not.

Run with ``python -m benchmarks.power [--only NAME] [--seed 0] [--alpha 0.001] [--seconds 60]``. Every claim that is
expected to fail is audited by itself, as ``dpwitness audit NAME`` would, without the provers. A claim that is not
refuted is listed with the probability that its event would need (`dpwitness.auditors.fixed.rarest_event`); at the end
also with the event of the exact counterexample, where there is one: how likely it is, and what as many samples would
show on average if they counted that event and nothing else.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator

import numpy as np

from dpwitness.auditors.limit import best_bound
from dpwitness.catalogue import find
from dpwitness.core.budget import Budget
from dpwitness.core.claims import Claim
from dpwitness.core.evidence import Counterexample, LowerBound
from dpwitness.core.guarantees import epsilon_delta
from dpwitness.routes import confirmed_proofs, decide


def broken(only: str = "") -> Iterator[Claim]:
    """The claims that the catalogue expects to be refuted."""
    for target in find([]):
        yield from (claim for claim in target.claims() if not claim.expected_to_hold and only in target.name)


def measure(claim: Claim, budget: Budget) -> tuple[bool, float, int, str]:
    """Whether the claim was refuted, CPU seconds, pairs, and a remark."""
    started = time.process_time()
    verdict = decide(claim, budget, "audit")
    seconds = time.process_time() - started
    lower = verdict.lower
    if not isinstance(lower, LowerBound):
        return False, seconds, 0, "; ".join(item.reason for item in verdict.silent)[:90]
    if lower.refutes:
        return True, seconds, lower.pairs, str(lower.event)[:60]
    rare = lower.details.get("rarest")
    cut = lower.details.get("cut", "")
    return False, seconds, lower.pairs, f"ε ≥ {lower.epsilon:.3g} only; events rarer than {rare} are not seen {cut}"


def exact_event(claim: Claim, pairs: int, alpha: float) -> str:
    """The exact counterexample as an audit would meet it."""
    pair = epsilon_delta(claim.guarantee)
    for found in confirmed_proofs(claim, Budget(seconds=20.0)):
        if isinstance(found, Counterexample) and pair is not None:
            p, q = float(found.p_left_decimal), float(found.p_right_decimal)
            shown = best_bound(np.array([p, 1 - p]), np.array([q, 1 - q]), 2 * pairs, alpha, float(pair[1]))
            event = f"exact event of probability {p:.2g} against {q:.2g}"
            return f"{event}, on which {pairs} pairs show ε ≥ {max(shown, 0.0):.3g}"
    return "no exact counterexample"


def main() -> None:
    """Print one line for each broken claim, those that are not refuted again at the end."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="targets whose name holds this text")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--alpha", type=float, default=1e-3)
    parser.add_argument("--max-pairs", type=int, default=Budget.max_pairs)
    parser.add_argument("--seconds", type=float, default=Budget.seconds, help="wall-clock limit of one audit")
    chosen = parser.parse_args()
    budget = Budget(chosen.alpha, chosen.max_pairs, chosen.seconds, chosen.seed)
    print(f"{'claim':52s} {'refuted':>8s} {'CPU s':>6s} {'pairs':>8s}")
    missed = []
    total = 0
    for claim in broken(chosen.only):
        total += 1
        refuted, seconds, pairs, remark = measure(claim, budget)
        text = f"{claim.target:52s} {'yes' if refuted else 'NO':>8s} {seconds:6.1f} {pairs:8d}  {remark}"
        print(text, flush=True)
        if not refuted:
            missed.append(f"{text}; claim {claim.describe()}; {exact_event(claim, max(pairs, 1), chosen.alpha)}")
    print(f"\n{total - len(missed)} of {total} broken claims refuted, each alone at α = {chosen.alpha:g}")
    if missed:
        print("not refuted:", *missed, sep="\n  ")


if __name__ == "__main__":
    main()
