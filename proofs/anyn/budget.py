"""The claimed ε as a polynomial in the parameters.

A claim is a function of the parameters that returns a guarantee. It is called with numbers that remember how they were
computed; where the result is a polynomial in the parameters, a proof can be compared with it for all parameters.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.domains import Domain
from dpwitness.core.errors import DPWitnessError
from dpwitness.core.guarantees import PureDP
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.numbers import Exact
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.laurent import Poly

SAMPLES = 12


class Traced(Exact):
    """An exact number that remembers the polynomial by which it was computed.

    Comparisons with anything but zero are noted in `branched`: the polynomial then speaks of one branch only.
    """

    __slots__ = ("poly",)
    poly: Poly
    branched = False

    @staticmethod
    def of(value: Fraction, poly: Poly) -> Traced:
        """A number with its polynomial."""
        made = Fraction.__new__(Traced, value.numerator, value.denominator)
        made.poly = poly
        return made

    def _plain(self) -> Fraction:
        return Fraction(self.numerator, self.denominator)

    def _note(self, other: object) -> None:
        if other != 0:
            Traced.branched = True

    def __lt__(self, other: Any) -> bool:
        self._note(other)
        return bool(self._plain() < other)

    def __le__(self, other: Any) -> bool:
        self._note(other)
        return bool(self._plain() <= other)

    def __gt__(self, other: Any) -> bool:
        self._note(other)
        return bool(self._plain() > other)

    def __ge__(self, other: Any) -> bool:
        self._note(other)
        return bool(self._plain() >= other)

    __hash__ = Exact.__hash__

    def __eq__(self, other: object) -> bool:
        self._note(other)
        return self._plain() == other

    def __neg__(self) -> Any:
        return Traced.of(-self._plain(), -self.poly)


def _parts(value: Any) -> tuple[Fraction, Poly] | None:
    if isinstance(value, Traced):
        return value._plain(), value.poly
    if isinstance(value, int | Fraction):
        return Fraction(value), Poly.constant(Fraction(value))
    return None


def _operation(name: str, swap: bool) -> Any:
    def operation(self: Traced, other: Any) -> Any:
        mine, theirs = _parts(self), _parts(other)
        if theirs is None or mine is None:
            return NotImplemented
        (a, p), (b, q) = (theirs, mine) if swap else (mine, theirs)
        if name == "truediv":
            return Traced.of(a / b, p * q.power(-1))
        if name == "pow":
            if b.denominator != 1:
                raise Rejected("a power that is not whole")
            return Traced.of(a ** int(b), p.power(int(b)))
        made = {"add": (a + b, p + q), "sub": (a - b, p - q), "mul": (a * b, p * q)}[name]
        return Traced.of(*made)

    return operation


for _name in ("add", "sub", "mul", "truediv", "pow"):
    setattr(Traced, f"__{_name}__", _operation(_name, False))
    setattr(Traced, f"__r{_name}__", _operation(_name, True))
del _name


def claimed(claim: Claim) -> Poly | None:
    """The claimed ε as a polynomial in the parameters; None where it is not one."""
    mechanism = claim.mechanism
    if not isinstance(mechanism, Mechanism) or not isinstance(claim.guarantee, PureDP):
        return None
    traced = {name: Traced.of(value, Poly.symbol(name)) for name, value in claim.params.items()}
    Traced.branched = False
    found = _epsilon(claim, mechanism, traced)
    if Traced.branched or not isinstance(found, Traced) or found._plain() != claim.guarantee.eps:
        return None
    rng = random.Random(0)
    for _ in range(SAMPLES):
        point = {name: _sample(mechanism.domains.get(name, Domain()), rng) for name in claim.params}
        other = _epsilon(claim, mechanism, point)
        if other is None or other != found.poly.evaluate(point):
            return None
    return found.poly


def _epsilon(claim: Claim, mechanism: Mechanism, params: Mapping[str, Exact]) -> Exact | None:
    """The claim's ε at given parameters; None where the claim was not made by the mechanism."""
    try:
        made = [g for p in (*mechanism.promises, *mechanism.more) for g in p.guarantees(params)]
    except (DPWitnessError, Rejected, ArithmeticError, TypeError, ValueError):
        return None
    if claim.index >= len(made) or not isinstance(made[claim.index], PureDP):
        return None
    guarantee = made[claim.index]
    return guarantee.eps if isinstance(guarantee, PureDP) else None


def _sample(domain: Domain, rng: random.Random) -> Exact:
    bounds = [b for b in (domain.above, domain.least) if b is not None]
    low = Fraction(max(bounds)) if bounds else Fraction(1, 7)
    high = Fraction(domain.below) if domain.below is not None else low + 9
    if domain.whole:
        return Exact(int(low) + rng.randint(1, 9))
    return Exact(low + (high - low) * Fraction(rng.randint(1, 96), 97))
