"""Derivations as a report shows them: steps with their rules, and formulas as MathML."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dpwitness.reports.mathml import formula


@dataclass(frozen=True)
class ShownStep:
    """One step: what holds, its formula in LaTeX (empty where it has none), why, for which parameters, and what it
    rests on.
    """

    statement: str
    latex: str
    rule: str
    conditions: tuple[str, ...] = ()
    standing: str = "certified"

    @property
    def mathml(self) -> str:
        """The formula as MathML; safe to put into a page."""
        return formula(self.latex) if self.latex else ""


@dataclass(frozen=True)
class ShownDerivation:
    """The derivation of one law, with its density in LaTeX."""

    title: str
    conditions: tuple[str, ...]
    steps: tuple[ShownStep, ...]
    density: str = ""

    @property
    def mathml(self) -> str:
        """The density as MathML, where it is a formula."""
        return formula(rf"h(z) \propto {self.density}") if self.density else ""


Derivations = Mapping[int, tuple[ShownDerivation, ...]]
"""Derivations by the number of the row that rests on their law."""
