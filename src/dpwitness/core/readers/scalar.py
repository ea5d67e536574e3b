"""The scalar sampler: one run, one number a draw."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from dpwitness.core.errors import BadInput, ProgramTimeout
from dpwitness.core.laws import Law
from dpwitness.core.minimising import trace
from dpwitness.core.noise import Noise
from dpwitness.core.numbers import exact
from dpwitness.core.public import Public
from dpwitness.core.readers.drawing import sample
from dpwitness.core.readers.selecting import first_largest
from dpwitness.core.readers.solving import solve

MAX_DRAWS = 1_000_000


def check_number(name: str, value: Any, above: int | None, below: int | None, closed: bool) -> Any:
    """Check one plain number against open (or closed) bounds."""
    if isinstance(value, Public):
        value = value.settled()
    if isinstance(value, str):
        value = exact(value, name)  # "1/3" is the number that it spells, for whoever runs the program
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction | np.number):
        raise BadInput(f"{name}={value!r} must be a number")
    if not math.isfinite(value):
        raise BadInput(f"{name}={value} must be finite")
    if above is not None and (value < above or (value == above and not closed)):
        raise BadInput(f"{name}={value} must be {'at least' if closed else 'greater than'} {above}")
    if below is not None and (value > below or (value == below and not closed)):
        raise BadInput(f"{name}={value} must be {'at most' if closed else 'less than'} {below}")
    return value


class Scalar(Noise):
    """Draws one number at a time from a numpy Generator.

    >>> import numpy as np
    >>> noise = Scalar(np.random.default_rng(0))
    >>> isinstance(noise.laplace(1), float), noise.argmax([1, 3, 3])
    (True, 1)
    """

    def __init__(self, rng: np.random.Generator, *, max_draws: int = MAX_DRAWS, deadline: float | None = None) -> None:
        self.rng = rng
        self.count = 0
        self.max_draws = max_draws
        self.deadline = deadline

    def draw(self, law: Law) -> Any:
        self.count += 1
        if self.count > self.max_draws:
            raise ProgramTimeout(f"the program made more than {self.max_draws} draws: does its loop end?")
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise ProgramTimeout(f"the program was still drawing noise at its time limit, after {self.count} draws")
        return sample(law, self.rng, 1)[0].item()

    def check(self, name: str, value: Any, *, above: int | None, below: int | None = None, closed: bool = False) -> Any:
        return check_number(name, value, above, below, closed)

    def argmax(self, values: Sequence[Any]) -> Any:
        return first_largest(values)

    def max(self, values: Sequence[Any]) -> Any:
        return values[first_largest(values)]

    def minimiser(self, gradient: Callable[[list[Any]], Sequence[Any]], size: int) -> list[Any]:
        return solve(trace(gradient, size))
