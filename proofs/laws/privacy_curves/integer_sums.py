r"""Sums of independent integer Gaussian draws, and the privacy curve of k of them.

Let :math:`J_1, \dots, J_k` be independent with :math:`P[J = j] \propto e^{-j^2/2v}`. The loss of a common shift d is
:math:`(kd^2 - 2dS)/2v` with :math:`S = \sum J_i`, so the law of S is all that matters.

**Residue lemma.** Split a vector of integers with sum s into its mean and the rest:
:math:`|j|^2 = s^2/k + |j - \tfrac sk 1|^2`, and adding 1 to every entry moves s by k and leaves the rest alone. Hence

.. math:: \sum_{j:\,\sum j_i = s} e^{-|j|^2/2v} = C_{s \bmod k}\, e^{-s^2/2kv},

with k constants, which are found by halving k: for k = m + n

.. math:: C_r e^{-r^2/2kv} = \sum_u C'_{u \bmod m} e^{-u^2/2mv}\, C''_{(r-u) \bmod n} e^{-(r-u)^2/2nv}.

All terms are positive, so tails keep their relative accuracy however small they are.

**Flatness lemma.** The vectors with sum r are a translate of the lattice of vectors with sum 0, whose dual consists of
the vectors :math:`y = n - \bar n 1`, n integer with last entry 0; :math:`|y|^2 = |n|^2 - (\sum n_i)^2/k \ge |n|^2/k`.
By Poisson summation :math:`C_r = C(1 + E_r)` with :math:`|E_r| \le \sum_{n \ne 0} e^{-2\pi^2 v|n|^2/k} \le
(1 + 2q/(1-q))^{k-1} - 1`, :math:`q = e^{-2\pi^2 v/k}`. So for v far above k the constants are equal, as far as any
working precision sees, and a common factor cancels.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import ceil, sqrt
from typing import Any

from flint import arb, arb_poly, ctx

from dpwitness.core.errors import BadInput
from dpwitness.proofs.kernel.arith import ball
from dpwitness.proofs.kernel.laws.curves import Value, exact

MAX_SUMS = 400_000


def integer_gaussian_power(shift: int, variance: Fraction, times: int, eps: Fraction) -> Value:
    r"""H_ε of `times` independent integer Gaussian draws, each shifted by `shift`.

    With K the largest integer below :math:`kd/2 - \varepsilon v/d`:
    :math:`H = P[S \le K] - e^\varepsilon P[S \le K - kd]`.

    >>> one = integer_gaussian_power(1, Fraction(4), 1, Fraction(1))
    >>> from dpwitness.proofs.kernel.laws.curves import discrete_gaussian
    >>> other = discrete_gaussian({"variance": Fraction(4)}, Fraction(1), Fraction(1))
    >>> bool(abs(one() - other()) < 1e-15)
    True
    """
    d, v, k = shift, variance, times
    if d == 0:
        return exact(0)
    if k + 12 * sqrt(k * v) > MAX_SUMS:
        raise BadInput(f"times={k} with variance={v}: the sum takes more than {MAX_SUMS} values that count")
    top = ceil(Fraction(k * d, 2) - eps * v / d) - 1

    def compute() -> Any:
        constants = residues(v, k, ctx.prec)
        total = _from(0, v, k, constants) + _from(1, v, k, constants)
        near, far = (_up_to(n, v, k, constants, total) for n in (top, top - k * d))
        return (near - ball(eps).exp() * far) / total

    return compute


@lru_cache(maxsize=64)
def residues(v: Fraction, k: int, bits: int) -> tuple[Any, ...]:
    """Enclosures of C_0, …, C_(k−1) up to a common factor, at the precision in force, which is `bits`."""
    if k == 1:
        return (arb(1),)
    q = (-2 * arb.pi() ** 2 * ball(v / k)).exp()
    if q < 1:
        uneven = (k - 1) * 2 * q / (1 - q)
        if uneven * uneven.exp() < arb(2) ** -bits:  # (1 + x)^n − 1 ≤ nx·e^(nx)
            return (1 + arb(2) ** -bits * arb(0, 1),) * k
    m, n = k // 2, k - k // 2
    left, right = residues(v, m, bits), residues(v, n, bits)
    half = k // 2
    # where the terms have fallen by `bits` bits even beside e^(−r²/2kv); a poor choice costs accuracy, not soundness
    far = int(sqrt(m * (2 * float(v) * (bits + 16) * 0.7 + k / 4))) + 2
    wide = far + half
    first = arb_poly([left[u % m] * _term(u, v, m) for u in range(-far, far + 1)])
    second = arb_poly([right[u % n] * _term(u, v, n) for u in range(-wide, wide + 1)])
    product = first * second
    # |u| > far was left out: e^(−(r−u)²/2nv) ≤ 1 there, and both sides of the sum have the same bound
    rest = 2 * _largest(left) * _largest(right) * _tail(far + 1, v, m)
    found: list[Any] = [arb(0)] * k
    for r in range(half + 1):
        value = (product[far + wide + r] + rest * arb(0.5, 0.5)) / _term(r, v, k)
        found[r] = found[-r % k] = value  # j → −j
    return tuple(found)


def _largest(values: tuple[Any, ...]) -> Any:
    best = values[0]
    for value in values[1:]:
        best = best.max(value)
    return best


def _term(s: int, v: Fraction, k: int) -> Any:
    return ball(-(s * s) / (2 * k * v)).exp()


def _tail(first: int, v: Fraction, k: int) -> Any:
    """An upper bound of Σ_{s ≥ first} e^(−s²/2kv), first ≥ 1: the terms fall at least as fast as a geometric series."""
    return _term(first, v, k) / (1 - ball(-Fraction(2 * first + 1) / (2 * k * v)).exp())


def _up_to(top: int, v: Fraction, k: int, constants: tuple[Any, ...], total: Any) -> Any:
    """Σ_{s ≤ top} C_s e^(−s²/2kv), by the symmetry s → −s."""
    return _from(-top, v, k, constants) if top < 0 else total - _from(top + 1, v, k, constants)


def _from(first: int, v: Fraction, k: int, constants: tuple[Any, ...]) -> Any:
    """Σ_{s ≥ first} C_s e^(−s²/2kv) for first ≥ 0, summed until a term is negligible, plus a bound of the rest."""
    step, floor = ball(-1 / (2 * k * v)), arb(2) ** (-ctx.prec - 8)
    total, s = arb(0), first
    start = term = _term(s, v, k)
    ratio, square = (step * (2 * s + 1)).exp(), (step * 2).exp()
    while not term < start * floor:
        total += constants[s % k] * term
        term, ratio, s = term * ratio, ratio * square, s + 1
        if (s - first) % 64 == 0:  # keep rounding errors from growing
            term, ratio = _term(s, v, k), (step * (2 * s + 1)).exp()
    return total + _largest(constants) * _tail(s, v, k) * arb(0.5, 0.5)
