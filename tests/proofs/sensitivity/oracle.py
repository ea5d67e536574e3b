"""Functions of records as Python understands them: a formula is compiled as Python, and shares no code with the kernel.

The formulas are those of the tests, never text from outside.
"""

from __future__ import annotations

import ast
import itertools
import math
import random
import statistics
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

Data = Sequence[float]
NAMES: dict[str, Any] = {
    name: getattr(math, name) for name in ("exp", "log", "sqrt", "sin", "cos", "atan", "tanh", "sinh", "cosh", "pi")
} | {
    "E": math.e, "sum": sum, "prod": math.prod, "abs": abs, "Abs": abs, "range": range, "min": min, "max": max,
    "Max": max, "Min": min, "perm": lambda i: i, "median": statistics.median, "low_median": statistics.median_low,
    "high_median": statistics.median_high,
    "quantile": lambda x, p: sorted(x)[max(math.ceil(p * len(x) - 1e-12), 1) - 1], "__builtins__": {},
}  # fmt: skip


@lru_cache(maxsize=2000)
def compiled(source: str) -> Any:
    return compile(ast.parse(source.strip(), mode="eval"), "<formula>", "eval")


def evaluate(source: str, data: Data, **params: float) -> float:
    """The value of a canonical formula at a dataset; x[-1] is not allowed to mean the last record."""
    return float(eval(compiled(source), {**NAMES, "x": Strict(data), "n": len(data), **params}))


class Strict(list[float]):
    """Records that are counted from 0 and from nowhere else."""

    def __getitem__(self, k: Any) -> Any:
        if k < 0:
            raise IndexError(k)
        return super().__getitem__(k)


def neighbours(n: int, values: Data, seed: int, count: int, relation: str = "substitute") -> list[tuple[Data, Data]]:
    """Neighbours: all corners for small n, and random ones."""
    draw = random.Random(seed)
    found = []
    ends = (min(values), max(values))
    bases: list[list[float]] = [list(b) for b in itertools.product(ends, repeat=n)] if n <= 5 else []
    bases += [[draw.choice(values) for _ in range(n)] for _ in range(count)]
    bases += [[v] * n for v in (*ends, draw.choice(values))]
    for base in bases:
        if relation == "substitute":
            for p in {0, n - 1, draw.randrange(n)}:
                for v in (*ends, draw.choice(values)):
                    found.append((base, [*base[:p], v, *base[p + 1 :]]))
        else:
            p = draw.randrange(n + 1)
            found += [(base, [*base[:p], v, *base[p:]]) for v in (*ends, draw.choice(values))]
    return found


def largest_move(
    sources: Sequence[str],
    n: int,
    *,
    norm: str = "l1",
    relation: str = "substitute",
    ends: tuple[float, float] = (0, 1),
    seed: int = 0,
    count: int = 40,
) -> float:
    """The largest difference that a search finds; −1 where the function is undefined on all of the datasets."""
    low, high = ends
    draw = random.Random(seed + 1)
    values = [low, high, (low + high) / 2, low + 0.3 * (high - low), *(draw.uniform(low, high) for _ in range(6))]
    best = -1.0
    for left, right in neighbours(n, values, seed, count, relation):
        try:
            moves = [abs(evaluate(s, right) - evaluate(s, left)) for s in sources]
        except (ArithmeticError, ValueError, LookupError, statistics.StatisticsError):
            continue
        best = max(best, max(moves) if norm == "linf" else math.hypot(*moves) if norm == "l2" else sum(moves))
    return best


Function = Callable[[Data], float]
