"""What the audits of training return."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

SCHEMA = "dpwitness.training/1"


@dataclass(frozen=True)
class TrainingAudit:
    """The result of an audit of training runs.

    Parameters
    ----------
    refuted
        Whether the claim is rejected, under what `assumes` says.
    p_value
        Of the claim; None where nothing was claimed, or where it is known only up to the level that was tested.
    epsilon_lower
        With probability at least 1 − `alpha` the true ε at `delta` is at least this, with no assumption on the curve.
    level, level_lower
        The name of the parameter of the claimed family, such as ``"μ"``, and its bound *if the curve is of that
        family*; None where the claim has no family.
    assumes
        What the numbers rest on, in words; always part of the verdict.
    guesses
        For one run: how many guesses were made, a number that was fixed before the coins were seen.
    certificate
        A proof of the bound on the p-value that ``dpwitness check`` accepts, where there is one.
    points
        The points (ε, δ) of the claim's curve that were looked at; empty where the whole curve was.
    figure
        What pictures of the audit show.
    """

    kind: str
    refuted: bool
    p_value: float | None
    epsilon_lower: float
    delta: float
    alpha: float
    seed: int
    claim: str
    assumes: str
    runs: tuple[int, ...]
    level: str | None = None
    level_lower: float | None = None
    guesses: int | None = None
    right: int | None = None
    certificate: Mapping[str, Any] | None = field(default=None, repr=False)
    points: tuple[tuple[float, float], ...] = ()
    ledger: tuple[tuple[str, float], ...] = ()
    warnings: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict, repr=False)
    figure: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def verdict(self) -> str:
        """One line: what was decided, from what, and what it rests on."""
        if not self.claim:
            head = "no claim was made"
        elif self.refuted:
            head = f"REFUTED: {self.claim}"
        else:
            head = f"NOT_REFUTED: {self.claim}"
        shown = ""
        if self.p_value is not None:
            shown = f" (p ≤ {_above(self.p_value)})" if self.certificate else f" (p = {_short(self.p_value)})"
        return f"{head}{shown}, assuming {self.assumes}"

    def __str__(self) -> str:
        bound = f"ε ≥ {_down(self.epsilon_lower)} at δ = {self.delta:g} with no assumption on the curve"
        lines = [self.verdict, bound]
        if self.level is not None and self.level_lower is not None and self.level != "ε":
            lines.append(f"{self.level} ≥ {_down(self.level_lower)} if the curve is of the claimed family")
        lines.append(f"{self._counted()}; probability of a false statement at most {self.alpha:g}, seed {self.seed}")
        if "certified p" in self.details:
            lines.append(f"the certificate shows p ≤ {_above(self.details['certified p'])}")
        if self.points:
            shown = ", ".join(f"({e:.3g}, {d:.3g})" for e, d in self.points[:4])
            lines.append(
                f"points (ε, δ) of the claim: {shown}{f' … {len(self.points)}' if len(self.points) > 4 else ''}"
            )
        return "\n".join([*lines, *(f"warning: {text}" for text in self.warnings)])

    def _counted(self) -> str:
        if self.kind == "one run":
            return f"one run, {self.runs[0]} canaries, {self.right} of {self.guesses} guesses right"
        return f"{self.runs[0]} runs with the record and {self.runs[1]} without"

    def to_json(self) -> dict[str, Any]:
        """The result for other programs."""
        kept = {name: value for name, value in self.__dict__.items() if name not in ("figure", "details")}
        kept.update(ledger=[list(row) for row in self.ledger], points=[list(point) for point in self.points],
                    runs=list(self.runs), warnings=list(self.warnings), verdict=self.verdict)  # fmt: skip
        return {"schema": SCHEMA, **kept, "details": dict(self.details), "figure": dict(self.figure)}


def _down(value: float) -> str:
    return f"{math.floor(value * 1000) / 1000:g}"


def _short(value: float) -> str:
    return f"{value:.2g}"


def _above(value: float) -> str:
    """Two digits, rounded up: what is shown is a bound.

    >>> _above(0.01031), _above(0.011), _above(0.0)
    ('0.011', '0.011', '0')
    """
    text = _short(value)
    if float(text) >= value:
        return text
    digits, _, power = f"{value:.1e}".partition("e")
    return _short((float(digits) + 0.1) * 10.0 ** int(power))
