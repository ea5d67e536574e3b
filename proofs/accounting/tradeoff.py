"""The trade-off function of a composition: the smallest type II error of a test of a given level."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from dpwitness.proofs.accounting.bracket import Bracket
from dpwitness.proofs.kernel.arith import ball, lower, precision, upper

if TYPE_CHECKING:
    from dpwitness.proofs.accounting.composition import Composition


def tradeoff(whole: Composition, alpha: Fraction, points: int) -> Bracket:
    r"""f(α) = sup over ε ≥ 0 of max(0, 1 − δ − e^ε α, e^{−ε}(1 − δ − α)), the smaller of both orders' tests.

    Every ε gives a lower bound with δ's upper end. Between ε < ε' the first number is at most 1 − δ(ε') − e^ε α, and
    the second at most e^{−ε}(1 − δ(ε') − α); beyond the last ε both are bounded with δ ≥ 0.
    """
    if alpha >= 1:
        return Bracket(Fraction(0), Fraction(0))
    top = whole.epsilon(Fraction(1, 10**6)).high
    last = Fraction(top) if top < 10**6 else Fraction(50)
    grid = [last * i / points for i in range(points + 1)] if last else [Fraction(0)]
    deltas = [whole.delta(eps) for eps in grid]
    lows: list[Fraction] = [Fraction(0)]
    highs: list[Fraction] = [Fraction(0)]
    for i, (eps, delta) in enumerate(zip(grid, deltas, strict=True)):
        after = Fraction(deltas[i + 1].low) if i + 1 < len(grid) else Fraction(0)
        with precision(128):
            up, down = ball(eps).exp(), ball(-eps).exp()
            here = ball(1 - Fraction(delta.high))
            lows += [lower(here - up * ball(alpha)), lower(down * (here - ball(alpha)))]
            highs += [
                upper(ball(1 - after) - up * ball(alpha)),
                upper(down * ball(max(1 - after - alpha, Fraction(0)))),
            ]
    return Bracket(max(lows), min(max(highs), 1 - alpha))
