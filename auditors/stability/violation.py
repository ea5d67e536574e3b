"""Whether two answers violate a claim of stability, and by how much: exact arithmetic on the outputs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from dpwitness.auditors.stability.calls import Answer
from dpwitness.core.errors import BadInput
from dpwitness.core.numbers import show
from dpwitness.core.stability.claim import Stable
from dpwitness.core.stability.columns import Column
from dpwitness.core.stability.distances import numbers, text_key

Kind = Literal["moves", "raises", "domain", "rounding"]


@dataclass(frozen=True)
class Violation:
    """What two answers show.

    Parameters
    ----------
    measure
        The distance of the outputs to the power `power`; ∞ where they cannot be compared.
    bound
        What was allowed; None for a violation of the domain.
    """

    kind: Kind
    measure: Fraction | float
    bound: Fraction | None
    power: int = 1

    @property
    def distance(self) -> float:
        """The distance as a float, for people."""
        return float(self.measure) if self.power == 1 else math.sqrt(self.measure)

    def text(self) -> str:
        """The distance in words."""
        if self.measure == math.inf:
            return "∞"
        if self.power == 1 and isinstance(self.measure, Fraction):
            text = show(self.measure)
            return f"just above {text}" if self.bound is not None and text == show(self.bound) else text
        return f"{self.distance:.6g}"


def violation(claim: Stable, apart: Any, left: Answer, right: Answer) -> Violation | None:
    """What two answers on inputs at distance `apart` show against the claim; None where nothing."""
    for answer in (left, right):
        if claim.domain is not None and answer.raised is None and not in_domain(claim.domain, answer.value):
            return Violation("domain", math.inf, None)
    bound = claim.allowed(apart)
    if bound is None or (left.raised is not None and left.raised == right.raised):
        return None
    if left.raised is not None or right.raised is not None:
        return Violation("raises", math.inf, bound)
    distance = claim.distance
    try:
        measure = distance.measure(left.value, right.value)
    except BadInput:
        raise
    except Exception as error:
        raise BadInput(f"the distance failed on two outputs: {type(error).__name__}: {error}") from error
    if measure == math.inf:
        if not _comparable(left.value) and text_key(left.value) == text_key(right.value):
            return None
        return Violation("moves", measure, bound, distance.power)
    if measure <= bound**distance.power:
        return None
    allowed = bound + (0 if claim.numerics == "doubles" else distance.rounding(left.value, right.value, bound))
    kind: Kind = "rounding" if measure <= allowed**distance.power else "moves"
    return Violation(kind, measure, bound, distance.power)


def _comparable(value: Any) -> bool:
    return numbers(value) is not None


def in_domain(domain: Any, output: Any) -> bool:
    """Whether an output is in the declared domain: every number or text of it, where the domain is a column."""
    if not isinstance(domain, Column):
        try:
            return bool(domain(output))
        except Exception as error:
            raise BadInput(f"the domain failed on an output: {type(error).__name__}: {error}") from error
    if domain.kind != "choice":
        found = numbers(output)
        if found is not None:
            return all(domain.holds(value) for value in found.values())
    if isinstance(output, list | tuple):
        return all(in_domain(domain, part) for part in output)
    return domain.holds(output)
