"""Values of a function in floating point, to choose what to try; never evidence."""

from __future__ import annotations

import math
import operator
import random
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import ceil

from dpwitness.proofs.kernel.algebra.expr import Expr
from dpwitness.proofs.kernel.sensitivity.language import nodes

_PLAIN: dict[str, Callable[[float], float]] = {
    "exp": math.exp, "log": math.log, "sqrt": math.sqrt, "Abs": abs, "sin": math.sin, "cos": math.cos,
    "atan": math.atan, "tanh": math.tanh, "sinh": math.sinh, "cosh": math.cosh, "erf": math.erf, "erfc": math.erfc,
}  # fmt: skip


def value(node: Expr, x: Sequence[float], env: Mapping[str, float]) -> float:
    """The value of a function at a dataset; ``env`` holds n, the parameters and indices."""
    op = node.op
    if op == "num":
        return float(node.value)
    if op == "var":
        return env[node.name]
    if op == "rec":
        place = node.args[0]
        k = round(value(place.args[0] if place.op in ("wrap", "perm") else place, x, env))
        k = k % len(x) if place.op == "wrap" else k
        if not 0 <= k < len(x):
            raise IndexError(k)
        return x[k]
    if op in ("sum", "prod"):
        ends = [round(value(e, x, env)) for e in node.args[1:]]
        parts = (value(node.args[0], x, {**env, node.name: i}) for i in range(*ends))
        return math.fsum(parts) if op == "sum" else math.prod(parts)
    if op == "order":
        return _order(node, sorted(x))
    if op in ("pi", "E"):
        return math.pi if op == "pi" else math.e
    if op == "half":
        return float(len(x) // 2)
    args = [value(a, x, env) for a in node.args]
    if op in _PLAIN:
        return float(_PLAIN[op](args[0]))
    if op == "neg":
        return -args[0]
    if op == "sign":
        return float((args[0] > 0) - (args[0] < 0))
    a, b = args
    if op == "**" and a < 0 and b != int(b):
        raise ValueError("a negative number to a power that is not whole")
    return _BINARY[op](a, b)


_BINARY: dict[str, Callable[[float, float], float]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "**": operator.pow,
    "gt": operator.gt, "ge": operator.ge, "mod": operator.mod, "Min": min, "Max": max,
}  # fmt: skip


def _order(node: Expr, ranked: Sequence[float]) -> float:
    n = len(ranked)
    if node.name in ("max", "min"):
        return ranked[-1 if node.name == "max" else 0]
    if node.name == "median":
        return (ranked[(n - 1) // 2] + ranked[n // 2]) / 2
    if node.name in ("low_median", "high_median"):
        return ranked[(n - 1) // 2 if node.name == "low_median" else n // 2]
    return ranked[max(ceil(node.value * n), 1) - 1]


def interesting(f: Expr, ends: tuple[Fraction, Fraction]) -> list[Fraction]:
    """Values of a record that are worth trying: ends, middle, and numbers of the formula, with points beside them."""
    low, high = ends
    numbers = {node.value for node in nodes(f) if node.op == "num" and low < node.value < high}
    ratios = {
        a.value / b.value
        for node in nodes(f)
        if node.op == "/" and (a := node.args[0]).op == "num" and (b := node.args[1]).op == "num" and b.value
    }
    inner = sorted(numbers | {q for q in ratios if low < q < high} | {(low + high) / 2})[:4]
    return [low, high, *inner]


def extremes(terms: Sequence[Expr], ends: tuple[Fraction, Fraction], grid: int = 64) -> list[Fraction]:
    """Places inside the interval where functions of z are largest or smallest, on a grid."""
    low, high = ends
    places = [low + (high - low) * Fraction(k, grid) for k in range(grid + 1)]
    found = []
    for term in terms:
        try:
            seen = [value(term, [], {"z": float(z)}) for z in places]
        except (ArithmeticError, ValueError, LookupError):
            continue
        found += [places[seen.index(max(seen))], places[seen.index(min(seen))]]
    return [z for z in dict.fromkeys(found) if z not in (low, high, (low + high) / 2)]


def moves(
    outputs: Sequence[Expr], norm: str, left: Sequence[float], right: Sequence[float], params: Mapping[str, float]
) -> float:
    """How far the function moves between two datasets; −1 where it is undefined on one of them."""
    try:
        gaps = [
            abs(value(f, right, {**params, "n": len(right)}) - value(f, left, {**params, "n": len(left)}))
            for f in outputs
        ]
    except (ArithmeticError, ValueError, LookupError):
        return -1.0
    return max(gaps) if norm == "linf" else math.sqrt(sum(g * g for g in gaps)) if norm == "l2" else sum(gaps)


def random_pairs(
    n: int, points: Sequence[Fraction], seed: int, count: int
) -> list[tuple[list[Fraction], list[Fraction]]]:
    """Neighbouring datasets of n records from a few values, one record replaced."""
    draw = random.Random(seed)
    found = []
    for _ in range(count):
        left = [draw.choice(points) for _ in range(n)]
        if draw.random() < 0.5:
            left = [left[0]] * n
        right = list(left)
        p = draw.choice([0, n - 1, draw.randrange(n)])
        right[p] = draw.choice(points)
        if left != right:
            found.append((left, right))
    return found
