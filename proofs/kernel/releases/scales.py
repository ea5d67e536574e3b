r"""Releases :math:`m(x) + s(x)\,\eta` whose noise scale depends on the data: location and scale change at once.

Two such laws (m₁, s₁), (m₂, s₂) are joined by a dilation at m₁ and a slide at scale s₂.

* **Slide** by a times the scale. Laplace: pure loss a. Density ∝ 1/(1+\|z\|^γ): a·(γ−1)^{1−1/γ}, which is the largest
  slope γx^{γ−1}/(1+x^γ) of ln(1+x^γ), taken at x^γ = γ−1.
* **Dilation** by e^λ, \|λ\| ≤ b. For 1/(1+\|z\|^γ) the derivative in λ of ln(e^λ h(e^λ z)) is 1 − γ\|z\|^γ/(1+\|z\|^γ),
  between 1−γ and 1, so the pure loss is at most b·max(1, γ−1). Laplace has no pure loss for b > 0. The sets on which a
  wide law exceeds e^ε times a narrow one are the tails {\|z\| > t}, of which the narrow law gives
  :math:`e^{-e^{\lambda}t}`, which falls as λ grows: so the divergence

  .. math:: \sup_t\; e^{-t} - e^{\varepsilon} e^{-e^{\lambda} t}, \qquad t = (\varepsilon+\lambda)/(e^\lambda-1)

  is largest at λ = b. In the other order the sets are \|z\| < t, with the same conclusion.

Dilation first and slide second: P ≤ e^{ε−a}P' + δ and P' ≤ e^a Q give P ≤ e^ε Q + δ.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from flint import arb

from dpwitness.proofs.kernel.algebra.expr import Expr, parse
from dpwitness.proofs.kernel.algebra.values import over
from dpwitness.proofs.kernel.arith import MAX_BITS, Rejected, Undecided, ball, lower, number, precision, sign, text
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.claims import claim_from_json, words
from dpwitness.proofs.kernel.laws.cauchy import half_mass, normaliser
from dpwitness.proofs.kernel.outputs import slots_of
from dpwitness.proofs.kernel.spaces import read_inputs, read_space, read_use, show_inputs
from dpwitness.proofs.kernel.statements import guarantee as stated
from dpwitness.proofs.kernel.statements import subject, two_inputs
from dpwitness.proofs.kernel.theorem import Theorem

STANDARD = ("laplace", "gaussian", "admissible", "exponential", "uniform")
MAX_PAIRS = 20_000
Law = tuple[Expr, Expr]  # location and scale, as formulas without variables


def slide_slope(gamma: Fraction) -> Any:
    """(γ−1)^(1−1/γ): the pure loss per unit of slide of 1/(1+|z|^γ).

    >>> round(float(slide_slope(Fraction(4))), 8)
    2.27950706
    """
    return ball(gamma - 1) ** (1 - 1 / ball(gamma)) if gamma != 2 else arb(1)


def dilation_curve(eps: Fraction, by: Any) -> Any:
    """The divergence at ε ≥ 0 between Laplace laws whose scales differ by e^by, the larger of the two orders."""
    e, factor = ball(eps), by.exp()
    t = (e + by) / by.expm1()
    wide = (-t).exp() - (e - factor * t).exp()
    if by <= e:
        return wide
    near = (by - e) / by.expm1()
    if not near > 0:
        raise Undecided("the two orders of a dilation are not told apart")
    narrow = (1 - (-factor * near).exp()) - e.exp() * (1 - (-near).exp())
    return wide.max(narrow)


def close(noise: tuple[str, Fraction], slide: Any, stretch: Any, claim: Mapping[str, Any]) -> bool:
    """Whether slides by at most `slide` scales and dilations by at most e^stretch keep the guarantee.

    `slide` and `stretch` are functions that enclose their number; a slide may be rational, and a stretch of None is
    exactly no dilation.
    """
    name, gamma = noise
    exact = slide if isinstance(slide, Fraction) else None
    slide = slide if exact is None else lambda: ball(exact)
    if claim["kind"] not in ("pure", "approximate"):
        raise Rejected(f"no rule for {claim['kind']} guarantees of data-dependent scales")
    eps, delta = claim["epsilon"], claim.get("delta", Fraction(0))
    if name == "admissible":
        wide = max(gamma - 1, Fraction(1))

        def rest() -> Any:
            loss = slide() * slide_slope(gamma) + (0 if stretch is None else stretch() * ball(wide))
            return ball(eps) - loss

        return sign(rest, cap=MAX_BITS // 16) > 0
    if name != "laplace":
        raise Rejected(f"no rule for {name} noise of data-dependent scale")
    if stretch is None:
        return exact <= eps if exact is not None else sign(lambda: ball(eps) - slide(), cap=MAX_BITS // 16) > 0
    if delta == 0:
        return False

    def below() -> Any:
        left = ball(eps) - slide()
        if not left > 0:
            return arb(-1)
        return ball(delta) - dilation_curve(lower(left), stretch())

    return sign(below, cap=MAX_BITS // 16) > 0


# probabilities of one law


def beyond(name: str, gamma: Fraction, x: Any) -> Any:
    """P[η > x] for standard noise; the probability falls with x, so the ends of a ball are enough."""
    low, high = (_beyond(name, gamma, end) for end in (x.lower(), x.upper()))
    return low.union(high)


def _beyond(name: str, gamma: Fraction, x: Any) -> Any:
    if name == "laplace":
        return (-x).exp() / 2 if x >= 0 else 1 - x.exp() / 2
    if name == "gaussian":
        return (x / arb(2).sqrt()).erfc() / 2
    if name == "admissible":
        if x == 0:
            return arb(1) / 2
        part = half_mass(abs(x), gamma) / normaliser(gamma)
        return arb(1) / 2 - part if x > 0 else arb(1) / 2 + part
    if name == "exponential":
        return (-x).exp() if x > 0 else arb(1)
    return arb(1) if x <= 0 else arb(0) if x >= 1 else 1 - x


def probability(noise: tuple[str, Fraction], law: Law, low: Fraction | None, high: Fraction | None) -> Any:
    """P[low ≤ m + s·η ≤ high]; with s = 0 the law sits on m."""
    place, scale = (over(part, {}) for part in law)
    m, s = place.lo.union(place.hi), scale.lo.union(scale.hi)
    if s == 0:
        inside = (low is None or m >= ball(low)) and (high is None or m <= ball(high))
        outside = (low is not None and m < ball(low)) or (high is not None and m > ball(high))
        if inside == outside:
            raise Undecided("a point is not seen to lie in the event or outside")
        return arb(1) if inside else arb(0)
    if not (s > 0 or s < 0):
        raise Undecided("a scale is not told apart from 0")
    ends = [None if end is None else (ball(end) - m) / s for end in ((low, high) if s > 0 else (high, low))]
    first = arb(1) if ends[0] is None else beyond(*noise, ends[0])
    last = arb(0) if ends[1] is None else beyond(*noise, ends[1])
    return first - last


def read_noise(value: object) -> tuple[str, Fraction]:
    """``{"name": "laplace"}`` or ``{"name": "admissible", "gamma": "4"}``: standard noise, of scale 1."""
    if not isinstance(value, Mapping) or value.get("name") not in STANDARD:
        raise Rejected(f"noise is one of {', '.join(STANDARD)}")
    if value["name"] != "admissible":
        fields(value, "name")
        return value["name"], Fraction(0)
    gamma = number(fields(value, "name", "gamma")[1])
    if gamma <= 1:
        raise Rejected(f"gamma={gamma} must exceed 1: the density does not integrate")
    return "admissible", gamma


def read_law(value: object) -> Law:
    """``[location, scale]`` as formulas without variables."""
    if not isinstance(value, list) or len(value) != 2:
        raise Rejected("a law is [location, scale]")
    return parse(value[0], frozenset()), parse(value[1], frozenset())


def check_scales_violation(certificate: Mapping[str, Any]) -> Theorem:
    """Check ``{"type": "scales-violation", "inputs", "output", "slot", "noise", "left", "right", "event", …}``.

    ``left`` and ``right`` are the laws of number ``slot`` of the output on the two inputs. An event is
    ``{"inside": true, "low": "0", "high": null}``.
    Verified: P_left(E) > e^ε P_right(E) + δ, where E is [low, high] (null: no bound) or all but that.
    """
    inputs, output, slot, noise, left, right, event, guarantee = fields(
        certificate, "type", "inputs", "output", "slot", "noise", "left", "right", "event", "guarantee",
        optional=("about",),
    )[1:]  # fmt: skip
    kind, claim, sides = read_noise(noise), claim_from_json(guarantee), read_inputs(inputs)
    if type(slot) is not int or not 0 <= slot < slots_of(output):
        raise Rejected("the slot is the number of a number in the output")
    if claim["kind"] not in ("pure", "approximate"):
        raise Rejected(f"no rule for {claim['kind']} guarantees")
    inside, *ends = fields(event, "inside", "low", "high")
    low, high = (None if end is None else number(end) for end in ends)
    if not isinstance(inside, bool) or (low is not None and high is not None and low > high):
        raise Rejected("an event is an interval, inside or outside")
    laws = read_law(left), read_law(right)

    def gap() -> Any:
        p, q = (probability(kind, law, low, high) for law in laws)
        p, q = (p, q) if inside else (1 - p, 1 - q)
        return p - ball(claim["epsilon"]).exp() * q - ball(claim.get("delta", Fraction(0)))

    if sign(gap, start=128, cap=1024) <= 0:
        raise Rejected("the two probabilities do not violate the guarantee")
    shown = f"[{'-inf' if low is None else text(low)}, {'inf' if high is None else text(high)}]"
    said = f"{show_inputs(sides)}: number {slot} of the output {'in' if inside else 'outside'} {shown[:80]} violates "
    model = subject(certificate, "inputs", "output", "slot", "noise", "left", "right")
    return Theorem("scales-violation", said + words(claim), model, True, stated(claim), *two_inputs(*sides))


def check_scales(certificate: Mapping[str, Any]) -> Theorem:
    """Check ``{"type": "scales", "space", "output", "noise", "laws", "use", "guarantee"}``.

    ``laws`` lists pairs [location, scale], and ``use`` names that of each input of the finite space. The laws of all
    neighbours are compared, in both orders.
    """
    space_json, output, noise, listed, use, guarantee = fields(
        certificate, "type", "space", "output", "noise", "laws", "use", "guarantee", optional=("about",)
    )[1:]
    kind, claim, space = read_noise(noise), claim_from_json(guarantee), read_space(space_json)
    if not isinstance(listed, list) or slots_of(output) != 1:
        raise Rejected("one number is released, with one of the listed laws")
    laws = [read_law(law) for law in listed]
    _, pairs = read_use(use, space, len(laws))
    if len(pairs) > MAX_PAIRS:
        raise Rejected(f"more than {MAX_PAIRS} pairs of laws")
    for law in laws:
        with precision(64):
            if not value(law[1]) > 0:
                raise Rejected("a scale is not positive")
    for i, j in pairs:
        for one, two in ((laws[i], laws[j]), (laws[j], laws[i])) if laws[i] != laws[j] else ():
            if not _pair_close(kind, one, two, claim):
                raise Rejected(f"{listed[i]} and {listed[j]} are not shown to keep {words(claim)}"[:300])
    said = f"{space.describe()}: {len(laws)} laws of one number with {kind[0]} noise: {words(claim)}"
    model = subject(certificate, "space", "output", "noise", "laws", "use")
    return Theorem("scales", said, model, False, stated(claim), space.stated(), space.sizes())


def value(part: Expr) -> Any:
    """The value of a formula without variables, at the precision in force."""
    found = over(part, {})
    return found.lo.union(found.hi)


def _pair_close(noise: tuple[str, Fraction], one: Law, two: Law, claim: Mapping[str, Any]) -> bool:
    """P = `one` against Q = `two`: the dilation takes place at the location of P, the slide at the scale of Q."""

    def slide() -> Any:
        return abs(value(one[0]) - value(two[0])) / value(two[1])

    def stretch() -> Any:
        return abs((value(one[1]) / value(two[1])).log())

    plain = one[0].op == two[0].op == two[1].op == "num"
    move = abs(one[0].value - two[0].value) / two[1].value if plain else slide
    return close(noise, move, None if one[1] == two[1] else stretch, claim)


CHECKERS = {"scales": check_scales, "scales-violation": check_scales_violation}
