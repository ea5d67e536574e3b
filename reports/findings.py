"""What a code review should see: a finding for every row that is not as it should be, with its place in the source."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from dpwitness.core.verdict import Decision
from dpwitness.reports.details import details
from dpwitness.reports.model import Report, Row, clean
from dpwitness.reports.numerics import MEANING, REMEDY
from dpwitness.reports.origin import Place, place

Level = Literal["error", "warning", "note"]

# rule: its name, what it says, and what to do about it
RULES: dict[str, tuple[str, str, str]] = {
    "privacy-refuted": (
        "PrivacyRefuted",
        "The claimed privacy guarantee does not hold: a counterexample was found.",
        "Two neighbouring inputs and an event break the claim. Run the command in the message to see it again; then "
        "add noise, lower the sensitivity, or claim less.",
    ),
    "privacy-contradiction": (
        "PrivacyContradiction",
        "A proof and a counterexample contradict each other.",
        "One of the two routes has a bug. Re-check the certificate with `dpwitness check` and report both.",
    ),
    "privacy-unexpected-proof": (
        "UnexpectedProof",
        "A variant that is known to be broken was proved private.",
        "Either the variant is not broken on these inputs, or its declaration claims too little.",
    ),
    "privacy-cannot-run": (
        "CannotRun",
        "The program cannot be run, so nothing can be said about its privacy.",
        "The message names the exception, or what the program reads besides its arguments and its noise.",
    ),
    "privacy-doubles": (
        "PrivacyRefutedAsDoubles",
        "The claim is refuted for the doubles that the program computes with, though not for real-valued noise.",
        f"This means: {MEANING}. What to do: {REMEDY}. `--numerics doubles` makes this decide.",
    ),
    "privacy-open": (
        "PrivacyOpen",
        "The claimed privacy guarantee is neither proved nor refuted.",
        "Raise --seconds or --max-pairs, or write the program so that the named obstacle goes away.",
    ),
}


@dataclass(frozen=True)
class Finding:
    """One message about one claim.

    Parameters
    ----------
    key
        Stays the same while the same claim about the same target has the same problem.
    """

    rule: str
    level: Level
    title: str
    text: str
    place: Place | None
    key: str


def findings(report: Report) -> Iterator[Finding]:
    """Surprises first, then programs that could not be run, claims that fail as doubles, and claims still open."""
    ranked = [(found, row) for row in report.rows for found in _classify(row)]
    order = list(RULES)
    for (rule, level), row in sorted(ranked, key=lambda item: order.index(item[0][0])):
        parts = details(row, report)
        lines = [*parts.counterexample, *parts.silent] if level == "error" else [row.reason]
        if rule == "privacy-doubles" and row.doubles is not None:
            lines = [row.doubles.sentence()]
        text = "\n".join([f"{row.target} claims {row.claim}: {row.decision}, expected {row.expected}.", *lines])
        key = hashlib.sha256(f"{rule}\0{row.target}\0{row.claim}\0{row.verdict.claim.index}".encode()).hexdigest()
        yield Finding(
            rule, level, f"{row.target}: {row.decision}", clean(f"{text}\nreproduce: {parts.command}", 4000),
            place(row.verdict), key,
        )  # fmt: skip


def _classify(row: Row) -> Iterator[tuple[str, Level]]:
    verdict = row.verdict
    if row.decision is Decision.CONTRADICTION:
        yield "privacy-contradiction", "error"
    elif verdict.failed_to_run:
        yield "privacy-cannot-run", "error"
    elif verdict.surprise:
        yield ("privacy-refuted" if row.decision is Decision.REFUTED else "privacy-unexpected-proof"), "error"
    elif verdict.open:
        yield "privacy-open", "note"
    if row.doubles is not None:
        yield "privacy-doubles", "warning"
