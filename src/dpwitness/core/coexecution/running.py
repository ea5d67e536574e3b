"""Runs of the program that ships on prescribed draws: one at a time, and many as the lanes of one block."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpwitness.core.coexecution.comparing import same_law
from dpwitness.core.coexecution.model import Unfaithful
from dpwitness.core.errors import DPWitnessWarning
from dpwitness.core.laws import Law
from dpwitness.core.readers.lanes import run_block
from dpwitness.core.readers.scalar import Scalar

MAX_DRAWS = 20_000
_UNUSED = np.random.default_rng(0)  # every draw comes from the script


@dataclass(frozen=True)
class Recorded:
    """What the program did in one run: its draws, and its output or the error that it raised."""

    laws: tuple[Law, ...]
    values: tuple[Any, ...]
    output: Any = None
    error: Exception | None = None


class Prescribed(Scalar):
    """The scalar reader with draws from a script."""

    def __init__(self, script: Callable[[Law], Any]) -> None:
        super().__init__(_UNUSED, max_draws=MAX_DRAWS)
        self.script = script
        self.laws: list[Law] = []
        self.values: list[Any] = []

    def draw(self, law: Law) -> Any:
        self.count += 1
        if self.count > self.max_draws:
            raise Unfaithful(f"the program made more than {self.max_draws} draws in one run")
        self.laws.append(law)
        self.values.append(self.script(law))
        return self.values[-1]


def run_once(
    program: Callable[..., Any], data: Sequence[Any], params: Mapping[str, Any], script: Callable[[Law], Any]
) -> Recorded:
    """One run in the scalar reader."""
    noise = Prescribed(script)
    try:
        output = program(noise, list(data), **params)
    except Unfaithful:
        raise
    except Exception as error:  # whatever the program raises is what it does
        return Recorded(tuple(noise.laws), tuple(noise.values), error=error)
    return Recorded(tuple(noise.laws), tuple(noise.values), output)


def run_together(
    program: Callable[..., Any], data: Sequence[Any], params: Mapping[str, Any], runs: Sequence[Recorded]
) -> list[Any]:
    """The outputs of several runs as lanes of one block, on the draws that were made one at a time.

    Raises `Unfaithful` where a lane draws from another law, or more often, than the same run alone.
    """

    def script(k: int, law: Law, lanes: NDArray[np.int64]) -> NDArray[Any]:
        values = []
        for place, lane in enumerate(lanes):
            run = runs[int(lane)]
            if k >= len(run.laws):
                raise Unfaithful(
                    f"a lane of the batched reader makes draw {k}, from {law.name}, which no single run made"
                )
            if same_law(run.laws[k], at_lane(law, place)):
                words = f"draw {k} comes from {at_lane(law, place)} in the batched reader and from {run.laws[k]} alone"
                raise Unfaithful(words)
            values.append(run.values[k])
        kind = np.bool_ if isinstance(values[0], bool) else np.int64 if isinstance(values[0], int) else np.float64
        return np.array(values, dtype=kind)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DPWitnessWarning)
        bound = lambda noise: program(noise, list(data), **params)  # noqa: E731
        return run_block(bound, _UNUSED, len(runs), script=script).values()


def at_lane(law: Law, place: int) -> Law:
    """The law of one lane."""

    def one(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(one(x) for x in value)
        return value[place].item() if isinstance(value, np.ndarray) else value

    return type(law)(*(one(value) for value in law.params().values()))
