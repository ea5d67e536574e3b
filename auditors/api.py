"""`audit`: one call, any Python callable, an answer with a guarantee."""

from __future__ import annotations

import io
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any, Literal

import numpy as np

from dpwitness.auditors.bounds.evalue import MAX_EPSILON, Null
from dpwitness.auditors.bounds.implied import implied
from dpwitness.auditors.bounds.ledger import Budget
from dpwitness.auditors.doubles.audit import DoublesFinding
from dpwitness.auditors.own_process import perform_apart
from dpwitness.auditors.pipeline import Findings, Question
from dpwitness.auditors.replay.patches import resolve_hooks
from dpwitness.auditors.replay.recorder import Hook
from dpwitness.auditors.result import Audit
from dpwitness.auditors.running.engine import Outcome
from dpwitness.auditors.running.runner import Progress, Service
from dpwitness.auditors.running.workers import check_executor
from dpwitness.auditors.sampling.behaviour import equal_inputs
from dpwitness.auditors.sampling.sampler import as_sampler
from dpwitness.auditors.search.pairs import Candidate
from dpwitness.auditors.search.relation import Relation, check_neighbours, shrink_row
from dpwitness.core.errors import BadInput
from dpwitness.core.limits import Deadline

__all__ = ["Audit", "NumericsChoice", "audit"]

NumericsChoice = Literal["ideal", "doubles", "both"]


def audit(
    sampler: Callable[..., Any],
    left: Any = None,
    right: Any = None,
    *,
    epsilon: float | None = None,
    delta: float = 0.0,
    claim: Any = None,
    alpha: float = 1e-3,
    max_pairs: int = 1_000_000,
    seed: int = 0,
    executor: Executor | int | str | None = None,
    neighbours: Iterable[Sequence[Any]] | None = None,
    numerics: NumericsChoice = "ideal",
    seconds: float | None = None,
    timeout: float | None = None,
    checkpoint: str | Path | None = None,
    watch: Callable[[Progress], None] | None = None,
    adjacency: Relation | None = None,
    hooks: Sequence[Hook] = (),
    isolate: bool | None = None,
) -> Audit:
    """Test by sampling whether `sampler` is (ε,δ)-private on two neighbouring inputs.

    Parameters
    ----------
    sampler
        ``sampler(data, size, rng)`` returning `size` outputs along the first axis, or a plain callable
        ``sampler(data)`` returning one output (with randomness of its own). Outputs may be numbers, vectors, text,
        tuples of mixed kinds, lists of varying length, None, or objects that hold such
        (`dpwitness.auditors.outputs.objects`).
    left, right
        Two neighbouring inputs.
    epsilon
        The claim; None makes no claim, and the whole budget goes into the best lower bound.
    delta
        The δ of the claim, and the δ at which ε is bounded.
    claim
        In place of `epsilon`: ``GaussianDP(1)``, ``ZCDP("1/2")``, ``RenyiDP(2, 1)``, a composition such as
        ``poisson(gaussian(1), "1/100") * 1000``, a `TradeoffCurve`, or any object with ``deltas(eps)``. All of its
        curve is bet against at once.
    alpha
        Probability that the audit says anything false.
    max_pairs
        Pairs of outputs to draw at most, for whatever purpose: looking at the sampler, comparing pairs of inputs, the
        audit itself, the look at doubles, the explanation.
    seed
        Same seed, same result.
    executor
        Where to draw: an `Executor`, a number of worker processes, ``"processes"``, ``"threads"``, ``"dask=local"``,
        ``"dask=ADDRESS"``; None: here. The result is the same.
    neighbours
        Pairs of neighbouring inputs to choose from, in place of `left` and `right`.
    numerics
        Which claim decides `refuted`: about real numbers, about doubles, or both.
    seconds, timeout
        Limits for the whole audit and for one call of the sampler. When the time is over, the audit stops where it is
        and says what it has shown until then; where not a single pair could be drawn, that is an error.
    checkpoint
        A file for the state of the run; an existing one is resumed.
    watch
        Called with the progress after each chunk.
    adjacency
        ``Answers(...)``, ``Records(...)`` or an `Adjacency`: pairs that are not neighbours are refused, and a pair that
        a search has found is shrunk within it.
    hooks
        Noise functions of a library, as ``(module, name)``, that the replay of the noise should record.
    isolate
        Whether the sampler runs in a forked process of its own: it then cannot change this one, or end it. None: where
        the system can fork, and not where `executor` is an object of the caller's, which lives in this process.

    Returns
    -------
    Audit
        ``print`` shows it. ``refuted`` is the decision; ``epsilon_lower`` the bound on ε; ``event``, ``direction`` and
        ``pairs`` are behind it; ``detectable`` is the ε that would have been seen; ``warnings`` say what else to know.

    Examples
    --------
    Half of the noise that ε = 1 needs:

    >>> result = audit(lambda data, size, rng: rng.laplace(data, 0.5, size), 0.0, 1.0, epsilon=1)
    >>> result.refuted, result.pairs < 1000
    (True, True)
    """
    started = time.monotonic()
    eps, nulls = _claimed(claim, epsilon, delta)
    budget = Budget(alpha, _whole(max_pairs), seconds, _whole(seed))
    if watch is not None and not callable(watch):
        raise BadInput(f"watch={watch!r} is not callable; give a function of the progress")
    resolve_hooks(hooks)
    if numerics not in ("ideal", "doubles", "both"):
        raise BadInput(f"numerics={numerics!r} must be 'ideal', 'doubles' or 'both'")
    if isolate not in (None, True, False):
        raise BadInput(f"isolate={isolate!r} must be True, False or None")
    draw = as_sampler(sampler, timeout)
    given = _given(left, right, neighbours)
    check_neighbours(given, adjacency)
    check_executor(executor)
    ask = Question(
        draw, given, neighbours is not None, nulls, eps, _delta_of(nulls, delta), budget,
        numerics, adjacency, tuple(hooks), executor, Deadline.after(seconds),
        simplifies=neighbours is not None,
    )  # fmt: skip
    if claim is not None and numerics != "ideal" and len(nulls or ()) > 1:
        raise BadInput(f"numerics={numerics!r} takes a claim about one ε: give epsilon and delta instead of claim")
    service = Service(checkpoint=_path(checkpoint), watch=watch)
    return _answer(ask, perform_apart(ask, service, isolate), time.monotonic() - started)


