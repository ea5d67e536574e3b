r"""Privacy curves of noise laws: δ(ε), ε(δ), the pure loss, and the smallest scale for a guarantee.

All answers are pairs (lower, upper) of rationals, rounded outward, of relative width at most 10⁻¹². The closed forms
and their lemmas are in `dpwitness.proofs.kernel.laws.curves`.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from dpwitness.core.errors import BadInput
from dpwitness.core.laws import Law
from dpwitness.core.numbers import exact
from dpwitness.proofs.kernel.arith import Rejected, ball, enclose, outward
from dpwitness.proofs.kernel.laws.noise import NoiseLaw, at_most, enclosure

Enclosure = tuple[Fraction, Fraction]
WIDTH = Fraction(1, 10**13)


def noise_law(law: Law | NoiseLaw, factor: Fraction = Fraction(1)) -> NoiseLaw:
    """The kernel's description of `factor` times a draw from `law`.

    >>> from dpwitness.core import laws
    >>> print(noise_law(laws.Laplace(2), Fraction(-3)))
    laplace(scale=6)
    """
    size = abs(factor)
    if isinstance(law, NoiseLaw):
        if size != 1:
            raise BadInput(f"factor={factor} must be 1 or -1 for a law that is already in the kernel's form")
        return law
    try:
        return _noise_law(law, size)
    except Rejected as error:
        raise BadInput(f"{law}: {error}") from None


def _noise_law(law: Law, size: Fraction) -> NoiseLaw:
    def number(name: str) -> Fraction:
        return Fraction(exact(getattr(law, name), name))

    params = law.kernel_form(size, number)
    if params is not None:
        return NoiseLaw(law.name, params)
    raise BadInput(f"no privacy curve is known for {size} times {law}")


def _number(value: object, name: str) -> Fraction:
    number = Fraction(exact(value, name))
    if number < 0:
        raise BadInput(f"{name}={number} must not be negative")
    return number


def delta(law: Law | NoiseLaw, shift: object, eps: object) -> Enclosure:
    r"""The hockey-stick divergence :math:`\delta(\varepsilon)` of noise under shifts of size at most `shift`.

    Parameters
    ----------
    law
        The noise.
    shift
        The sensitivity: the answer moves by at most this much (by whole numbers, for integer laws).
    eps
        ε ≥ 0.

    >>> from dpwitness.core import laws
    >>> low, high = delta(laws.Gaussian(1), 1, 1)
    >>> round(float(low), 12), round(float(high), 12)
    (0.126936737507, 0.126936737507)
    """
    move, e = _number(shift, "shift"), _number(eps, "eps")
    try:
        low, high = enclosure(noise_law(law).curve(move, e))
    except Rejected as error:
        raise BadInput(f"{law} with shift={move}: {error}") from None
    return outward(max(low, Fraction(0)), min(high, Fraction(1)), 25)


def pure(law: Law | NoiseLaw, shift: object) -> Enclosure | None:
    """The pure loss, the largest |log-ratio| under shifts of size at most `shift`; None where it is infinite.

    >>> from dpwitness.core import laws
    >>> pure(laws.Laplace(2), 3), pure(laws.Gaussian(1), 1)
    ((Fraction(3, 2), Fraction(3, 2)), None)
    """
    move = _number(shift, "shift")
    try:
        loss = noise_law(law).loss(move)
    except Rejected as error:
        raise BadInput(f"{law} with shift={move}: {error}") from None
    if loss is None:
        return None
    return (loss, loss) if isinstance(loss, Fraction) else outward(*enclose(loss), 25)


def epsilon(law: Law | NoiseLaw, shift: object, delta: object) -> Enclosure:
    """The smallest ε ≥ 0 with δ(ε) ≤ delta; at delta = 0 the pure loss.

    Raises `BadInput` where no ε is large enough (uniform and exponential noise for small δ, Gaussian at δ = 0).

    >>> from dpwitness.core import laws
    >>> low, high = epsilon(laws.Laplace(1), 1, "0.1")        # 1 + 2 ln 0.9
    >>> round(float(low), 12), round(float(high), 12)
    (0.789278968684, 0.789278968684)
    """
    noise, move, d = noise_law(law), _number(shift, "shift"), _number(delta, "delta")
    if d >= 1:
        return Fraction(0), Fraction(0)
    if d == 0:
        loss = pure(noise, move)
        if loss is None:
            raise BadInput(f"{law} with shift={move} has an unbounded privacy loss: no ε is large enough for delta=0")
        return loss
    if noise.name == "laplace":
        low, high = enclose(lambda: ball(move / noise.params["scale"]) + 2 * ball(1 - d).log())
        return outward(max(low, Fraction(0)), max(high, Fraction(0)), 25)

    def enough(e: Fraction) -> bool:
        return at_most(noise.curve(move, e), d)

    if noise.name in ("uniform", "exponential") and not enough(Fraction(0)):
        raise BadInput(f"{law} with shift={move}: the supports differ by more than delta={d}; no ε is large enough")
    return threshold(enough)


def threshold(
    enough: Callable[[Fraction], bool], start: Fraction = Fraction(1), *, from_zero: bool = True
) -> Enclosure:
    """The point from which a rising predicate holds, bracketed by certified answers on both sides.

    >>> low, high = threshold(lambda x: x * x >= 2)
    >>> low * low < 2 <= high * high and (high - low) / high <= WIDTH
    True
    """
    if from_zero and enough(Fraction(0)):
        return Fraction(0), Fraction(0)
    high = start
    while not enough(high):
        high *= 2
        if high > 10**12:
            raise BadInput("no finite value is large enough")
    low = high / 2 if high > start else Fraction(0)
    while low == 0:
        if not enough(high / 2):
            low = high / 2
        else:
            high /= 2
            if high < Fraction(1, 10**120):
                return Fraction(0), high
    while high - low > WIDTH * high:
        middle = _short((low + high) / 2, (high - low) / 8)
        if enough(middle):
            high = middle
        else:
            low = middle
    return low, high


def _short(value: Fraction, slack: Fraction) -> Fraction:
    """A nearby rational with few digits, so that the closed forms stay cheap."""
    return value.limit_denominator(int(2 / slack) + 1)


_FAMILIES: dict[str, Callable[[Fraction], NoiseLaw]] = {
    "laplace": lambda t: NoiseLaw("laplace", {"scale": t}),
    "exponential": lambda t: NoiseLaw("exponential", {"scale": t}),
    "gaussian": lambda t: NoiseLaw("gaussian", {"variance": t * t}),
    "uniform": lambda t: NoiseLaw("uniform", {"width": t}),
    "discrete_laplace": lambda t: NoiseLaw("discrete_laplace", {"scale": t}),
    "discrete_gaussian": lambda t: NoiseLaw("discrete_gaussian", {"variance": t * t}),
}


def scale_for(
    family: str, eps: object, delta: object = 0, shift: object = 1, *, gamma: object = None, times: int = 1
) -> Enclosure:
    """The smallest noise for (ε,δ): a bracket (too small, enough) of the scale (the standard deviation for Gaussians).

    Parameters
    ----------
    family
        ``"laplace"``, ``"gaussian"``, ``"uniform"``, ``"exponential"``, ``"discrete_laplace"``,
        ``"discrete_gaussian"``, or ``"admissible"`` with its `gamma`.
    times
        How many releases, each with noise of its own, must be (ε,δ)-private together.

    The second number is certified to be enough and the first to be too little. Between them lies the threshold; for
    the integer laws it is the threshold that the search met, since more noise is not proved to be always better.

    >>> scale_for("laplace", 2)
    (Fraction(1, 2), Fraction(1, 2))
    >>> low, high = scale_for("gaussian", 1, "1e-5")
    >>> round(float(high), 8)
    3.73063163
    """
    from dpwitness.proofs.laws.privacy_curves.powers import product_curve

    e, d, move = _number(eps, "eps"), _number(delta, "delta"), _number(shift, "shift")
    if family == "admissible":
        g = Fraction(exact(gamma, "gamma"))
        make: Callable[[Fraction], NoiseLaw] = lambda t: NoiseLaw("admissible", {"gamma": g, "scale": t})  # noqa: E731
    elif family in _FAMILIES:
        make = _FAMILIES[family]
    else:
        raise BadInput(f"family={family!r} must be one of {', '.join((*_FAMILIES, 'admissible'))}")
    if not isinstance(times, int) or isinstance(times, bool) or times < 1:
        raise BadInput(f"times={times!r} must be a positive whole number")
    if move == 0 or d >= 1:
        raise BadInput(f"shift={move} must be positive and delta={d} below 1: else no noise is needed")
    if e == 0 and d == 0:
        raise BadInput("eps=0 with delta=0 needs infinite noise")
    if d == 0:
        if family in ("gaussian", "uniform", "exponential", "discrete_gaussian"):
            raise BadInput(f"{family} noise has an unbounded privacy loss: no scale gives delta=0")
        if family in ("laplace", "discrete_laplace"):
            return times * move / e, times * move / e

    def enough(t: Fraction) -> bool:
        noise = make(t)
        if d > 0:
            return at_most(product_curve([(noise, move)], e, times), d)
        loss = noise.loss(move)
        return times * loss <= e if isinstance(loss, Fraction) else at_most(lambda: loss() * times, e)

    try:
        return threshold(enough, move, from_zero=False)
    except Rejected as error:
        raise BadInput(f"{family} noise with shift={move}: {error}") from None
