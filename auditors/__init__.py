"""Auditors: samples in, lower bounds out."""

from __future__ import annotations

from typing import Any


def routes() -> list[Any]:
    """The auditors in the order in which to try them."""
    from dpwitness.auditors.route import SequentialAuditor

    return [SequentialAuditor()]
