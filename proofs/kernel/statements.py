"""The parts of a theorem that many checkers state: guarantees as formulas, relations, parameters left open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from dpwitness.proofs.kernel.arith import text
from dpwitness.proofs.kernel.theorem import Formula, constant, fingerprint

NO_INPUTS: Mapping[str, Any] = {"inputs": "none"}
EVERY_EPS: Mapping[str, Mapping[str, str]] = {"eps": {"above": "0"}}


def times_eps(factor: Fraction) -> Formula:
    """factor · eps.

    >>> times_eps(Fraction(2))
    ((Fraction(2, 1), (('eps', 1),)),)
    """
    return ((factor, (("eps", 1),)),) if factor else ()


def guarantee(claim: Mapping[str, Any]) -> dict[str, Any]:
    """A guarantee that `claims` has read, with its numbers as formulas."""
    return {name: value if name == "kind" else constant(value) for name, value in claim.items()}


def epsilon_delta(epsilon: Fraction, delta: Fraction = Fraction(0)) -> dict[str, Any]:
    """Pure where δ = 0, else approximate."""
    if not delta:
        return {"kind": "pure", "epsilon": constant(epsilon)}
    return {"kind": "approximate", "epsilon": constant(epsilon), "delta": constant(delta)}


def loss(bound: Fraction, unit: str) -> tuple[dict[str, Any], Mapping[str, Mapping[str, str]]]:
    """Pure privacy of so many units, and the parameters left open: the unit is ε or 1.

    >>> loss(Fraction(1), "1")[1]
    {}
    """
    if unit == "eps":
        return {"kind": "pure", "epsilon": times_eps(bound)}, EVERY_EPS
    return epsilon_delta(bound), {}


def at_eps(eps: Fraction, unit: str) -> Mapping[str, Mapping[str, str]]:
    """The parameters left open by a statement at one ε: ε itself where the model keeps it."""
    return {"eps": {"equals": text(eps)}} if unit == "eps" else {}


def two_inputs(left: Sequence[str], right: Sequence[str]) -> tuple[dict[str, Any], tuple[int, ...]]:
    """The relation of a violation, and its sizes.

    >>> two_inputs(["0"], ["0", "1"])
    ({'inputs': 'pair', 'left': ['0'], 'right': ['0', '1']}, (1, 2))
    """
    return {"inputs": "pair", "left": list(left), "right": list(right)}, tuple(sorted({len(left), len(right)}))


def subject(certificate: Mapping[str, Any], *names: str) -> str:
    """The fingerprint of the named fields of a certificate: its model."""
    return fingerprint({name: certificate[name] for name in names if name in certificate})


__all__ = [
    "EVERY_EPS",
    "NO_INPUTS",
    "at_eps",
    "epsilon_delta",
    "guarantee",
    "loss",
    "subject",
    "times_eps",
    "two_inputs",
]
