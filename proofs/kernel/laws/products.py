r"""Vector noise with independent Laplace coordinates: exact curves, and the worst shift in an ℓ1 ball.

A coordinate with loss :math:`a = |\Delta|/b` has a privacy loss L with atoms 1/2 at a and :math:`e^{-a}/2` at −a and
density :math:`\tfrac14 e^{-a/2} e^{\ell/2}` between, that is :math:`e^{\ell/2 - a/2}\mu_a` with the symmetric measure
:math:`\mu_a = \tfrac12(\delta_a + \delta_{-a}) + \tfrac14 1_{[-a,a]}`. Losses of independent coordinates add, so with
:math:`\mu = \mu_{a_1} * \dots * \mu_{a_d}` and A = Σ aᵢ

.. math:: H_\varepsilon = 1 - e^{(\varepsilon - A)/2} n(\varepsilon), \qquad n(x) = \int e^{-|x-u|/2}\,d\mu(u).

**ℓ1 lemma.** :math:`n(x) \ge n_A(x) := e^{-(|x|-A)_+/2}`, so H is at most its value :math:`1 - e^{(\varepsilon-A)/2}`
for one coordinate that takes the whole shift. By induction it is enough that :math:`M_a n_B \ge n_{A}` for A = a + B,
:math:`M_a f(x) = \tfrac12(f(x+a) + f(x-a)) + \tfrac14\int_{x-a}^{x+a} f`. For x ≥ A the window [x−a, x+a] lies right
of B, where :math:`M_a e^{-y/2} = e^{a/2} e^{-x/2}`: equality. For 0 ≤ x ≤ A with x − a ≥ −B, :math:`n_B` does not rise
on the window, so :math:`M_a n_B(x) \ge M_a n_B(A) = 1`. For x − a < −B both ends stick out, and the integral is
:math:`1 + B/2`. The case x < 0 is symmetric. ∎

H grows with each aᵢ: a coordinate's curve does for every ε ≥ 0 in both orders, so it is more informative in
Blackwell's sense, and products keep that order.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import factorial

from dpwitness.proofs.kernel.algebra.expsum import ExpSum
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.limits import tick

MAX_OPERATORS = 20_000


def laplace_product(losses: Sequence[Fraction], eps: Fraction) -> ExpSum:
    r"""H_ε for independent Laplace coordinates with the given losses :math:`a_i = |\Delta_i|/b_i`, exactly.

    :math:`M_a = \tfrac12(S_a + S_{-a}) + \tfrac14(S_a - S_{-a})I` with the shifts :math:`S_s f(x) = f(x+s)` and the
    antiderivative I from −∞; applied to :math:`e^{-|x|/2}` the product is a finite sum of shifted antiderivatives.

    >>> str(laplace_product([Fraction(1)], Fraction(1, 2)))
    '-e^(-1/4) + 1'
    >>> float(laplace_product([Fraction(1, 2)] * 2, Fraction(0)).ball())       # less than 1 − e^(−1/2)
    0.2418366753592084
    """
    if eps < 0 or any(a < 0 for a in losses):
        raise Rejected("losses and epsilon must not be negative")
    total = sum(losses, Fraction(0))
    if eps >= total:
        return ExpSum.of(0)
    operators: dict[tuple[Fraction, int], Fraction] = {(Fraction(0), 0): Fraction(1)}
    for a in losses:
        grown: dict[tuple[Fraction, int], Fraction] = {}
        for (shift, power), weight in operators.items():
            tick()
            for side in (1, -1):
                for extra, factor in ((0, Fraction(1, 2)), (1, Fraction(side, 4))):
                    key = (shift + side * a, power + extra)
                    grown[key] = grown.get(key, Fraction(0)) + weight * factor
        operators = {key: weight for key, weight in grown.items() if weight}
        if len(operators) > MAX_OPERATORS:
            raise Rejected(f"{len(losses)} different losses are too many for the exact product")
    n = ExpSum.of(0)
    for (shift, power), weight in operators.items():
        n = n + weight * _antiderivative(power, eps + shift)
    return 1 - ExpSum.exp((eps - total) / 2) * n


def _antiderivative(m: int, x: Fraction) -> ExpSum:
    """The m-th antiderivative from −∞ of e^(−|x|/2)."""
    if x <= 0:
        return Fraction(2) ** m * ExpSum.exp(x / 2)
    terms = (Fraction(2 ** (m - j) - (-2) ** (m - j)) * x**j / factorial(j) for j in range(m + 1))
    return Fraction((-2) ** m) * ExpSum.exp(-x / 2) + sum(terms, Fraction(0))
