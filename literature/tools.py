"""Small tools of the checkers: proved inequalities, exact identities, rigorous values, finite laws.

Formulas are texts of the kernel's language. An inequality is proved by the kernel or refuted at a rational point; an
identity is decided by exact algebra and re-checked at rational points; a value is exact or an enclosure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from itertools import chain, combinations, product
from typing import Any

import sympy

from dpwitness.literature.finding import Check
from dpwitness.proofs.kernel.algebra.cells import intervals
from dpwitness.proofs.kernel.algebra.expr import Expr, parse
from dpwitness.proofs.kernel.algebra.values import exact_sign, exact_value, over
from dpwitness.proofs.kernel.arith import Undecided, enclose, lower, precision, upper
from dpwitness.proofs.laws.positivity import Disproved, Ranges, prove

F = Fraction
Law = Mapping[Any, Fraction]
SAMPLES = (F(1, 3), F(3, 2), F(2, 5), F(7, 4), F(5, 2), F(1, 7), F(4), F(9, 8))


def at(formula: str, point: Mapping[str, Fraction | int]) -> tuple[Fraction, Fraction]:
    """A rigorous enclosure of the value of a formula at a rational point.

    >>> low, high = at("exp(x)", {"x": 1})
    >>> float(low), float(high)
    (2.718281828459045, 2.718281828459045)
    """
    expr = parse(formula)
    box = {name: (F(x), F(x)) for name, x in point.items()}
    for bits in (128, 256, 512, 1024):
        with precision(bits):
            value = over(expr, intervals(box))
            if not value.finite:
                continue
            low, high = lower(value.lo), upper(value.hi)
            if high - low <= F(1, 10**15) * max(abs(low), abs(high)) or high == low:
                return low, high
    return low, high


def rational(formula: str, **point: Fraction | int) -> Fraction:
    """The exact value of a formula that is rational at this point.

    >>> rational("e/(2*S)", e=1, S=3)
    Fraction(1, 6)
    """
    top, bottom = exact_value(parse(formula), {name: F(x) for name, x in point.items()})
    a, b = top.rational, bottom.rational
    if a is None or b is None:
        raise Undecided(f"{formula} is not rational at {point}")
    return a / b


def show(value: Fraction | tuple[Fraction, Fraction]) -> str:
    """A rational as it is; an enclosure by the digits on which both ends agree.

    >>> show(F(2, 3)), show(at("exp(x)", {"x": 1}))
    ('2/3', '2.718281828459…')
    """
    if isinstance(value, Fraction):
        return str(value) if value.denominator.bit_length() <= 64 else show((value, value))
    low, high = value
    if low == high and low.denominator.bit_length() <= 10:
        return str(low)
    digits = [f"{float(end):.12e}" for end in (low, high)]
    if digits[0] == digits[1]:
        size = abs(float(low))
        return (f"{float(low):.12f}" if 1e-4 <= size < 1e6 or size == 0 else digits[0]) + "…"
    return f"[{float(low):.12g}, {float(high):.12g}]"


def below(left: tuple[Fraction, Fraction], right: tuple[Fraction, Fraction]) -> bool:
    """Whether left < right is certain."""
    return left[1] < right[0]


def positive(formula: str, box: Ranges, *, strict: bool = False, cells: int = 1_500, note: str = "") -> Check:
    """Prove formula ≥ 0 (> 0) on a box, or refute it at a point; raises `Undecided` where neither is found.

    >>> positive("exp(x) - 1 - x", {"x": (None, None)}).ok, positive("1 - x", {"x": (0, 3)}).ok
    (True, False)
    """
    sign = ">" if strict else "≥"
    bad = _corner_failure(formula, box, strict)
    if bad is None:
        try:
            certificate = prove(formula, box, strict=strict, max_cells=cells)
            return Check(True, note or f"{formula} {sign} 0", {}, (certificate,))
        except Disproved as error:
            bad = error.point
    seen = at(formula, bad)
    shown = {name: str(x) for name, x in bad.items()}
    return Check(False, f"{formula} {sign} 0 fails", {**shown, f"value of {formula}": show(seen)})


def _corner_failure(formula: str, box: Ranges, strict: bool) -> dict[str, Fraction] | None:
    """A simple point of the box (middle or corner) where the inequality fails, if there is one."""
    expr = parse(formula, frozenset(box))
    for point in product(*(_simple_points(low, high) for low, high in box.values())):
        where = dict(zip(box, point, strict=True))
        try:
            sign = exact_sign(expr, where)
            if sign is None:
                sign = -1 if at(formula, where)[1] < 0 else 1
        except (Undecided, ArithmeticError):
            continue
        if sign < 0 or (strict and sign == 0):
            return where
    return None


def _simple_points(low: Fraction | int | None, high: Fraction | int | None) -> list[Fraction]:
    if low is None:
        return [F(0), F(-1), F(1)] if high is None else [F(high), F(high) - 1]
    if high is None:
        return [F(low) + 1, F(low), F(low) + 10]
    return [(F(low) + F(high)) / 2, F(low), F(high)] if low != high else [F(low)]


def at_most(left: str, right: str, box: Ranges, *, strict: bool = False, note: str = "") -> Check:
    """Prove left ≤ right on a box; on failure the witness shows both sides."""
    found = positive(f"({right}) - ({left})", box, strict=strict, note=note)
    if found.ok:
        return found
    point = {name: F(found.witness[name]) for name in box}
    sides = {"left": show(at(left, _used(left, point))), "right": show(at(right, _used(right, point)))}
    where = {name: str(x) for name, x in point.items()}
    return Check(False, f"{left} ≤ {right} fails", {**where, **sides})


def _used(formula: str, point: Mapping[str, Fraction]) -> dict[str, Fraction]:
    return {name: point[name] for name in parse(formula).variables()}


def to_sympy(expr: Expr, symbols: Mapping[str, Any]) -> Any:
    """A kernel formula as an exact sympy expression."""
    if expr.op == "num":
        return sympy.Rational(expr.value.numerator, expr.value.denominator)
    if expr.op == "var":
        return symbols[expr.name]
    if expr.op == "E":
        return sympy.E
    args = [to_sympy(a, symbols) for a in expr.args]
    table = {
        "+": lambda: args[0] + args[1],
        "-": lambda: args[0] - args[1],
        "*": lambda: args[0] * args[1],
        "/": lambda: args[0] / args[1],
        "**": lambda: args[0] ** args[1],
        "neg": lambda: -args[0],
        "exp": lambda: sympy.exp(args[0]),
        "log": lambda: sympy.log(args[0]),
        "sqrt": lambda: sympy.sqrt(args[0]),
        "sinh": lambda: (sympy.exp(args[0]) - sympy.exp(-args[0])) / 2,
        "cosh": lambda: (sympy.exp(args[0]) + sympy.exp(-args[0])) / 2,
        "tanh": lambda: (sympy.exp(2 * args[0]) - 1) / (sympy.exp(2 * args[0]) + 1),
    }
    if expr.op not in table:
        raise Undecided(f"{expr.op} has no algebraic form")
    return table[expr.op]()


def equal(left: str, right: str, names: Sequence[str], note: str = "") -> Check:
    """Whether two formulas are identical for all positive values of the variables.

    Exact algebra decides; either way the answer is re-checked at rational points by the kernel, and an inequality is
    reported with a point where the two sides differ.

    >>> equal("(a+b)**2", "a**2+2*a*b+b**2", ["a", "b"]).ok, equal("exp(2*a)", "exp(a)", ["a"]).witness["a"]
    (True, '1/3')
    """
    gap = parse(f"({left}) - ({right})", frozenset(names))
    for shift in range(len(SAMPLES)):
        point = {name: SAMPLES[(shift + 3 * i) % len(SAMPLES)] for i, name in enumerate(names)}
        try:
            sign = exact_sign(gap, point)
        except Undecided:
            continue
        seen = at(str(gap), point) if sign is None else None
        if sign not in (0, None) or (seen is not None and (seen[0] > 0 or seen[1] < 0)):
            sides = {"left": show(at(left, _used(left, point))), "right": show(at(right, _used(right, point)))}
            return Check(False, f"{left} = {right} fails", {**{n: str(x) for n, x in point.items()}, **sides})
    symbols = {name: sympy.Symbol(name, positive=True) for name in names}
    residue = sympy.simplify(sympy.expand(to_sympy(gap, symbols)))
    if residue != 0:
        residue = sympy.simplify(sympy.powsimp(sympy.expand(residue.rewrite(sympy.exp)), force=False))
    if residue != 0:
        raise Undecided(f"{left} = {right} was neither proved nor refuted")
    return Check(True, note or f"{left} = {right}")


def fact(ok: bool, note: str, **witness: Fraction | int | str | tuple[Fraction, Fraction]) -> Check:
    """A check of something that was computed exactly."""
    shown = {k: v if isinstance(v, str) else show(F(v) if isinstance(v, int) else v) for k, v in witness.items()}
    return Check(ok, note, shown)


def number_below(left: str, right: str, point: Mapping[str, Fraction | int], note: str) -> Check:
    """Decide left < right at one rational point, by exact or enclosed values."""
    exact = {name: F(x) for name, x in point.items()}
    a, b = at(left, _used(left, exact)), at(right, _used(right, exact))
    sign = exact_sign(parse(f"({right}) - ({left})"), exact)
    if sign is None and not (below(a, b) or below(b, a)):
        raise Undecided(f"{left} < {right} at {exact}")
    ok = below(a, b) if sign is None else sign > 0
    return fact(ok, note, **{n: str(x) for n, x in exact.items()}, left=a, right=b)


# Finite laws -----------------------------------------------------------------------------------------------------


def statistical_difference(p: Law, q: Law) -> Fraction:
    """sup over events of |P(A) − Q(A)|, which is Σ (p − q)₊."""
    return sum((max(F(0), p.get(s, F(0)) - q.get(s, F(0))) for s in {*p, *q}), F(0))


def hockey_stick(p: Law, q: Law, ratio: Fraction) -> Fraction:
    """max over events of P(S) − ratio · Q(S), where ratio = e^ε is a rational number."""
    return sum((max(F(0), p.get(s, F(0)) - ratio * q.get(s, F(0))) for s in {*p, *q}), F(0))


def largest_ratio(p: Law, q: Law) -> Fraction | None:
    """max of p/q and q/p over the outcomes of either law; None where it is infinite."""
    worst = F(1)
    for s in {*p, *q}:
        a, b = p.get(s, F(0)), q.get(s, F(0))
        if (a == 0) != (b == 0):
            return None
        if a:
            worst = max(worst, a / b, b / a)
    return worst


def joint(*laws: Law) -> dict[Any, Fraction]:
    """The law of independent draws."""
    return {
        tuple(s for s, _ in combo): reduce(lambda a, b: a * b, (w for _, w in combo), F(1))
        for combo in product(*(law.items() for law in laws))
    }


def mixture(laws: Iterable[Law]) -> dict[Any, Fraction]:
    """The uniform mixture."""
    rows = list(laws)
    total: dict[Any, Fraction] = {}
    for row in rows:
        for s, w in row.items():
            total[s] = total.get(s, F(0)) + w / len(rows)
    return total


def subsets(items: Sequence[Any]) -> Iterable[tuple[Any, ...]]:
    """Every subset."""
    return chain.from_iterable(combinations(items, size) for size in range(len(items) + 1))


def randomized_response(bit: int, ratio: Fraction) -> dict[int, Fraction]:
    """The law of a bit that is kept with probability ratio/(ratio+1), ratio = e^ε."""
    return {bit: ratio / (ratio + 1), 1 - bit: 1 / (ratio + 1)}


def neighbours(x: Sequence[Any], domain: Sequence[Any]) -> Iterable[tuple[Any, ...]]:
    """Databases that differ from x in exactly one entry."""
    for i, old in enumerate(x):
        for new in domain:
            if new != old:
                yield (*x[:i], new, *x[i + 1 :])


def log_of(value: Fraction) -> tuple[Fraction, Fraction]:
    """An enclosure of ln(value)."""
    from dpwitness.proofs.kernel.arith import ball

    if value == 1:
        return F(0), F(0)
    return enclose(lambda: ball(value).log())
