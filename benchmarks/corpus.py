"""Documented bugs: which route finds which, how soon, and what is said of the repairs.

Run with ``python -m benchmarks.corpus [--only NAME] [--seed 0] [--seconds 60] [--json FILE] [--page]``. Every entry is
decided as ``dpwitness verify corpus/NAME`` would, without being told inputs; then by the provers alone, by the audit
alone, and by the stability fuzzer where the entry has a deterministic part. A peer is given the inputs that were found
and the same number of samples: the best bound of jax_privacy's auditor, where it is installed. ``--page`` writes
docs/corpus.md from what was measured; StatDP, DP-Sniper and dp_auditorium are on no package index, and are not run.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.corpus_page import page
from dpwitness.auditors.outputs.table import Encoder
from dpwitness.auditors.stability.api import check_claim
from dpwitness.core.budget import Budget
from dpwitness.core.claims import Claim
from dpwitness.core.evidence import Counterexample, LowerBound
from dpwitness.core.guarantees import epsilon_delta
from dpwitness.corpus import Bug, bugs
from dpwitness.corpus.invalid_audits import false_alarms
from dpwitness.routes import decide

PEER_SAMPLES = 20_000
PAGE = Path(__file__).parents[1] / "docs" / "corpus.md"


def measure(bug: Bug, budget: Budget) -> dict[str, Any]:
    """What every route says of an entry and of its repair."""
    found: dict[str, Any] = {"name": bug.name, "kind": bug.kind, "routes": {}, "hidden": bug.hidden}
    if bug.control is not None:
        broken, fixed = (false_alarms(bound) for bound in bug.control)
        return found | {"found": broken > 0, "controls": [broken, fixed], "alarm": fixed > 0, "verify": [False, 0.0]}
    assert bug.broken is not None
    assert bug.repaired is not None
    claim, repair = bug.broken.claims()[0], bug.repaired.claims()[0]
    verdict, seconds = _timed(claim, budget, "verify")
    found["verify"] = [_says(bug, verdict), seconds]
    if isinstance(verdict.lower, LowerBound | Counterexample):
        found["inputs"] = [len(verdict.lower.left), len(verdict.lower.right)]
    for letter, kind in (("P", "prove"), ("A", "audit")):
        alone, spent = _timed(claim, budget, kind)
        bits = bug.doubles and kind == "audit"
        said = _says(bug, alone) and (bits or alone.decision.name == "REFUTED")
        found["routes"]["D" if bits else letter] = [said, spent]
        if kind == "audit" and isinstance(alone.lower, LowerBound):
            found["pairs"] = alone.lower.pairs
            found["routes"]["G"] = ["replay:" in " ".join(alone.lower.details.get("warnings", ())), spent]
    if bug.stable is not None and bug.stable_repaired is not None:
        one, two = check_claim(bug.stable, seconds=10), check_claim(bug.stable_repaired, seconds=10)
        found["routes"]["S"] = [one.refuted, one.seconds]
        found["stable_alarm"], found["stable_pairs"], found["cause"] = two.refuted, one.pairs, one.cause
    found["peer"] = _peer(bug, claim, verdict, budget)
    fixed_verdict, spent = _timed(repair, budget, "verify")
    found["alarm"], found["repair"] = _says(bug, fixed_verdict), [fixed_verdict.decision.name, spent]
    return found


def _timed(claim: Claim, budget: Budget, kind: Any) -> tuple[Any, float]:
    started = time.monotonic()
    return decide(claim, budget, kind), time.monotonic() - started


def _says(bug: Bug, verdict: Any) -> bool:
    """Whether the verdict is a refutation; where doubles alone break the claim, whether it warns of them."""
    if not bug.doubles:
        return bool(verdict.decision.name == "REFUTED")
    details = verdict.lower.details if isinstance(verdict.lower, LowerBound) else {}
    return bool((details.get("doubles") or {}).get("refuted"))


def _peer(bug: Bug, claim: Claim, verdict: Any, budget: Budget) -> bool | None:
    """Whether jax_privacy's bound refutes the claim on the inputs that were found; None where it cannot be asked."""
    pair = epsilon_delta(claim.guarantee)
    if pair is None or bug.doubles or not isinstance(verdict.lower, LowerBound | Counterexample):
        return None
    try:
        from jax_privacy.auditing import CanaryScoreAuditor, Split
    except ImportError:
        return None
    rng = np.random.default_rng(budget.seed)
    encoder = Encoder()
    sides = []
    for data in (verdict.lower.left, verdict.lower.right):
        table = encoder.encode(claim.mechanism.sample(data, PEER_SAMPLES, rng), PEER_SAMPLES)
        score = table.columns[:, 0] if table.width else table.codes.astype(float)
        sides.append(np.where(np.isnan(score), 1e9 + table.codes, score))
    eps, delta = float(pair[0]), float(pair[1])
    for one, two in (sides, sides[::-1]):
        for sign in (1, -1):
            auditor = CanaryScoreAuditor(sign * one, sign * two)
            bound = auditor.epsilon_clopper_pearson(budget.alpha / 4, delta, threshold_strategy=Split())
            if bound > eps:
                return True
    return False


def measured(only: str, budget: Budget) -> Iterator[dict[str, Any]]:
    """Every entry, as it is measured."""
    for bug in bugs().values():
        if only in bug.name:
            yield measure(bug, budget)


def main() -> None:
    """Print a line for each entry, and what was missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--alpha", type=float, default=1e-3)
    parser.add_argument("--seconds", type=float, default=10.0, help="limit of one decision, as of verify")
    parser.add_argument("--json", help="write what was measured to a file")
    parser.add_argument("--read", help="take what was measured from such a file")
    parser.add_argument("--page", action="store_true", help="write docs/corpus.md")
    chosen = parser.parse_args()
    budget = Budget(chosen.alpha, Budget.max_pairs, chosen.seconds, chosen.seed)
    if chosen.read:
        rows = [json.loads(line) for line in Path(chosen.read).read_text(encoding="utf-8").splitlines()]
    else:
        rows = []
        for row in measured(chosen.only, budget):
            rows.append(row)
            routes = " ".join(
                f"{name}:{'yes' if ok else 'no'}({spent:.1f}s)" for name, (ok, spent) in row["routes"].items()
            )
            alarm = "ALARM" if row["alarm"] or row.get("stable_alarm") else "clean"
            print(f"{row['name']:28s} verify:{'found' if row['verify'][0] else 'NO':5s} {row['verify'][1]:5.1f}s "
                  f"{routes} peer:{row.get('peer')} repair:{alarm}", flush=True)  # fmt: skip
            if chosen.json:
                with open(chosen.json, "a", encoding="utf-8") as file:
                    file.write(json.dumps(row) + "\n")
    findable = [row for row in rows if not row["hidden"]]
    got = [row for row in findable if row["verify"][0] and row["verify"][1] <= 60]
    print(f"\n{len(got)} of {len(findable)} found by verify within 60 s; {len(rows) - len(findable)} hidden from it")
    print("missed:", *(row["name"] for row in findable if row not in got))
    print("false alarms on repairs:", *(row["name"] for row in rows if row["alarm"] or row.get("stable_alarm")))
    stable = [row for row in rows if "S" in row["routes"]]
    quick = sum(row["routes"]["S"][0] and row["routes"]["S"][1] <= 1 for row in stable)
    print(f"stability: {sum(row['routes']['S'][0] for row in stable)} of {len(stable)} found, {quick} within a second")
    if chosen.page:
        PAGE.write_text(page(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
