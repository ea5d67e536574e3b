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

from dpwitness.proofs.kernel.algebra.expsum import ExpSum
from dpwitness.proofs.kernel.arith import Rejected, ball, enclose, number, precision, text
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.spaces import read_inputs, read_space, read_use, show_inputs
from dpwitness.proofs.kernel.statements import epsilon_delta, subject, two_inputs
from dpwitness.proofs.kernel.theorem import Theorem

MAX_OUTCOMES, BITS = 100_000, 128
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
    """The checker of ``{"type": "tables", "space", "outputs", "rows", "use", "epsilon", "delta"}``.

    ``outputs`` names the outcomes by type and value, ``rows`` lists laws by their weights, ``use`` names the law of
    each input of the space. The laws of all neighbours are compared, in both orders.
    """
    space_json, outputs, rows, use, eps, delta = fields(
        certificate, "type", "space", "outputs", "rows", "use", "epsilon", "delta", optional=("about",)
    )[1:]
    space, laws = read_space(space_json), _rows(rows, outputs)
    e, d = _numbers(eps, delta)
    _, pairs = read_use(use, space, len(laws))
    for i, j in pairs:
        for p, q in ((laws[i], laws[j]), (laws[j], laws[i])):
            if not within(p, q, e, d):
                raise Rejected(f"rows {i} and {j} are not ({eps}, {delta})-close")
    close = f"(ε = {text(e)}, δ = {text(d)})-close in both orders"
    if not pairs:
        close = f"the same on all neighbours, so (ε = {text(e)}, δ = {text(d)})-close"
    words = f"{space.describe()}: {len(laws)} laws of {len(outputs)} outputs, {close}"
    model = subject(certificate, "space", "outputs", "rows", "use")
    return Theorem("tables", words, model, False, epsilon_delta(e, d), space.stated(), space.sizes())


def _rows(rows: object, outputs: object) -> list[Row]:
    if not isinstance(outputs, list) or not outputs or any(not isinstance(name, str) for name in outputs):
        raise Rejected("outputs are given by text")
    if len(set(outputs)) != len(outputs):
        raise Rejected("the same output is listed twice")
    if not isinstance(rows, list) or not rows or any(not isinstance(row, list) for row in rows):
        raise Rejected("laws are lists of weights")
    if any(len(row) != len(outputs) for row in rows):
        raise Rejected("a law has one weight for each output")
    return [Row.weighted([ExpSum.from_json(w) for w in row]) for row in rows]


def _numbers(eps: object, delta: object) -> tuple[Fraction, Fraction]:
    e, d = number(eps), number(delta)
    if e < 0 or not 0 <= d < 1:
        raise Rejected("epsilon must not be negative, and delta must lie in [0, 1)")
    return e, d


def check_table_violation(certificate: Mapping[str, Any]) -> Theorem:
    """The checker of ``{"type": "table-violation", "inputs", "outputs", "left", "right", "event", …}``.

    ``left`` and ``right`` are the laws on the two inputs; the event is a list of numbers of outputs. Verified is
    P(event) > e^ε Q(event) + δ.
    """
    inputs, outputs, left, right, event, eps, delta = fields(
        certificate, "type", "inputs", "outputs", "left", "right", "event", "epsilon", "delta", optional=("about",)
    )[1:]
    sides = read_inputs(inputs)
    p, q = _rows([left, right], outputs)
    e, d = _numbers(eps, delta)
    if not isinstance(event, list) or any(type(i) is not int or not 0 <= i < len(p.weights) for i in event):
        raise Rejected("an event names an outcome that does not exist")
    if len(set(event)) != len(event):
        raise Rejected("an event is a list of different outcome numbers")
    top = sum((p.weights[i] for i in event), ExpSum.of(0))
    other = sum((q.weights[i] for i in event), ExpSum.of(0))
    gap = top * q.total - ExpSum.exp(e) * other * p.total - d * p.total * q.total
    if gap.sign() <= 0:
        raise Rejected("the event does not violate the claim")
    words = f"{show_inputs(sides)}: an event of {len(event)} outputs violates (ε = {text(e)}, δ = {text(d)})"
    model = subject(certificate, "inputs", "outputs", "left", "right")
    return Theorem("table-violation", words, model, True, epsilon_delta(e, d), *two_inputs(*sides))


CHECKERS = {"tables": check_tables, "table-violation": check_table_violation}