def _answer(ask: Question, found: Findings, seconds: float) -> Audit:
    """What was found, as a result."""
    outcome, finding = found.outcome, found.finding
    if finding is not None and (outcome is None or (ask.numerics == "both" and _stronger(finding, outcome))):
        outcome = _as_outcome(finding, outcome, ask.eps is not None)
    assert outcome is not None
    uncompared = [str(text) for text in (outcome.details.get("uncompared"),) if text]
    look_at = (f"look at: {found.cause}",) if found.cause and outcome.refuted else ()
    warnings = (
        *look_at,
        *found.manners.warnings,
        *uncompared,
        *_unrepeatable(found),
        *_untested(ask, found),
        *found.warnings,
    )
    left, right = found.inputs(ask)
    return Audit(
        refuted=outcome.refuted, epsilon_lower=outcome.epsilon_lower, pairs=outcome.pairs, alpha=ask.budget.alpha,
        direction=outcome.direction, event=outcome.event, seconds=seconds, epsilon=ask.eps, delta=ask.delta,
        seed=ask.budget.seed, left=left, right=right, detectable=outcome.detectable,
        ledger=outcome.ledger + (shrink_row(ask.part) if ask.shrinks else ()), method=outcome.method, doubles=finding,
        details={"log_wealth": outcome.log_wealth, **outcome.details}, warnings=tuple(dict.fromkeys(warnings)),
        shrunk=found.shrunk, runs=found.runs, reproducible=found.manners.repeatable is not False and not found.refused,
    )  # fmt: skip


def _unrepeatable(found: Findings) -> tuple[str, ...]:
    if not found.refused:
        return ()
    return (f"not reproducible from the seed: {', '.join(found.refused)} takes no seed, and was left alone",)


def _untested(ask: Question, found: Findings) -> tuple[str, ...]:
    """A claim about doubles that was not looked at must not pass for one that was."""
    if ask.numerics == "ideal" or found.finding is not None or found.manners.fractional is False:
        return ()
    return ("the claim about doubles was not tested: there are too few pairs, or too little time",)


def _given(left: Any, right: Any, neighbours: Iterable[Sequence[Any]] | None) -> list[Candidate]:
    if neighbours is None:
        for name, side in (("left", left), ("right", right)):
            if side is None:
                raise BadInput(f"{name}=None: two neighbouring inputs are needed, left and right (or neighbours)")
        _differ(left, right)
        return [Candidate(left, right)]
    if left is not None or right is not None:
        raise BadInput("give either left and right, or neighbours, not both")
    return parse_pairs(neighbours)


