"""Formulas in n from quotients of polynomials: how far a function moves on a family of pairs, as text."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import fmpq, fmpq_mpoly_ctx

from dpwitness.proofs.kernel.sensitivity.bounds import inside, is_root, start
from dpwitness.proofs.kernel.sensitivity.families import Family, values
from dpwitness.proofs.kernel.sensitivity.ratios import Poly, Ratio
from dpwitness.proofs.kernel.sensitivity.setting import Setting, Sizes


def text_of(value: Ratio) -> str:
    """A quotient as text in n and constants, in lowest terms.

    >>> m = Ratio.symbol("m")
    >>> text_of((m * m).over(m * m + m))
    '(n - 1)/n'
    """
    names = sorted({name for poly in (value.top, value.bottom) for mono in poly for name, _ in mono} | {"m"})
    context = fmpq_mpoly_ctx.get(names, "lex")
    top, bottom = (_in_n(poly, context, names) for poly in (value.top, value.bottom))
    if not top:
        return "0"
    common = top.gcd(bottom)
    top, bottom = top / common, bottom / common
    lead = bottom.coefficient(0)
    top, bottom = top / lead, bottom / lead
    above, below = (_show(poly, names) for poly in (top, bottom))
    if below == "1":
        return above
    if bottom.degrees() == (0,) * len(names):
        return f"({above})/{below}"
    wrap = f"({above})" if len(list(top.monoms())) > 1 else above
    return f"{wrap}/({below})" if len(list(bottom.monoms())) > 1 or "*" in below else f"{wrap}/{below}"


def _in_n(poly: Poly, context: Any, names: list[str]) -> Any:
    """The polynomial of flint, with m = n − 1; the name m then stands for n."""
    gens = dict(zip(names, context.gens(), strict=True))
    total = context.constant(0)
    for mono, c in poly.items():
        part = context.constant(fmpq(c.numerator, c.denominator))
        for name, power in mono:
            part *= (gens[name] - 1 if name == "m" else gens[name]) ** power
        total += part
    return total


def _show(poly: Any, names: list[str]) -> str:
    parts = []
    for powers, c in zip(poly.monoms(), poly.coeffs(), strict=True):
        number = Fraction(int(c.p), int(c.q))
        factors = []
        for name, power in zip(names, powers, strict=True):
            shown = "n" if name == "m" else name.strip("{}")
            if power:
                factors.append(f"{shown}**{power}" if power > 1 else shown)
        size = abs(number)
        if size != 1 or not factors:
            factors.insert(0, str(size) if size.denominator == 1 or not factors else f"({size})")
        parts.append(("-" if number < 0 else "+", "*".join(factors)))
    first, *rest = parts
    return ("-" if first[0] == "-" else "") + first[1] + "".join(f" {sign} {body}" for sign, body in rest)


def move_on(setting: Setting, sizes: Sizes, family: Family, *, up: bool) -> str:
    """How far the function moves on a family, as text; `up` says in which direction. Raises where it is no formula."""
    f = setting.outputs[0]
    convert = start(setting, sizes, frozenset(), {})
    if len(setting.outputs) > 1:
        return _norm(setting, [b - a for a, b in (values(g, setting, family, sizes, convert) for g in setting.outputs)])
    rule = "sqrt" if is_root(f) else f.op if f.op == "log" else ""
    g = inside(setting, rule) if rule else f
    old, new = values(g, setting, family, sizes, convert)
    if not up:
        old, new = new, old
    if rule == "log":
        return f"log({text_of(new.over(old))})"
    if rule == "sqrt" and not old.top:
        return _rooted(new)
    if rule:
        raise ValueError("a root that does not begin at 0")
    return text_of(new - old)


def _norm(setting: Setting, moves: list[Ratio]) -> str:
    """The norm of several moves, of which the signs are those at large n."""
    sizes = [m if _positive(m) else Ratio.of(0) - m for m in moves]
    total = Ratio.of(0)
    if setting.norm == "linf":
        return text_of(max(sizes, key=lambda m: _about(m)))
    for m in sizes:
        total = total + (m if setting.norm == "l1" else m * m)
    return text_of(total) if setting.norm == "l1" else _rooted(total)


def _rooted(square: Ratio) -> str:
    number = square.value()
    root = None if number is None else _root(number)
    return str(root) if root is not None else f"sqrt({text_of(square)})"


def _positive(value: Ratio) -> bool:
    return _about(value) >= 0


def _about(value: Ratio) -> float:
    """Roughly the value at n = 14; constants are put in by `text_of` and read again."""
    from dpwitness.proofs.kernel.sensitivity.language import parse_function
    from dpwitness.proofs.sensitivity.floats import value as float_of

    return float_of(parse_function(text_of(value)), [], {"n": 14.0})


def _root(square: Fraction) -> Fraction | None:
    from math import isqrt

    root = Fraction(isqrt(square.numerator), isqrt(square.denominator))
    return root if root * root == square else None


__all__ = ["move_on", "text_of"]
