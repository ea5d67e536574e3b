"""Numbers that depend on parameters alone: about how large they are at some values of these.

``exp(eps) * exp(-eps) - 1`` is 0, and Python's number is 0.0 at many ε and -1.1e-16 at ε = 1.5. No run at a few ε need
come across it, and a factor makes it large.
"""

from __future__ import annotations

import math

from dpwitness.proofs.kernel.algebra.laurent import Poly
from dpwitness.proofs.kernel.composition.knowledge import Knowledge

LEFT = 2.0**-26  # of the sizes of two numbers: where less is left of their sum, half of the digits are lost
MODERATE = (0.11, 0.63, 1.07, 1.93, 3.1)  # values of parameters; a sum that cancels at all of them is no number


def about(form: Poly, known: Knowledge, value: float) -> float:
    """A form of closed symbols as a double, all open parameters being `value`."""
    return sum(
        float(c) * math.prod(_symbol(symbol, known, value) ** power for symbol, power in mono)
        for mono, c in form.terms.items()
    )


def _symbol(symbol: str, known: Knowledge, value: float) -> float:
    if symbol in known.params:
        return value
    made = known.lets[symbol]
    inner = about(made.forms[0], known, value)
    found: float = 1 / inner if made.operation == "inverse" else getattr(math, made.operation)(inner)
    return found


def cancel(one: Poly, two: Poly, known: Knowledge) -> bool:
    """Whether hardly anything is left of the sum of two forms of closed symbols, whatever the parameters are."""
    if not all(known.is_closed(s) for form in (one, two) for s in form.symbols()):
        return False
    for value in MODERATE:
        try:
            sizes = [about(form, known, value) for form in (one, two, one + two)]
        except (ArithmeticError, ValueError):  # no doubles there
            continue
        if abs(sizes[2]) > LEFT * (abs(sizes[0]) + abs(sizes[1])):
            return False
    return any(form.terms for form in (one, two))


__all__ = ["about", "cancel"]
