"""`stability`: search for two inputs on which a deterministic function moves further than claimed."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

from dpwitness.auditors.inputs.constants import constants_of
from dpwitness.auditors.sampling.isolation import silenced, surroundings_kept, warned_once
from dpwitness.auditors.stability.calls import Caller, shown_answer
from dpwitness.auditors.stability.causes import cause
from dpwitness.auditors.stability.result import Stability
from dpwitness.auditors.stability.search import Found, Search
from dpwitness.auditors.stability.shrink import shrink
from dpwitness.auditors.stability.spaces import VectorInputs, inputs_of
from dpwitness.core.errors import BadInput, LimitReached, ProgramFailed
from dpwitness.core.identity import shipped
from dpwitness.core.limits import Deadline
from dpwitness.core.numbers import show
from dpwitness.core.processes import ProcessLost, Tell, can_fork, run_apart
from dpwitness.core.stability.claim import Bound, Stable

GRACE = 2.0
SEARCH, SHRINK = 0.8, 0.7  # shares of the time, and of what is then left: the rest is for the confirmation
MAX_PAIRS = 20_000


def stability(
    f: Callable[..., Any],
    space: Any = None,
    distance: str | Callable[[Any, Any], Any] = "l1",
    bound: Bound = 1,
    *,
    domain: Any = None,
    numerics: str = "ideal",
    max_pairs: int = MAX_PAIRS,
    seconds: float = 10.0,
    seed: int = 0,
    isolate: bool | None = None,
) -> Stability:
    """Search for neighbouring inputs whose outputs are further apart than claimed.

    A violation is exact: there is no probability of error. The outputs of the pair are computed again before it is
    reported, and the pair is shrunk. Where nothing is found, nothing is proved.

    Parameters
    ----------
    f
        A deterministic function of one dataset (or vector); a method or an adapter of a library will do.
    space
        The inputs and their neighbours: ``Rows(...)``, ``Records(...)`` or ``Answers(...)``. May be left out where `f`
        was decorated with ``@stable``.
    distance
        Between outputs: ``"l1"``, ``"l2"``, ``"linf"``, ``"l0"``, ``"discrete"``, ``"symmetric"``, ``"insert-delete"``,
        ``"hamming"``, ``"sparse-l1"`` and the like, or a function of two outputs.
    bound
        How far apart the outputs of neighbours may be: a number, or a function of the distance of the inputs.
    domain
        What every output must be: ``reals(0, 1)``, or a function that returns whether an output is allowed.
    numerics
        ``"ideal"``: an excess that rounding can explain is noted only; ``"doubles"``: every excess is a violation.
    max_pairs, seconds
        Pairs to compare, and the time that all of it may take.
    seed
        Of the random changes of inputs that follow the listed ones.
    isolate
        Whether `f` runs in a forked process of its own; None: where the system can fork.

    Examples
    --------
    >>> from dpwitness import Rows, wholes
    >>> found = stability(lambda data: sum(data), Rows(wholes(0, 10)), "l1", 1)
    >>> found.refuted, found.left, found.right
    (True, (), (10,))
    """
    declared = getattr(f, "stability", None)
    if space is None and isinstance(declared, Stable):
        claim = declared
    elif space is None:
        raise BadInput("space=None: say which inputs there are, with Rows(...), Records(...) or Answers(...)")
    else:
        claim = Stable.of(f, space, distance, bound, domain, numerics)
    return check_claim(claim, max_pairs=max_pairs, seconds=seconds, seed=seed, isolate=isolate)


def check_claim(
    claim: Stable, *, max_pairs: int = MAX_PAIRS, seconds: float = 10.0, seed: int = 0, isolate: bool | None = None
) -> Stability:
    """`stability` of a claim that is written already."""
    if isinstance(max_pairs, bool) or not isinstance(max_pairs, int) or max_pairs < 1:
        raise BadInput(f"max_pairs={max_pairs!r} must be a positive whole number")
    if not seconds > 0:
        raise BadInput(f"seconds={seconds!r} must be positive")
    deadline = Deadline.after(seconds)

    def work(tell: Tell) -> Stability:
        return _search(claim, max_pairs, deadline, seed)

    if isolate is False or not can_fork():
        return work(lambda message: None)
    try:
        found: Stability = run_apart(work, deadline=deadline, grace=GRACE)
    except ProcessLost as lost:
        raise ProgramFailed(
            f"the process that ran {claim.name} {lost.reason}; give fewer seconds, or smaller inputs (size=...)"
        ) from None
    return found


def _search(claim: Stable, max_pairs: int, deadline: Deadline, seed: int) -> Stability:
    started = time.monotonic()
    inputs = inputs_of(claim, constants_of(claim.function))
    search = Search(claim, inputs, Caller(claim.function, inputs.build, deadline.share(SEARCH)), max_pairs, seed)
    dice = random.getstate()
    try:
        with silenced(), surroundings_kept(), warned_once():
            found = search.run()
            kept = found or search.rounding
            if kept is not None:
                search.call.deadline = deadline.share(SHRINK)
                small = shrink(kept, search)
                search.call.deadline = deadline
                search.call.confirm((small.left, small.before), (small.right, small.after))
                return _result(claim, small, search, time.monotonic() - started)
    except LimitReached:  # what cannot be computed again is not reported
        search.stopped = "the time limit, before a suspicion could be confirmed"
    finally:
        random.setstate(dice)
    if search.pairs and not search.call.answered:
        raise ProgramFailed(
            f"{claim.name} raised on every input that was tried; the last time: {search.call.last_error}"
        )
    if not search.pairs and search.stopped:
        raise ProgramFailed(f"{claim.name}: {search.stopped} came before two inputs were compared; give more seconds")
    if not search.pairs:
        raise BadInput(f"the space offers no neighbouring inputs: {claim.space!r}")
    return Stability(
        False, "", claim.describe(), claim.name, pairs=search.pairs, calls=search.call.calls,
        seconds=time.monotonic() - started, stopped=search.stopped,
    )  # fmt: skip


def _result(claim: Stable, found: Found, search: Search, seconds: float) -> Stability:
    shows = found.shows
    refuted = shows.kind != "rounding"
    notes = () if refuted else (
        "rounding can explain this excess: it is a violation for doubles (numerics='doubles'), not for real numbers",
    )  # fmt: skip
    vector = isinstance(search.inputs, VectorInputs)
    left, right = (tuple(map(shipped, data)) if vector else data for data in (found.left, found.right))
    apart = show(found.apart) if vector else found.apart
    return Stability(
        refuted, shows.kind, claim.describe(), claim.name, left, right, apart, found.how, claim.distance.name,
        shows.text(), "" if shows.bound is None else show(shows.bound), shown_answer(found.before),
        shown_answer(found.after), cause(claim, found), search.pairs, search.call.calls, seconds, "", notes,
    )  # fmt: skip
