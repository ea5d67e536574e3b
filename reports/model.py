"""The report model: one row for every claim, with everything that a renderer shows."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dpwitness.core.evidence import Counterexample, LowerBound, UpperBound, foreseen
from dpwitness.core.guarantees import Guarantee, epsilon_delta
from dpwitness.core.numbers import show
from dpwitness.core.verdict import Decision, Verdict

MAX_TEXT = 2000
# terminal escapes as a whole, then whatever moves the cursor, turns the direction of writing, or no XML may hold
_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-_])")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


def clean(text: object, limit: int = MAX_TEXT) -> str:
    r"""Text from outside made safe to show: terminal escapes and control characters removed, length bounded.

    >>> clean("\x1b[31mred\x1b[0m\x07"), clean("ab" * 10, 5)
    ('red', 'abab…')
    """
    plain = _CONTROL.sub("", _ESCAPE.sub("", str(text)[: 4 * limit]))
    return plain if len(plain) <= limit else plain[: limit - 1] + "…"


def line(text: object, limit: int = MAX_TEXT) -> str:
    r"""`clean`, on one line.

    >>> line("two\n  lines")
    'two lines'
    """
    return " ".join(clean(text, limit).split())


@dataclass(frozen=True)
class Row:
    """One claim and what became of it; `notes` say what else was noticed on the way."""

    verdict: Verdict
    notes: tuple[str, ...] = ()

    @property
    def target(self) -> str:
        """The catalogue name."""
        return line(self.verdict.claim.target, 200)

    @property
    def claim(self) -> str:
        """Guarantee and adjacency in words."""
        return line(self.verdict.claim.describe(), 200)

    @property
    def decision(self) -> Decision:
        """The verdict's decision."""
        return self.verdict.decision

    @property
    def expected(self) -> str:
        """``PROVED`` where the claim is expected to hold, else ``REFUTED``."""
        return "PROVED" if self.verdict.claim.expected_to_hold else "REFUTED"

    @property
    def bracket(self) -> str:
        """``lower ≤ ε ≤ upper`` with the digits that are known."""
        low, high = lower_text(self.verdict.lower, self.verdict.claim.guarantee), upper_text(self.verdict.upper)
        if low is None and high is None:
            return ""
        if high is None:
            return f"{low} ≤ ε"
        part = smaller(self.verdict)
        if part is not None:  # the bound says nothing of the claim's own size
            high = f"{high} (N = {part})"
        if self.verdict.upper is not None and self.verdict.upper.exact and self.decision is not Decision.CONTRADICTION:
            return f"ε = {high}"
        return f"ε ≤ {high}" if low is None else f"{low} ≤ ε ≤ {high}"

    @property
    def reason(self) -> str:
        """Why: the argument, the counterexample, or what stands in the way."""
        return line(explain(self.verdict), 400)


def lower_text(bound: Counterexample | LowerBound | None, claim: Guarantee | None = None) -> str | None:
    """A lower bound rounded down; None where there is none worth showing.

    Three digits, or as many as it takes to see that the bound lies above what is claimed.
    """
    if bound is None:
        return None
    pair = None if claim is None else epsilon_delta(claim)
    said = float("inf") if pair is None else float(pair[0])
    if isinstance(bound, Counterexample):
        return "∞" if bound.epsilon_lower is None else _down(float(bound.epsilon_lower), said)
    return _down(bound.epsilon, said) if bound.epsilon > 0 else None


def _down(value: float, said: float = float("inf")) -> str:
    if value == float("inf"):
        return "∞"
    rounded = (int(value * 10**digits) / 10**digits for digits in range(3, 13))
    return f"{next((r for r in rounded if value <= said or r > said), value):.12g}"


def upper_text(bound: UpperBound | None) -> str | None:
    """An upper bound on ε as people write it."""
    if bound is None:
        return None
    pair = epsilon_delta(bound.guarantee)
    return None if pair is None else show(pair[0], 4)


def smaller(verdict: Verdict) -> int | None:
    """The number of queries of the upper bound, where it is not that of the claim."""
    if verdict.upper is None or verdict.upper.scope.queries in ("any", verdict.claim.queries):
        return None
    return int(verdict.upper.scope.queries)


def explain(verdict: Verdict) -> str:
    """One line that says why."""
    upper, lower = verdict.upper, verdict.lower
    if verdict.decision is Decision.PROVED and upper is not None:
        scope = "any N" if upper.scope.queries == "any" else f"N = {upper.scope.queries}"
        values = "every ε" if upper.scope.epsilon == "all" else f"ε = {upper.scope.epsilon}"
        return ", ".join(part for part in (upper.method, values, scope) if part)
    if verdict.decision in (Decision.REFUTED, Decision.CONTRADICTION) and lower is not None:
        inputs = f"{show_data(lower.left)} → {show_data(lower.right)}"
        how = "exact" if isinstance(lower, Counterexample) else f"α = {lower.alpha:.2g}, {lower.pairs} pairs"
        return f"{lower.event} on {inputs} ({how})"
    if isinstance(lower, LowerBound) and (seen := foreseen(lower.detectable, lower.details)):
        return f"no violation found; {seen}"
    part = smaller(verdict)
    if upper is not None and part is not None:
        return f"covered: N = {part} of {verdict.claim.queries}, {upper.method}"
    if verdict.silent:
        # a route that tried and failed tells more than one that does not speak about such claims
        first = max(verdict.silent, key=lambda s: (s.seconds > 0.001, s.line is not None))
        where = f"line {first.line}: " if first.line is not None else ""
        return f"{where}{first.reason}"
    return ""


def show_data(data: Iterable[Any]) -> str:
    """An input in short: ``(0, 0, 1)``."""
    items = list(itertools.islice(data, 9))
    texts = [show(x) if isinstance(x, Fraction) else line(x, 80) for x in items[:8]]
    return f"({', '.join(texts)}{', …' if len(items) > 8 else ''})"


@dataclass(frozen=True)
class Report:
    """A finished run."""

    rows: tuple[Row, ...]
    run: Mapping[str, Any] = field(default_factory=dict)

    @staticmethod
    def of(verdicts: Iterable[Verdict], run: Mapping[str, Any], notes: Iterable[Iterable[str]] | None = None) -> Report:
        """A report on the given verdicts, with what else was noticed about each of them."""
        decided = list(verdicts)
        said = [()] * len(decided) if notes is None else [tuple(line(text, 600) for text in each) for each in notes]
        return Report(tuple(Row(*pair) for pair in zip(decided, said, strict=True)), run)

    def count(self, *decisions: Decision) -> int:
        """How many rows have one of the decisions."""
        return sum(row.decision in decisions for row in self.rows)

    @property
    def surprises(self) -> tuple[Row, ...]:
        """Rows whose decision is not the expected one."""
        return tuple(row for row in self.rows if row.verdict.surprise)

    @property
    def open(self) -> tuple[Row, ...]:
        """Rows that are neither proved nor refuted."""
        return tuple(row for row in self.rows if row.verdict.open)

    def _repr_html_(self) -> str:
        """The report in a notebook."""
        from dpwitness.reports.notebook import report_html

        return report_html(self)

    def exit_status(self, *, strict: bool = False) -> int:
        """0 as expected, 1 a surprise, 2 a program that cannot be run, 3 undecided under `strict`, 4 contradiction."""
        if self.count(Decision.CONTRADICTION):
            return 4
        if self.surprises:
            return 1
        if any(row.verdict.failed_to_run for row in self.rows):
            return 2
        return 3 if strict and self.open else 0
