r"""How guarantees combine: basic, advanced and optimal composition, groups, and the privacy-loss law.

Optimal composition of k mechanisms that are ε₀-DP each is that of k randomized responses (Kairouz, Oh and Viswanath
2015): with n flipped answers the loss is (k − 2n)ε₀, so δ is a finite exponential sum; (ε₀,δ₀) each adds the factor
:math:`1 - (1-\delta_0)^k(1-\delta)`. All of these hold for adaptively chosen mechanisms.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import comb

from dpwitness.core.errors import BadInput
from dpwitness.core.guarantees import ApproxDP, Guarantee, PureDP, epsilon_delta
from dpwitness.core.numbers import exact
from dpwitness.proofs.kernel.algebra.expsum import ExpSum
from dpwitness.proofs.kernel.arith import ball, enclose, outward
from dpwitness.proofs.kernel.laws.noise import at_most, enclosure
from dpwitness.proofs.laws.privacy_curves.curves import Enclosure, threshold


def _check(k: int, eps0: object, delta0: object = 0) -> tuple[Fraction, Fraction]:
    e, d = Fraction(exact(eps0, "eps0")), Fraction(exact(delta0, "delta0"))
    if not isinstance(k, int) or k < 1:
        raise BadInput(f"k={k!r} must be a positive whole number")
    if e < 0 or not 0 <= d < 1:
        raise BadInput(f"eps0={e} must not be negative and delta0={d} must lie in [0, 1)")
    return e, d


def basic(guarantees: Sequence[Guarantee]) -> Guarantee:
    """Basic composition: ε and δ add up.

    >>> print(basic([PureDP(1), ApproxDP("1/2", "1e-6")]))
    ε = 3/2, δ = 1e-06
    """
    pairs = [epsilon_delta(g) for g in guarantees]
    if not pairs or any(pair is None for pair in pairs):
        raise BadInput("basic composition is for pure and approximate guarantees")
    eps = sum((pair[0] for pair in pairs if pair is not None), Fraction(0))
    delta = sum((pair[1] for pair in pairs if pair is not None), Fraction(0))
    return PureDP(eps) if delta == 0 else ApproxDP(eps, delta)


def advanced(k: int, eps0: object, slack: object, delta0: object = 0) -> tuple[Fraction, Fraction]:
    r"""Advanced composition with its constants (Dwork and Roth 2014, theorem 3.20), ε rounded up.

    .. math:: \varepsilon = \sqrt{2k\ln(1/\delta')}\,\varepsilon_0 + k\varepsilon_0(e^{\varepsilon_0}-1), \qquad
              \delta = k\delta_0 + \delta'

    Returns (ε, δ); δ' is `slack`.

    >>> eps, delta = advanced(100, "1/10", "1e-6")
    >>> round(float(eps), 9), float(delta)
    (6.308230951, 1e-06)
    """
    e, d = _check(k, eps0, delta0)
    s = Fraction(exact(slack, "slack"))
    if not 0 < s < 1:
        raise BadInput(f"slack={s} must lie strictly between 0 and 1")
    if e == 0:
        return Fraction(0), k * d + s
    _, high = enclose(lambda: (ball(2 * k) * ball(1 / s).log()).sqrt() * ball(e) + ball(k * e) * (ball(e).exp() - 1))
    return outward(high, high)[1], k * d + s


def optimal_delta(k: int, eps0: object, eps: object, delta0: object = 0) -> Enclosure:
    r"""The smallest δ for which k mechanisms, each (ε₀,δ₀)-DP, are always (ε,δ)-DP together.

    >>> low, high = optimal_delta(2, 1, 0)
    >>> round(float(low), 12), round(float(high), 12)
    (0.46211715726, 0.46211715726)
    """
    e, d = _check(k, eps0, delta0)
    target = Fraction(exact(eps, "eps"))
    top, bottom = response_product(k, e, target)
    keep = (1 - d) ** k
    return outward(*enclosure((bottom - keep * (bottom - top), bottom)), 25)


def optimal_epsilon(k: int, eps0: object, delta: object, delta0: object = 0) -> Enclosure:
    """The smallest ε for which k mechanisms, each (ε₀,δ₀)-DP, are always (ε,δ)-DP together.

    >>> low, high = optimal_epsilon(30, "1/10", "1e-6")
    >>> round(float(low), 6) == round(float(high), 6)
    True
    """
    e, d = _check(k, eps0, delta0)
    wanted = Fraction(exact(delta, "delta"))
    keep = (1 - d) ** k
    if wanted < 1 - keep:
        raise BadInput(f"delta={wanted} is below 1 - (1 - delta0)^k: no ε is large enough")
    if wanted == 0:
        return k * e, k * e

    def enough(target: Fraction) -> bool:
        top, bottom = response_product(k, e, target)
        return at_most((bottom - keep * (bottom - top), bottom), wanted)

    return threshold(enough, max(e, Fraction(1, 10**6)))


def group(guarantee: Guarantee, size: int) -> tuple[Fraction, Fraction]:
    r"""Group privacy for g = `size` records, δ rounded up.

    .. math:: (g\varepsilon,\ \delta(1+e^\varepsilon+\dots+e^{(g-1)\varepsilon}))

    >>> group(PureDP(1), 3)
    (Fraction(3, 1), Fraction(0, 1))
    """
    pair = epsilon_delta(guarantee)
    if pair is None or size < 1:
        raise BadInput(f"group privacy needs a pure or approximate guarantee and size={size} ≥ 1")
    eps, delta = Fraction(pair[0]), Fraction(pair[1])
    if delta == 0:
        return size * eps, delta
    total = sum((ExpSum.exp(i * eps) for i in range(size)), ExpSum.of(0)) * delta
    return size * eps, outward(*enclosure((total, ExpSum.of(1))), 25)[1]


def response_loss(k: int, eps0: object) -> list[tuple[Fraction, tuple[ExpSum, ExpSum]]]:
    r"""The law of the privacy loss of k randomized responses: values (k−2n)ε₀ with their exact probabilities.

    :math:`P[L = (k-2n)\varepsilon_0] = \binom kn e^{(k-n)\varepsilon_0}/(1+e^{\varepsilon_0})^k`.

    >>> [(value, str(p)) for value, (p, _) in response_loss(1, 1)]
    [(Fraction(1, 1), 'e^1'), (Fraction(-1, 1), '1')]
    """
    e, _ = _check(k, eps0)
    bottom = sum((comb(k, j) * ExpSum.exp(j * e) for j in range(k + 1)), ExpSum.of(0))
    return [((k - 2 * n) * e, (comb(k, n) * ExpSum.exp((k - n) * e), bottom)) for n in range(k + 1)]


def loss_tail(k: int, eps0: object, above: object) -> Enclosure:
    """P[L > above] for the loss of k randomized responses, exactly enclosed."""
    bound = Fraction(exact(above, "above"))
    law = response_loss(k, eps0)
    top = sum((p for value, (p, _) in law if value > bound), ExpSum.of(0))
    return outward(*enclosure((top, law[0][1][1])), 25)


def hoeffding_tail(k: int, eps0: object, above: object) -> Fraction:
    r"""What Hoeffding's inequality gives for P[L > above], t beyond the mean: :math:`e^{-t^2/(2k\varepsilon_0^2)}`.

    The mean is :math:`k\varepsilon_0\tanh(\varepsilon_0/2)`; 1 where `above` is not beyond it. Rounded up.
    """
    e, _ = _check(k, eps0)
    bound = Fraction(exact(above, "above"))
    mean = enclose(lambda: ball(k * e) * ball(e / 2).tanh())[1]
    if bound <= mean:
        return Fraction(1)
    excess = bound - mean
    return outward(*enclose(lambda: ball(-excess * excess / (2 * k * e * e)).exp()))[1]


def response_product(keeps: int, eps0: Fraction, eps: Fraction) -> tuple[ExpSum, ExpSum]:
    r"""H_ε of `keeps` independent randomized responses, each true with probability :math:`e^a/(1+e^a)`, a = `eps0`.

    With k answers, of which i are flipped, :math:`H = \sum_{i:(k-2i)\varepsilon_0>\varepsilon} \binom ki
    (e^{(k-i)\varepsilon_0} - e^{\varepsilon+i\varepsilon_0})/(1+e^{\varepsilon_0})^k`: the optimal composition of k
    pure mechanisms.

    >>> top, bottom = response_product(1, Fraction(1), Fraction(0))
    >>> str(top), str(bottom)
    ('-1 + e^1', '1 + e^1')
    """
    top = ExpSum.of(0)
    for i in range(keeps + 1):
        if (keeps - 2 * i) * eps0 > eps:
            top = top + comb(keeps, i) * (ExpSum.exp((keeps - i) * eps0) - ExpSum.exp(eps + i * eps0))
    bottom = ExpSum.of(0)
    for j in range(keeps + 1):
        bottom = bottom + comb(keeps, j) * ExpSum.exp(j * eps0)
    return top, bottom
