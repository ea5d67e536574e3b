"""Programs with Gaussian noise on finitely many inputs, at given ε and δ."""

from __future__ import annotations

import time
from fractions import Fraction
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.evidence import Counterexample, Event, Evidence, Scope, Unsupported, UpperBound
from dpwitness.core.guarantees import epsilon_delta
from dpwitness.core.spaces import Answers
from dpwitness.proofs.kernel.arith import ball, lower, outward, precision, upper
from dpwitness.proofs.kernel.programs.normal import BITS, LAWS, Enclosed, hockey
from dpwitness.proofs.programs.finite_inputs import inputs_and_pairs
from dpwitness.proofs.programs.pair_evidence import words_of
from dpwitness.proofs.programs.tables import read_table

METHOD = "rigorous integration"


def decide_normal(claim: Claim, queries: int | None, seconds: float) -> Evidence:
    """All pairs of a finite space of answers at the claim's ε and δ."""
    start = time.monotonic()
    pair = epsilon_delta(claim.guarantee)
    assert pair is not None
    epsilon, delta = pair
    assert isinstance(claim.space, Answers)
    space, inputs, pairs = inputs_and_pairs(claim, queries=queries)
    at = Fraction(claim.params.get("eps", 1))
    table = read_table(claim, len(inputs[0]), epsilon=at if "eps" in claim.params else None, seconds=seconds, laws=LAWS)
    worst, failing = Fraction(0), None
    with precision(BITS):
        enclosed = Enclosed(table.tree)
        laws = [enclosed.of(row) for row in inputs]
        for i, j in pairs:
            low, high, event = hockey(laws[i], laws[j], epsilon)
            worst = max(worst, high)
            if low > delta and (failing is None or low > failing[0]):
                failing = (low, i, j, event)
        proof: dict[str, Any] = {
            "type": "program-normal",
            "target": claim.target,
            "program": table.fingerprint,
            "tree": table.json,
            "space": space.to_json(),
            "claim": {"epsilon": str(epsilon), "delta": str(delta)},
        }
        scope = Scope(queries=len(inputs[0]), epsilon=str(at))
        if failing is not None:
            _, i, j, event = failing
            p, q = (sum((laws[k].get(n, ball(0)) for n in event), ball(0)) for k in (i, j))
            reached = ((p - ball(delta)) / q).log() if q > 0 else None
            proof.update(inputs=[[str(x) for x in inputs[k]] for k in (i, j)], event=event)
            return Counterexample(
                left=inputs[i],
                right=inputs[j],
                event=Event("output " + " or ".join(words_of(n) for n in event)),
                p_left=_range(p),
                p_right=_range(q),
                p_left_decimal=float(p.mid()),
                p_right_decimal=float(q.mid()),
                epsilon_lower=None if reached is None else outward(lower(reached), lower(reached), 12)[0],
                scope=scope,
                certificate=proof,
                method=METHOD,
                seconds=time.monotonic() - start,
            )
    spent = time.monotonic() - start
    if worst > delta:
        return Unsupported(f"undecided: delta is known to be at most {float(worst):.6g}", None, METHOD, spent)
    words = f"{METHOD} of {len(inputs)} inputs, {len(pairs)} ordered pairs: delta at most {float(worst):.4g}"
    return UpperBound(claim.guarantee, scope, proof, False, words, None, spent)


def _range(value: Any) -> str:
    low, high = outward(lower(value), upper(value), 12)
    return f"between {float(low):.12g} and {float(high):.12g}"
