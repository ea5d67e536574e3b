"""Shrinking a counterexample: fewer records, simpler values, a simpler event, that still refute on fresh samples.

Every step tries a simpler pair and keeps it where an audit with fresh random numbers refutes. The steps are a search
for a nicer witness; the evidence for the final pair is one more audit, on samples that no step has seen, and a count of
the simplest event, each with half of the α given. What may be spent is a number of pairs, not a time, so that the same
seed always gives the same witness.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dpwitness.auditors.budget import Budget
from dpwitness.auditors.engine import Outcome
from dpwitness.auditors.evalue import Null
from dpwitness.auditors.runner import Service, Task, run, using
from dpwitness.auditors.sampling import Sampler
from dpwitness.auditors.simple import SimpleEvent, simplest_event
from dpwitness.core.errors import BadInput, ProgramFailed, ProgramTimeout

_BRANCH = 5000
_STEP, _TOTAL = 4, 24
_CAPS = {True: (20_000, 400_000), False: (1000, 6000)}  # of a step and of all steps, for batched and plain samplers
Data = Sequence[Any]
Related = Callable[[Any, Any], bool]
Proposals = Callable[[list[Any], list[Any]], Iterable[tuple[list[Any], list[Any]]]]


@dataclass(frozen=True)
class Shrunk:
    """The simplest pair found, and the fresh evidence on it (None where nothing simpler than the start refutes)."""

    left: Any
    right: Any
    outcome: Outcome | None
    steps: int
    alpha: float = 0.0
    event: SimpleEvent | None = None

    def details(self) -> dict[str, Any] | None:
        """For the evidence: the pair, its event and how sure; None where it does not refute."""
        if self.outcome is None:
            return None
        simple = self.event
        return {
            "left": self.left,
            "right": self.right,
            "alpha": self.alpha,
            "pairs": self.outcome.pairs,
            "epsilon": max(self.outcome.epsilon_lower, simple.epsilon if simple else 0.0),
            "event": simple.words if simple else self.outcome.event,
            "direction": simple.direction if simple else self.outcome.direction,
            "steps": self.steps,
        }


def shrink(
    sampler: Sampler,
    left: Data,
    right: Data,
    claim: tuple[Null, ...],
    delta: float,
    budget: Budget,
    related: Related = lambda left, right: True,
    most_steps: int = 60,
    proposals: Proposals | None = None,
) -> Shrunk:
    """Simplify a refuting pair step by step.

    Parameters
    ----------
    budget
        α for the final pair and its event together; ``max_pairs`` is what the refutation has needed.
    related
        Whether two inputs are neighbours; simpler pairs that are not are never tried.
    most_steps
        Audits to spend on the search.
    proposals
        Pairs simpler than a given one; fewer records and simpler values where None.
    """
    each, total = _CAPS[sampler.batched]
    each = min(each, _STEP * budget.max_pairs + 200)
    left_over = min(total, _TOTAL * budget.max_pairs + 5 * each)
    if sampler.meter is not None:  # the final audit and the count of an event come out of the same runs
        spare = int(min(sampler.meter.left, 1e15) // 2) - 4 * each
        left_over = min(left_over, spare)
        if spare < 0:
            return Shrunk(left, right, None, 0)
    current = (list(left), list(right))
    steps, progress = 0, True
    with using(Service()):
        while progress and not (sampler.meter is not None and sampler.meter.deadline.passed):
            progress = False
            for simpler in (proposals or simpler_pairs)(*current):
                if steps >= most_steps or left_over < each:
                    break
                if simpler[0] == simpler[1] or not related(*simpler):
                    continue
                steps += 1
                found = _audit(sampler, simpler, claim, delta, replace(budget, max_pairs=each), steps)
                left_over -= each if found is None else found.pairs
                if found is not None and found.refuted:
                    current, progress = simpler, True
                    break
        half = replace(budget, alpha=budget.alpha / 2, max_pairs=2 * each)
        final = _audit(sampler, current, claim, delta, half, 0)
        refuted = final is not None and final.refuted
        event = simplest_event(sampler, *current, claim, half.alpha, 2 * each, budget.seed) if refuted else None
    return Shrunk(current[0], current[1], final if refuted else None, steps, budget.alpha, event)


def _audit(
    sampler: Sampler, pair: tuple[list[Any], list[Any]], claim: tuple[Null, ...], delta: float, budget: Budget,
    step: int,
) -> Outcome | None:  # fmt: skip
    try:
        return run(Task(sampler, pair[0], pair[1], claim, delta, budget, (_BRANCH, step)))
    except (ProgramFailed, ProgramTimeout, BadInput):  # a simpler input that the sampler does not take
        if sampler.meter is not None:
            sampler.meter.check()
        return None


def among(pairs: Iterable[tuple[Any, Any]]) -> Proposals:
    """Proposals from a fixed list of neighbouring pairs, the simplest first.

    >>> list(among([([0], [1]), ([7, 7], [7, 8])])([7, 7], [7, 8]))
    [([0], [1])]
    """
    known = sorted(([list(a), list(b)] for a, b in pairs), key=_complexity)

    def simpler(left: list[Any], right: list[Any]) -> Iterator[tuple[list[Any], list[Any]]]:
        bar = _complexity([left, right])
        yield from ((a, b) for a, b in known if _complexity([a, b]) < bar)

    return simpler


def _complexity(pair: Sequence[list[Any]]) -> tuple[int, int]:
    return sum(map(len, pair)), sum(len(str(x).strip("0.")) for side in pair for x in side)


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
            if abs(a) > 1e-6:
                yield _with(left, i, _half(a)), _with(right, i, _half(b))
        elif a not in (b, 0):  # keep the difference, move towards zero
            yield _with(left, i, a - a), _with(right, i, b - a)
        if a != b:
            yield left, _with(right, i, a)


def _numeric(value: Any) -> bool:
    return not isinstance(value, bool) and (isinstance(value, int | float) or hasattr(value, "numerator"))


def _half(value: Any) -> Any:
    return int(value / 2) if isinstance(value, int) else value / 2  # towards zero: −1 // 2 would stay −1 for ever


def _with(items: list[Any], index: int, value: Any) -> list[Any]:
    return [*items[:index], value, *items[index + 1 :]]
