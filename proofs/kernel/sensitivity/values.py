"""The exact value of a function at one dataset of rational records, as a formula of numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil, isqrt

from dpwitness.proofs.kernel.algebra.expr import Expr, num
from dpwitness.proofs.kernel.algebra.interval import Interval
from dpwitness.proofs.kernel.algebra.values import over
from dpwitness.proofs.kernel.arith import Rejected, Undecided, precision
from dpwitness.proofs.kernel.limits import tick

MAX_TERMS = 20_000
PI, HALF = Expr("pi"), Fraction(1, 2)


def simplify(op: str, args: tuple[Expr, ...]) -> Expr:
    """One operation on constants: exact where the value is rational, and unevaluated where it is not.

    >>> str(simplify("atan", (num(1),))), str(simplify("exp", (num(0),)))
    ('(1/4)*pi', '1')
    """
    tick()
    if op in ("+", "-", "*", "neg") or (op == "/" and args[1].op == "num"):
        return _ring(op, args)
    a = args[0]
    x = a.value if a.op == "num" else None
    if op == "**":
        return _power(a, args[1])
    if x is not None:
        if len(args) == 2 and args[1].op == "num":
            y = args[1].value
            if op in ("Min", "Max"):
                return num(min(x, y) if op == "Min" else max(x, y))
            if op == "mod":
                return num(x - y * (x // y))
        if op == "Abs":
            return num(abs(x))
        if op == "sign":
            return num((x > 0) - (x < 0))
        if op == "sqrt" and x >= 0:
            top, bottom = isqrt(x.numerator), isqrt(x.denominator)
            if (top * top, bottom * bottom) == (x.numerator, x.denominator):
                return num(Fraction(top, bottom))
        if (op == "log" and x == 1) or (x == 0 and op in ("sin", "sinh", "tanh", "atan", "erf")):
            return num(0)
        if x == 0 and op in ("exp", "cos", "cosh", "erfc"):
            return num(1)
        if op == "atan" and abs(x) == 1:
            return _ring("*", (num(x / 4), PI))
        if op == "exp" and x == 1:
            return Expr("exp", (a,))
    if op in ("sin", "cos"):
        turns = _times_pi(a)
        if turns is not None and (2 * turns).denominator == 1:
            quarter = int(2 * turns) + (op == "cos")
            return num((0, 1, 0, -1)[quarter % 4])
    if op in ("log", "sqrt") or op == "/":
        enclosed(Expr(op, args))  # undefined: raises
    return Expr(op, args)


def _ring(op: str, args: tuple[Expr, ...]) -> Expr:
    if op == "neg":
        return -args[0]
    a, b = args
    if op == "/":
        if not b.value:
            raise Rejected("division by zero")
        a, b, op = num(1 / b.value), a, "*"  # one way to write it: a number times the rest
    if op == "-" and a == b:
        return num(0)
    if op == "*" and b.op == "num":
        a, b = b, a
    if op == "*" and a.op == "num" and b.op == "*" and b.args[0].op == "num":
        a, b = num(a.value * b.args[0].value), b.args[1]
    return a + b if op == "+" else a - b if op == "-" else a * b


def _power(a: Expr, b: Expr) -> Expr:
    if b.op == "num" and b.value == HALF:
        return simplify("sqrt", (a,))
    if a.op == "num" and b.op == "num":
        if a.value == 0:
            if b.value < 0:
                raise Rejected("zero to a negative power")
            return num(1 if b.value == 0 else 0)
        if a.value < 0 and b.value.denominator != 1:
            raise Rejected("a negative number to a power that is not whole")
        if a.value == 1:
            return num(1)
    if a.op != "num" and not (b.op == "num" and b.value.denominator == 1):
        enclosed(Expr("**", (a, b)))
    return a**b


def _times_pi(expr: Expr) -> Fraction | None:
    """q where the formula is q·π."""
    if expr.op == "pi":
        return Fraction(1)
    if expr.op == "num":
        return Fraction(0) if not expr.value else None
    if expr.op == "neg":
        inner = _times_pi(expr.args[0])
        return None if inner is None else -inner
    if expr.op in ("*", "/"):
        for one, other in (expr.args, expr.args[::-1]):
            inner = _times_pi(one)
            if other.op == "num" and inner is not None and (expr.op == "*" or other is expr.args[1]):
                return inner * other.value if expr.op == "*" else inner / other.value
    return None


def enclosed(expr: Expr, bits: int = 128) -> Interval:
    """An enclosure of a constant; raises where it is undefined."""
    with precision(bits):
        try:
            found = over(expr, {})
        except Undecided as error:
            raise Rejected(f"{str(expr)[:60]} is undefined, or not seen to be defined: {error}") from None
    if not found.finite:
        raise Rejected(f"{str(expr)[:60]} is not finite")
    return found


def sign_of(expr: Expr) -> int:
    """The sign of a constant; raises `Rejected` where it is neither rational nor far enough from 0."""
    if expr.op == "num":
        return (expr.value > 0) - (expr.value < 0)
    found = enclosed(expr, 256)
    if found.lo > 0:
        return 1
    if found.hi < 0:
        return -1
    raise Rejected(f"the sign of {str(expr)[:60]} is not decided")


def value_at(f: Expr, data: Sequence[Fraction], params: Mapping[str, Fraction]) -> Expr:
    """The value of a function at a dataset: a number, or a formula of numbers; raises where it is undefined.

    >>> from dpwitness.proofs.kernel.sensitivity.language import parse_function
    >>> str(value_at(parse_function("exp(x[0]) + median(x)"), [Fraction(1), Fraction(0)], {}))
    'exp(1) + 1/2'
    """
    env = {"n": Fraction(len(data)), **params}
    return _value(f, list(data), env, {})


def _value(node: Expr, data: list[Fraction], env: Mapping[str, Fraction], known: dict[Expr, Expr]) -> Expr:
    if node.op in ("num", "pi", "E"):
        return Expr("exp", (num(1),)) if node.op == "E" else node
    if node.op == "var":
        return num(env[node.name])
    if node.op == "half":
        return num(env["n"] // 2)
    if node.op == "rec":
        return num(data[place_of(node.args[0], len(data), env)])
    if node.op == "order":
        return num(_order(node, sorted(data)))
    if node.op in ("sum", "prod"):
        if node in known:
            return known[node]
        start, stop, step = (int(_whole(_value(a, data, env, known))) for a in node.args[1:])
        if len(range(start, stop, step)) > MAX_TERMS:
            raise Rejected(f"a sum of more than {MAX_TERMS} terms")
        parts = [_value(node.args[0], data, {**env, node.name: Fraction(i)}, known) for i in range(start, stop, step)]
        total = num(0 if node.op == "sum" else 1)
        for part in sorted(parts, key=lambda p: p.op != "num"):  # numbers first: they are added at once
            total = simplify("+" if node.op == "sum" else "*", (total, part))
        known[node] = total
        return total
    args = tuple(_value(a, data, env, known) for a in node.args)
    if node.op in ("gt", "ge"):
        gap = sign_of(simplify("-", args))
        return num(1 if gap > 0 or (gap == 0 and node.op == "ge") else 0)
    if node.op == "mod" and args[0].op != "num":
        raise Rejected("a remainder of a number that is not rational")
    return simplify(node.op, args)


def _whole(value: Expr) -> Fraction:
    if value.op != "num" or value.value.denominator != 1:
        raise Rejected("a place or a bound of a range is not a whole number")
    return value.value


def place_of(place: Expr, n: int, env: Mapping[str, Fraction]) -> int:
    """Which record a place names; one outside 0 … n−1 is refused (no counting from the end)."""
    inner = place.args[0] if place.op in ("wrap", "perm") else place  # of all permutations, the identity
    k = int(_whole(_value(inner, [], env, {})))
    k = k % n if place.op == "wrap" and n else k
    if not 0 <= k < n:
        raise Rejected(f"there is no record x[{k}] among {n}: records are counted from 0 to n-1")
    return k


def _order(node: Expr, ranked: list[Fraction]) -> Fraction:
    n = len(ranked)
    weights = order_weights(node, n)
    return sum((w * ranked[r] for r, w in weights.items()), Fraction(0))


def order_weights(node: Expr, n: int) -> dict[int, Fraction]:
    """The weights of the sorted records (from 0) in an order statistic of n records.

    >>> order_weights(Expr("order", name="median"), 4)
    {1: Fraction(1, 2), 2: Fraction(1, 2)}
    """
    if n < 1:
        raise Rejected("an order statistic of no records")
    if node.name == "median" and n % 2 == 0:
        return {n // 2 - 1: HALF, n // 2: HALF}
    rank = {
        "max": n - 1,
        "min": 0,
        "median": n // 2,
        "low_median": (n - 1) // 2,
        "high_median": n // 2,
        "quantile": max(ceil(node.value * n), 1) - 1,
    }[node.name]
    return {rank: Fraction(1)}


__all__ = ["enclosed", "order_weights", "place_of", "sign_of", "simplify", "value_at"]
