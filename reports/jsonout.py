"""The machine-readable report, schema ``dpwitness.results/1``."""

from __future__ import annotations

import json
from fractions import Fraction
from importlib.resources import files
from typing import Any

from dpwitness.core.evidence import Counterexample, LowerBound, Scope, UpperBound
from dpwitness.core.guarantees import epsilon_delta
from dpwitness.core.verdict import Verdict
from dpwitness.reports.model import Report, clean

SCHEMA = "dpwitness.results/1"


def to_json(report: Report, certificates: dict[int, str] | None = None) -> dict[str, Any]:
    """The report as JSON; `certificates` maps a row's number to the file that holds its certificate."""
    names = certificates or {}
    return {
        "schema": SCHEMA,
        "run": dict(report.run),
        "verdicts": [_verdict(row.verdict, names.get(i)) for i, row in enumerate(report.rows)],
    }


def schema() -> dict[str, Any]:
    """The JSON Schema of `to_json`."""
    text = (files("dpwitness.reports") / "results.schema.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def _verdict(verdict: Verdict, certificate: str | None) -> dict[str, Any]:
    claim = verdict.claim
    return {
        "target": clean(claim.target, 200),
        "guarantee": claim.guarantee.to_json(),
        "adjacency": claim.space.describe(),
        "parameters": {name: str(value) for name, value in claim.params.items()},
        "verdict": str(verdict.decision),
        "expected": "PROVED" if claim.expected_to_hold else "REFUTED",
        "scope": _scope(verdict).to_json(),
        "upper": _upper(verdict.upper, certificate),
        "lower": _lower(verdict.lower),
        "unsupported": [clean(s.reason, 400) for s in verdict.silent],
        "seconds": round(verdict.seconds, 4),
    }


def _scope(verdict: Verdict) -> Scope:
    if verdict.upper is not None and verdict.decision == "PROVED":
        return verdict.upper.scope
    if verdict.lower is not None:
        return verdict.lower.scope
    return Scope(queries=verdict.claim.queries, epsilon=str(verdict.claim.params.get("eps", "")))


def _upper(bound: UpperBound | None, certificate: str | None) -> dict[str, Any] | None:
    if bound is None:
        return None
    pair = epsilon_delta(bound.guarantee)
    return {
        "epsilon": None if pair is None else str(pair[0]),
        "guarantee": bound.guarantee.to_json(),
        "exact": bound.exact,
        "method": clean(bound.method, 400),
        "formula": bound.formula,
        "certificate": certificate,
        "seconds": round(bound.seconds, 4),
    }


def _lower(bound: Counterexample | LowerBound | None) -> dict[str, Any] | None:
    if bound is None:
        return None
    common = {
        "left": [_value(x) for x in bound.left],
        "right": [_value(x) for x in bound.right],
        "event": clean(bound.event, 400),
    }
    if isinstance(bound, Counterexample):
        floor = "inf" if bound.epsilon_lower is None else str(bound.epsilon_lower)
        return {
            "epsilon": floor,
            "alpha": 0,
            "pairs": 0,
            "exact": True,
            "counterexample": {
                **common,
                "p_left": clean(bound.p_left),
                "p_right": clean(bound.p_right),
                "p_left_decimal": bound.p_left_decimal,
                "p_right_decimal": bound.p_right_decimal,
            },
            "seconds": round(bound.seconds, 4),
        }
    return {
        "epsilon": repr(bound.epsilon),
        "alpha": bound.alpha,
        "pairs": bound.pairs,
        "exact": False,
        "refutes": bound.refutes,
        "seed": bound.seed,
        "detectable": bound.detectable,
        "ledger": [[clean(what, 200), share] for what, share in bound.ledger],
        "counterexample": {**common, "direction": bound.direction} if bound.refutes else None,
        "seconds": round(bound.seconds, 4),
    }


def _value(value: Any) -> Any:
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else str(value)
    if isinstance(value, int | float):
        return value
    if isinstance(value, tuple | list):
        return [_value(x) for x in value]
    return clean(value, 200)