def parse_pairs(neighbours: Any) -> list[Candidate]:
    """The pairs that a caller lists; an error where something else stands among them."""
    if isinstance(neighbours, str | bytes | Mapping) or not isinstance(neighbours, Iterable):
        raise BadInput(f"neighbours={neighbours!r} must be a list of pairs (left, right)")
    found = [Candidate(*_two(pair)) for pair in neighbours]
    if not found:
        raise BadInput("neighbours is empty: at least one pair of inputs is needed")
    return found


def _stronger(finding: DoublesFinding, outcome: Outcome) -> bool:
    """Whether the doubles say more; a refutation about real numbers says most, however large the other bound is."""
    if outcome.refuted:
        return False
    return finding.refuted or finding.epsilon_lower > outcome.epsilon_lower


def _as_outcome(finding: DoublesFinding, other: Outcome | None, claimed: bool) -> Outcome:
    spent = (("count of a bit event on fresh samples", finding.alpha),)
    return Outcome(
        finding.refuted and claimed, finding.epsilon_lower, finding.pairs, finding.direction, finding.event,
        spent + (() if other is None else other.ledger), None, "doubles", 0.0,
        {"right": finding.right, "wrong": finding.wrong},
    )  # fmt: skip


def _claimed(claim: Any, epsilon: float | None, delta: float) -> tuple[float | None, tuple[Null, ...] | None]:
    """The ε of the claim and the hypotheses that it implies; None and None where nothing is claimed."""
    if claim is None:
        eps = _checked(epsilon, delta)
        return eps, None if eps is None else (Null(eps, delta),)
    if epsilon is not None:
        raise BadInput(f"give either epsilon={epsilon!r} (and delta) or claim={claim!r}, not both")
    _checked(None, delta)
    nulls = implied(claim)
    if not nulls:
        raise BadInput(f"claim={claim!r} implies no (ε,δ) that sampling could test")
    return nulls[0].eps, nulls


def _delta_of(nulls: tuple[Null, ...] | None, delta: float) -> float:
    """The δ at which ε is bounded: as given, else the smallest that a curve was looked at."""
    if delta or not nulls:
        return float(delta)
    return min(null.delta for null in nulls)


def _checked(epsilon: float | None, delta: float) -> float | None:
    if isinstance(delta, bool) or not _is_number(delta) or not 0 <= delta < 1:
        raise BadInput(f"delta={delta!r} must be a number in [0, 1)")
    if epsilon is None:
        return None
    if isinstance(epsilon, bool) or not _is_number(epsilon) or not 0 < epsilon <= MAX_EPSILON:
        raise BadInput(f"epsilon={epsilon!r} must be a number in (0, {MAX_EPSILON:g}], or None for no claim")
    return float(epsilon)


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, np.integer) else value


def _path(checkpoint: Any) -> Path | None:
    if checkpoint is None:
        return None
    if not isinstance(checkpoint, str | Path) or not Path(checkpoint).name:
        raise BadInput(f"checkpoint={checkpoint!r} must be the path of a file")
    return Path(checkpoint)


def _is_number(value: Any) -> bool:
    try:
        return not isinstance(value, str | bytes) and math.isfinite(float(value))
    except (TypeError, ValueError, OverflowError):
        return False


def _two(pair: Any) -> tuple[Any, Any, str]:
    """The two inputs of a pair, and the reason for trying it where there is one."""
    if isinstance(pair, np.ndarray | tuple | list) and len(pair) in (2, 3):
        left, right, *why = pair
        if not why or isinstance(why[0], str):
            _differ(left, right)
            return left, right, why[0] if why else ""
    raise BadInput(f"neighbours holds {pair!r}; pairs (left, right) are needed, or (left, right, 'why')")


def _differ(left: Any, right: Any) -> None:
    for name, side in (("left", left), ("right", right)):
        if isinstance(side, Iterator) and not isinstance(side, io.IOBase):
            raise BadInput(f"{name} is a {type(side).__name__}, which can be read once only: give a list")
    if equal_inputs(left, right):
        raise BadInput(f"left and right are the same input, {left!r}: no mechanism can be refuted on them")
