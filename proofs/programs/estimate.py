r"""How many ways there are through a program, estimated before they are followed.

A random walk that picks each open branch with equal probability and multiplies the numbers of open branches has the
number L of ways as its mean (Knuth 1975). By Markov's inequality it exceeds 2L with probability at most 1/2, so where
all of k walks exceed twice the limit, the limit is exceeded but for a chance of :math:`2^{-k}`. Programs with few deep
ways among many short ones are not turned away: their walks are short.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dpwitness.core.errors import DPWitnessError
from dpwitness.core.forms import Symbol
from dpwitness.core.readers.door import reading
from dpwitness.core.readers.paths import Condition, Feasible, SymbolicRun, hand_out
from dpwitness.core.readers.symbolic import settle
from dpwitness.core.readers.where import program_code

WALKS = 12


class _Stopped(Exception):
    """A walk met more questions than there may be ways, or ran out of time."""


class _Walk(SymbolicRun):
    """One run that answers every question at random, or (`rng` None) always takes the first open branch."""

    def __init__(self, rng: random.Random | None, code: Any, feasible: Feasible | None, most: int, end: float) -> None:
        super().__init__([], [], code, feasible)
        self.rng, self.most, self.end = rng, most, end
        self.ways = 1

    def _fork(self, options: Sequence[Sequence[Condition]]) -> int:
        possible = [i for i, option in enumerate(options) if self._possible(option)] or list(range(len(options)))
        pick = possible[0] if self.rng is None else self.rng.choice(possible)
        self.ways *= len(possible)
        self.answers.append(pick)
        self.conditions += options[pick]
        if len(self.answers) > self.most or time.monotonic() > self.end:
            raise _Stopped
        return pick


def more_than(
    most: int,
    program: Callable[..., Any],
    data: Sequence[Any],
    params: Mapping[str, Any],
    symbolic: Sequence[str],
    feasible: Feasible | None = None,
    look: Callable[[SymbolicRun], None] = lambda run: None,
    seconds: float | None = None,
) -> int | None:
    """An estimate of the number of ways where it is surely above `most`, None where it may be below.

    Parameters
    ----------
    look
        Called with every walk; it may raise where what the walk did cannot be used.
    seconds
        Time limit; where one walk takes longer there is no hope of following thousands of ways.

    >>> def coins(noise, data):
    ...     return [noise.bernoulli(0.5) for _ in data]
    >>> more_than(1000, coins, range(20), {}, ()), more_than(1000, coins, range(8), {}, ())
    (1048576, None)
    """
    with reading(program):
        code, rng = program_code(program), random.Random(most)
        end = math.inf if seconds is None else time.monotonic() + seconds
        seen: list[int] = []
        for k in range(WALKS + 1):
            run = _Walk(None if k == 0 else rng, code, feasible, most, end)
            given, named = hand_out(run, data, params, {n: Symbol("param", 0, n) for n in params if n in symbolic})
            try:
                settle(program(run, given, **named))
            except _Stopped:
                look(run)
                return max(most + 1, run.ways, *seen)  # a walk that was cut off has met so many ways at least
            except DPWitnessError:
                raise
            except Exception:  # the reader will meet it again and say where
                return None
            look(run)
            if k == 0:
                continue  # not random: it only shows loops that may not end
            seen.append(run.ways)
            if run.ways <= 2 * most:
                return None
        return sorted(seen)[WALKS // 2]
