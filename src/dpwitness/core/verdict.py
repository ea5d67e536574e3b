"""Verdicts: what is known of a claim, and by which witnesses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from dpwitness.core.claims import Claim
from dpwitness.core.evidence import Counterexample, LowerBound, Unsupported, UpperBound
from dpwitness.core.numbers import Exact, show

SILENT = "every run returned None: is a return missing?"
PREFLIGHT = "preflight"  # the method named by evidence that the program could not be run at all


class Decision(StrEnum):
    """What is known of a claim."""

    PROVED = "PROVED"
    REFUTED = "REFUTED"
    NOT_REFUTED = "NOT_REFUTED"
    UNDECIDED = "UNDECIDED"
    CONTRADICTION = "CONTRADICTION"


@dataclass(frozen=True)
class Verdict:
    """A decided claim with its witnesses: the best upper bound, the best lower bound, and what could not be done.

    `tried` lists other values of the parameters at which a claim that is a function of them was decided as well;
    `cause` says what to look at in a refuted program, where running it on the counterexample showed it.
    """

    claim: Claim
    decision: Decision
    upper: UpperBound | None
    lower: Counterexample | LowerBound | None
    silent: tuple[Unsupported, ...] = ()
    seconds: float = 0.0
    tried: tuple[tuple[Mapping[str, Exact], Decision], ...] = ()
    cause: str = ""

    def __str__(self) -> str:
        """The verdict in a few lines: what was claimed, what is known, by which witness, what to do next.

        The whole record is in `repr`.
        """
        claim = self.claim
        lines = [f"{claim.target}: {self.decision}", f"  claim: {claim.describe()}{_at(claim.params)}"]
        if self.upper is not None:
            lines.append(f"  upper bound: {self.upper.guarantee} by {self.upper.method} ({self._where(self.upper)})")
        if self.silent_program:
            lines.append(f"  note: {SILENT}")
        if isinstance(self.lower, Counterexample):
            lines.append(f"  {self.lower}")
            lines += [f"  look at: {self.cause}"] if self.cause else []
        elif self.lower is not None:
            lower = self.lower
            lines.append(f"  audit: ε ≥ {float(lower.epsilon):.3g} at α = {lower.alpha:g}, {lower.pairs} pairs")
        if self.open:
            for reason in dict.fromkeys(s.reason for s in self.silent[:3]):
                lines.append(f"  not decided by a prover: {reason}")
        return "\n".join(lines)

    @property
    def silent_program(self) -> bool:
        """Whether every run that was seen of a program with a proof returned None."""
        return self.upper is not None and self.upper.confirmed is not None and self.upper.confirmed.silent

    def _where(self, upper: UpperBound) -> str:
        """For which parameters and sizes a bound holds; "only" where the claim is a function of the parameter."""
        covered = frozenset() if upper.confirmed is None else upper.confirmed.covers
        params, free = self.claim.params, self.claim.free
        parts = []
        if "eps" in params or upper.scope.epsilon != "all":
            parts.append("every ε" if upper.scope.epsilon == "all" else f"ε = {show(Fraction(upper.scope.epsilon))}")
        for name, value in params.items():
            if name != "eps" and name in free:
                shown = show(value) if isinstance(value, Exact) else str(value)
                parts.append(f"every {name}" if name in covered else f"{name} = {shown} only")
        size = "any N" if upper.scope.queries == "any" else f"N = {upper.scope.queries}"
        return ", ".join([*parts, size])

    @property
    def open(self) -> bool:
        """Neither proved nor refuted."""
        return self.decision in (Decision.NOT_REFUTED, Decision.UNDECIDED)

    @property
    def failed_to_run(self) -> bool:
        """The program itself failed, hung, or is not a function of its arguments."""
        return any(s.method == PREFLIGHT for s in self.silent)

    @property
    def surprise(self) -> bool:
        """A decision against what is expected of the claim."""
        if self.decision is Decision.CONTRADICTION:
            return True
        return not self.open and (self.decision is Decision.PROVED) != self.claim.expected_to_hold


def _at(params: Mapping[str, Exact]) -> str:
    """``, at eps = 1, threshold = 0``: the parameters behind a claim."""
    shown = {name: show(value) if isinstance(value, Exact) else str(value) for name, value in params.items()}
    return ", at " + ", ".join(f"{name} = {text}" for name, text in shown.items()) if shown else ""
