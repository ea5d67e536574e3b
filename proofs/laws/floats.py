"""Formulas as floating-point arrays, for figures only: never evidence."""

from __future__ import annotations

from typing import Any

from dpwitness.proofs.kernel.algebra.expr import Expr


def values(expr: Expr, z: Any) -> Any:
    """The formula at an array of points.

    >>> import numpy as np
    >>> from dpwitness.proofs.kernel.algebra.expr import parse
    >>> values(parse("1/(1+Abs(z))"), np.array([-1.0, 3.0])).tolist()
    [0.5, 0.25]
    """
    import numpy as np
    from scipy import special

    if expr.op == "num":
        return float(expr.value) + 0 * z
    if expr.op == "var":
        return z
    if expr.op in ("pi", "E"):
        return (np.pi if expr.op == "pi" else np.e) + 0 * z
    args = [values(a, z) for a in expr.args]
    with np.errstate(all="ignore"):
        return {
            "+": lambda: args[0] + args[1],
            "-": lambda: args[0] - args[1],
            "*": lambda: args[0] * args[1],
            "/": lambda: args[0] / args[1],
            "**": lambda: args[0] ** args[1],
            "neg": lambda: -args[0],
            "Min": lambda: np.minimum(*args),
            "Max": lambda: np.maximum(*args),
            "Abs": lambda: np.abs(args[0]),
            "sign": lambda: np.sign(args[0]),
            "exp": lambda: np.exp(args[0]),
            "log": lambda: np.log(args[0]),
            "sqrt": lambda: np.sqrt(args[0]),
            "sin": lambda: np.sin(args[0]),
            "cos": lambda: np.cos(args[0]),
            "sinh": lambda: np.sinh(args[0]),
            "cosh": lambda: np.cosh(args[0]),
            "tanh": lambda: np.tanh(args[0]),
            "atan": lambda: np.arctan(args[0]),
            "erf": lambda: special.erf(args[0]),
            "erfc": lambda: special.erfc(args[0]),
        }[expr.op]()


def guess(expr: Expr, change: str, eps: float, delta: float) -> float:
    """Roughly the largest slide or dilation at (ε,δ), by bisection on a grid; the answer is then certified."""
    import numpy as np

    z = np.sinh(np.linspace(-45, 45, 60_001))
    weight = np.gradient(z)
    with np.errstate(all="ignore"):
        h = np.nan_to_num(values(expr, z))
        total = float(np.sum(h * weight))

    def excess(by: float) -> float:
        worst = 0.0
        for side in (by, -by):
            with np.errstate(all="ignore"):
                moved = values(expr, z - side) if change == "slide" else np.exp(side) * values(expr, np.exp(side) * z)
                moved = np.nan_to_num(moved)
                if delta > 0:
                    worst = max(worst, float(np.sum(np.maximum(h - np.exp(eps) * moved, 0) * weight)) / total)
                else:
                    both = (h > 1e-290) & (moved > 1e-290)
                    worst = max(worst, float(np.max(np.abs(np.log(h[both]) - np.log(moved[both])))))
        return worst - (delta if delta > 0 else eps)

    low, high = 0.0, 1e-3
    while excess(high) < 0 and high < 1e6:
        low, high = high, 2 * high
    for _ in range(45):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) < 0 else (low, middle)
    return (low + high) / 2
