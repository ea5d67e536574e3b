"""Quotients of the kernel's ring as text, as floats, and their roots: what a search needs, and no proof rests on."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction

from dpwitness.proofs.kernel.arith import Rejected, Undecided
from dpwitness.proofs.kernel.derivations.atoms import EULER, Atom
from dpwitness.proofs.kernel.derivations.functions import power
from dpwitness.proofs.kernel.derivations.ring import ZERO, Quotient, Sum, factor, number


def show(x: Quotient, names: Mapping[str, str] | None = None) -> str:
    """A quotient as text that the kernel reads back; `names` may replace variables by formulas.

    >>> from dpwitness.proofs.kernel.derivations.ring import variable
    >>> show(number(1) / (number(1) + variable("x")))
    '1/(1 + x)'
    """
    top = _sum(x.top, names)
    if not x.bottom:
        return top
    below = "*".join(f"({_sum(f, names)})" + (f"**{k}" if k > 1 else "") for f, k in x.bottom)
    return (
        f"{top if len(x.top.terms) == 1 else f'({top})'}/({below})" if "*" in below else f"{_bracket(x, top)}/{below}"
    )


def _bracket(x: Quotient, top: str) -> str:
    return top if len(x.top.terms) == 1 else f"({top})"


def _sum(one: Sum, names: Mapping[str, str] | None) -> str:
    parts = []
    for term, c in sorted(one.terms.items(), key=lambda item: len(item[0])):
        factors = [_atom(a, e, names) for a, e in term]
        if c != 1 or not factors:
            factors.insert(0, str(c) if c > 0 and c.denominator == 1 else f"({c})")
        parts.append("*".join(factors))
    return " + ".join(parts) or "0"


def _atom(atom: Atom, e: Quotient, names: Mapping[str, str] | None) -> str:
    if atom == EULER:
        return f"exp({show(e, names)})"
    if atom.kind == "var":
        body = (names or {}).get(atom.name, atom.name)
    elif atom.at is not None:
        body = f"{atom.kind}({show(atom.at, names)})"
    else:
        assert atom.of is not None
        body = f"({_sum(atom.of, names)})" if atom.kind == "power" else f"log({_sum(atom.of, names)})"
    if e.constant == 1:
        return body
    if atom.kind == "var" and not body.isidentifier():
        body = f"({body})"
    plain = show(e, names)
    short = plain.isdigit() or (plain[0] == "(" and e.constant is not None)
    return f"{body}**{plain}" if short else f"{body}**({plain})"


def value(x: Quotient, at: Mapping[str, float]) -> float:
    """About the value at a point; never evidence."""
    total = _value_sum(x.top, at)
    for f, k in x.bottom:
        total /= _value_sum(f, at) ** k
    return total


def _value_sum(one: Sum, at: Mapping[str, float]) -> float:
    total = 0.0
    for term, c in one.terms.items():
        part = float(c)
        for atom, e in term:
            n = value(e, at)
            if atom == EULER:
                part *= math.exp(n)
            elif atom.kind == "var":
                part *= at[atom.name] ** n
            elif atom.at is not None:
                part *= (math.erfc if atom.kind == "erfc" else math.atan)(value(atom.at, at)) ** n
            elif atom.of is not None:
                inner = _value_sum(atom.of, at)
                part *= (inner if atom.kind == "power" else math.log(inner)) ** n
        total += part
    return total


def points(names: frozenset[str], count: int = 24) -> Iterator[dict[str, float]]:
    """Fixed points with positive coordinates of all magnitudes."""
    ordered = sorted(names)
    for k in range(count):
        yield {
            name: math.exp(3.0 * (((k + 1) * 0.6180339887 + (i + 1) * 0.7548776662 * (k + 2)) % 1.0 * 2 - 1))
            for i, name in enumerate(ordered)
        }


def refuted(x: Quotient) -> bool:
    """Whether the quotient is negative at some point, as far as floats can say."""
    for at in points(x.variables):
        try:
            found = value(x, at)
            size = sum(abs(_value_sum(Sum({t: c}), at)) for t, c in x.top.terms.items())
            for f, k in x.bottom:
                size /= abs(_value_sum(f, at)) ** k
        except (OverflowError, ValueError, ZeroDivisionError):
            continue
        if math.isfinite(found) and found < -1e-9 * size:
            return True
    return False


def roots(x: Quotient, name: str, *, signed: bool = False) -> list[Quotient]:
    """Positive (`signed`: any) formulas at which a quotient with two or three powers of a variable vanishes."""
    found: list[Quotient] = []
    try:
        _, _, factors = factor(x.top)
    except (Undecided, Rejected):
        return []
    for f, _ in factors:
        if name not in f.variables:
            continue
        try:
            found += [r for r in _roots_of(f, name) if (signed or r.sign == 1) and r not in found]
        except (Undecided, Rejected, RecursionError):
            continue
    return found


def _roots_of(f: Sum, name: str) -> list[Quotient]:
    parts = powers_of(f, name)
    if len(parts) == 2:
        (e, a), (k, b) = parts.items()
        return [power(-a / b, (k - e).inverse())]
    rows = _quadratic(parts)
    if rows is None:
        return []
    a, b, c, step = rows
    root = power(b * b - number(4) * a * c, number(1) / number(2))
    both = [(-b + root) / (number(2) * a), (-b - root) / (number(2) * a)]
    return [power(u, step.inverse()) for u in both if u.sign == 1]


def powers_of(f: Sum, name: str) -> dict[Quotient, Quotient]:
    """The coefficients of the powers of a variable; nothing where it occurs otherwise."""
    parts: dict[Quotient, Quotient] = {}
    for term, c in f.terms.items():
        if any(name in e.variables or (name in a.variables and a.kind != "var") for a, e in term):
            return {}
        e = next((e for a, e in term if a.kind == "var" and a.name == name), ZERO)
        rest = Sum({tuple((a, k) for a, k in term if not (a.kind == "var" and a.name == name)): c})
        parts[e] = parts.get(e, ZERO) + Quotient(rest)
    return parts


def _quadratic(parts: dict[Quotient, Quotient]) -> tuple[Quotient, Quotient, Quotient, Quotient] | None:
    """a, b, c and s with a·u² + b·u + c for u = v^s, up to a power of v."""
    if len(parts) != 3 or any(e.constant is None for e in parts):
        return None
    low, middle, high = sorted(parts, key=lambda e: e.constant or Fraction(0))
    return (parts[high], parts[middle], parts[low], middle - low) if middle - low == high - middle else None


def discriminants(x: Quotient, name: str) -> list[Quotient]:
    """b² − 4ac of the quadratic factors."""
    try:
        _, _, factors = factor(x.top)
    except (Undecided, Rejected):
        return []
    rows = [_quadratic(powers_of(f, name)) for f, _ in factors if name in f.variables]
    return [b * b - number(4) * a * c for a, b, c, _ in (row for row in rows if row is not None)]
