r"""A theorem: what the kernel verified, and nothing else.

`check` is the only maker of theorems. Whoever decides a claim compares the fields of a theorem with the claim; words
are for people. Every field is computed by the checker from what it verified. Nothing is copied from a label of the
certificate.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

_checking: ContextVar[bool] = ContextVar("checking", default=False)

Term = tuple[Fraction, tuple[tuple[str, int], ...]]
Formula = tuple[Term, ...]
"""A Laurent polynomial in the open parameters: Σ c · Π p^k. A number is one term without parameters, 0 is no term."""


def constant(value: Fraction | int) -> Formula:
    """A number as a formula.

    >>> constant(0), constant(2)
    ((), ((Fraction(2, 1), ()),))
    """
    return ((Fraction(value), ()),) if value else ()


def evaluate(formula: Formula, params: Mapping[str, Fraction]) -> Fraction:
    """The value of a formula.

    >>> evaluate(((Fraction(3), (("eps", 1),)),), {"eps": Fraction(1, 2)})
    Fraction(3, 2)
    """
    total = Fraction(0)
    for coefficient, powers in formula:
        part = coefficient
        for name, power in powers:
            part *= Fraction(params[name]) ** power
        total += part
    return total


@contextmanager
def checking() -> Iterator[None]:
    """The time in which theorems can be made: `check` enters it, and nothing else should."""
    token = _checking.set(True)
    try:
        yield
    finally:
        _checking.reset(token)


@dataclass(frozen=True)
class Theorem:
    r"""A verified statement about a model. Only a running `check` can make one.

    Attributes
    ----------
    kind
        The type of the certificate.
    statement
        The theorem in words, complete: model, neighbours, sizes, guarantee.
    subject
        The fingerprint of the model that the theorem is about (`fingerprint` of the certificate's model part).
    refutes
        True where the theorem is a violation: two inputs and an event break the guarantee.
    guarantee
        ``{"kind": "pure" | "approximate" | "zcdp" | "renyi" | "gaussian", "epsilon": Formula, "delta": Formula,
        "rho": ..., "order": ..., "mu": ...}`` with the fields of its kind; of a violation, the guarantee it breaks.
    relation
        The inputs and which of them are neighbours:
        ``{"inputs": "answers", "moves": "all" | "one" | "up" | "down" | "l1" | "l2", "by": "1", "whole": bool,
        "low": str | None, "high": str | None, "values": [str] | None}``;
        ``{"inputs": "records", "relation": "substitute" | "add-remove", "points": [...]}`` for a finite domain,
        ``{"inputs": "records", "relation": ..., "low": "0", "high": "1"}`` for an interval;
        ``{"inputs": "pair", "left": [...], "right": [...]}`` for a violation on two inputs;
        ``{"inputs": "none"}`` where the theorem speaks of laws, formulas or densities and of no inputs at all: such a
        theorem decides no claim about a program.
    sizes
        The numbers of answers or records for which it holds, or ``"any"``.
    open
        The parameters that the model leaves open, with their domains (``{"eps": {"above": "0"}}``): the theorem holds
        for all their values. A violation at one value says ``{"eps": {"equals": "1/16"}}``. All other parameters were
        put in as numbers when the model was made.
    assumptions
        Theorems of the literature that the argument uses without a proof in this kernel.
    """

    kind: str
    statement: str
    subject: str
    refutes: bool
    guarantee: Mapping[str, Any]
    relation: Mapping[str, Any]
    sizes: tuple[int, ...] | Literal["any"]
    open: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    assumptions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not _checking.get():
            raise TypeError("theorems are made by kernel.check.check and by nothing else")


def fingerprint(model: Any) -> str:
    """The hash of a model as it stands in a certificate.

    >>> fingerprint({"a": 1, "b": [2]}) == fingerprint({"b": [2], "a": 1})
    True
    """
    return hashlib.sha256(json.dumps(model, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
