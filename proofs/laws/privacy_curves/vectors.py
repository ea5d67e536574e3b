r"""Privacy curves of vector noise, finite tables, mixtures, and changes of location and scale at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from dpwitness.core import laws
from dpwitness.core.errors import BadInput
from dpwitness.core.laws import Law
from dpwitness.core.numbers import exact
from dpwitness.proofs.kernel.algebra.expr import Expr, call, num, parse, var
from dpwitness.proofs.kernel.algebra.expsum import ExpSum
from dpwitness.proofs.kernel.arith import Rejected, Undecided, lower, outward, precision, upper
from dpwitness.proofs.kernel.laws.curves import normal
from dpwitness.proofs.kernel.laws.density import BITS, Density, divergence
from dpwitness.proofs.kernel.laws.noise import NoiseLaw, enclosure
from dpwitness.proofs.kernel.laws.products import laplace_product
from dpwitness.proofs.kernel.releases.tables import Row, hockey_stick
from dpwitness.proofs.laws.privacy_curves.curves import Enclosure, noise_law


def vector_delta(noise: Sequence[Law | NoiseLaw], shifts: Sequence[object], eps: object) -> Enclosure:
    """δ(ε) of independent noise on each coordinate when the answers move by exactly the given shifts.

    Exact for Laplace coordinates (any scales), for two-sided geometric ones, and for Gaussian ones.

    >>> low, high = vector_delta([laws.Laplace(1), laws.Laplace(2)], [1, 1], "1/2")
    >>> round(float(low), 12) == round(float(high), 12)
    True
    """
    parts = [noise_law(law) for law in noise]
    moves = [abs(Fraction(exact(s, f"shifts[{i}]"))) for i, s in enumerate(shifts)]
    e = Fraction(exact(eps, "eps"))
    if len(parts) != len(moves) or not parts or e < 0:
        raise BadInput(f"{len(parts)} laws and {len(moves)} shifts with eps={e}: as many laws as shifts, and eps ≥ 0")
    names = {law.name for law in parts}
    if names == {"gaussian"}:
        squared = sum((s * s / law.params["variance"] for law, s in zip(parts, moves, strict=True)), Fraction(0))
        return outward(*enclosure(normal(squared, e)), 25)
    if names == {"laplace"}:
        value = laplace_product([s / law.params["scale"] for law, s in zip(parts, moves, strict=True)], e)
        return outward(*enclosure((value, ExpSum.of(1))), 25)
    if names == {"discrete_laplace"}:
        return table_delta(*_geometric_rows(parts, moves), e)
    if len(parts) == 1:
        return outward(*enclosure(parts[0].curve(moves[0], e)), 25)
    raise BadInput(f"no exact vector curve for {sorted(names)} noise")


def _geometric_rows(parts: Sequence[NoiseLaw], moves: Sequence[Fraction]) -> tuple[Row, Row]:
    """The joint law of the losses: per coordinate the outcomes ≤ 0, 1, …, d−1, ≥ d are all that matters."""
    left, right = [ExpSum.of(1)], [ExpSum.of(1)]
    for law, move in zip(parts, moves, strict=True):
        if move.denominator != 1:
            raise BadInput(f"a shift of {move} under integer noise: the supports are disjoint")
        d, rate = int(move), 1 / law.params["scale"]
        inner = [ExpSum.exp(-rate * j) - ExpSum.exp(-rate * (j + 1)) for j in range(1, d)]
        here = [ExpSum.of(1), *inner, ExpSum.exp(-rate * d)] if d else [ExpSum.of(1)]
        left = [a * b for a in left for b in here]
        right = [a * b for a in right for b in reversed(here)]
        if len(left) > 20_000:
            raise BadInput("too many combined losses")
    return Row.weighted(left), Row.weighted(right)


def table_delta(p: Row, q: Row, eps: object) -> Enclosure:
    """δ(ε) of two finite laws, the larger of the two orders."""
    e = Fraction(exact(eps, "eps"))
    both = [enclosure(hockey_stick(a, b, e)) for a, b in ((p, q), (q, p))]
    return outward(max(low for low, _ in both), max(high for _, high in both), 25)


@dataclass(frozen=True)
class Component:
    """`weight` times the law of location + scale · Z with Z from `law`."""

    law: Law
    weight: object = 1
    location: object = 0
    scale: object = 1

    def density(self) -> Expr:
        """The weighted density as a formula in z, normalised exactly."""
        s, w = (Fraction(exact(v, n)) for v, n in ((self.scale, "scale"), (self.weight, "weight")))
        if s <= 0 or w < 0:
            raise BadInput(f"scale={s} must be positive and weight={w} must not be negative")
        place = (var("z") - num(Fraction(exact(self.location, "location")))) / num(s)
        return num(w / s) * _density(self.law).substitute({"z": place})


def _density(law: Law) -> Expr:
    z = var("z")
    match law:
        case laws.Laplace(scale):
            b = Fraction(exact(scale, "scale"))
            return call("exp", -(call("Abs", z) / num(b))) / num(2 * b)
        case laws.Gaussian(std):
            s = Fraction(exact(std, "std"))
            return call("exp", -(z ** num(2) / num(2 * s * s))) / (num(s) * parse("sqrt(2*pi)"))
        case laws.Admissible(gamma) if exact(gamma, "gamma") == 2:
            return parse("1/(pi*(1+z**2))")
        case laws.Uniform(low, high):
            a, b = Fraction(exact(low, "low")), Fraction(exact(high, "high"))
            inside = parse("(sign(z-a)+1)/2*(sign(b-z)+1)/2").substitute({"a": num(a), "b": num(b)})
            return inside / num(b - a)
    raise BadInput(f"no normalised density formula for {law}")


def mixture_delta(left: Sequence[Component], right: Sequence[Component], eps: object) -> Enclosure:
    """δ(ε) between two mixtures of located and scaled laws, the larger of the two orders, by the cell method.

    One component on each side with different locations and scales is what smooth sensitivity needs.

    >>> low, high = mixture_delta([Component(laws.Laplace(1))], [Component(laws.Laplace(1), location=1)], "1/2")
    >>> round(float(low), 9), round(float(high), 9)                     # 1 − e^(−1/4)
    (0.221199217, 0.221199217)
    """
    e = Fraction(exact(eps, "eps"))
    sides = []
    for name, parts in (("left", left), ("right", right)):
        if sum((Fraction(exact(part.weight, "weight")) for part in parts), Fraction(0)) != 1:
            raise BadInput(f"the weights of {name} must sum to 1")
        total = parts[0].density()
        for part in parts[1:]:
            total = total + part.density()
        sides.append(total)
    best = Fraction(0), Fraction(0)
    try:
        with precision(BITS):
            for p, q in (sides, sides[::-1]):
                below, above = divergence(p, q, e, Density("", p).far())
                best = max(best[0], lower(below)), max(best[1], upper(above))
    except (Rejected, Undecided) as error:
        raise BadInput(f"the divergence was not enclosed: {error}") from None
    return outward(max(best[0], Fraction(0)), min(best[1], Fraction(1)), 25)
