"""Whether a law or an output of the program is the one that the model has."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from dpwitness.core import laws
from dpwitness.core.coexecution.model import Array, Computed, Fixed
from dpwitness.core.identity import constant
from dpwitness.core.laws import Law
from dpwitness.core.numbers import Exact

PARAMETERS = 1e-12  # relative difference of two parameters of which one is a double
# of the sizes of the terms that make an end of a uniform draw: 32 operations are each rounded by 2^-53 at most
ENDS = 2.0**-48
MOST_OF_WIDTH = 2.0**-10  # of a uniform draw: whatever rounding does, its ends may not differ by more
OUTPUTS = 1e-9  # difference of two computed numbers, relative to 1 + their own size
CANCELLING = 2.0**-20  # the most that is allowed for larger numbers of the run, which may cancel in the computed one


def same_law(model: Law, program: Law, slack: float = 0.0) -> str:
    """Empty where the two laws are the same, else how they differ.

    Ends of a uniform draw may differ by `slack`, which is what rounding makes of terms that cancel; they are compared
    beside the width of the draw, since ends far away that move by a width are as near to each other, as numbers.

    Finite laws may be stated in another form (a coin as a choice between two): they are compared by their odds.

    >>> same_law(laws.Laplace(Fraction(2)), laws.Laplace(1))
    'the model draws from laplace(scale=2), the program from laplace(scale=1)'
    """
    if isinstance(model, laws.Uniform) and isinstance(program, laws.Uniform):
        same = _same_ends(model, program, slack)
    else:
        same = model.name == program.name and _same_parameters(_flat(model), _flat(program))
    if not same and model.support == program.support == "finite":
        same = _same_parameters(odds(model), odds(program))
    return "" if same else f"the model draws from {model}, the program from {program}"


def _same_ends(model: laws.Uniform, program: laws.Uniform, slack: float) -> bool:
    """Whether the ends are equal, or differ by rounding and by a small share of the width."""
    ours, theirs = ([Fraction(end) for end in (law.low, law.high)] for law in (model, program))
    if ours == theirs:
        return True
    width = abs(float(ours[1] - ours[0]))
    allowed = max(PARAMETERS * width, min(slack or ENDS * float(max(map(abs, ours))), MOST_OF_WIDTH * width))
    return all(abs(float(a - b)) <= allowed for a, b in zip(ours, theirs, strict=True))


def _same_parameters(ours: Sequence[Any], theirs: Sequence[Any]) -> bool:
    return len(ours) == len(theirs) and all(same_parameter(a, b) for a, b in zip(ours, theirs, strict=True))


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
        The largest number seen in the run. Computed numbers may differ by 10⁻⁹ times 1 + their own size, and by
        10⁻⁹ times the largest number up to 2⁻²⁰: what a larger one leaves where it cancels is no rounding error.

    A number of the package's own exact type stands in an output where exact data or parameters were handed in; it is
    compared by value there, and by type in the runs on plain numbers.

    >>> same_output([True, Computed(Fraction(1, 3))], [True, 1 / 3], 1.0)
    True
    >>> same_output(0.0, -0.0, 1.0), same_output(1, True, 1.0), same_output([1], (1,), 1.0)
    (False, False, False)
    """
    if isinstance(model, Computed):
        return is_number(program) and near(model.value, program, size)
    if isinstance(model, list | tuple):
        return _shape(model) == _shape(program) and all(
            same_output(a, b, size) for a, b in zip(model, _parts(program), strict=True)
        )
    if _shape(program) is not None:
        return False
    ours = ("const", model.kind, model.value) if isinstance(model, Fixed) else constant(model)
    if ours is not None and isinstance(program, Exact):  # which type a plain number would have had is not known here
        return ours[1] in ("int", "float", "Fraction") and float(Fraction(ours[2])) == float(program)
    return ours is not None and ours == constant(program)


def same_runs(single: Any, lane: Any, size: float) -> bool:
    """Whether an output of the batched reader is that of the scalar one: numbers that differ by rounding are equal.

    A column of numbers has one type, so that 1 may stand as 1.0 there; a truth value is not a number in either.
    """
    if _shape(single) is not None:
        return _shape(single) == _shape(lane) and all(
            same_runs(a, b, size) for a, b in zip(_parts(single), _parts(lane), strict=True)
        )
    if is_number(single) and is_number(lane):
        return near(single, lane, size)
    return constant(single) is not None and constant(single) == constant(lane)


def _shape(value: Any) -> tuple[str, int] | None:
    """The kind and the length of a list, a tuple or an array."""
    if isinstance(value, np.ndarray | Array):
        return "array", len(value)
    return (type(value).__name__, len(value)) if isinstance(value, list | tuple) else None


def _parts(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


def is_number(value: Any) -> bool:
    """Whether a value is a number; a truth value is none."""
    return isinstance(value, int | float | Fraction | np.number) and not isinstance(value, bool)


def near(ours: Any, theirs: Any, size: float) -> bool:
    """Whether two computed numbers agree up to rounding."""
    a, b = float(ours), float(theirs)
    return a == b or abs(a - b) <= OUTPUTS * (1.0 + abs(a)) + min(OUTPUTS * max(size, 0.0), CANCELLING)
