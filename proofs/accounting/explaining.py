"""How a bracket was found, in words."""

from __future__ import annotations

import time
from typing import Any

from dpwitness.proofs.accounting.composition import Composition
from dpwitness.proofs.accounting.engine import Bounds

TRUSTED = "python-flint's ball arithmetic and integer polynomials"


def explain(whole: Composition, delta: object) -> str:
    """Engine, worst order, size of the sum or the grid, time, and what is trusted."""
    begun = time.perf_counter()
    bracket = whole.epsilon(delta)
    seconds = time.perf_counter() - begun
    orders = whole._orders()
    lines = [
        f"{whole}",
        f"epsilon at delta {delta}: {bracket}  (relative width {bracket.relative:.1g}, {seconds:.2f} s)",
    ]
    for i in range(len(orders)):
        name = ("one record removed", "one record added")[i] if len(orders) > 1 else "both orders are the same"
        found = whole._cache.get(i, [])
        lines.append(f"  {name}: {_how(found[0]) if found else 'shown to need no more by one moment'}")
    assumed = _assumed(whole)
    lines.append(f"trusted: {TRUSTED}{''.join('; ' + item for item in assumed)}")
    lines.append("the lower end is about the worst steps of these kinds: no smaller epsilon can be claimed for them")
    return "\n".join(lines)


def _how(found: Bounds) -> str:
    hints: Any = found.hints
    if found.engine == "moments":
        blocks = sum(block[2] for pair in hints["pairs"] for block in pair.get("blocks", []))
        chain = f" and {blocks} nodes of a chain" if blocks else ""
        return f"moments: {hints['n']} terms of the inversion sum{chain}, {hints['bits']} bits"
    if found.engine == "grid":
        return f"grid of step {float(_fraction(hints['h'])):.3g}, {hints['bits']} bits"
    return found.engine


def _fraction(text: str) -> Any:
    from fractions import Fraction

    return Fraction(text)


def _assumed(whole: Composition) -> list[str]:
    kinds = {kind for (kind, *_), _ in whole.steps}
    bases = {kind.removeprefix("poisson-").removeprefix("sample-") for kind in kinds}
    found = []
    if bases & {"pure", "approximate"}:
        found.append("Kairouz, Oh and Viswanath 2015 for steps known by their guarantee")
    if bases & {"laplace", "geometric", "discrete-gaussian", "staircase"} or any(
        k.startswith("sample-") for k in kinds
    ):
        found.append("Blackwell's theorem")
    if any(kind.startswith("sample-") for kind in kinds):
        found.append("Balle, Barthe and Gaboardi 2018 for sampling without replacement")
    return found
