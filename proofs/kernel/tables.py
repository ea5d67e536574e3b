r"""Finite laws, compared exactly.

A table is a row of weights per outcome, each a rational or an exponential sum; a probability is a weight over the
row's total. For two rows p, q the pure loss is :math:`\max_i |\ln p_i/q_i|`, and the hockey-stick divergence

.. math:: H_\varepsilon(p, q) = \max_S P(S) - e^\varepsilon Q(S) = \sum_i (p_i - e^\varepsilon q_i)_+

decides :math:`(\varepsilon,\delta)`: the pair is private exactly when :math:`H_\varepsilon \le \delta` in both orders.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from dpwitness.proofs.kernel.arith import Rejected, ball, enclose, number, precision, text
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.expsum import ExpSum
from dpwitness.proofs.kernel.statements import NO_INPUTS, epsilon_delta, subject
from dpwitness.proofs.kernel.theorem import Theorem

MAX_OUTCOMES, MAX_PAIRS, BITS = 100_000, 200_000, 128
Weight = ExpSum | Fraction | int


@dataclass(frozen=True)
class Row:
    """A finite law: non-negative weights and their positive total.

    >>> Row.law([Fraction(3, 4), Fraction(1, 4)]).total.rational
    Fraction(1, 1)
    """

    weights: tuple[ExpSum, ...]
    total: ExpSum

    @cached_property
    def shares(self) -> tuple[Any, ...]:
        """Enclosures of the probabilities."""
        with precision(BITS):
            total = self.total.ball()
            return tuple(weight.ball() / total for weight in self.weights)

    @staticmethod
    def weighted(weights: Sequence[Weight]) -> Row:
        """A law proportional to the weights."""
        row = tuple(ExpSum.of(w) for w in weights)
        if not row or len(row) > MAX_OUTCOMES:
            raise Rejected(f"a row of {len(row)} outcomes; 1 to {MAX_OUTCOMES} are allowed")
        for i, weight in enumerate(row):
            if weight.sign() < 0:
                raise Rejected(f"weight {i} is negative: {weight}")
        total = sum(row, ExpSum.of(0))
        if total.sign() <= 0:
            raise Rejected("the weights are all zero")
        return Row(row, total)

    @staticmethod
    def law(probabilities: Sequence[Weight]) -> Row:
        """A law whose entries must sum to exactly 1."""
        row = Row.weighted(probabilities)
        if row.total.rational != 1:
            raise Rejected(f"the probabilities sum to {row.total}, not to 1")
        return row


def hockey_stick(p: Row, q: Row, eps: Fraction) -> tuple[ExpSum, ExpSum]:
    """The divergence H_ε(p, q) as an exact quotient (numerator, denominator), the denominator positive.

    >>> top, bottom = hockey_stick(Row.law([Fraction(3, 4), Fraction(1, 4)]), Row.law([Fraction(1, 4), Fraction(3, 4)]),
    ...                            Fraction(0))
    >>> top.rational / bottom.rational
    Fraction(1, 2)
    """
    if len(p.weights) != len(q.weights):
        raise Rejected(f"rows of {len(p.weights)} and {len(q.weights)} outcomes cannot be compared")
    scale = ExpSum.exp(eps)
    if p.total == q.total:  # a common normaliser cancels
        terms = [a - scale * b for a, b in zip(p.weights, q.weights, strict=True)]
        return sum((term for term in terms if term.sign() > 0), ExpSum.of(0)), p.total
    factor = scale * p.total
    terms = [a * q.total - factor * b for a, b in zip(p.weights, q.weights, strict=True)]
    return sum((term for term in terms if term.sign() > 0), ExpSum.of(0)), p.total * q.total


def within(p: Row, q: Row, eps: Fraction, delta: Fraction) -> bool:
    """Whether H_ε(p, q) ≤ δ, decided exactly (one order)."""
    if len(p.weights) != len(q.weights):
        raise Rejected(f"rows of {len(p.weights)} and {len(q.weights)} outcomes cannot be compared")
    if delta == 0:
        return all(_at_most(p, q, i, eps) for i in range(len(p.weights)))
    top, bottom = hockey_stick(p, q, eps)
    return (top - delta * bottom).sign() <= 0


def _at_most(p: Row, q: Row, i: int, eps: Fraction) -> bool:
    """Whether p_i ≤ e^ε q_i: by enclosures where they are apart, else exactly."""
    with precision(BITS):
        gap = p.shares[i] - ball(eps).exp() * q.shares[i]
    if gap < 0:
        return True
    if gap > 0:
        return False
    if p.total == q.total:
        return (p.weights[i] - ExpSum.exp(eps) * q.weights[i]).sign() <= 0
    return (p.weights[i] * q.total - ExpSum.exp(eps) * p.total * q.weights[i]).sign() <= 0


def largest_ratio(p: Row, q: Row) -> tuple[ExpSum, ExpSum] | None:
    """max p_i/q_i as an exact quotient; None where it is infinite."""
    best: tuple[ExpSum, ExpSum] | None = None
    for a, b in zip(p.weights, q.weights, strict=True):
        top, bottom = a * q.total, b * p.total
        if bottom.sign() == 0:
            if top.sign() > 0:
                return None
            continue
        if best is None or (top * best[1] - best[0] * bottom).sign() > 0:
            best = top, bottom
    return best


def pure_loss(p: Row, q: Row) -> tuple[Fraction, Fraction] | None:
    """An enclosure of max |ln p_i/q_i| over both orders; None where it is infinite, (0, 0) for equal laws.

    >>> low, high = pure_loss(Row.law([Fraction(3, 4), Fraction(1, 4)]), Row.law([Fraction(1, 4), Fraction(3, 4)]))
    >>> round(float(low), 12), round(float(high), 12)
    (1.098612288668, 1.098612288668)
    """
    ratios = (largest_ratio(p, q), largest_ratio(q, p))
    worst: tuple[Fraction, Fraction] = Fraction(0), Fraction(0)
    for ratio in ratios:
        if ratio is None:
            return None
        top, bottom = ratio
        if (top - bottom).sign() <= 0:
            continue
        loss = exact_log(top, bottom)
        low, high = (loss, loss) if loss is not None else _log(top, bottom)
        worst = max(worst[0], low), max(worst[1], high)
    return worst


def _log(top: ExpSum, bottom: ExpSum) -> tuple[Fraction, Fraction]:
    def compute() -> Any:  # again at each precision
        return (top.ball() / bottom.ball()).log()

    return enclose(compute)


def exact_log(top: ExpSum, bottom: ExpSum) -> Fraction | None:
    """ln(top/bottom) where top = e^r · bottom for a rational r, else None."""
    shift = max(top.terms) - max(bottom.terms)
    return shift if (top - ExpSum.exp(shift) * bottom).sign() == 0 else None


def check_tables(certificate: Mapping[str, Any]) -> Theorem:
    """The checker of ``{"type": "tables", "epsilon", "delta", "rows", "pairs"}``.

    ``rows`` lists laws by their weights; ``pairs`` lists index pairs. Both orders of every pair are compared.
    """
    eps, delta, rows, pairs = fields(certificate, "type", "epsilon", "delta", "rows", "pairs", optional=("about",))[1:]
    if not isinstance(rows, list) or not isinstance(pairs, list) or not pairs or len(pairs) > MAX_PAIRS:
        raise Rejected("rows and pairs must be lists, and pairs not empty")
    laws = [Row.weighted([ExpSum.from_json(w) for w in row]) for row in rows]
    e, d = number(eps), number(delta)
    if e < 0 or not 0 <= d < 1:
        raise Rejected("epsilon must not be negative, and delta must lie in [0, 1)")
    for pair in pairs:
        i, j = _pair(pair, len(laws))
        for p, q in ((laws[i], laws[j]), (laws[j], laws[i])):
            if not within(p, q, e, d):
                raise Rejected(f"rows {i} and {j} are not ({eps}, {delta})-close")
    words = f"{len(pairs)} pairs of {len(laws)} finite laws are (ε = {text(e)}, δ = {text(d)})-close in both orders"
    return Theorem("tables", words, subject(certificate, "rows", "pairs"), False, epsilon_delta(e, d), NO_INPUTS, "any")


def _pair(pair: object, size: int) -> tuple[int, int]:
    if not isinstance(pair, list | tuple) or len(pair) != 2 or any(type(i) is not int for i in pair):
        raise Rejected("a pair is two row numbers")
    i, j = pair
    if not (0 <= i < size and 0 <= j < size):
        raise Rejected(f"a pair names a row outside 0..{size - 1}")
    return i, j


def check_table_violation(certificate: Mapping[str, Any]) -> Theorem:
    """The checker of ``{"type": "table-violation", "epsilon", "delta", "left", "right", "event"}``.

    The event is a list of outcome numbers; verified is P(event) > e^ε Q(event) + δ.
    """
    eps, delta, left, right, event = fields(
        certificate, "type", "epsilon", "delta", "left", "right", "event", optional=("about",)
    )[1:]
    p, q = (Row.weighted([ExpSum.from_json(w) for w in row]) for row in (left, right))
    e, d = number(eps), number(delta)
    if e < 0 or not 0 <= d < 1 or len(p.weights) != len(q.weights):
        raise Rejected("epsilon must not be negative, delta must lie in [0, 1), and rows must have the same length")
    if not isinstance(event, list) or len(set(event)) != len(event):
        raise Rejected("an event is a list of different outcome numbers")
    if any(type(i) is not int or not 0 <= i < len(p.weights) for i in event):
        raise Rejected("an event names an outcome that does not exist")
    top = sum((p.weights[i] for i in event), ExpSum.of(0))
    other = sum((q.weights[i] for i in event), ExpSum.of(0))
    gap = top * q.total - ExpSum.exp(e) * other * p.total - d * p.total * q.total
    if gap.sign() <= 0:
        raise Rejected("the event does not violate the claim")
    words = f"an event of {len(event)} outcomes violates (ε = {text(e)}, δ = {text(d)})"
    model = subject(certificate, "left", "right")
    return Theorem("table-violation", words, model, True, epsilon_delta(e, d), NO_INPUTS, "any")


CHECKERS = {"tables": check_tables, "table-violation": check_table_violation}
