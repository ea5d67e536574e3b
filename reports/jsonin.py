"""Reading a stored result back: ``results.json`` becomes a report that every renderer accepts.

The program itself is not in the file, so a stand-in carries its name and what was said about it. Inputs that were
shortened when they were written stay short.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

from dpwitness.core.claims import Claim
from dpwitness.core.errors import BadInput
from dpwitness.core.evidence import Confirmation, Counterexample, Event, LowerBound, Scope, Unsupported, UpperBound
from dpwitness.core.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP
from dpwitness.core.mechanism import BlackBox
from dpwitness.core.numbers import exact
from dpwitness.core.spaces import Space
from dpwitness.core.verdict import Decision, Verdict
from dpwitness.reports.jsonout import SCHEMA
from dpwitness.reports.model import Report
from dpwitness.reports.origin import Place


@dataclass(frozen=True)
class NamedSpace:
    """An input space of which the description alone is known."""

    words: str
    size: int

    def describe(self) -> str:
        """The description."""
        return self.words


@dataclass(frozen=True)
class NamedMechanism:
    """A mechanism of which the name and the documentation alone are known."""

    name: str
    summary: str = ""
    cites: str = ""
    origin: Place | None = None
    command: str = ""


def named_claim(
    mechanism: NamedMechanism, space: NamedSpace, guarantee: Guarantee, params: Mapping[str, Any], **more: Any
) -> Claim:
    """A claim about stand-ins: it can be shown but not run."""
    return Claim(cast("BlackBox", mechanism), params, guarantee, cast("Space", space), **more)


def from_json(document: Mapping[str, Any]) -> tuple[Report, dict[int, str]]:
    """The report that a result was written from, and the certificates' files by row (as `to_json` takes them)."""
    if document.get("schema") != SCHEMA:
        raise BadInput(f"schema={document.get('schema')!r} is not {SCHEMA!r}: this is not a result of dpwitness")
    rows = document["verdicts"]
    names = {
        i: name
        for i, row in enumerate(rows)
        if (name := (row["upper"] or {}).get("certificate") or (row["lower"] or {}).get("certificate"))
    }
    verdicts = [_verdict(row, names.get(i)) for i, row in enumerate(rows)]
    return Report.of(verdicts, dict(document["run"]), [row.get("warnings", ()) for row in rows]), names


def _verdict(row: Mapping[str, Any], certificate: str | None) -> Verdict:
    source = row.get("source")
    mechanism = NamedMechanism(
        row["target"], row.get("about", ""), row.get("cites", ""),
        None if source is None else Place(source["path"], source["line"]), row.get("reproduce", ""),
    )  # fmt: skip
    claim = named_claim(
        mechanism, NamedSpace(row["adjacency"], row.get("queries", 0)), guarantee_of(row["guarantee"]),
        row.get("parameters", {}), expected_to_hold=row["expected"] == "PROVED", index=row.get("index", 0),
        numerics=row.get("numerics", "ideal-reals"), notes=row.get("notes", ""),
        varies=tuple(row.get("free", ())),
    )  # fmt: skip
    silent = row.get("silent") or [{"reason": reason} for reason in row.get("unsupported", ())]
    return Verdict(
        claim, Decision(row["verdict"]), _upper(row["upper"], row["scope"], certificate),
        _lower(row["lower"], row["scope"], certificate),
        tuple(Unsupported(s["reason"], s.get("line"), s.get("method", ""), s.get("seconds", 0.0)) for s in silent),
        row.get("seconds", 0.0),
        tuple((t["parameters"], Decision(t["verdict"])) for t in row.get("tried", ())),
    )  # fmt: skip


def _confirmation(stored: Mapping[str, Any] | None) -> Confirmation | None:
    if stored is None:
        return None
    return Confirmation(
        stored["statement"], stored["subject"], tuple(stored["assumptions"]), stored["runs"], stored["places"],
        stored["reached"], frozenset(stored["covers"]), bool(stored.get("silent", False)),
    )  # fmt: skip


def guarantee_of(stored: Mapping[str, Any]) -> Guarantee:
    """The inverse of `Guarantee.to_json`.

    >>> guarantee_of({"kind": "approximate", "epsilon": "1", "delta": "1/100"})
    ApproxDP(eps=Exact(1), delta=Exact(1, 100))
    """
    kind = stored["kind"]
    if kind == "pure":
        return PureDP(stored["epsilon"])
    if kind == "approximate":
        return ApproxDP(stored["epsilon"], stored["delta"])
    if kind == "zcdp":
        return ZCDP(stored["rho"])
    if kind == "renyi":
        return RenyiDP(stored["order"], stored["epsilon"])
    if kind == "gaussian":
        return GaussianDP(stored["mu"])
    raise BadInput(f"kind={kind!r} is not a guarantee that this version knows")


def _upper(bound: Mapping[str, Any] | None, scope: Mapping[str, Any], certificate: str | None) -> UpperBound | None:
    if bound is None:
        return None
    held = {"file": certificate} if certificate and bound.get("certificate") else None
    return UpperBound(
        guarantee_of(bound["guarantee"]), Scope(**bound.get("scope", scope)), held, bound.get("exact", False),
        bound.get("method", ""), bound.get("formula"), bound["seconds"], _confirmation(bound.get("confirmed")),
    )  # fmt: skip


def _lower(
    bound: Mapping[str, Any] | None, scope: Mapping[str, Any], certificate: str | None
) -> Counterexample | LowerBound | None:
    if bound is None:
        return None
    found = bound.get("counterexample") or {}
    where = Scope(**bound.get("scope", scope))
    left, right = bound.get("inputs") or (found.get("left", []), found.get("right", []))
    event = Event(bound.get("event", found.get("event", "")))
    if bound["exact"]:
        return Counterexample(
            _data(left), _data(right), event, found["p_left"], found["p_right"], float(found["p_left_decimal"]),
            float(found["p_right_decimal"]), None if bound["epsilon"] == "inf" else Fraction(bound["epsilon"]), where,
            {"file": certificate} if certificate and bound.get("certificate") else None, bound.get("method", ""),
            bound["seconds"], bound.get("parameters"), _confirmation(bound.get("confirmed")),
        )  # fmt: skip
    seen = bound.get("detectable")
    return LowerBound(
        float(bound["epsilon"]), bound["alpha"], bound["pairs"], bound.get("seed", 0), bound.get("refutes", False),
        _data(left), _data(right), bound.get("direction", found.get("direction", "left")), event, where,
        None if seen is None else float(seen), tuple((what, share) for what, share in bound.get("ledger", ())),
        bound.get("method", ""), bound["seconds"], _details(bound),
    )  # fmt: skip


def _details(bound: Mapping[str, Any]) -> dict[str, Any]:
    """What an audit noticed beside its bound."""
    found = {name: bound[name] for name in ("rarest", "fresh", "doubles") if bound.get(name) is not None}
    if "doubles" in found:
        found["doubles"] = {**found["doubles"], "epsilon": float(found["doubles"]["epsilon"])}
    return found


def _data(items: Sequence[Any]) -> tuple[Any, ...]:
    """Inputs as they were: exact numbers were written as text such as ``1/3``."""
    return tuple(_item(item) for item in items)


def _item(item: Any) -> Any:
    if isinstance(item, list):
        return _data(item)
    if isinstance(item, str) and "/" in item:
        try:
            return exact(item)
        except BadInput:
            return item
    return item


__all__ = ["NamedMechanism", "NamedSpace", "from_json", "guarantee_of", "named_claim"]
