"""The derivations behind the additive proofs of a report."""

from __future__ import annotations

import re
from collections.abc import Mapping

from dpwitness.core.verdict import Verdict
from dpwitness.pictures.attempts import attempt
from dpwitness.reports.derivations import Derivations, ShownDerivation, ShownStep
from dpwitness.reports.model import Report

TITLES = {
    "laplace": "Laplace noise", "exponential": "exponential noise", "uniform": "uniform noise",
    "admissible": "generalised Cauchy noise", "gaussian": "Gaussian noise", "discrete_laplace": "geometric noise",
    "staircase": "staircase noise", "discrete_gaussian": "Gaussian noise on whole numbers",
}  # fmt: skip


def of_report(report: Report) -> Derivations:
    """For each row that is proved by additive noise, the derivation of its laws."""
    found = {i: of_verdict(row.verdict) for i, row in enumerate(report.rows)}
    return {i: one for i, one in found.items() if one}


def of_verdict(verdict: Verdict) -> tuple[ShownDerivation, ...]:
    """The derivations of the laws that the certificate of a proof names."""
    certificate = getattr(verdict.upper, "certificate", None)
    return tuple(made for name in laws_of(certificate) if (made := _shown(name)) is not None)


def laws_of(certificate: object) -> tuple[str, ...]:
    """The noise laws that a certificate names, each once: of released numbers, or of the draws of a program.

    >>> laws_of({"type": "noise", "laws": [{"name": "laplace", "scale": "1"}]})
    ('laplace',)
    """
    found: dict[str, None] = {}
    todo = [certificate]
    while todo:
        here = todo.pop()
        if isinstance(here, Mapping):
            names = [here.get(key) for key in ("name", "draw", "law")]
            found.update({name: None for name in names if isinstance(name, str) and name in TITLES})
            todo += here.values()
        elif isinstance(here, list | tuple):
            todo += here
    return tuple(sorted(found))


_LETTERS = {
    "eps": "ε", "delta": "δ", "Delta": "Δ", "lam": "λ", "sigma": "σ", "gamma": "γ", "nu": "ν", "alpha": "α",
    "beta": "β",
    "eta": "η",
}  # fmt: skip
_MADE: dict[str, ShownDerivation | None] = {}


def _shown(name: str) -> ShownDerivation | None:
    if name not in _MADE:
        _MADE[name] = attempt(lambda: _make(name), seconds=30.0)
    return _MADE[name]


def _make(name: str) -> ShownDerivation:
    from dpwitness.proofs.derivations.bridge import latex
    from dpwitness.proofs.derivations.named import of_law
    from dpwitness.proofs.kernel.algebra.expr import parse

    law = of_law(name)
    steps = tuple(
        ShownStep(
            s.statement, latex(s.formula) if s.formula else "", nice(s.rule), tuple(map(nice, s.conditions)), s.standing
        )
        for s in law.steps
    )
    density = attempt(lambda: latex(str(parse(law.subject)))) or ""
    return ShownDerivation(TITLES.get(name, name), tuple(map(nice, law.conditions)), steps, density)


def nice(text: str) -> str:
    """Names of formulas as people write them.

    >>> nice("eps >= 0, Delta > sigma**2")
    'ε ≥ 0, Δ > σ^2'
    """
    for word, letter in _LETTERS.items():
        text = re.sub(rf"\b{word}\b", letter, text)
    return text.replace(">=", "≥").replace("<=", "≤").replace("**", "^")
