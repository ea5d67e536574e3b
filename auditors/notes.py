"""The warnings of an audit in words: what does not decide the claim, but should be known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def notes(details: Mapping[str, Any]) -> list[str]:
    """Warnings from the details of a `LowerBound` or an `Audit`.

    >>> notes({"cut": "stopped by the time limit of 3 seconds, at 512 pairs"})
    ['the audit was cut short: stopped by the time limit of 3 seconds, at 512 pairs']
    """
    found: list[str] = [f"look at: {details['cause']}"] if details.get("cause") else []
    doubles = details.get("doubles")
    if doubles and doubles.get("refuted"):
        found.append(
            f"as doubles the claim is refuted: ε ≥ {int(doubles['epsilon'] * 1000) / 1000:g} at α = "
            f"{doubles['alpha']:.2g}, {doubles['pairs']} pairs: {doubles['event']} (the verdict is about real-valued "
            "noise)"
        )
    simple = details.get("shrunk")
    if simple:
        found.append(f"a simpler witness: {_data(simple['left'])} and {_data(simple['right'])}, {simple['event']}")
    found += [str(text) for text in details.get("warnings", ())]
    if details.get("uncompared"):
        found.append(str(details["uncompared"]))
    if details.get("cut"):
        found.append(f"the audit was cut short: {details['cut']}")
    found += [f"while pairs of inputs were compared, {text}" for text in details.get("screening", ())]
    return found


def _data(data: Any) -> str:
    return f"({', '.join(str(x) for x in data)})" if isinstance(data, list | tuple) else str(data)
