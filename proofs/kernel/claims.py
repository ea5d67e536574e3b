"""Guarantees as certificates state them.

A guarantee is ``{"kind": "pure", "epsilon"}``, ``{"kind": "approximate", "epsilon", "delta"}``,
``{"kind": "gaussian", "mu"}``, ``{"kind": "zcdp", "rho"}`` or ``{"kind": "renyi", "order", "epsilon"}``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpwitness.proofs.kernel.arith import Rejected, number, text
from dpwitness.proofs.kernel.check import fields

Claim = Mapping[str, Any]
_FIELDS = {
    "pure": ("epsilon",),
    "approximate": ("epsilon", "delta"),
    "gaussian": ("mu",),
    "zcdp": ("rho",),
    "renyi": ("order", "epsilon"),
}


def claim_from_json(value: object) -> dict[str, Any]:
    """Read a guarantee; its numbers become rationals and are checked for sense."""
    kind = value.get("kind") if isinstance(value, Mapping) else None
    if kind not in _FIELDS:
        raise Rejected(f"the guarantee {str(kind)[:40]!r} is unknown; known: {', '.join(_FIELDS)}")
    items = fields(value, "kind", *_FIELDS[kind])
    claim: dict[str, Any] = {"kind": kind, **{n: number(v) for n, v in zip(_FIELDS[kind], items[1:], strict=True)}}
    if any(claim[name] < 0 for name in _FIELDS[kind]) or claim.get("delta", 0) >= 1 or claim.get("order", 2) <= 1:
        raise Rejected("a guarantee has no negative numbers, delta is below 1 and order is above 1")
    return claim


def words(claim: Claim) -> str:
    """The guarantee in a few words."""
    return ", ".join([claim["kind"], *(f"{n} = {text(claim[n])}" for n in _FIELDS[claim["kind"]])])
