"""Decide every question with a certificate, and compare each decision with the search."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from fractions import Fraction

from benchmarks.exam.brute import truth
from benchmarks.exam.functions import FUNCTIONS
from benchmarks.exam.mechanisms import Question, questions
from dpwitness.proofs.sensitivity.releases import NoisyVerdict, decide


@dataclass(frozen=True)
class Answer:
    """One question with its decision, and the n at which the search says otherwise."""

    question: Question
    decision: str
    described: str
    holds: str
    fails: str
    seconds: float
    bytes: int
    columns: int
    disagreements: tuple[int, ...]


def answer(question: Question) -> Answer:
    """Decide one question and compare it with the search."""
    verdict = decide(question.claim())
    size = max((len(json.dumps(case.certificate)) for case in verdict.cases if case.certificate), default=0)
    return Answer(
        question,
        verdict.decision.name,
        verdict.describe(),
        verdict.holds_for(),
        verdict.fails_for(),
        verdict.seconds,
        size,
        max((case.certificate.get("columns") or 0 for case in verdict.cases if case.certificate), default=0),
        tuple(disagreements(question, verdict)),
    )


def disagreements(question: Question, verdict: NoisyVerdict) -> Iterator[int]:
    """The n at which the decision and the search differ; n in no decided case, too."""
    mechanism = question.mechanism
    share = float(Fraction(question.share))
    for n, holds in truth(question.function.number, mechanism.kind, mechanism.noise, share):
        found = [case.decision.name for case in verdict.cases if n in case.sizes]
        if found != ["PROVED" if holds else "REFUTED"]:
            yield n


def _function(number: int) -> list[Answer]:
    return [answer(q) for q in questions() if q.function.number == number]


def answers(numbers: Iterable[int] | None = None, workers: int = 2) -> tuple[list[Answer], float]:
    """All answers, and the seconds they took; one process decides all questions about a function."""
    wanted = list(numbers) if numbers is not None else [f.number for f in FUNCTIONS]
    begin = time.perf_counter()
    if workers == 1:
        found = [_function(n) for n in wanted]
    else:
        with ProcessPoolExecutor(workers) as pool:
            found = list(pool.map(_function, wanted))
    return [a for group in found for a in group], time.perf_counter() - begin
