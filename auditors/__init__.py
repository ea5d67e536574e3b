"""Auditors: samples in, lower bounds out.

`dpwitness.auditors.api.audit` audits any Python callable; `routes` offers the auditors of claims. An auditor can refute
a claim, with a stated probability of error, or fail to; it can never prove one.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpwitness.auditors.api import Audit, audit
    from dpwitness.auditors.bounds.ledger import Budget
    from dpwitness.auditors.replay.compare import replay_audit
    from dpwitness.auditors.replay.programs import RecorderAuditor
    from dpwitness.auditors.route import SequentialAuditor

__all__ = ["Audit", "Budget", "RecorderAuditor", "SequentialAuditor", "audit", "replay_audit", "routes"]

_HOME = {
    "Audit": "api", "audit": "api", "Budget": "bounds.ledger", "RecorderAuditor": "replay.programs",
    "SequentialAuditor": "route", "replay_audit": "replay.compare",
}  # fmt: skip


def routes() -> list[Any]:
    """The auditors, in the order in which to try them."""
    from dpwitness.auditors.route import SequentialAuditor

    return [SequentialAuditor()]


def __getattr__(name: str) -> Any:
    """Import on first use: numerical libraries take long to load."""
    if name in _HOME:
        return getattr(import_module(f"dpwitness.auditors.{_HOME[name]}"), name)
    raise AttributeError(f"module 'dpwitness.auditors' has no attribute {name!r}")
