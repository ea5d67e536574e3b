"""Exact privacy losses: between two inputs, over a finite space, and over all real answers, as functions of ε."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.errors import OutsideFragment
from dpwitness.proofs.kernel.algebra.exppoly import ExpPoly
from dpwitness.proofs.kernel.algebra.quotients import NOTHING, ONE, Quotient
from dpwitness.proofs.kernel.arith import precision
from dpwitness.proofs.kernel.programs.finite import Laws
from dpwitness.proofs.kernel.programs.signs import find_negative
from dpwitness.proofs.programs.explain import loss
from dpwitness.proofs.programs.finite_inputs import read_inputs
from dpwitness.proofs.programs.rays import EVERYWHERE
from dpwitness.proofs.programs.scope import inside_of, moves_of
from dpwitness.proofs.programs.shift import bound
from dpwitness.proofs.programs.tables import read_data, read_table
from dpwitness.proofs.sizes import of_each_size


@dataclass(frozen=True)
class LossTable:
    """For every output its probability on the left and on the right, as exact functions of ε."""

    rows: tuple[tuple[str, Quotient, Quotient], ...]
    every_epsilon: bool

    def at(self, eps: Fraction) -> tuple[Fraction | None, str]:
        """The largest loss over outputs and both orders at one ε, rounded down (None: infinite), and its output."""
        where = eps if self.every_epsilon else Fraction(1)
        best: tuple[Fraction | None, str] = (Fraction(0), "")
        for name, p, q in self.rows:
            for top, bottom in ((p, q), (q, p)):
                if not top[0].terms:
                    continue
                value = loss(top, bottom, where)
                if value is None:
                    return None, name
                if best[0] is not None and value > best[0]:
                    best = (value, name)
        return best

    def curve(self, epsilons: Sequence[Fraction]) -> list[tuple[float, float]]:
        """Points (ε, loss) for a figure."""
        points = []
        for eps in epsilons:
            value, _ = self.at(Fraction(eps))
            points.append((float(eps), math.inf if value is None else float(value)))
        return points

    def decimals(self, eps: Fraction) -> dict[str, tuple[float, float]]:
        """Both probabilities of every output at one ε, for display."""
        where = eps if self.every_epsilon else Fraction(1)
        with precision(128):
            return {
                name: tuple(float((a.at(where).ball() / b.at(where).ball()).mid()) for a, b in (p, q))  # type: ignore[misc]
                for name, p, q in self.rows
            }


@dataclass(frozen=True)
class Formula:
    """The largest loss over all pairs and outputs of a finite space: ln(p/q), whatever ε > 0 is."""

    left: tuple[Any, ...]
    right: tuple[Any, ...]
    output: str
    p: Quotient
    q: Quotient

    def __str__(self) -> str:
        return f"ln(({_text(self.p)}) / ({_text(self.q)}))"

    def at(self, eps: Fraction) -> Fraction | None:
        """Its value at one ε, rounded down; None where it is infinite."""
        return loss(self.p, self.q, eps)


def _text(value: Quotient) -> str:
    top, bottom = value
    return str(top) if bottom == ONE else f"({top}) / ({bottom})"


def between(claim: Claim, left: Sequence[Any], right: Sequence[Any]) -> LossTable:
    """The exact laws of a program with finitely many outputs on two inputs, side by side.

    Parameters
    ----------
    left, right
        Two inputs; that they are neighbours is not checked.
    """
    tables = [read_data(claim, list(data)) for data in (left, right)]
    first, second = (Laws(table.tree).of([]) for table in tables)
    names = sorted({*first, *second})
    rows = tuple((name, first.get(name, NOTHING), second.get(name, NOTHING)) for name in names)
    return LossTable(rows, all(table.tree.unit == "eps" for table in tables))


def exact_loss(
    claim: Claim, queries: int | None = None, *, seconds: float | None = None
) -> tuple[Fraction, bool] | None:
    r"""The smallest b such that the program is b·ε-private for all real answers, and whether it is exact.

    Parameters
    ----------
    queries
        How many answers; None takes the claim's own number.

    Returns
    -------
    tuple or None
        (b, True) where b·ε is the supremum of the loss for every ε > 0, certified from both sides; (b, False) where it
        is an upper bound; None where no shift serves every output. A program that is read at one ε only gives the
        loss itself in place of b.

    >>> from dpwitness import Answers, PureDP, mechanism
    >>> @mechanism(data=Answers("all", size=3), claim=lambda eps: PureDP(2 * eps), typical={"eps": 1})
    ... def noisy_max(noise, answers, *, eps):
    ...     return noise.argmax([a + noise.laplace(1 / eps) for a in answers])
    >>> exact_loss(noisy_max.claims()[0])
    (Fraction(2, 1), True)
    """
    if queries is None and len(of_each_size(claim)) > 1:
        raise OutsideFragment("datasets of several sizes: queries= must say how many records")
    n = queries or claim.queries
    moves = moves_of(claim, n)
    if moves is None:
        raise OutsideFragment(f"no rule for {claim.space.describe()}")
    inside = inside_of(claim)
    table = read_table(claim, n, seconds=seconds)
    found = bound(table, moves, seconds=seconds, inside=inside or EVERYWHERE)
    return None if found.upper is None else (found.upper, found.exact and inside is not None)


def largest_loss(
    claim: Claim, *, values: Sequence[Any] | None = None, queries: int | None = None, seconds: float = 20.0
) -> Formula | None:
    r"""The exact largest loss over all pairs of a finite space, as one formula that holds for every ε > 0.

    The pair and output that are worst at ε = 1 are compared with all others: :math:`p q' \ge p' q` is decided for
    every ε > 0 at once. None where no single pair is worst at every ε, or where the laws are no functions of ε.

    >>> from dpwitness import PureDP, Records, mechanism
    >>> @mechanism(data=Records((0, 1), 1), claim=lambda eps: PureDP(eps), typical={"eps": 1})
    ... def response(noise, data, *, eps):
    ...     return data[0] if noise.bernoulli(log_odds=eps) else 1 - data[0]
    >>> print(largest_loss(response.claims()[0]))
    ln(((e^(eps)) / (1 + e^(eps))) / ((1) / (1 + e^(eps))))
    """
    found = read_inputs(claim, values=values, queries=queries, seconds=seconds)
    if not found.every_epsilon:
        return None
    cases: dict[tuple[Quotient, Quotient], tuple[int, int, str]] = {}
    for i, j in found.pairs:
        right = found.law(j)
        for name, p in found.law(i).items():
            if p[0].terms:
                cases.setdefault((p, right.get(name, NOTHING)), (i, j, name))
    worst, _ = max(((case, _size(case)) for case in cases), key=lambda entry: entry[1])
    for other in cases:
        if other != worst and find_negative(_margin(worst, other)) is not True:
            return None
    i, j, name = cases[worst]
    return Formula(found.inputs[i], found.inputs[j], name, *worst)


def _size(case: tuple[Quotient, Quotient]) -> float:
    value = loss(*case, Fraction(1))
    return math.inf if value is None else float(value)


def _margin(worst: tuple[Quotient, Quotient], other: tuple[Quotient, Quotient]) -> ExpPoly:
    """Positive where p/q of the first case is larger, up to positive factors."""
    ((a, b), (c, d)), ((e, f), (g, h)) = worst, other
    if b == d and f == h:
        return a * g - e * c
    return (a * d) * (f * g) - (e * h) * (b * c)
