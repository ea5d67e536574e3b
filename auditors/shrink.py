"""Shrinking a counterexample: fewer records, simpler values, that still refute on fresh samples.

Every step tries a simpler pair and keeps it where an audit with fresh random numbers refutes. The steps are a search
for a nicer witness; the evidence for the final pair is one more audit, on samples that no step has seen, at the full α.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dpwitness.auditors.budget import Budget
from dpwitness.auditors.engine import Outcome
from dpwitness.auditors.evalue import Null
from dpwitness.auditors.runner import Task, run
from dpwitness.auditors.sampling import Sampler
from dpwitness.core.errors import ProgramFailed, ProgramTimeout

_BRANCH = 5000


@dataclass(frozen=True)
class Shrunk:
    """The simplest pair found, and the fresh evidence on it (None where nothing simpler than the start refutes)."""

    left: Any
    right: Any
    outcome: Outcome | None
    steps: int


def shrink(
    sampler: Sampler,
    left: Sequence[Any],
    right: Sequence[Any],
    claim: tuple[Null, ...],
    delta: float,
    budget: Budget,
    related: Callable[[Sequence[Any], Sequence[Any]], bool] = lambda left, right: True,
    most_steps: int = 60,
) -> Shrunk:
    """Simplify a refuting pair step by step.

    Parameters
    ----------
    related
        Whether two inputs are neighbours; simpler pairs that are not are never tried.
    most_steps
        Audits to spend on the search.
    """
    current = (list(left), list(right))
    steps = 0
    progress = True
    while progress and steps < most_steps:
        progress = False
        for simpler in simpler_pairs(*current):
            if steps >= most_steps:
                break
            if simpler[0] == simpler[1] or not related(*simpler):
                continue
            steps += 1
            if _refutes(sampler, simpler, claim, delta, budget, steps) is not None:
                current, progress = simpler, True
                break
    final = _refutes(sampler, current, claim, delta, budget, 0)
    return Shrunk(current[0], current[1], final, steps)


def _refutes(
    sampler: Sampler, pair: tuple[list[Any], list[Any]], claim: tuple[Null, ...], delta: float, budget: Budget,
    step: int,
) -> Outcome | None:  # fmt: skip
    # a step that needs many more pairs than the original is not simpler to see
    limited = budget if step == 0 else replace(budget, max_pairs=min(budget.max_pairs, 20_000))
    try:
        outcome = run(Task(sampler, pair[0], pair[1], claim, delta, limited, (_BRANCH, step)))
    except (ProgramFailed, ProgramTimeout):
        return None
    return outcome if outcome.refuted else None


def simpler_pairs(left: list[Any], right: list[Any]) -> Iterator[tuple[list[Any], list[Any]]]:
    """Pairs simpler than the given one, the boldest first.

    >>> next(simpler_pairs([5, 7, 0], [5, 8, 0]))
    ([7], [8])
    """
    if len(left) == len(right) and len(left) > 1:
        moved = [i for i, (a, b) in enumerate(zip(left, right, strict=True)) if a != b]
        if 0 < len(moved) < len(left):
            yield [left[i] for i in moved], [right[i] for i in moved]
        half = len(left) // 2
        for part in (slice(0, half), slice(half, None)):
            yield left[part], right[part]
        for i in range(len(left)):
            yield left[:i] + left[i + 1 :], right[:i] + right[i + 1 :]
    elif len(left) != len(right):
        shared = [x for x in left if x in right]
        for x in dict.fromkeys(map(repr, shared)):
            value = next(y for y in shared if repr(y) == x)
            a, b = list(left), list(right)
            a.remove(value)
            b.remove(value)
            yield a, b
    for i in range(min(len(left), len(right))):
        a, b = left[i], right[i]
        if not _numeric(a) or not _numeric(b):
            continue
        if a == b and a != 0:
            yield _with(left, i, a * 0), _with(right, i, b * 0)
            yield _with(left, i, _half(a)), _with(right, i, _half(b))
        elif a not in (b, 0):  # keep the difference, move towards zero
            yield _with(left, i, a - a), _with(right, i, b - a)
        if a != b:
            yield left, _with(right, i, a)


def _numeric(value: Any) -> bool:
    return isinstance(value, int | float) or hasattr(value, "numerator")


def _half(value: Any) -> Any:
    return value // 2 if isinstance(value, int) else value / 2


def _with(items: list[Any], index: int, value: Any) -> list[Any]:
    return [*items[:index], value, *items[index + 1 :]]
