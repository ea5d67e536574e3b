"""Doubles are not reals: what is said where a claim holds of real-valued noise and fails of the doubles that ship."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dpwitness.core.evidence import LowerBound
from dpwitness.core.text import line
from dpwitness.core.verdict import Decision, Verdict

MEANING = (
    "the sum of an input and a double falls on a grid that depends on the input, so single outputs tell neighbours "
    "apart; a verdict about real-valued noise does not speak of this"
)
REMEDY = "use a discrete sampler (discrete Laplace or Gaussian noise) or the snapping mechanism"
SETTINGS = {
    "ideal": "numerics ideal: doubles only warn",
    "doubles": "numerics doubles: doubles decide",
    "both": "numerics both: reals and doubles decide",
}


@dataclass(frozen=True)
class Doubles:
    """A refutation of the claim about doubles, where another claim decides.

    Parameters
    ----------
    epsilon, alpha, pairs
        The bound, its error probability, and the samples a side.
    event
        The outputs that give the input away.
    """

    epsilon: float
    alpha: float
    pairs: int
    event: str

    def short(self) -> str:
        """A few words for a line of a table.

        >>> Doubles(3.27391, 1e-6, 2500, "").short()
        'as doubles refuted (ε ≥ 3.273)'
        """
        return f"as doubles refuted (ε ≥ {int(self.epsilon * 1000) / 1000:g})"

    def sentence(self) -> str:
        """What was found, what it means and what to do."""
        return (
            f"as doubles the claim is refuted: ε ≥ {int(self.epsilon * 1000) / 1000:g} at α = {self.alpha:.2g}, "
            f"{self.pairs} pairs: {self.event}. This means: {MEANING}. What to do: {REMEDY}"
        )


def summarise(targets: Sequence[str], claims: int) -> str:
    """One line about all claims of a run that fail as doubles.

    >>> summarise(["count", "sum", "count"], 9)[:67]
    'as doubles 3 of 9 claims are refuted, of 2 targets such as count: t'
    """
    names = list(dict.fromkeys(targets))
    which = f"of {len(names)} targets such as {names[0]}" if len(names) > 1 else f"of {names[0]}"
    verb = "is" if len(targets) == 1 else "are"
    count = f"{len(targets)} of {claims} claims {verb} refuted" if claims > 1 else "the claim is refuted"
    return f"as doubles {count}, {which}: {MEANING}. What to do: {REMEDY}"


def doubles(verdict: Verdict) -> Doubles | None:
    """The refutation as doubles that stands beside a verdict; None where there is none, or the claim fails anyway."""
    found = verdict.lower.details.get("doubles") if isinstance(verdict.lower, LowerBound) else None
    if not found or not found.get("refuted") or verdict.decision in (Decision.REFUTED, Decision.CONTRADICTION):
        return None
    return Doubles(float(found["epsilon"]), float(found["alpha"]), int(found["pairs"]), line(found["event"], 400))
