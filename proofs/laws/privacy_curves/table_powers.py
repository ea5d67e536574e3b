r"""Privacy curves of k independent runs of a finite law.

Outcomes with the same ratio of probabilities are one *type*. Where every type has a rational loss the sums lie on a
lattice (`dpwitness.proofs.laws.privacy_curves.powers.lattice_power`); else the runs are counted by type, and

.. math:: H_\varepsilon = \sum_{n_1+\dots+n_m = k} \binom{k}{n_1,\dots,n_m}
          \Bigl(\prod_i p_i^{n_i} - e^\varepsilon \prod_i q_i^{n_i}\Bigr)_+ .
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import comb
from typing import Any

from flint import arb

from dpwitness.core.errors import BadInput
from dpwitness.proofs.kernel.algebra.expsum import ExpSum
from dpwitness.proofs.kernel.arith import ball
from dpwitness.proofs.kernel.laws.curves import Value, exact
from dpwitness.proofs.kernel.laws.noise import at_most
from dpwitness.proofs.kernel.releases.tables import Row, exact_log, hockey_stick, largest_ratio
from dpwitness.proofs.laws.privacy_curves.powers import lattice_power

MAX_COUNTS = 50_000
Type = tuple[ExpSum, ExpSum]  # weights on the left and on the right


def merged(p: Row, q: Row) -> tuple[Row, Row]:
    """The same pair with outcomes of one ratio put together; what one side alone can give comes last.

    >>> p, q = Row.law([Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)]), Row.law([Fraction(1, 3)] * 3)
    >>> [str(weight) for weight in merged(p, q)[0].weights]
    ['1/2', '1/2', '0', '0']
    """
    kinds: list[Type] = []
    only_left = only_right = ExpSum.of(0)
    for a, b in zip(p.weights, q.weights, strict=True):
        if a.sign() == 0:
            only_right = only_right + b
            continue
        if b.sign() == 0:
            only_left = only_left + a
            continue
        for n, (c, d) in enumerate(kinds):
            if (a * d - c * b).sign() == 0:
                kinds[n] = c + a, d + b
                break
        else:
            kinds.append((a, b))
    left, right = ([kind[side] for kind in kinds] for side in (0, 1))
    zero = ExpSum.of(0)
    return Row((*left, only_left, zero), p.total), Row((*right, zero, only_right), q.total)


def same(one: tuple[Row, Row], two: tuple[Row, Row]) -> bool:
    """Whether two pairs have equal probabilities, outcome by outcome in some order; the pairs must be merged."""
    if len(one[0].weights) != len(two[0].weights):
        return False
    left = list(range(len(two[0].weights)))
    for i in range(len(one[0].weights)):
        found = next((j for j in left if all(_equal(a, i, b, j) for a, b in zip(one, two, strict=True))), None)
        if found is None:
            return False
        left.remove(found)
    return True


def _equal(a: Row, i: int, b: Row, j: int) -> bool:
    return (a.weights[i] * b.total - b.weights[j] * a.total).sign() == 0


def table_power(p: Row, q: Row, eps: Fraction, times: int) -> Value:
    """H_ε of `times` independent draws from p against as many from q (this order alone).

    >>> p, q = Row.law([Fraction(3, 4), Fraction(1, 4)]), Row.law([Fraction(1, 4), Fraction(3, 4)])
    >>> round(float(table_power(p, q, Fraction(0), 3)()), 12)
    0.6875
    """
    p, q = merged(p, q)
    if times == 1:
        return hockey_stick(p, q, eps)
    kinds, only_left = list(zip(p.weights, q.weights, strict=True))[:-2], p.weights[-2]
    ratio = largest_ratio(p, q)
    if ratio is not None and _reaches(eps, times, ratio):
        return exact(0)
    losses = [exact_log(a * q.total, b * p.total) for a, b in kinds]
    shared = None if only_left.sign() == 0 else _shared(p, only_left, times)
    if kinds and None not in losses:
        law = {loss: a for loss, (a, _) in zip(losses, kinds, strict=True) if loss is not None}
        return lattice_power([(law, times)], eps, shared)
    if comb(times + max(len(kinds), 1) - 1, times) > MAX_COUNTS:
        raise BadInput(f"times={times} with {len(kinds)} different losses: too many cases")

    def compute() -> Any:
        left, right = p.total.ball(), q.total.ball()
        pairs = [(a.ball() / left, b.ball() / right) for a, b in kinds]
        scale, total = ball(eps).exp(), arb(0)
        for many, here, there in _counts(pairs, times):
            total += ((here - scale * there) * many).max(arb(0))
        return total if shared is None else total + 1 - shared()

    return compute


def _reaches(eps: Fraction, times: int, ratio: Type) -> bool:
    """Whether ε is at least k times the largest loss ln(top/bottom)."""
    top, bottom = ratio
    loss = exact_log(top, bottom)
    if loss is not None:
        return eps >= times * loss
    return at_most(lambda: (top.ball() / bottom.ball()).log() * times, eps)


def _shared(p: Row, only_left: ExpSum, times: int) -> Callable[[], Any]:
    return lambda: ((p.total - only_left).ball() / p.total.ball()) ** times


def _counts(pairs: Sequence[tuple[Any, Any]], times: int) -> Iterator[tuple[Any, Any, Any]]:
    """Multinomial coefficient and both probabilities of every way to spread `times` runs over the types."""
    if not pairs:
        return
    (p, q), rest = pairs[0], pairs[1:]
    if not rest:
        yield arb(1), p**times, q**times
        return
    for n in range(times + 1):
        here, there, ways = p**n, q**n, arb(comb(times, n))
        for many, a, b in _counts(rest, times - n):
            yield ways * many, here * a, there * b
