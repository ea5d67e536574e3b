r"""A claim as a function of its parameters.

A claim is made by a function of the parameters that returns a guarantee. It is called with numbers that remember how
they were computed; where each number of the guarantee is a Laurent polynomial :math:`\sum c\,\prod p^k` in the
parameters, a theorem that leaves parameters open can be compared with the claim for all of their values.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, ClassVar

from dpwitness.core.claims import Claim
from dpwitness.core.domains import Domain
from dpwitness.core.errors import DPWitnessError
from dpwitness.core.guarantees import Guarantee
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.numbers import Exact

Powers = tuple[tuple[str, int], ...]
Formula = tuple[tuple[Fraction, Powers], ...]
SAMPLES = 12


class NotAFormula(ArithmeticError):
    """The number is not a Laurent polynomial in the parameters."""


def collect(terms: Mapping[Powers, Fraction]) -> Formula:
    """A formula from its terms, in canonical order.

    >>> collect({(("eps", 1),): Fraction(2), (): Fraction(0)})
    ((Fraction(2, 1), (('eps', 1),)),)
    """
    return tuple((c, powers) for powers, c in sorted(terms.items()) if c)


def _terms(formula: Formula) -> dict[Powers, Fraction]:
    return {powers: c for c, powers in formula}


def _join(one: Powers, two: Powers) -> Powers:
    total = dict(one)
    for name, power in two:
        total[name] = total.get(name, 0) + power
    return tuple(sorted((name, power) for name, power in total.items() if power))


def add(one: Formula, two: Formula, factor: int = 1) -> Formula:
    """one + factor · two."""
    total = _terms(one)
    for c, powers in two:
        total[powers] = total.get(powers, Fraction(0)) + factor * c
    return collect(total)


def multiply(one: Formula, two: Formula) -> Formula:
    """The product."""
    total: dict[Powers, Fraction] = {}
    for a, p in one:
        for b, q in two:
            powers = _join(p, q)
            total[powers] = total.get(powers, Fraction(0)) + a * b
    return collect(total)


def raise_to(formula: Formula, power: int) -> Formula:
    """A whole power; negative ones of single terms only."""
    if power < 0:
        if len(formula) != 1:
            raise NotAFormula("the inverse of a sum")
        ((c, powers),) = formula
        formula, power = ((1 / c, tuple((name, -k) for name, k in powers)),), -power
    if power > 64:
        raise NotAFormula("a power above 64")
    result: Formula = ((Fraction(1), ()),)
    for _ in range(power):
        result = multiply(result, formula)
    return result


def evaluate(formula: Formula, params: Mapping[str, Fraction]) -> Fraction:
    """The value at given parameters."""
    total = Fraction(0)
    for c, powers in formula:
        part = Fraction(c)
        for name, power in powers:
            part *= Fraction(params[name]) ** power
        total += part
    return total


def put_in(formula: Formula, params: Mapping[str, Fraction]) -> Formula:
    """The formula with numbers for some of its parameters."""
    total: dict[Powers, Fraction] = {}
    for c, powers in formula:
        part, left = Fraction(c), []
        for name, power in powers:
            if name in params:
                part *= Fraction(params[name]) ** power
            else:
                left.append((name, power))
        total[tuple(left)] = total.get(tuple(left), Fraction(0)) + part
    return collect(total)


class Traced(Exact):
    """An exact number that remembers the formula by which it was computed.

    Comparisons with anything but zero, and all that leaves the formula behind (a float, a truth value, a remainder),
    are noted in `branched`: the formula then speaks of one branch only. What is compared with zero is kept in `signs`:
    guarantees ask whether their own numbers are positive.
    """

    __slots__ = ("formula",)
    formula: Formula
    branched = False
    signs: ClassVar[list[Formula]] = []

    @staticmethod
    def of(value: Fraction, formula: Formula) -> Traced:
        """A number with its formula."""
        made = Fraction.__new__(Traced, value.numerator, value.denominator)
        made.formula = formula
        return made

    def plain(self) -> Fraction:
        """The number alone."""
        return Fraction(self._numerator, self._denominator)  # type: ignore[attr-defined]

    def _note(self, other: object) -> None:
        if isinstance(other, Traced) or other != 0:
            Traced.branched = True
        else:
            Traced.signs.append(self.formula)

    def __lt__(self, other: Any) -> bool:
        self._note(other)
        return bool(self.plain() < other)

    def __le__(self, other: Any) -> bool:
        self._note(other)
        return bool(self.plain() <= other)

    def __gt__(self, other: Any) -> bool:
        self._note(other)
        return bool(self.plain() > other)

    def __ge__(self, other: Any) -> bool:
        self._note(other)
        return bool(self.plain() >= other)

    def __hash__(self) -> int:  # type: ignore[override]
        Traced.branched = True
        return hash(self.plain())

    def __eq__(self, other: object) -> bool:
        self._note(other)
        return self.plain() == other

    def __neg__(self) -> Any:
        return Traced.of(-self.plain(), add((), self.formula, -1))


def _parts(value: Any) -> tuple[Fraction, Formula] | None:
    if isinstance(value, Traced):
        return value.plain(), value.formula
    if isinstance(value, int | Fraction):
        return Fraction(value), collect({(): Fraction(value)})
    return None


def _operation(name: str, swap: bool) -> Callable[[Traced, Any], Any]:
    def operation(self: Traced, other: Any) -> Any:
        mine, theirs = _parts(self), _parts(other)
        if theirs is None or mine is None:
            return NotImplemented
        (a, p), (b, q) = (theirs, mine) if swap else (mine, theirs)
        if name == "truediv":
            return Traced.of(a / b, multiply(p, raise_to(q, -1)))
        if name == "pow":
            if b.denominator != 1 or any(powers for _, powers in q):
                raise NotAFormula("a power that is not a whole number")
            return Traced.of(a ** int(b), raise_to(p, int(b)))
        made = {"add": (a + b, add(p, q)), "sub": (a - b, add(p, q, -1)), "mul": (a * b, multiply(p, q))}[name]
        return Traced.of(*made)

    return operation


for _name in ("add", "sub", "mul", "truediv", "pow"):
    setattr(Traced, f"__{_name}__", _operation(_name, False))
    setattr(Traced, f"__r{_name}__", _operation(_name, True))


def _leaving(name: str) -> Callable[..., Any]:
    """A method whose result no longer knows the formula."""

    def method(self: Traced, *others: Any) -> Any:
        Traced.branched = True
        plain = [other.plain() if isinstance(other, Traced) else other for other in others]
        return getattr(self.plain(), name)(*plain)

    return method


def _leaving_part(name: str) -> Callable[[Traced], Any]:
    def part(self: Traced) -> Any:
        Traced.branched = True
        return getattr(self.plain(), name)

    return part


for _name in (
    "abs", "bool", "ceil", "complex", "divmod", "float", "floor", "floordiv", "format", "int", "mod", "pos", "rdivmod",
    "repr", "rfloordiv", "rmod", "round", "str", "trunc",
):  # fmt: skip
    setattr(Traced, f"__{_name}__", _leaving(f"__{_name}__"))
for _name in ("as_integer_ratio", "conjugate", "is_integer", "limit_denominator"):
    setattr(Traced, _name, _leaving(_name))
for _name in ("numerator", "denominator", "real", "imag"):
    setattr(Traced, _name, property(_leaving_part(_name)))
del _name


def claimed_formulas(claim: Claim) -> dict[str, Formula] | None:
    """Each number of the claimed guarantee as a formula in the parameters; None where one of them is not.

    >>> import dpwitness as dpw
    >>> @dpw.mechanism(data=dpw.Answers(size=1), claim=lambda eps: dpw.PureDP(3 * eps * eps), typical={"eps": 1})
    ... def noisy(noise, answers, *, eps):
    ...     return answers[0] + noise.laplace(1 / eps)
    >>> claimed_formulas(noisy.claims()[0])
    {'eps': ((Fraction(3, 1), (('eps', 2),)),)}
    """
    mechanism = claim.mechanism
    if not isinstance(mechanism, Mechanism):
        return None
    traced = {name: Traced.of(value, ((Fraction(1), ((name, 1),)),)) for name, value in claim.params.items()}
    Traced.branched = False
    Traced.signs.clear()
    every = _guarantees(mechanism, traced)
    if claim.index >= len(every) or Traced.branched or type(every[claim.index]) is not type(claim.guarantee):
        return None
    made = every[claim.index]
    parts = {name: _parts(value) for name, value in made.__dict__.items()}
    formulas = {name: part[1] for name, part in parts.items() if part is not None}
    own = {part[1] for other in every for value in other.__dict__.values() if (part := _parts(value)) is not None}
    if any(asked not in own for asked in Traced.signs):
        return None  # the claim itself asked for a sign, which may be another one elsewhere
    if len(formulas) != len(parts) or not _agrees(formulas, claim.guarantee, claim.params):
        return None
    rng = random.Random(0)
    for _ in range(SAMPLES):  # what was not traced (a table, a call of int) shows at other values
        point = {name: sample_domain(mechanism.domains.get(name, Domain()), rng) for name in claim.params}
        others = _guarantees(mechanism, point)
        if claim.index >= len(others) or not _agrees(formulas, others[claim.index], point):
            return None
    return formulas


def _agrees(formulas: Mapping[str, Formula], guarantee: Guarantee, params: Mapping[str, Fraction]) -> bool:
    return all(evaluate(formula, params) == getattr(guarantee, name) for name, formula in formulas.items())


def _guarantees(mechanism: Mechanism, params: Mapping[str, Exact]) -> list[Guarantee]:
    """All guarantees that a mechanism claims at given parameters; none where one of them cannot be made."""
    try:
        return [g for p in (*mechanism.promises, *mechanism.more) for g in p.guarantees(params)]
    except (DPWitnessError, ArithmeticError, TypeError, ValueError):
        return []


def sample_domain(domain: Domain, rng: random.Random) -> Exact:
    """A random number of a domain."""
    bounds = [b for b in (domain.above, domain.least) if b is not None]
    low = Fraction(max(bounds)) if bounds else Fraction(1, 7)
    high = Fraction(domain.below) if domain.below is not None else low + 9
    if domain.whole:
        return Exact(int(low) + rng.randint(1, 9))
    return Exact(low + (high - low) * Fraction(rng.randint(1, 96), 97))
