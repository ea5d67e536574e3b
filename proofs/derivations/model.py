"""A derivation: steps with their rules, formulas and certificates, and how it is shown."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from dpwitness.proofs.derivations.bridge import latex, pretty


@dataclass(frozen=True)
class Step:
    """One step: what holds, why in words, the formula, and for which parameters.

    `certificate` is what `dpwitness check` accepts. A step without one that `follows` is a short argument, told by its
    rule, from certified steps; any other step without one is not certified.
    """

    statement: str
    rule: str
    formula: str = ""
    conditions: tuple[str, ...] = ()
    certificate: dict[str, Any] | None = None
    follows: bool = False

    @property
    def certified(self) -> bool:
        """Whether the kernel has accepted it."""
        return self.certificate is not None

    @property
    def standing(self) -> str:
        """What it rests on, in words."""
        return "certified" if self.certified else "follows from certified steps" if self.follows else "not certified"


@dataclass(frozen=True)
class Derivation:
    """Steps from a formula to what is known of it, each checked by the kernel where it says so."""

    subject: str
    conditions: tuple[str, ...]
    steps: tuple[Step, ...] = field(default=())

    @property
    def in_words(self) -> bool:
        """Whether the subject is described in words, and is not a density of z."""
        return ": " in self.subject

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """The steps as text."""
        subject = self.subject if self.in_words else f"h(z) proportional to {pretty(self.subject)}"
        out = [f"{subject}, for all {', '.join(self.conditions) or 'z'}"]
        for i, step in enumerate(self.steps, 1):
            where = f"  [{', '.join(step.conditions)}]" if step.conditions else ""
            shown = f": {pretty(step.formula)}" if step.formula else ""
            out += [f"{i:>2}. {step.statement}{shown}{where}", f"    {step.rule} ({step.standing})"]
        return out

    def certificates(self) -> list[dict[str, Any]]:
        """All certificates, in order."""
        return [step.certificate for step in self.steps if step.certificate is not None]

    def latex(self) -> str:
        """The steps as a LaTeX list."""
        head = rf"\text{{{tex(self.subject)}}}" if self.in_words else rf"h(z) \propto {latex(self.subject)}"
        body = []
        for step in self.steps:
            shown = f": \\({latex(step.formula)}\\)" if step.formula else ""
            body.append(rf"\item {tex(step.statement)}{shown} \emph{{({tex(step.rule)})}}")
        return "\n".join([f"\\[{head}\\]", r"\begin{enumerate}", *body, r"\end{enumerate}"])

    def _repr_latex_(self) -> str:
        """What a notebook shows: one display with a line for each formula."""
        rows = [rf"&\text{{{tex(self.subject)}}}" if self.in_words else rf"h(z) &\propto {latex(self.subject)}"]
        rows += [rf"&\text{{{tex(s.statement)}: }} {latex(s.formula)}" for s in self.steps if s.formula]
        return "$$\\begin{aligned}" + r" \\ ".join(rows) + "\\end{aligned}$$"


_TEX = {
    "_": r"\_", "&": r"\&", "%": r"\%", "#": r"\#", "$": r"\$", "{": r"\{", "}": r"\}", "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
    "ε": r"\(\varepsilon\)", "δ": r"\(\delta\)", "Δ": r"\(\Delta\)", "λ": r"\(\lambda\)", "ψ": r"\(\psi\)",
    "χ": r"\(\chi\)", "η": r"\(\eta\)", "≤": r"\(\le\)", "≥": r"\(\ge\)", "→": r"\(\to\)", "∞": r"\(\infty\)",
    "−": r"\(-\)", "α": r"\(\alpha\)", "β": r"\(\beta\)",
    "·": r"\(\cdot\)", "∫": r"\(\int\)", "≠": r"\(\ne\)", "∣": "|",
}  # fmt: skip


def tex(text: str) -> str:
    """Plain text as LaTeX shows it."""
    return "".join(_TEX.get(char, char) for char in text)
