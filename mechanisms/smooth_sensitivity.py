"""Smooth sensitivity of the median, in O(n log n).

For sorted :math:`x_1 \\le \\dots \\le x_n` in [0, Λ], with :math:`x_0 = 0` and :math:`x_{n+1} = \\Lambda`, changing k
records lets one further change move the median across a gap between two points that are k + 1 apart (n odd), or across
half of a gap between points that are k + 2 apart (n even, the median being the mean of the two middle values).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.core import exp


def median(data: Sequence[Any]) -> Any:
    """The middle value, or the mean of the two middle values.

    >>> median([3, 1, 2]), median([4, 1, 2, 3])
    (2, 2.5)
    """
    x = sorted(data)
    half = len(x) // 2
    return x[half] if len(x) % 2 else (x[half - 1] + x[half]) / 2


def local_sensitivity(data: Sequence[Any], top: Any) -> Any:
    """How far one replaced record can move the median.

    >>> local_sensitivity([0, 0, 0, 1, 1], 1), local_sensitivity([0, 0, 0, 0, 1], 1)
    (1, 0)
    """
    n, m = len(data), (len(data) + 1) // 2
    x = [0, *sorted(data), top]
    if n % 2:
        return max(x[m + 1] - x[m], x[m] - x[m - 1])
    return max(x[m + 2] - x[m], x[m + 1] - x[m - 1]) / 2


def smooth_sensitivity(data: Sequence[Any], beta: Any, top: Any) -> Any:
    r"""The smallest β-smooth upper bound on the local sensitivity: :math:`\max_y LS(y) e^{-\beta d(x,y)}`.

    The best right end of a gap moves right with its left end, so halving the range of left ends takes O(n log n).

    >>> from fractions import Fraction
    >>> print(smooth_sensitivity([0, 0, 0, 0, 1], Fraction(1, 2), 1).form)  # one change away from a gap of 1
    exp(-1/2)
    """
    n, m = len(data), (len(data) + 1) // 2
    x = [0, *sorted(data), top]
    if n % 2:  # gaps (i, j) with i ≤ m ≤ j and j − i = k + 1
        return max(_best_gap(x, (0, m - 1), (m, n + 1), beta, 1), _best_gap(x, (m, m), (m + 1, n + 1), beta, 1))
    wide = _best_gap(x, (0, m - 1), (m + 1, n + 1), beta, 2)  # i < m < j, or i = m and j > m + 1
    return max(wide, _best_gap(x, (m, m), (m + 2, n + 1), beta, 2)) / 2


def _best_gap(x: Sequence[Any], left: tuple[int, int], right: tuple[int, int], beta: Any, least: int) -> Any:
    """Largest (x[j] − x[i]) e^(−β (j − i − least)) for i and j in the given closed ranges."""
    best: Any = 0
    todo = [(left, right)]
    while todo:
        (first, last), (low, high) = todo.pop()
        if first > last or low > high:
            continue
        i = (first + last) // 2
        values = [(x[j] - x[i]) * _shrunk(beta, j - i - least) for j in range(low, high + 1)]
        j = low + max(range(len(values)), key=values.__getitem__)
        best = max(best, values[j - low])
        todo += [((first, i - 1), (low, j)), ((i + 1, last), (j, high))]
    return best


def _shrunk(beta: Any, changes: int) -> Any:
    return exp(-beta * changes) if changes else 1
