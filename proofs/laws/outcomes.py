r"""(ε,δ) on single outcomes and on sets of outcomes: what separates the two.

A pair of laws on m outcomes that satisfies :math:`p_i \le e^\varepsilon q_i + \delta` for every outcome satisfies
:math:`P(S) \le e^\varepsilon Q(S) + (m-1)\delta` for every set: the worst set holds the outcomes with
:math:`p_i > e^\varepsilon q_i`, and these cannot be all m. `separation` reaches (m−1)δ wherever δ is small enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from dpwitness.core.errors import BadInput
from dpwitness.core.numbers import exact
from dpwitness.proofs.kernel.algebra.expsum import ExpSum
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.releases.tables import Row, within

Law = Sequence[object]


def row(law: Law) -> Row:
    """A finite law from exact numbers; the entries must sum to 1.

    >>> row(["1/2", "1/3", "1/6"]).total.rational
    Fraction(1, 1)
    """
    try:
        return Row.law([Fraction(exact(x, f"law[{i}]")) for i, x in enumerate(law)])
    except Rejected as error:
        raise BadInput(str(error)) from None


def on_outcomes(p: Row, q: Row, eps: Fraction, delta: Fraction) -> bool:
    """Whether every single outcome satisfies p_i ≤ e^ε q_i + δ, in both orders."""
    scale = ExpSum.exp(eps)
    return all(
        (a * y - scale * b * x - delta * x * y).sign() <= 0
        for one, two, x, y in ((p, q, p.total, q.total), (q, p, q.total, p.total))
        for a, b in zip(one.weights, two.weights, strict=True)
    )


def on_sets(p: Row, q: Row, eps: Fraction, delta: Fraction) -> bool:
    """Whether every set of outcomes satisfies P(S) ≤ e^ε Q(S) + δ, in both orders: the hockey-stick test."""
    return within(p, q, eps, delta) and within(q, p, eps, delta)


@dataclass(frozen=True)
class Separation:
    """A pair of laws that is private on outcomes and not on sets, with the set that shows it."""

    left: tuple[Fraction, ...]
    right: tuple[Fraction, ...]
    event: tuple[int, ...]


def separation(outcomes: int, eps: object, delta: object) -> Separation | None:
    r"""A pair on m outcomes that separates outcomes from sets as far as possible, or None where none exists.

    With δ ≤ 1/(m−1): left = (1−(m−1)δ, δ, …, δ), right = (1, 0, …, 0). On outcomes the only further condition is
    :math:`1 \le e^\varepsilon(1-(m-1)\delta) + \delta`, that is :math:`(m-1)\delta \le 1 - (1-\delta)e^{-\varepsilon}`;
    the set of the last m − 1 outcomes has probability (m−1)δ against 0, more than δ as soon as m ≥ 3.

    >>> separation(3, "1/10", "1/20").event
    (1, 2)
    """
    e, d = Fraction(exact(eps, "eps")), Fraction(exact(delta, "delta"))
    if outcomes < 2 or e < 0 or not 0 <= d < 1:
        raise BadInput(f"outcomes={outcomes}, eps={e}, delta={d}: needed are two outcomes, eps ≥ 0, 0 ≤ delta < 1")
    for k in range(outcomes - 1, 1, -1):  # use as many outcomes as the region allows
        if k * d > 1 or d == 0:
            continue
        rest = (Fraction(0),) * (outcomes - 1 - k)
        left = (1 - k * d, *(d,) * k, *rest)
        right = (Fraction(1), *(Fraction(0),) * (outcomes - 1))
        p, q = row(left), row(right)
        if on_outcomes(p, q, e, d) and not on_sets(p, q, e, d):
            return Separation(left, right, tuple(range(1, k + 1)))
    return None


def probabilistic(p: Row, q: Row, eps: Fraction, delta: Fraction) -> bool:
    """Probabilistic DP: P[loss > ε] ≤ δ in both orders. It implies (ε,δ)-DP; the converse fails."""
    scale = ExpSum.exp(eps)
    for one, two in ((p, q), (q, p)):
        pairs = zip(one.weights, two.weights, strict=True)
        bad = [a for a, b in pairs if (a * two.total - scale * b * one.total).sign() > 0]
        if (sum(bad, ExpSum.of(0)) - delta * one.total).sign() > 0:
            return False
    return True


def post_process(law: Row, channel: Sequence[Sequence[object]]) -> Row:
    """The law after a randomised map: `channel[i][j]` is the probability of outcome j given outcome i.

    Divergences on sets never grow under this; losses on single outcomes may.
    """
    rows = [row(line) for line in channel]
    if len(rows) != len(law.weights):
        raise BadInput(f"the channel has {len(rows)} rows for {len(law.weights)} outcomes")
    width = len(rows[0].weights)
    return Row.weighted(
        [
            sum((w * line.weights[j] for w, line in zip(law.weights, rows, strict=True)), ExpSum.of(0))
            for j in range(width)
        ]
    )
