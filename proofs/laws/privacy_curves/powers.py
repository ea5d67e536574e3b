r"""Privacy curves of k independent runs: the loss of the whole is a sum of k independent losses.

- Gaussian: k runs with length m are one run with length √k·m.
- Laplace: an exact finite sum (`laplace_power`).
- Two-sided geometric, staircase, randomized response: losses on a lattice, added up by powers of a polynomial.
- Integer Gaussian: `dpwitness.proofs.laws.privacy_curves.integer_sums`.
- Uniform and exponential: outcomes that only one side can give, so :math:`1 - (1-\delta)^k`.

**More runs and worse pairs.** If one pair of laws has a larger hockey-stick divergence than another for every ε and in
both orders, it is more informative in Blackwell's sense, and so are k copies of it. So the worst shift of one run is
the worst shift of k runs, also where the runs are chosen adaptively.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import comb, gcd, lcm
from typing import Any

from flint import arb, arb_poly, ctx, fmpz_poly

from dpwitness.core.errors import BadInput
from dpwitness.proofs.kernel.algebra.expsum import ExpSum
from dpwitness.proofs.kernel.arith import ball
from dpwitness.proofs.kernel.laws.curves import Value, exact, normal
from dpwitness.proofs.kernel.laws.noise import NoiseLaw
from dpwitness.proofs.kernel.laws.products import laplace_product
from dpwitness.proofs.laws.privacy_curves.integer_sums import integer_gaussian_power

MAX_TIMES, MAX_LATTICE = 2_000, 400_000
Part = tuple[NoiseLaw, Fraction]  # a noise law and the exact shift of what it covers
Losses = Mapping[Fraction, ExpSum]  # the probability of each loss, up to a common factor


def product_curve(parts: Sequence[Part], eps: Fraction, times: int = 1) -> Value:
    """H_ε of independent noise on several numbers that all move by the given shifts, run `times` times.

    >>> one = NoiseLaw("laplace", {"scale": Fraction(2)})
    >>> value = product_curve([(one, Fraction(1))], Fraction(1, 2), times=3)
    >>> round(float(value()), 12)
    0.147066259779
    """
    if not isinstance(times, int) or not 1 <= times <= MAX_TIMES:
        raise BadInput(f"times={times!r} must be a whole number from 1 to {MAX_TIMES}")
    moving = [(law, shift) for law, shift in parts if shift]
    if not moving:
        return exact(0)
    if len(moving) == 1 and times == 1:
        return moving[0][0].curve(moving[0][1], eps)
    names = {law.name for law, _ in moving}
    if names == {"gaussian"}:
        return normal(times * sum((s * s / law.params["variance"] for law, s in moving), Fraction(0)), eps)
    if names == {"laplace"}:
        losses = [shift / law.params["scale"] for law, shift in moving]
        if len(set(losses)) == 1:
            return laplace_power(losses[0], len(losses) * times, eps)
        return exact(laplace_product(losses * times, eps))
    if names == {"discrete_gaussian"} and len({(law.params["variance"], shift) for law, shift in moving}) == 1:
        law, shift = moving[0]
        law.loss(shift)  # refuses a shift that is not whole
        return integer_gaussian_power(int(shift), law.params["variance"], len(moving) * times, eps)
    if names <= {"discrete_laplace", "uniform", "exponential"}:
        return _lattice_of(moving, eps, times)
    raise BadInput(f"no exact curve for {', '.join(sorted(names))} noise on {len(moving)} numbers, {times} times")


def _lattice_of(moving: Sequence[Part], eps: Fraction, times: int) -> Value:
    """Two-sided geometric losses; uniform and exponential noise adds outcomes that only one side can give."""
    keep, shared = ExpSum.of(1), []
    for law, shift in moving:
        if law.name == "discrete_laplace":
            shared.append((geometric_losses(law, shift), times))
        else:
            value = law.curve(shift, eps)
            assert isinstance(value, tuple)  # these two curves are exact
            keep = keep * (value[1] - value[0])
    if not shared:
        total = ExpSum.of(1)
        for _ in range(times):
            total = total * keep
        return exact(1 - total)
    if keep.rational != 1:
        raise BadInput("no exact curve for integer noise beside uniform or exponential noise")
    return lattice_power(shared, eps)


def laplace_power(loss: Fraction, times: int, eps: Fraction) -> Value:
    r"""H_ε of k = `times` Laplace coordinates, each with the largest loss a = `loss`.

    From `dpwitness.proofs.kernel.laws.products`,
    :math:`H = 1 - e^{(\varepsilon-A)/2} M_a^k e^{-|\cdot|/2}(-\varepsilon)`
    with A = ka, and :math:`M_a^k e^{x/2} = e^{A/2} e^{x/2}`. The two antiderivatives of order j differ for x > 0 only,
    by :math:`2^{j+1} R_{j+1}(x/2)` with :math:`R_m(z) = \sum_{t \ge m,\ t \equiv m (2)} z^t/t!`, so

    .. math:: H = 2^{1-k} e^{(\varepsilon-A)/2} \sum_{i:\,(k-2i)a > \varepsilon} \binom ki
              \sum_{j=0}^k [y^j](1+y)^{k-i}(1-y)^i\; R_{j+1}\bigl(\tfrac{(k-2i)a - \varepsilon}2\bigr).

    Near the largest loss only i = 0 counts and every term is positive: small δ keep their relative accuracy.
    """
    k, a, total = times, loss, times * loss
    if eps >= total:
        return exact(0)
    if k == 1:
        return exact(1 - ExpSum.exp((eps - total) / 2))

    def compute() -> Any:
        value = arb(0)
        for i in range(k + 1):
            z = ((k - 2 * i) * a - eps) / 2
            if z <= 0:
                break
            weights = fmpz_poly([1, 1]) ** (k - i) * fmpz_poly([1, -1]) ** i
            rests = _rests(ball(z), k + 1)
            inner = arb(0)
            for j in range(k + 1):
                inner += rests[j + 1] * arb(weights[j])
            value += inner * arb(comb(k, i))
        return value * ball((eps - total) / 2).exp() / arb(2) ** (k - 1)

    return compute


def _rests(z: Any, last: int) -> list[Any]:
    """R_0(z), …, R_last(z): downwards from an order whose rest is bounded by a geometric series."""
    order, small = last + 2, arb(2) ** (-ctx.prec - 8)
    term = z**order / arb(order + 1).gamma()
    first = term
    while not (term < first * small and z * z < order * order / 2):
        order += 1
        term = term * z / order
    # z^t/t! falls by at least a half from here on, two orders at a time
    values = {order: term * arb(1.5, 0.5), order - 1: term * order / z * arb(1.5, 0.5)}
    here = term * order / z
    for m in range(order - 2, -1, -1):
        here = here * (m + 1) / z
        values[m] = here + values[m + 2]
    return [values[m] for m in range(last + 1)]


def geometric_losses(law: NoiseLaw, shift: Fraction) -> Losses:
    r"""The losses :math:`(d - 2j)/b` of a two-sided geometric draw shifted by d, with their probabilities times 1 + a.

    All outcomes ≤ 0 lose d/b and all ≥ d lose −d/b; in between every outcome has a loss of its own.
    """
    law.loss(shift)  # refuses a shift that is not whole
    d, rate = int(shift), 1 / law.params["scale"]
    inner = {(d - 2 * j) * rate: ExpSum.exp(-rate * j) - ExpSum.exp(-rate * (j + 1)) for j in range(1, d)}
    return {d * rate: ExpSum.of(1), **inner, -d * rate: ExpSum.exp(-rate * d)}


def lattice_power(
    factors: Sequence[tuple[Losses, int]], eps: Fraction, shared: Callable[[], Any] | None = None
) -> Value:
    r"""H_ε of independent finite laws of rational losses, each repeated the given number of times.

    .. math:: H = \sum_{\ell > \varepsilon} P[L = \ell](1 - e^{\varepsilon - \ell})

    The probabilities of a factor are divided by their sum. Where some outcomes are impossible on the right, `shared`
    encloses the probability c that no run shows one: H is then 1 − c plus c times the sum.

    >>> coin = {Fraction(1): ExpSum.exp(1), Fraction(-1): ExpSum.of(1)}
    >>> round(float(lattice_power([(coin, 2)], Fraction(0))()), 12)
    0.46211715726
    """
    biggest = sum((max(law) * times for law, times in factors), Fraction(0))
    if eps >= biggest and shared is None:
        return exact(0)
    values = [loss - min(law) for law, _ in factors for loss in law]
    bottom = lcm(*(value.denominator for value in values))
    unit = Fraction(gcd(*(int(value * bottom) for value in values)) or 1, bottom)
    least = sum((min(law) * times for law, times in factors), Fraction(0))
    if (biggest - least) / unit > MAX_LATTICE:
        raise BadInput(f"the losses lie on {(biggest - least) / unit} lattice points: more than {MAX_LATTICE}")

    def compute() -> Any:
        law, keep = arb_poly([1]), arb(1) if shared is None else shared()
        for losses, times in factors:
            places = {int((loss - min(losses)) / unit): weight.ball() for loss, weight in losses.items()}
            total = sum(places.values(), arb(0))
            law = law * arb_poly([places.get(n, arb(0)) / total for n in range(max(places) + 1)]) ** times
        value = arb(0)
        for n in range(law.degree(), -1, -1):
            loss = least + n * unit
            if loss <= eps:
                break
            value -= law[n] * ball(eps - loss).expm1()
        return 1 - keep + keep * value

    return compute
