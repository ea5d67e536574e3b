"""Types of computed numbers: in one output of a model they may not depend on the data.

A model has a number in the place of what the program computes, and says nothing of its type. Whoever sees an output
tells 3 from 3.0, and 0.0 from -0.0. So the types are noted by the output's structure and constants, whichever way led
there unless that is known to an observer, and by the types of the arguments; they must be the same in every such run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from dpwitness.core.coexecution.model import Computed, Fixed, Trace
from dpwitness.core.coexecution.running import Recorded
from dpwitness.core.functions import Irrational
from dpwitness.core.identity import constant
from dpwitness.core.numbers import Exact


class Kinds:
    """The types of computed numbers, and the signs of zeros, in the runs so far."""

    def __init__(self) -> None:
        self.seen: dict[Any, str] = {}

    def differ(self, trace: Trace, run: Recorded, given: Sequence[Any], named: Mapping[str, Any]) -> str:
        """Empty where the types are those of earlier runs, else how they differ.

        Exact numbers are only handed in by readers, so that runs on them show no types. A float that carries its
        formula is a float. The sign of 0.0 counts where zero has a probability of its own: no draw of the run is
        continuous.
        """
        if _holds_exact([*given, *named.values()]):
            return ""
        discrete = all(law.support in ("finite", "integers") for law in run.laws)
        arguments = tuple(map(_type, given)), tuple((name, _type(value)) for name, value in named.items())
        shape = _shape(trace.output)
        for k, (value, computed) in enumerate(_numbers(trace.output, run.output)):
            for what, kind in _kinds(value, signed=discrete and computed):
                known = self.seen.setdefault((trace.shown, shape, arguments, k, what), kind)
                if known != kind:
                    return (
                        f"number {k} of the output is {kind} here, and was {known} in another run of this structure: "
                        "an observer tells 1 from 1.0, so write numbers of one type, such as max(x, 1.0) for max(x, 1)"
                    )
        return ""


def _holds_exact(values: Sequence[Any]) -> bool:
    return any(_holds_exact(x) if isinstance(x, tuple) else isinstance(x, Exact) for x in values)


def _type(value: Any) -> Any:
    return tuple(map(_type, value)) if isinstance(value, tuple) else type(value).__name__


def _shape(model: Any) -> Any:
    """The structure of an output and its constants, by type and value; numbers that are computed are all alike."""
    if isinstance(model, list | tuple):
        return type(model).__name__, *map(_shape, model)
    if isinstance(model, Computed):
        return "computed"
    return (model.kind, model.value) if isinstance(model, Fixed) else constant(model)


def _numbers(model: Any, program: Any) -> Iterator[tuple[Any, bool]]:
    """The program's numbers, and whether the model computes them or has a constant in their place."""
    if isinstance(model, list | tuple):
        for ours, theirs in zip(model, program, strict=True):
            yield from _numbers(ours, theirs)
    elif isinstance(model, Computed) or isinstance(program, int | float | Fraction):
        yield program, isinstance(model, Computed)


def _kinds(value: Any, *, signed: bool) -> Iterator[tuple[str, str]]:
    """What an observer tells of a number beside its value."""
    yield "type", "float" if isinstance(value, Irrational) else type(value).__name__
    if signed and isinstance(value, float) and value == 0:
        yield "zero", repr(value)
