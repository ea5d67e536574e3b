"""A sanitised database: the exponential mechanism chooses a whole synthetic database that answers all queries well.

The universe is tiny, two Boolean attributes, so that all synthetic databases can be listed.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

from dpwitness.core import PureDP, Records, mechanism
from dpwitness.core.noise import Noise

UNIVERSE = tuple(product((0, 1), repeat=2))
CANDIDATES = tuple(combinations_with_replacement(UNIVERSE, 2))  # databases of two rows
CONJUNCTIONS = tuple(product((0, 1, None), repeat=2))  # the value asked of each attribute; None: any


def answers(rows: Sequence[Any]) -> list[Fraction]:
    """The fraction of rows that satisfy each conjunction."""
    matching = [
        sum(all(want in (None, have) for want, have in zip(query, row, strict=True)) for row in rows)
        for query in CONJUNCTIONS
    ]
    return [Fraction(count, len(rows)) for count in matching]


TABLE = [answers(candidate) for candidate in CANDIDATES]


def _errors(rows: Sequence[Any]) -> list[list[Fraction]]:
    """By how much each conjunction is wrong on each candidate."""
    truth = answers(rows)
    return [[abs(a - t) for a, t in zip(row, truth, strict=True)] for row in TABLE]


@mechanism(
    data=Records(UNIVERSE, 3),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1},
    tags=("sources", "exponential-mechanism", "finite"),
    cites="Blum, Ligett and Roth 2008, section 3",
)
def sanitised_database(noise: Noise, rows: Sequence[Any], *, eps: Any) -> Any:
    r"""A synthetic database, by its worst error over all conjunctions: :math:`P[S] \propto e^{-\varepsilon n\,u(S)/2}`.

    The penalty :math:`u(S) = \max_q |q(S) - q(D)|` moves by at most 1/n when one row is replaced.
    """
    penalties = [max(errors) for errors in _errors(rows)]
    return CANDIDATES[noise.choice(log_weights=[-eps * len(rows) * u / 2 for u in penalties])]


@sanitised_database.twin("summed-errors", tags=("exponential-mechanism", "finite"), notes="many queries move at once")
def _(noise: Noise, rows: Sequence[Any], *, eps: Any) -> Any:
    """The penalty is the sum of all errors, taken to move by 1/n like the largest one."""
    penalties = [sum(errors) for errors in _errors(rows)]
    return CANDIDATES[noise.choice(log_weights=[-eps * len(rows) * u / 2 for u in penalties])]


@sanitised_database.twin("exact-when-possible", tags=("exponential-mechanism", "finite"))
def _(noise: Noise, rows: Sequence[Any], *, eps: Any) -> Any:
    """A candidate of the best penalty is always released: no randomness protects the data."""
    penalties = [max(errors) for errors in _errors(rows)]
    return CANDIDATES[penalties.index(min(penalties))]
