"""The report model: one row for every claim, with everything that a renderer shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from dpwitness.core.evidence import Counterexample, LowerBound, UpperBound, foreseen
from dpwitness.core.failures import MACHINE
from dpwitness.core.guarantees import Guarantee, epsilon_delta
from dpwitness.core.numbers import show
from dpwitness.core.text import clean, line, show_data
from dpwitness.core.verdict import SILENT, Decision, Verdict
from dpwitness.reports.numerics import Doubles, doubles

__all__ = ["Report", "Row", "clean", "explain", "line", "lower_text", "show_data", "smaller", "upper_text"]


@dataclass(frozen=True)
class Row:
    """One claim and what became of it.

    Parameters
    ----------
    notes
        What else was noticed on the way.
    selector
        How the target was named on the command line, where that was by a file or a module.
    """

    verdict: Verdict
    notes: tuple[str, ...] = ()
    selector: str = ""

    @property
    def doubles(self) -> Doubles | None:
        """The refutation as doubles that stands beside the verdict."""
        return doubles(self.verdict)

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
        lower = None if elsewhere(self.verdict) else self.verdict.lower
        low, high = lower_text(lower, self.verdict.claim.guarantee), upper_text(self.verdict.upper)
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
        """Why: the argument, the counterexample, or what stands in the way; and that doubles tell otherwise."""
        beside = "" if self.doubles is None else f"; {self.doubles.short()}"
        return line(explain(self.verdict), 400) + beside


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


def elsewhere(verdict: Verdict) -> str:
    """The parameters at which a claim fails, where they are not those at which it is studied; else empty."""
    lower = verdict.lower
    if not isinstance(lower, Counterexample) or lower.params is None:
        return ""
    moved = {n: v for n, v in lower.params.items() if verdict.claim.params.get(n) != v}
    return at_values(moved)


def at_values(params: Mapping[str, Any]) -> str:
    """Values of parameters in words.

    >>> at_values({"eps": Fraction(1, 2), "cutoff": 3})
    'ε = 1/2, cutoff = 3'
    """
    names = {"eps": "ε", "delta": "δ", "rho": "ρ"}
    return ", ".join(f"{names.get(name, line(name, 40))} = {line(value, 40)}" for name, value in params.items())


def parameter_text(verdict: Verdict) -> str:
    """For which parameters a claim is proved: every ε, or the value; and every other one that the proof took as given.

    "only" stands where the claim is a function of the parameter and was not proved as one.
    """
    upper, claim = verdict.upper, verdict.claim
    if upper is None:
        return ""
    covered = frozenset() if upper.confirmed is None else upper.confirmed.covers
    parts: list[str] = []
    for name, value in claim.params.items():
        only = " only" if name in claim.free else ""
        if name == "eps":
            here = f"ε = {upper.scope.epsilon}{only}"
            parts.insert(0, "every ε" if upper.scope.epsilon == "all" else here)
        elif name not in covered:
            shown = show(value) if isinstance(value, Fraction) else line(value, 40)  # texts, in a report that was read
            parts.append(f"{line(name, 40)} = {shown}{only}")
    return ", ".join(parts)


def explain(verdict: Verdict) -> str:
    """One line that says why."""
    upper, lower = verdict.upper, verdict.lower
    if verdict.decision is Decision.PROVED and upper is not None:
        scope = "any N" if upper.scope.queries == "any" else f"N = {upper.scope.queries}"
        tried = f"tried at {len(verdict.tried)} other values" if verdict.tried else ""
        empty = SILENT if verdict.silent_program else ""
        return ", ".join(part for part in (empty, upper.method, parameter_text(verdict), scope, tried) if part)
    if verdict.decision in (Decision.REFUTED, Decision.CONTRADICTION) and lower is not None:
        inputs = f"{show_data(lower.left)} → {show_data(lower.right)}"
        how = "exact" if isinstance(lower, Counterexample) else f"α = {lower.alpha:.2g}, {lower.pairs} pairs"
        where = elsewhere(verdict)
        return f"{'at ' + where + ': ' if where else ''}{lower.event} on {inputs} ({how})"
    if isinstance(lower, LowerBound) and (seen := foreseen(lower.detectable, lower.details)):
        stopped = _stopped(verdict)
        # what is wrong with the program's form is for its author; that no prover speaks of a black box is not
        return f"no violation found; {seen}" + (f"; not proved: {stopped}" if stopped.startswith("line ") else "")
    part = smaller(verdict)
    if upper is not None and part is not None:
        return f"covered: N = {part} of {verdict.claim.queries}, {upper.method}"
    return _stopped(verdict)


def _stopped(verdict: Verdict) -> str:
    """What stopped the route that came farthest; else empty."""
    if not verdict.silent:
        return ""
    # a route that tried and failed tells more than one that does not speak about such claims
    first = max(verdict.silent, key=lambda s: (s.seconds > 0.001, s.line is not None))
    where = f"line {first.line}: " if first.line is not None else ""
    return f"{where}{first.reason}"


@dataclass(frozen=True)
class Report:
    """A finished run."""

    rows: tuple[Row, ...]
    run: Mapping[str, Any] = field(default_factory=dict)

    @staticmethod
    def of(
        verdicts: Iterable[Verdict],
        run: Mapping[str, Any],
        notes: Iterable[Iterable[str]] | None = None,
        selectors: Iterable[str] | None = None,
    ) -> Report:
        """A report on the given verdicts, with what else was noticed about each of them and how it was named."""
        decided = list(verdicts)
        said = [()] * len(decided) if notes is None else [tuple(line(text, 600) for text in each) for each in notes]
        named = [""] * len(decided) if selectors is None else list(selectors)
        return Report(tuple(Row(*parts) for parts in zip(decided, said, named, strict=True)), run)

    @cached_property
    def companions(self) -> Counter[str]:
        """How many rows the command that repeats a row decides, by what it names as target."""
        from dpwitness.reports.origin import named

        return Counter(named(row) for row in self.rows)

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

    @property
    def unfinished(self) -> tuple[Row, ...]:
        """Rows that are undecided because a process died, memory or the disk ran out, or a route has a bug."""
        return tuple(
            row
            for row in self.rows
            if row.decision is Decision.UNDECIDED and any(item.method == MACHINE for item in row.verdict.silent)
        )

    def exit_status(self, *, strict: bool = False) -> int:
        """What a command should end with.

        0 as expected, 1 a surprise, 2 a program that cannot be run, 3 undecided under `strict`, 4 contradiction, 5 a
        claim that the tool could not work on.
        """
        if self.count(Decision.CONTRADICTION):
            return 4
        if self.surprises:
            return 1
        if self.unfinished:
            return 5
        if any(row.verdict.failed_to_run for row in self.rows):
            return 2
        return 3 if strict and self.open else 0
