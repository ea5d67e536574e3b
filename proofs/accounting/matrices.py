r"""Matrix mechanisms: noise that is correlated over the steps of a stream.

A strategy C turns the contributions x₁, …, xₙ of the steps into Cx, which is released with normal noise; everything
else (C⁻¹, running sums, a training loop) is made from that. One record takes part in at most k steps, any two of them
at least b apart, each time with a vector of length at most Δ. With X = CᵀC it moves Cx by at most

.. math:: \Delta^2 \max_\pi \sum_{i,j\in\pi} |X_{ij}|

in squared length, the maximum over all its patterns π: with vectors vᵢ, the square is Σ Xᵢⱼ⟨vᵢ, vⱼ⟩. Where columns of
steps that are b apart are orthogonal (a band of at most b diagonals) only the diagonal counts, and the maximum is found
by dynamic programming; it is attained. Otherwise every i of a pattern is charged for the worst other members of a
pattern that it could have: an upper bound. All of it is exact arithmetic on rationals.

Contributions may depend on what was released before where C is lower triangular (Denisov, McMahan, Rush, Smith and
Guha Thakurta 2022, theorem 2.1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from dpwitness.core.errors import BadInput
from dpwitness.core.numbers import exact
from dpwitness.proofs.accounting.composition import Composition

MAX_STEPS, MAX_WORK = 4_000, 20_000_000


@dataclass(frozen=True)
class Sensitivity:
    """The squared length by which one record moves Cx, and whether some record does move it so far."""

    squared: Fraction
    attained: bool


def toeplitz(coefficients: Sequence[object], size: int) -> list[list[Fraction]]:
    """The lower triangular matrix with these diagonals.

    >>> [[int(x) for x in row] for row in toeplitz([2, 1], 3)]
    [[2, 0, 0], [1, 2, 0], [0, 1, 2]]
    """
    given = [Fraction(exact(c, "coefficient")) for c in coefficients]
    if not given or not isinstance(size, int) or not 1 <= size <= MAX_STEPS:
        raise BadInput(f"a strategy has at least one diagonal and 1 to {MAX_STEPS} steps, not size={size!r}")
    return [
        [given[i - j] if 0 <= i - j < len(given) else Fraction(0) for j in range(size)] for i in range(size)
    ]  # fmt: skip


def matrix_sensitivity(strategy: Sequence[Sequence[object]], times: int = 1, gap: int = 1) -> Sensitivity:
    """How far one record moves Cx if it takes part at most `times` times, at least `gap` steps apart.

    >>> matrix_sensitivity(toeplitz([1, "1/2"], 6), times=3, gap=2)
    Sensitivity(squared=Fraction(15, 4), attained=True)
    """
    for name, value in (("times", times), ("gap", gap)):
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise BadInput(f"{name}={value!r} must be a whole number of at least 1")
    n = len(strategy)
    if n * n * min(times, n) > MAX_WORK:
        raise BadInput(f"{n} steps and {times} participations are too many for an exact sensitivity here")
    columns = _columns(strategy)
    near = [{j: _product(columns[i], columns[j]) for j in range(n)} for i in range(n)]
    diagonal = [near[i][i] for i in range(n)]
    far = any(near[i][j] for i in range(n) for j in range(i + gap, n))
    if times == 1 or not far:
        return Sensitivity(_separated(diagonal, times, gap), True)
    charged = [
        diagonal[i]
        + _separated([abs(near[i][j]) if abs(i - j) >= gap else Fraction(0) for j in range(n)], times - 1, gap)
        for i in range(n)
    ]
    return Sensitivity(_separated(charged, times, gap), False)


def _columns(strategy: Sequence[Sequence[object]]) -> list[dict[int, Fraction]]:
    rows = [[Fraction(exact(x, "strategy")) for x in row] for row in strategy]
    n = len(rows)
    if not 1 <= n <= MAX_STEPS or any(len(row) != n for row in rows):
        raise BadInput(f"a strategy is a square matrix with 1 to {MAX_STEPS} rows")
    if any(rows[i][j] for i in range(n) for j in range(i + 1, n)):
        raise BadInput("a strategy is lower triangular: what is released at a step is made from the steps so far")
    return [{i: rows[i][j] for i in range(j, n) if rows[i][j]} for j in range(n)]


def _product(one: dict[int, Fraction], other: dict[int, Fraction]) -> Fraction:
    small, large = (one, other) if len(one) <= len(other) else (other, one)
    return sum((value * large[i] for i, value in small.items() if i in large), Fraction(0))


def _separated(weights: Sequence[Fraction], times: int, gap: int) -> Fraction:
    """The largest sum of at most `times` weights ≥ 0 whose places are at least `gap` apart."""
    best = [Fraction(0)] * (len(weights) + 1)
    for _ in range(min(times, -(-len(weights) // gap))):
        after = [Fraction(0)]
        for i, weight in enumerate(weights):
            after.append(max(after[-1], weight + best[max(i + 1 - gap, 0)]))
        best = after
    return best[-1]


def matrix(
    strategy: Sequence[Sequence[object]], sigma: object, *, times: int = 1, gap: int = 1, sensitivity: object = 1
) -> Composition:
    """A matrix mechanism as one Gaussian step; σ is the noise of each number of Cx.

    Where the sensitivity is only bounded, the lower end of a bracket speaks of Gaussian noise at that bound.

    >>> print(matrix(toeplitz([1, "1/2"], 100), 4, times=3, gap=10).epsilon("1e-5"))
    1.9225918024605..11
    """
    from dpwitness.proofs.accounting.steps import gaussian

    unit = gaussian(sigma, sensitivity)
    ((kind, squared), count), *_ = unit.steps
    return Composition((((kind, squared * matrix_sensitivity(strategy, times, gap).squared), count),))
