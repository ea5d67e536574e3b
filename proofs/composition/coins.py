"""How much a coin tells whose chance depends on a local record: a guess, which the kernel's rule confirms."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

from dpwitness.proofs.kernel.algebra.laurent import Poly
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.composition.knowledge import Knowledge
from dpwitness.proofs.kernel.composition.powers import Powers
from dpwitness.proofs.kernel.composition.spans import Span

LONGEST, NEAR = 1000, 1e-9  # denominators of the multiples of ε that are tried


def coin_loss(spans: Sequence[Span], known: Knowledge) -> Poly | None:
    """What a coin tells at most, exactly, for chances in these spans; None where no short multiple of ε is."""
    ends = [(span.low, span.high) for span in spans if span.low is not None and span.high is not None]
    if not ends or len(ends) < len(spans):
        return None
    try:
        one = _told(ends, known, 1.0)
        rate = Fraction(one).limit_denominator(LONGEST)
        if abs(float(rate) - one) > NEAR or (known.params and abs(_told(ends, known, 2.0) - 2 * one) > NEAR):
            return None
        loss = Poly.constant(rate) if not known.params else Poly.symbol(next(iter(known.params))) * rate
        return loss if Powers(known.lets, known.params).bounds_coin(ends, loss) else None
    except (ArithmeticError, AttributeError, KeyError, Rejected, ValueError):
        return None


def _told(ends: Sequence[tuple[Poly, Poly]], known: Knowledge, eps: float) -> float:
    low = min(_float(end[0], known, dict.fromkeys(known.params, eps)) for end in ends)
    high = max(_float(end[1], known, dict.fromkeys(known.params, eps)) for end in ends)
    return math.log(max(high / low, (1 - low) / (1 - high)))


def _float(form: Poly, known: Knowledge, at: Mapping[str, float]) -> float:
    total = 0.0
    for mono, c in form.terms.items():
        term = float(c)
        for symbol, power in mono:
            term *= _symbol(symbol, known, at) ** power
        total += term
    return total


def _symbol(symbol: str, known: Knowledge, at: Mapping[str, float]) -> float:
    if symbol in known.params:
        return at[symbol]
    made = known.lets[symbol]
    inner = _float(made.forms[0], known, at)
    if made.operation == "inverse":
        return 1 / inner
    return float(getattr(math, made.operation)(inner))


__all__ = ["coin_loss"]
