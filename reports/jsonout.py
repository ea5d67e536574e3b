"""The machine-readable report, schema ``dpwitness.results/1``."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from importlib.resources import files
from typing import Any

from dpwitness.core.evidence import Counterexample, LowerBound, Scope, Unsupported, UpperBound
from dpwitness.core.guarantees import epsilon_delta
from dpwitness.core.verdict import Verdict
from dpwitness.reports.model import Report, Row, clean, line
from dpwitness.reports.origin import place, reproduce

SCHEMA = "dpwitness.results/1"
MOST_ITEMS = 1000


def to_json(report: Report, certificates: dict[int, str] | None = None) -> dict[str, Any]:
    """The report as JSON; `certificates` maps a row's number to the file that holds its certificate."""
    names = certificates or {}
    return {
        "schema": SCHEMA,
        "run": {line(name, 100): _value(value) for name, value in report.run.items()},
        "verdicts": [verdict_json(row, report, names.get(i)) for i, row in enumerate(report.rows)],
    }


def schema() -> dict[str, Any]:
    """The JSON Schema of `to_json`."""
    text = (files("dpwitness.reports") / "results.schema.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def verdict_json(row: Row, report: Report, certificate: str | None = None) -> dict[str, Any]:
    """One row as JSON; `certificate` is the file that holds its certificate."""
    verdict = row.verdict
    claim, mechanism, origin = verdict.claim, verdict.claim.mechanism, place(verdict)
    return {
        "target": row.target,
        "guarantee": claim.guarantee.to_json(),
        "adjacency": line(claim.space.describe(), 400),
        "parameters": {line(name, 100): line(value, 200) for name, value in claim.params.items()},
        "verdict": str(verdict.decision),
        "expected": row.expected,
        "scope": _scope(verdict).to_json(),
        "upper": _upper(verdict.upper, certificate),
        "lower": _lower(verdict.lower, certificate),
        "unsupported": [clean(s.reason, 400) for s in verdict.silent],
        "seconds": round(verdict.seconds, 4),
        "index": claim.index,
        "free": [line(name, 100) for name in claim.free],
        "about": line(getattr(mechanism, "summary", ""), 600),
        "cites": line(getattr(mechanism, "cites", ""), 600),
        "notes": line(claim.notes, 400),
        "numerics": claim.numerics,
        "queries": claim.queries,
        "source": None if origin is None else {"path": origin.path, "line": origin.line},
        "reproduce": reproduce(row, report),
        "warnings": [line(text, 400) for text in row.notes],
        "silent": [_silent(s) for s in verdict.silent],
        "tried": [
            {"parameters": {line(n, 100): line(v, 200) for n, v in params.items()}, "verdict": str(decision)}
            for params, decision in verdict.tried
        ],
    }


def _silent(why: Unsupported) -> dict[str, Any]:
    return {
        "method": line(why.method, 100),
        "reason": clean(why.reason, 400),
        "line": why.line,
        "seconds": round(why.seconds, 4),
    }


def _confirmed(bound: UpperBound | Counterexample) -> dict[str, Any] | None:
    known = bound.confirmed
    if known is None:
        return None
    return {
        "statement": line(known.statement, 2000),
        "subject": known.subject,
        "assumptions": [line(text, 400) for text in known.assumptions],
        "runs": known.runs,
        "places": known.places,
        "reached": known.reached,
        "covers": sorted(known.covers),
        **({"silent": True} if known.silent else {}),
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
        "formula": None if bound.formula is None else line(bound.formula, 400),
        "scope": bound.scope.to_json(),
        "certificate": certificate,
        "confirmed": _confirmed(bound),
        "seconds": round(bound.seconds, 4),
    }


def _lower(bound: Counterexample | LowerBound | None, certificate: str | None) -> dict[str, Any] | None:
    if bound is None:
        return None
    pair = {"left": _value(bound.left), "right": _value(bound.right), "event": clean(bound.event, 400)}
    about = {
        "scope": bound.scope.to_json(),
        "method": clean(bound.method, 400),
        "seconds": round(bound.seconds, 4),
    }
    if isinstance(bound, Counterexample):
        floor = "inf" if bound.epsilon_lower is None else str(bound.epsilon_lower)
        return {
            "epsilon": floor,
            "alpha": 0,
            "pairs": 0,
            "exact": True,
            "certificate": certificate if bound.certificate is not None else None,
            "confirmed": _confirmed(bound),
            "parameters": None
            if bound.params is None
            else {line(name, 100): line(value, 200) for name, value in bound.params.items()},
            "counterexample": {
                **pair,
                "p_left": clean(bound.p_left),
                "p_right": clean(bound.p_right),
                "p_left_decimal": _value(bound.p_left_decimal),
                "p_right_decimal": _value(bound.p_right_decimal),
            },
            **about,
        }
    return {
        "epsilon": repr(bound.epsilon),
        "alpha": bound.alpha,
        "pairs": bound.pairs,
        "exact": False,
        "refutes": bound.refutes,
        "seed": bound.seed,
        "detectable": _value(bound.detectable),
        "rarest": bound.details.get("rarest"),
        "fresh": bound.details.get("fresh"),
        "doubles": _doubles(bound),
        "ledger": [[line(what, 200), share] for what, share in bound.ledger],
        "direction": bound.direction,
        "event": pair["event"],
        "inputs": [pair["left"], pair["right"]],
        "counterexample": {**pair, "direction": bound.direction} if bound.refutes else None,
        **about,
    }


def _doubles(bound: LowerBound) -> dict[str, Any] | None:
    """What was found about doubles beside the claim that decides."""
    found = bound.details.get("doubles")
    if not found:
        return None
    return {
        "refuted": bool(found["refuted"]),
        "epsilon": repr(float(found["epsilon"])),
        "alpha": found["alpha"],
        "pairs": found["pairs"],
        "event": clean(found["event"], 400),
    }


def _value(value: Any, depth: int = 4) -> Any:
    """An input as JSON: exact numbers as text, long lists cut, anything else in words."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else str(value)
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    if isinstance(value, tuple | list) and depth:
        shown = [_value(x, depth - 1) for x in value[:MOST_ITEMS]]
        return shown if len(value) <= MOST_ITEMS else [*shown, f"… {len(value)} in all"]
    return clean(value, 200)
