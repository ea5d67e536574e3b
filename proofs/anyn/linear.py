"""Linear programs with rational data, solved in floating point by HiGHS. Nothing here is trusted."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from fractions import Fraction

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array

from dpwitness.proofs.anyn.clock import left, tick

Variable = Hashable
Linear = dict[Variable, Fraction]
"""A linear expression: coefficient of each variable, with the constant under None."""

DENOMINATORS = (1, 2, 12, 48, 720, 5040, 10**6)


def add(to: Linear, other: Mapping[Variable, Fraction], factor: Fraction | int = 1) -> Linear:
    """``to += factor · other``; returns `to`."""
    for variable, value in other.items():
        to[variable] = to.get(variable, Fraction(0)) + factor * value
    return to


class Problem:
    """A linear program that is built row by row."""

    def __init__(self) -> None:
        self.index: dict[Variable, int] = {}
        self.low: list[float | None] = []
        self.upper: list[Linear] = []
        self.equal: list[Linear] = []

    def variable(self, name: Variable, *, nonnegative: bool = False) -> Linear:
        """The expression that is one variable (made on first use)."""
        if name not in self.index:
            self.index[name] = len(self.low)
            self.low.append(0.0 if nonnegative else None)
        return {name: Fraction(1)}

    def at_most_zero(self, expression: Linear) -> None:
        """expression ≤ 0."""
        self.upper.append(expression)

    def zero(self, expression: Linear) -> None:
        """expression = 0."""
        if any(expression.values()):
            self.equal.append(expression)

    def minimise(
        self, objective: Mapping[Variable, Fraction | float | int]
    ) -> tuple[float, dict[Variable, float]] | None:
        """The least value and a solution; None where there is none."""
        cost = np.zeros(len(self.low))
        for variable, value in objective.items():
            cost[self.index[variable]] = float(value)
        a, b = self._matrix(self.upper)
        ae, be = self._matrix(self.equal)
        tick()
        bounds, options = [(low, None) for low in self.low], {"time_limit": max(0.01, min(left(), 1e6))}
        found = linprog(cost, A_ub=a, b_ub=b, A_eq=ae, b_eq=be, bounds=bounds, method="highs", options=options)
        if found.status != 0:
            return None
        return float(found.fun), {variable: float(found.x[k]) for variable, k in self.index.items()}

    def _matrix(self, rows: Iterable[Linear]) -> tuple[csr_array | None, list[float] | None]:
        values: list[float] = []
        columns: list[int] = []
        starts = [0]
        right: list[float] = []
        for row in rows:
            right.append(-float(row.get(None, 0)))
            for variable, value in row.items():
                if variable is not None and value:
                    columns.append(self.index[variable])
                    values.append(float(value))
            starts.append(len(values))
        if not right:
            return None, None
        return csr_array((values, columns, starts), shape=(len(right), len(self.low))), right


def nearest(value: float, denominator: int) -> Fraction:
    """The rational with a bounded denominator that is nearest to a float."""
    return Fraction(value).limit_denominator(denominator)
