"""A pair of inputs of a finite space that breaks a claim, as evidence with its certificate."""

from __future__ import annotations

import ast
from fractions import Fraction
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.evidence import Counterexample, Event, Scope
from dpwitness.core.readers.outputs import put_together
from dpwitness.proofs.kernel.algebra.exppoly import ExpPoly
from dpwitness.proofs.kernel.algebra.quotients import NOTHING, Quotient, total
from dpwitness.proofs.kernel.arith import precision
from dpwitness.proofs.programs.explain import loss
from dpwitness.proofs.programs.finite_inputs import Broken, FiniteInputs


def pair_evidence(
    found: FiniteInputs, broken: Broken, claim: Claim, epsilon: Fraction, delta: Fraction, seconds: float
) -> Counterexample:
    """A failing pair as evidence, with a certificate that recomputes both laws."""
    left, right = found.law(broken.left), found.law(broken.right)
    at = broken.eps if found.every_epsilon else Fraction(1)
    p = total([left.get(name, NOTHING) for name in broken.outputs])
    q = total([right.get(name, NOTHING) for name in broken.outputs])
    name = "eps" if found.every_epsilon else "1"
    words = " or ".join(words_of(output) for output in broken.outputs)
    low = loss(p, q, at)
    shown = "it cannot happen on the right" if low is None else f"its loss there is {float(low):.4g}"
    return Counterexample(
        left=found.inputs[broken.left],
        right=found.inputs[broken.right],
        event=Event(f"output {words}"),
        p_left=_show(p, name),
        p_right=_show(q, name),
        p_left_decimal=_decimal(p, at),
        p_right_decimal=_decimal(q, at),
        epsilon_lower=low if not delta else _hockey(p, q, at, delta),
        scope=Scope(queries=len(found.inputs[broken.left]), epsilon=str(broken.eps)),
        certificate=pair_certificate(found, broken, epsilon, delta, claim.target),
        method=f"exact probabilities. output {words}: {shown}, the claim allows {float(epsilon):.4g}",
        seconds=seconds,
    )


def pair_certificate(
    found: FiniteInputs, broken: Broken, epsilon: Fraction, delta: Fraction, target: str
) -> dict[str, Any]:
    """Two inputs with their trees, and the outputs whose probabilities break the claim."""
    inputs = found.space.inputs()
    sides = (broken.left, broken.right)
    return {
        "type": "program-pair",
        "target": target,
        "space": found.space.to_json(),
        "inputs": [list(inputs[i]) for i in sides],
        "trees": [found.tables[0].json] if found.shared else [found.tables[found.use[i]].json for i in sides],
        "outputs": broken.outputs,
        "eps": str(broken.eps),
        "claim": {"epsilon": str(epsilon), "delta": str(delta)},
    }


def words_of(output: str) -> str:
    """An output of a law as Python shows it."""
    return repr(put_together(ast.literal_eval(output), iter(())))


def _show(value: Quotient, name: str) -> str:
    top, bottom = value
    return top.text(name) if bottom == ExpPoly.of(1) else f"({top.text(name)})/({bottom.text(name)})"


def _decimal(value: Quotient, at: Fraction) -> float:
    with precision(256):
        return float((value[0].at(at).ball() / value[1].at(at).ball()).mid())


def _hockey(p: Quotient, q: Quotient, at: Fraction, delta: Fraction) -> Fraction | None:
    """ln((P − δ)/Q), rounded down: the ε that the event shows at this δ."""
    return loss((p[0] - ExpPoly.of(delta) * p[1], p[1]), q, at)
