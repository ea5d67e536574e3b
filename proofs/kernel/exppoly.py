r"""Exponential polynomials in ε, and the sign of one at a rational ε or for every ε > 0.

The probability that a program with Laplace or exponential noise of scales :math:`s_k/\varepsilon` gives an output is
an element of :math:`\mathbb{Q}[\varepsilon][e^{r\varepsilon}]`. At a rational ε such a number is zero exactly when
the coefficients of all distinct exponents are (Lindemann–Weierstrass), and otherwise enclosures of growing precision
decide its sign. For all ε > 0 the sign follows from the order of the zero at 0, the dominant term at infinity and
cells between.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import factorial, lcm
from typing import Any

from flint import arb, fmpq, fmpz_poly

from dpwitness.proofs.kernel.arith import Rejected, ball, between, number, precision
from dpwitness.proofs.kernel.expsum import ExpSum

Key = tuple[int, Fraction]  # power of ε and exponent r; coefficients are fmpq, which is fast
MAX_TERMS, MAX_CELLS, MAX_SERIES = 20_000, 4000, 200


def rational(value: Any) -> Any:
    """A `Fraction` or int as a fast rational of python-flint."""
    return fmpq(value.numerator, value.denominator) if not isinstance(value, fmpq) else value


def fraction(value: Any) -> Fraction:
    """The inverse of `rational`."""
    return Fraction(int(value.p), int(value.q))


@dataclass(frozen=True)
class ExpPoly:
    r""":math:`\sum c\,\varepsilon^j e^{r\varepsilon}`: `terms` maps (j, r) to c.

    >>> x = ExpPoly.exp(Fraction(1)) - 1
    >>> str(x * x), (x * x).sign_at(Fraction(2)), x.nonnegative()
    ('1 - 2·e^(eps) + e^(2·eps)', 1, True)
    """

    terms: Mapping[Key, Any]

    @staticmethod
    def of(value: Fraction | int) -> ExpPoly:
        """A rational constant."""
        return ExpPoly({(0, Fraction(0)): rational(value)} if value else {})

    @staticmethod
    def exp(rate: Fraction | int) -> ExpPoly:
        """e^(rate·ε)."""
        return ExpPoly({(0, Fraction(rate)): fmpq(1)})

    def __add__(self, other: ExpPoly | Fraction | int) -> ExpPoly:
        right = other if isinstance(other, ExpPoly) else ExpPoly.of(other)
        total = dict(self.terms)
        for key, value in right.terms.items():
            new = total.get(key, 0) + value
            if new:
                total[key] = new
            else:
                total.pop(key, None)
        return ExpPoly(total)

    __radd__ = __add__

    def __neg__(self) -> ExpPoly:
        return ExpPoly({key: -value for key, value in self.terms.items()})

    def __sub__(self, other: ExpPoly | Fraction | int) -> ExpPoly:
        return self + (-(other if isinstance(other, ExpPoly) else ExpPoly.of(other)))

    def __mul__(self, other: ExpPoly) -> ExpPoly:
        if len(self.terms) * len(other.terms) > MAX_TERMS * 10:
            raise Rejected("a product of exponential polynomials is too large")
        total: dict[Key, Any] = {}
        for (j, r), c in self.terms.items():
            for (k, s), d in other.terms.items():
                key = (j + k, r + s)
                total[key] = total.get(key, 0) + c * d
        return ExpPoly({key: value for key, value in total.items() if value})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ExpPoly) and dict(self.terms) == dict(other.terms)

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))

    def at(self, eps: Fraction) -> ExpSum:
        """The value at a rational ε, exactly."""
        total: dict[Fraction, Fraction] = {}
        for (j, r), c in self.terms.items():
            exponent = r * eps
            total[exponent] = total.get(exponent, Fraction(0)) + fraction(c) * eps**j
        return ExpSum({r: c for r, c in total.items() if c})

    def sign_at(self, eps: Fraction) -> int:
        """−1, 0 or 1 at a rational ε, decided exactly."""
        return self.at(eps).sign()

    def nonnegative(self) -> bool | None:
        """Whether the value is ≥ 0 for every ε > 0; None where that was not decided."""
        found = find_negative(self)
        return None if found is None else found is True

    def to_json(self) -> dict[str, str]:
        """``{"j,r": "coefficient"}``."""
        ordered = sorted(((j, r), fraction(c)) for (j, r), c in self.terms.items())
        return {f"{j},{r}": str(c) for (j, r), c in ordered}

    @staticmethod
    def from_json(value: object) -> ExpPoly:
        """Read what `to_json` writes."""
        if not isinstance(value, Mapping) or len(value) > MAX_TERMS:
            raise Rejected("an exponential polynomial is a map from 'power,exponent' to a coefficient")
        terms: dict[Key, Any] = {}
        for key, coefficient in value.items():
            power, _, rate = str(key).partition(",")
            if not power.isascii() or not power.isdigit() or len(power) > 4:
                raise Rejected(f"{str(key)[:40]!r} is not 'power,exponent'")
            place = (int(power), number(rate))
            if place in terms:
                raise Rejected("the same term twice")
            terms[place] = rational(number(coefficient))
        return ExpPoly({key: value for key, value in terms.items() if value})

    def text(self, name: str = "eps") -> str:
        """In words of mathematics, with `name` for ε."""
        parts: list[str] = []
        for (j, r), c in sorted(((j, r), fraction(c)) for (j, r), c in self.terms.items()):
            power = {0: "", 1: name}.get(j, f"{name}^{j}")
            rate = "" if r == 0 else f"e^({_times(r, name)})"
            factors = [x for x in (power, rate) if x]
            size = abs(c)
            body = "·".join(([str(size)] if size != 1 or not factors else []) + factors)
            parts.append((("-" if c < 0 else "") if not parts else (" - " if c < 0 else " + ")) + body)
        return "".join(parts) or "0"

    __str__ = text


def _times(r: Fraction, name: str) -> str:
    return name if r == 1 else f"-{name}" if r == -1 else f"{r}·{name}"


def derivative(poly: ExpPoly) -> ExpPoly:
    """d/dε."""
    total: dict[Key, Any] = {}
    for (j, r), c in poly.terms.items():
        if r:
            total[(j, r)] = total.get((j, r), 0) + c * rational(r)
        if j:
            total[(j - 1, r)] = total.get((j - 1, r), 0) + c * j
    return ExpPoly({key: value for key, value in total.items() if value})


def find_negative(poly: ExpPoly) -> Fraction | bool | None:
    """True where the value is ≥ 0 for every ε > 0, an ε where it is negative otherwise, None where undecided.

    >>> find_negative(ExpPoly.exp(1) - ExpPoly.exp(Fraction(1, 2))), find_negative(ExpPoly.of(2) - ExpPoly.exp(1)) > 0
    (True, True)
    """
    if all(c > 0 for c in poly.terms.values()):
        return True
    if all(j == 0 for j, _ in poly.terms) and _positive_shift(poly):
        return True
    least = min(r for _, r in poly.terms)
    scaled = ExpPoly({(j, r - least): c for (j, r), c in poly.terms.items()})  # times e^(−least ε) > 0
    spread = max(r for _, r in scaled.terms)
    for more in (Fraction(0), spread, 4 * spread):
        if _positive_series(scaled, more):
            return True
    with precision(128):
        return _search(poly, scaled)


def _positive_shift(poly: ExpPoly) -> bool:
    """Whether the polynomial in y = e^(ε/D) has, around y = 1, no negative coefficient (then it is ≥ 0 for y > 1)."""
    bottom = lcm(*(r.denominator for _, r in poly.terms))
    exponents = {int(r * bottom): c for (_, r), c in poly.terms.items()}
    low, high = min(exponents), max(exponents)
    if high - low > 600:
        return False
    common = lcm(*(int(c.q) for c in exponents.values()))
    coefficients = [0] * (high - low + 1)
    for e, c in exponents.items():
        coefficients[e - low] = int((c * common).p)
    shifted = fmpz_poly(coefficients)(fmpz_poly([1, 1]))
    return all(shifted[i] >= 0 for i in range(shifted.degree() + 1))


def _positive_series(poly: ExpPoly, more: Fraction) -> bool:
    r"""Whether e^(more·ε) times the polynomial has a power series in ε without negative coefficients.

    With rates r ≥ 0, n! times the n-th coefficient is :math:`\sum c\,n^{\underline{j}} r^{n-j}`. From some n on the
    term of the largest rate (and of these, the largest j) outweighs all others, since the ratio to each of them only
    grows.
    """
    terms = [(j, rational(r + more), c) for (j, r), c in poly.terms.items()]
    top, power = max((r, j) for j, r, _ in terms)
    lead = next(c for j, r, c in terms if (r, j) == (top, power))
    if lead < 0:
        return False
    current = [(j, r, c if not j else fmpq(0)) for j, r, c in terms]  # c·n^(j)·r^(n−j) at n = 0
    for n in range(MAX_SERIES):
        values = [v for _, _, v in current]
        if sum(values, fmpq(0)) < 0:
            return False
        if n > power and all((n + 1 - power) * r < (n + 1 - j) * top or (j, r) == (power, top) for j, r, _ in terms):
            main = next(v for j, r, v in current if (j, r) == (power, top))
            if n >= max(j for j, _, _ in terms) and sum((abs(v) for v in values), fmpq(0)) < 2 * main:
                return True
        current = [
            (j, r, c * factorial(j) if n + 1 == j else (v * r * (n + 1) / (n + 1 - j) if n + 1 > j else fmpq(0)))
            for (j, r, v), (_, _, c) in zip(current, terms, strict=True)
        ]
    return False


def _value(poly: ExpPoly, at: Any) -> Any:
    total = arb(0)
    for (j, r), c in poly.terms.items():
        total += arb(c) * (at**j if j else 1) * (at * ball(r)).exp()
    return total


def _search(poly: ExpPoly, scaled: ExpPoly) -> Fraction | bool | None:
    end = _tail(scaled)
    if end is None:
        return None
    far, sign = end
    if sign < 0:
        return far if poly.sign_at(far) < 0 else None
    begin = _head(scaled)
    if begin is None:
        return None
    near, sign = begin
    if sign < 0:
        return near if poly.sign_at(near) < 0 else None
    slope, todo, cells = derivative(scaled), [(near, far)], 0
    while todo:
        low, high = todo.pop()
        if low >= high:
            continue
        cells += 1
        if cells > MAX_CELLS:
            return None
        middle = (low + high) / 2
        cell, centre = between(low, high), ball(middle)
        value = _value(scaled, centre)
        if value < 0:
            return middle
        if _value(scaled, cell) > 0 or value + _value(slope, cell) * (cell - centre) > 0:
            continue
        todo += [(low, middle), (middle, high)]
    return True


def _tail(poly: ExpPoly) -> tuple[Fraction, int] | None:
    """(L, sign) such that the dominant term decides the sign for every ε ≥ L."""
    top = max(r for _, r in poly.terms)
    power = max(j for j, r in poly.terms if r == top)
    lead = poly.terms[(power, top)]
    limit = Fraction(1)
    while limit <= 2**16:
        rest, falling = arb(0), True
        for (j, r), c in poly.terms.items():
            if (j, r) == (power, top):
                continue
            if r < top and j > power and limit * (top - r) < j - power:
                falling = False  # ε^(j−power) e^((r−top) ε) falls only from (j − power)/(top − r) on
                break
            rest += abs(arb(c)) * ball(limit) ** (j - power) * (ball(limit * (r - top))).exp()
        if falling and rest < abs(arb(lead)):
            return limit, 1 if lead > 0 else -1
        limit *= 2
    return None


def _head(poly: ExpPoly) -> tuple[Fraction, int] | None:
    """(l, sign) such that the value has this sign for 0 < ε ≤ l: by the first derivative that is not zero at 0."""
    order, current = 0, poly
    while True:
        start = sum((c for (j, _), c in current.terms.items() if j == 0), fmpq(0))
        if start:
            break
        current, order = derivative(current), order + 1
        if not current.terms or order > 400:
            return None
    near = Fraction(1)
    while near > Fraction(1, 2**60):
        value = _value(current, between(Fraction(0), near))
        if (value > 0 and start > 0) or (value < 0 and start < 0):
            return near, 1 if start > 0 else -1  # Taylor: the order-th derivative has this sign on [0, l]
        near /= 2
    return None
