"""The report as a LaTeX table for a paper (needs the package ``booktabs``; ``longtable`` where it is long)."""

from __future__ import annotations

import re
import unicodedata

from dpwitness.core.verdict import Decision
from dpwitness.reports.model import Report, Row, line

_TEXT = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "'": r"\textquotesingle{}", "`": r"\textasciigrave{}",
    "ε": r"$\varepsilon$", "δ": r"$\delta$", "α": r"$\alpha$", "ρ": r"$\rho$", "μ": r"$\mu$", "γ": r"$\gamma$",
    "≤": r"$\le$", "≥": r"$\ge$", "∞": r"$\infty$", "→": r"$\to$", "ℓ": r"$\ell$", "·": r"$\cdot$", "×": r"$\times$",
    "≠": r"$\ne$", "−": r"$-$", "∈": r"$\in$", "′": r"$'$", "…": r"\dots{}", "–": "--", "²": r"$^2$",
}  # fmt: skip
_VERDICT = {
    Decision.PROVED: "proved",
    Decision.REFUTED: "refuted",
    Decision.NOT_REFUTED: "not refuted",
    Decision.UNDECIDED: "undecided",
    Decision.CONTRADICTION: "contradiction",
}
_LONG = 45


def tex(text: object, limit: int = 200) -> str:
    r"""Text as LaTeX shows it: nothing in it is taken as a command.

    >>> tex("a_b & ε ≤ 1")
    'a\\_b \\& $\\varepsilon$ $\\le$ 1'
    """
    return "".join(_TEXT.get(char) or _plain(char) for char in line(text, limit))


def _plain(char: str) -> str:
    if char.isascii():
        return char
    base = unicodedata.normalize("NFKD", char).encode("ascii", "ignore").decode()
    return "".join(_TEXT.get(c, c) for c in base) or "?"


def to_latex(report: Report) -> str:
    """A table with a row for every claim: target, claim, bracket, verdict."""
    body = [_row(row) for row in report.rows]
    rules = (r"\toprule", r"Target & Claim & Bracket & Verdict \\", r"\midrule")
    where = "longtable" if len(body) > _LONG else "tabular"
    head = [r"\endhead"] if where == "longtable" else []
    run = ", ".join(f"{tex(name)} {tex(value)}" for name, value in report.run.items())
    return "\n".join(
        [
            f"% dpwitness: {re.sub(r'[^ -~]', '?', run)}",
            rf"\begin{{{where}}}{{@{{}}llll@{{}}}}",
            *rules,
            *head,
            *body,
            r"\bottomrule",
            rf"\end{{{where}}}",
            "",
        ]
    )


def _row(row: Row) -> str:
    parent, slash, twin = row.target.partition("/")
    name = rf"\quad {tex(twin)}" if slash else tex(parent)
    verdict = _VERDICT[row.decision]
    shown = rf"\textbf{{{verdict}}}" if row.verdict.surprise else verdict
    return rf"{name} & {tex(row.claim)} & {tex(row.bracket)} & {shown} \\"
