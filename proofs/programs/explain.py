"""A witness as evidence: the event in words, both probabilities, the loss, and from which ε on it fails."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpwitness.core.evidence import Counterexample, Event, Scope
from dpwitness.core.readers.outputs import put_together
from dpwitness.proofs.kernel.algebra.exppoly import ExpPoly
from dpwitness.proofs.kernel.algebra.quotients import Quotient
from dpwitness.proofs.kernel.arith import lower, outward, precision
from dpwitness.proofs.kernel.programs.lower import Box
from dpwitness.proofs.kernel.programs.witness import violation
from dpwitness.proofs.programs.counterexamples import Witness
from dpwitness.proofs.programs.tables import Table

ZERO = Fraction(0)


def describe_event(table: Table, output: int, box: Box) -> str:
    """The event in words, such as ``output [False, x] with -1/4 <= x <= 1/4``."""
    names = iter("xyzuvw" if len(box) <= 6 else [f"x{i}" for i in range(len(box))])
    used = [next(names) for _ in box]

    def freeze(part: Any) -> Any:
        return tuple(freeze(p) for p in part) if isinstance(part, list) else part

    class _Name:
        def __init__(self, text: str) -> None:
            self.text = text

        def __repr__(self) -> str:
            return self.text

    shape = put_together(freeze(table.tree.outputs[output]), iter(_Name(name) for name in used))
    bounds = []
    for name, (low, high) in zip(used, box, strict=True):
        left = "" if low is None else f"{low} <= "
        right = "" if high is None else f" <= {high}"
        bounds.append(f"{left}{name}{right}" if left or right else f"any {name}")
    return f"output {shape!r}" + (f" with {', '.join(bounds)}" if bounds else "")


def loss(left: Quotient, right: Quotient, eps: Fraction) -> Fraction | None:
    """ln(P_left/P_right) at ε, rounded down; None where it is infinite."""
    if not right[0].terms:
        return None
    bits = 128
    while bits <= 1 << 14:
        with precision(bits):
            top = (left[0] * right[1]).at(eps).ball()
            bottom = (right[0] * left[1]).at(eps).ball()
            if top > 0 and bottom > 0:
                value = (top / bottom).log()
                low, _ = outward(lower(value), lower(value), 12)
                return low
        bits *= 2
    return None


def smallest_epsilon(witness: Witness) -> tuple[str, Fraction | None]:
    """From which ε on this pair and event break the claim b·ε: in words, and as a rational where there is one."""
    if witness.table.epsilon is not None or witness.table.tree.unit != "eps" or witness.delta:
        return f"at ε = {witness.table.epsilon or witness.eps}", witness.table.epsilon or witness.eps
    factor = witness.epsilon / witness.eps

    def broken(eps: Fraction) -> bool:
        return violation(witness.p_left, witness.p_right, eps, factor * eps, ZERO).sign() > 0

    low = Fraction(1, 1024)
    if broken(low) and broken(Fraction(1, 2)):
        return "at every ε from 1/1024 on, as far as it was evaluated", low
    high = witness.eps
    while high - low > high / 64:
        middle = (low + high) / 2
        middle = middle.limit_denominator(4096)
        if middle in (low, high):
            break
        low, high = (low, middle) if broken(middle) else (middle, high)
    return f"from about ε = {float(high):.3g} on", high


def evidence(witness: Witness, program: str, target: str, seconds: float = 0.0) -> Counterexample:
    """The witness as evidence, with its certificate and an explanation."""
    at = witness.eps
    given = witness.table.epsilon if witness.table.epsilon is not None else at
    top, bottom = witness.p_left
    low = loss((top - ExpPoly.of(witness.delta) * bottom, bottom), witness.p_right, at)
    words, _ = smallest_epsilon(witness)
    event = describe_event(witness.table, witness.output, witness.box)
    shown = "it cannot happen on the right" if low is None else f"its loss there is {float(low):.4g}"
    why = f"{event}: {shown}, the claim allows {float(witness.epsilon):.4g}; the pair violates {words}"
    return Counterexample(
        left=witness.left,
        right=witness.right,
        event=Event(event),
        p_left=_quotient(witness.p_left, witness.table),
        p_right=_quotient(witness.p_right, witness.table),
        p_left_decimal=_decimal(witness.p_left, at),
        p_right_decimal=_decimal(witness.p_right, at),
        epsilon_lower=low,
        scope=Scope(queries=len(witness.left), epsilon=str(given)),
        certificate=witness.certificate(program, target),
        method="exact probabilities. " + why,
        seconds=seconds,
    )


def _quotient(value: Quotient, table: Table) -> str:
    name = "eps" if table.epsilon is None and table.tree.unit == "eps" else "1"
    top, bottom = value
    return top.text(name) if bottom == ExpPoly.of(1) else f"({top.text(name)})/({bottom.text(name)})"


def _decimal(value: Quotient, eps: Fraction) -> float:
    with precision(256):
        return float((value[0].at(eps).ball() / value[1].at(eps).ball()).mid())
