"""Events of counterexamples, decided on outputs of real runs."""

from __future__ import annotations

from fractions import Fraction


def matches(run, output, box):
    """Whether one output of the program is the event's, with its real numbers inside the box."""
    if output[0] == "slot":
        low, high = next(box)
        number = isinstance(run, int | float) and not isinstance(run, bool)
        return number and (low is None or run >= Fraction(low)) and (high is None or run <= Fraction(high))
    if output[0] == "const":
        return run == output[2] and isinstance(run, type(output[2]))
    if not isinstance(run, list | tuple) or len(run) != len(output) - 1:
        return False
    return all(matches(a, b, box) for a, b in zip(run, output[1:], strict=True))
