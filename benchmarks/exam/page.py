"""The page of the exam: a table by function and mechanism."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from benchmarks.exam.deciding import Answer
from benchmarks.exam.functions import FUNCTIONS
from benchmarks.exam.mechanisms import MECHANISMS, SHARES

HEAD = """\
# An exam: 49 functions, 6 mechanisms
<!-- written by python -m benchmarks.exam --page -->

The public benchmark DPriv-Bench (category 1; arXiv 2604.15851) asks whether a function of n records of [0, 1], one of
which is replaced, released by one of six mechanisms with noise for a stated sensitivity S, keeps its guarantee; and
again with half of the scale (or variance). The stated S is decided, not believed. {decided} of {all} questions are
decided with a certificate that the kernel accepts, {proved} of them PROVED and {refuted} REFUTED, in {seconds:.0f}
seconds on {workers} {cores}, the search included; the largest certificate has {size:.1f} kB. A search of all corners
and of random datasets of 1 to 6 records, which shares no code with the provers, disagrees with {wrong} of the
decisions.

Each claim is about every ε (ρ, μ), every n for which the function is defined, and for a selection every number of
columns. **yes** stands for PROVED, **no** for REFUTED. A claim about every n is refuted where one n breaks it, and the
last column names the n for which half of the noise is proved to be enough: there the benchmark's second label is wrong,
because S is not attained, or is 0. Everywhere else one certificate refutes it for every n at once, of a function with
parameters at one of their values.

`python -m benchmarks.exam` prints this table anew.

"""
CONVENTIONS = """
## Conventions
{conventions}

A selection releases the index of the largest of d noisy values, each the function of one column of n records; one row
is replaced, and the claim is about every d. Half of the noise is refuted with at most {columns} columns.
"""


def cell(answer: Answer) -> str:
    """One decision in the table."""
    return {"PROVED": "yes", "REFUTED": "no"}.get(answer.decision, "open")


def _short(sizes: str) -> str:
    return sizes.replace("every n = ", "n = ").replace(", ...", ", …").replace("; n = ", ", ")


def table(answers: Sequence[Answer]) -> list[str]:
    """The table, in Markdown: for each mechanism its answer with all and with half of the noise."""
    head = ["#", "function", "S", *(f"{m.name}, {m.claim}" for m in MECHANISMS), "half is enough for"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    by = {(a.question.function.number, a.question.mechanism, a.question.share): a for a in answers}
    for function in FUNCTIONS:
        if not any(key[0] == function.number for key in by):
            continue
        row = [str(function.number), function.name.replace("|", "∣"), f"`{function.stated}`"]
        for mechanism in MECHANISMS:
            cells = [cell(by[function.number, mechanism, share]) for share in SHARES]
            row.append(" / ".join(cells))
        mine = [a for a in answers if a.question.function == function]
        row.append("; ".join(dict.fromkeys(_exception(a, mine) for a in mine if a.question.share != "1" and a.holds)))
        lines.append("| " + " | ".join(row) + " |")
    return lines


def _exception(answer: Answer, mine: Sequence[Answer]) -> str:
    """The n for which half of the noise is enough, and of which mechanism where it is not so for all."""
    alike = [a for a in mine if a.question.share == answer.question.share and a.holds == answer.holds]
    of = "" if len(alike) == len(MECHANISMS) else f" ({answer.question.mechanism.name})"
    return _short(answer.holds) + of


def page(answers: Sequence[Answer], seconds: float, workers: int) -> str:
    """The whole page."""
    found = Counter(a.decision for a in answers)
    head = HEAD.format(
        decided=found["PROVED"] + found["REFUTED"],
        all=len(answers),
        proved=found["PROVED"],
        refuted=found["REFUTED"],
        seconds=seconds,
        workers=workers,
        cores="core" if workers == 1 else "cores",
        size=max(a.bytes for a in answers) / 1000,
        wrong=sum(bool(a.disagreements) for a in answers),
    )
    said = [f"* {f.number} ({f.name.replace('|', '∣')}): {f.convention}" for f in FUNCTIONS if f.convention]
    tail = CONVENTIONS.format(conventions="\n".join(said), columns=most_columns(answers))
    shares = "Each cell: the answer with all of the noise / with half of the scale or variance.\n\n"
    return head + shares + "\n".join(table(answers)) + "\n" + tail


def most_columns(answers: Sequence[Answer]) -> int:
    """The largest number of columns that a counterexample needs."""
    return max(a.columns for a in answers)
