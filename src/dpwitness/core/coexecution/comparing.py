"""Whether a law or an output of the program is the one that the model has."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from dpwitness.core import laws
from dpwitness.core.coexecution.model import Computed
from dpwitness.core.laws import Law
from dpwitness.core.numbers import Exact
from dpwitness.core.readers.outputs import take_apart

PARAMETERS = 1e-12  # relative difference of two parameters of which one is a double
OUTPUTS = 1e-9  # difference of two computed numbers, relative to 1 + the largest number seen in the run


def same_law(model: Law, program: Law) -> str:
    """Empty where the two laws are the same, else how they differ.

    Finite laws may be stated in another form (a coin as a choice between two): they are compared by their odds.

    >>> same_law(laws.Laplace(Fraction(2)), laws.Laplace(Exact(1)))
    'the model draws from laplace(scale=2), the program from laplace(scale=1)'
    """
    if model.name == program.name:
        pairs = zip(_flat(model), _flat(program), strict=False)
        same = len(_flat(model)) == len(_flat(program)) and all(same_parameter(a, b) for a, b in pairs)
    elif model.support == program.support == "finite":
        ours, theirs = odds(model), odds(program)
        same = len(ours) == len(theirs) and all(same_parameter(a, b) for a, b in zip(ours, theirs, strict=True))
    else:
        same = False
    return "" if same else f"the model draws from {model}, the program from {program}"


def _flat(law: Law) -> list[Any]:
    found: list[Any] = []
    for value in law.params().values():
        found += list(value) if isinstance(value, tuple) else [value]
    return found


def same_parameter(ours: Any, theirs: Any) -> bool:
    """Rationals must be equal; where one is a double the two may differ by rounding."""
    if isinstance(ours, Fraction | int) and isinstance(theirs, Fraction | int):
        return bool(ours == theirs)
    a, b = float(ours), float(theirs)
    return math.isclose(a, b, rel_tol=PARAMETERS, abs_tol=0.0) or a == b


def odds(law: Law) -> list[Any]:
    """The probabilities of the outcomes of a finite law, rational where its weights are."""
    match law:
        case laws.Bernoulli(p):
            return [p, 1 - p]
        case laws.Logit(log_odds):
            weights: Sequence[Any] = [math.exp(log_odds), 1.0]
        case laws.LogChoice(log_weights):
            top = max(float(w) for w in log_weights)
            weights = [math.exp(float(w) - top) for w in log_weights]
        case laws.Choice(given):
            weights = given
        case _:
            raise TypeError(f"{law} is not a finite law")
    total = sum(weights)
    return [w / total if isinstance(w, float | Fraction) else Fraction(w) / total for w in weights]


def same_output(model: Any, program: Any, size: float) -> bool:
    """Whether the program's output is the model's: constants by type and value, `Computed` numbers up to rounding.

    Parameters
    ----------
    size
        The largest number seen in the run; computed numbers may differ by 10⁻⁹ times 1 + size.

    >>> same_output([True, Computed(Fraction(1, 3))], [True, 1 / 3], 1.0)
    True
    >>> same_output(0.0, -0.0, 1.0), same_output(1, True, 1.0), same_output([1], (1,), 1.0)
    (False, False, False)
    """
    if isinstance(program, np.generic):
        program = program.item()
    if isinstance(program, np.ndarray):
        program = tuple(program.tolist())
    if isinstance(model, Computed):
        return is_number(program) and near(model.value, program, size)
    if isinstance(model, list | tuple):
        return (
            isinstance(program, list if isinstance(model, list) else tuple)
            and len(model) == len(program)
            and all(same_output(a, b, size) for a, b in zip(model, program, strict=True))
        )
    return constant(model) == constant(program)


def same_runs(single: Any, lane: Any, size: float) -> bool:
    """Whether an output of the batched reader is that of the scalar one: numbers that differ by rounding are equal.

    A column of numbers has one type, so that 1 may stand as 1.0 there; a truth value is not a number in either.
    """
    if isinstance(single, np.ndarray):
        single = tuple(single.tolist())
    if isinstance(single, list | tuple):
        return (
            isinstance(lane, list if isinstance(single, list) else tuple)
            and len(single) == len(lane)
            and all(same_runs(a, b, size) for a, b in zip(single, lane, strict=True))
        )
    if is_number(single) and is_number(lane):
        return near(single, lane, size)
    return constant(single) == constant(lane)


def constant(value: Any) -> tuple[str, str]:
    """The identity of a constant: its type and its text.

    A rational of the package's own type stands for the number that its reader prints in its place.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Exact):
        kind = take_apart(value, lambda _: False)[0]
        return str(kind[1]), repr(kind[2])
    name = "float" if isinstance(value, float) else type(value).__name__
    return name, repr(float(value)) if name == "float" else repr(value)


def is_number(value: Any) -> bool:
    """Whether a value is a number; a truth value is none."""
    return isinstance(value, int | float | Fraction | np.number) and not isinstance(value, bool)


def near(ours: Any, theirs: Any, size: float) -> bool:
    """Whether two computed numbers agree up to rounding."""
    a, b = float(ours), float(theirs)
    return a == b or abs(a - b) <= OUTPUTS * (1.0 + max(size, 0.0))
