"""The exact privacy loss between two given inputs, as a function of ε."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.proofs.kernel.arith import precision
from dpwitness.proofs.kernel.finite import NOTHING, Laws, Quotient
from dpwitness.proofs.programs.explain import loss
from dpwitness.proofs.programs.tables import read_data


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


def between(claim: Claim, left: Sequence[Any], right: Sequence[Any]) -> LossTable:
    """The exact laws of a program with finitely many outputs on two inputs, side by side.

    Parameters
    ----------
    left, right
        Two inputs; that they are neighbours is not checked.
    """
    tables = [read_data(claim, list(data)) for data in (left, right)]
    first, second = (Laws(table.tree, table.json["choices"]).of([]) for table in tables)
    names = sorted({*first, *second})
    rows = tuple((name, first.get(name, NOTHING), second.get(name, NOTHING)) for name in names)
    return LossTable(rows, all(table.tree.unit == "eps" for table in tables))
