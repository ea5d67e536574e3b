"""Shapes of formulas in z: kinks, pieces without kinks, logarithms taken apart, ranges on the line, one peak."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import pairwise

from dpwitness.proofs.kernel.algebra.cells import intervals, mean_value
from dpwitness.proofs.kernel.algebra.expr import Expr, call, num, rebuild, var
from dpwitness.proofs.kernel.algebra.interval import Interval
from dpwitness.proofs.kernel.algebra.values import exact_sign, over
from dpwitness.proofs.kernel.arith import Undecided, ball
from dpwitness.proofs.kernel.laws.tails import tail_range

Z = var("z")
TAIL_STARTS = (6, 4, 5, 8, 12, 16, 20, 30)


def log_of(expr: Expr) -> Expr:
    """ln of a positive formula, with logarithms of products, powers and exponentials taken apart.

    >>> from dpwitness.proofs.kernel.algebra.expr import parse
    >>> str(log_of(parse("exp(-Abs(z))/2")))
    '-Abs(z) - log(2)'
    """
    if expr.op == "exp":
        return expr.args[0]
    if expr.op == "*":
        return log_of(expr.args[0]) + log_of(expr.args[1])
    if expr.op == "/":
        return log_of(expr.args[0]) - log_of(expr.args[1])
    if expr.op == "**" and expr.args[1].op == "num":
        return expr.args[1] * log_of(expr.args[0])
    if expr.op == "sqrt":
        return log_of(expr.args[0]) / num(2)
    return num(0) if expr == num(1) else call("log", expr)


def elasticity(expr: Expr) -> Expr:
    """z·(ln f)' of a positive formula, written so that z occurs as rarely as possible.

    For a positive constant c, z(ln(c+b))' = z(ln b)'·(1 − c/(c+b)); both sides are 0 where b is 0.

    >>> from dpwitness.proofs.kernel.algebra.expr import parse
    >>> str(elasticity(parse("1/(1+Abs(z)**4)")))
    '-4*(1 - 1/(1 + Abs(z)**4))'
    """
    if "z" not in expr.variables():
        return num(0)
    if expr.op == "var" or (expr.op == "Abs" and expr.args[0] == Z):
        return num(1)
    if expr.op == "*":
        return elasticity(expr.args[0]) + elasticity(expr.args[1])
    if expr.op == "/":
        return elasticity(expr.args[0]) - elasticity(expr.args[1])
    if expr.op == "**" and expr.args[1].op == "num":
        return expr.args[1] * elasticity(expr.args[0])
    if expr.op == "sqrt":
        return elasticity(expr.args[0]) / num(2)
    if expr.op == "exp":
        return Z * expr.args[0].derivative("z")
    if expr.op == "+":
        for constant, rest in (expr.args, expr.args[::-1]):
            if constant.op == "num" and constant.value > 0 and _smooth_power(rest):
                return elasticity(rest) * (num(1) - constant / expr)
    return Z * log_of(expr).derivative("z")


def _smooth_power(expr: Expr) -> bool:
    """Whether the formula is a constant times powers of z or |z|, or an exponential: then z(ln b)' is finite."""
    if expr.op in ("*", "/"):
        return all(_smooth_power(a) for a in expr.args)
    if expr.op == "**":
        return expr.args[1].op == "num" and _smooth_power(expr.args[0])
    return expr.op in ("num", "exp") or expr in (Z, call("Abs", Z))


def mirrored(expr: Expr) -> Expr:
    """The formula at −z."""
    return expr.substitute({"z": -Z})


def even(expr: Expr) -> bool:
    """Whether the formula is seen to be even in z."""
    if "z" not in expr.variables():
        return True
    if expr.op in ("Abs", "cosh") or (expr.op == "**" and expr.args[1].op == "num" and expr.args[1].value % 2 == 0):
        return odd(expr.args[0]) or even(expr.args[0])
    if expr.op in ("*", "/") and odd(expr.args[0]) and odd(expr.args[1]):
        return True
    return bool(expr.args) and all(even(a) for a in expr.args)


def odd(expr: Expr) -> bool:
    """Whether the formula is seen to be odd in z: z times or over an even formula."""
    if expr == Z:
        return True
    if expr.op == "neg":
        return odd(expr.args[0])
    if expr.op == "*":
        a, b = expr.args
        return (odd(a) and even(b)) or (even(a) and odd(b))
    return expr.op == "/" and odd(expr.args[0]) and even(expr.args[1])


def jumps(expr: Expr) -> bool:
    """Whether the formula may jump: what holds of its slope between the jumps then says nothing across them.

    >>> from dpwitness.proofs.kernel.algebra.expr import parse
    >>> jumps(parse("exp(-Abs(z))")), jumps(parse("(1 + Heaviside(z)) * exp(-Abs(z))"))
    (False, True)
    """
    return expr.op in ("sign", "flat") or any(jumps(a) for a in expr.args)


_KINKED = {"Abs", "sign", "Min", "Max", "flat"}


def _inner(expr: Expr) -> Expr:
    return expr.args[0] if len(expr.args) == 1 else expr.args[0] - expr.args[1]


def _root(expr: Expr) -> Fraction | None:
    """The zero of a formula that is linear in z with rational coefficients."""
    while expr.op == "*" and expr.args[0].op == "exp" and "z" not in expr.args[0].variables():
        expr = expr.args[1]  # a positive factor does not move the zero
    slope = expr.derivative("z")
    if slope.op != "num" or slope.value == 0:
        return None
    offset = expr.substitute({"z": num(0)})
    return -offset.value / slope.value if offset.op == "num" else None


def kinks(expr: Expr) -> set[Fraction]:
    """Where an Abs, sign, Min or Max of formulas that are linear between kinks bends or jumps.

    >>> from dpwitness.proofs.kernel.algebra.expr import parse
    >>> sorted(kinks(parse("Heaviside(1 - Abs(z))")))
    [Fraction(-1, 1), Fraction(0, 1), Fraction(1, 1)]
    """
    found: set[Fraction] = set()
    for a in expr.args:
        found |= kinks(a)
    if expr.op in _KINKED:
        ends = sorted(found)
        for low, high in pairwise([None, *ends, None]):
            root = _root(_inner(resolve(expr, low, high, outer=False)))
            if root is not None:
                found.add(root)
    return found


def resolve(expr: Expr, low: Fraction | None, high: Fraction | None, *, outer: bool = True) -> Expr:
    """The formula on the open cell (low, high), with Abs, sign, Min, Max replaced where their branch is certain.

    A branch is certain where the argument is linear in z and its zero lies outside the cell: then its sign is that at
    any inner point. `outer=False` leaves the outermost operation as it is.
    """
    if not expr.args:
        return expr
    args = tuple(resolve(a, low, high) for a in expr.args)
    if expr.op not in _KINKED or not outer:
        return Expr(expr.op, args) if expr.op in _KINKED else rebuild(expr, args)
    made = Expr(expr.op, args)
    inner = _inner(made)
    root = _root(inner)
    constant = inner.op == "num"
    if not constant and (root is None or ((low is None or root > low) and (high is None or root < high))):
        return made
    sign = exact_sign(inner, {"z": inside(low, high)}) or 0
    if sign == 0 and not (constant and expr.op in ("Abs", "Min", "Max")):
        return made
    if expr.op == "sign":
        return num(sign)
    if expr.op == "flat":
        return num(0)
    if expr.op == "Abs":
        return call("pos", args[0] if sign >= 0 else -args[0])
    return args[0] if (sign >= 0) == (expr.op == "Max") else args[1]


def inside(low: Fraction | None, high: Fraction | None) -> Fraction:
    """A point inside an open cell."""
    if low is None:
        return Fraction(0) if high is None else high - 1
    return low + 1 if high is None else (low + high) / 2


def segments(cuts: Iterable[Fraction], end: Fraction) -> list[tuple[Fraction, Fraction]]:
    """[−end, end] cut at the given points, at 0 and at ±2^k/4."""
    points = {Fraction(0), end, -end} | {c for c in cuts if abs(c) < end}
    size = Fraction(1, 4)
    while size < end:
        points |= {size, -size}
        size *= 2
    return list(pairwise(sorted(points)))


def tails(expr: Expr) -> tuple[Interval, Interval, Fraction]:
    """Ranges of the formula on z ≤ −T and on z ≥ T, and T."""
    reason = ""
    for k in TAIL_STARTS:
        point = Fraction(2**k)
        try:
            return tail_range(mirrored(expr), point), tail_range(expr, point), point
        except Undecided as error:
            reason = str(error)
    raise Undecided(f"the tails could not be bounded: {reason}")


def range_on_line(
    expr: Expr,
    ends: tuple[Interval, Interval, Fraction] | None = None,
    tolerance: Fraction = Fraction(1, 10**12),
    slope: Callable[[Fraction, Fraction], Interval] | None = None,
) -> tuple[Interval, Interval]:
    """Two intervals: one that contains all values on the line (kinks left out), and one that is reached.

    Cells on which the formula is monotone count by their ends; the others are cut until their enclosure exceeds what
    is reached by at most `tolerance`, relative to 1 + |value|. The second interval speaks of limits at cell ends: the
    supremum is at least its `hi`, the infimum at most its `lo`. `slope` may enclose the derivative (up to a positive
    factor) better than the formula's own.
    """
    left, right, end = ends or tails(expr)
    outer = left.hull(right)
    reached: Interval | None = None
    todo: list[tuple[Fraction, Fraction, Expr, int]] = []
    for a, b in segments(kinks(expr), end):
        piece = resolve(expr, a, b)
        todo.append((a, b, piece, 60))
        for point in (a, b, (a + b) / 2):
            reached = _reach(reached, piece, point)
    count = 0
    while todo:
        a, b, piece, left_over = todo.pop()
        count += 1
        value = _enclose(piece, a, b)
        if value is not None and reached is not None and _near(value, outer, reached, tolerance):
            outer = outer.hull(value)
            continue
        if _monotone(piece, a, b, slope):
            at_a, at_b = _at(piece, a), _at(piece, b)
            if at_a is not None and at_b is not None:
                outer = outer.hull(at_a).hull(at_b)
                reached = _reach(_reach(reached, piece, a), piece, b)
                continue
        if left_over == 0 or count > 40_000:
            raise Undecided(f"the range of {str(expr)[:80]} near z = {float(a):.6g} was not enclosed")
        middle = (a + b) / 2
        reached = _reach(reached, piece, middle)
        todo += [(a, middle, piece, left_over - 1), (middle, b, piece, left_over - 1)]
    assert reached is not None
    return outer, reached


def bounded_on_line(
    expr: Expr,
    bound: Fraction,
    ends: tuple[Interval, Interval, Fraction] | None = None,
    slope: Callable[[Fraction, Fraction], Interval] | None = None,
    *,
    half: bool = False,
) -> bool:
    """Whether |f| ≤ bound on the line (kinks left out), with no more cells than that takes; False means: not shown.

    `ends` and `slope` are those of `range_on_line`; `half` leaves out z < 0, where |f| takes values that it also takes
    on the other side.
    """
    left, right, end = ends or tails(expr)
    limit = ball(bound)

    def fits(value: Interval | None) -> bool:
        return value is not None and bool(-limit <= value.lo and value.hi <= limit)

    if not (fits(left) and fits(right)):
        return False
    cells = [(a, b) for a, b in segments(kinks(expr), end) if b > 0 or not half]
    todo = [(a, b, resolve(expr, a, b), 60) for a, b in cells]
    for _ in range(4_000):
        if not todo:
            return True
        a, b, piece, left_over = todo.pop()
        if (left_over > 57 and fits(_cell(piece, a, b, mean=False))) or fits(_cell(piece, a, b, mean=True)):
            continue  # on small cells the mean-value form is the better one
        # where the bound is only reached at an end no enclosure fits; elsewhere cutting is cheaper than slopes
        ordered = left_over % 6 == 0 and _monotone(piece, a, b, slope)
        if ordered and fits(_at(piece, a)) and fits(_at(piece, b)):
            continue
        middle = (a + b) / 2
        here = _at(piece, middle)
        if left_over == 0 or (here is not None and (here.lo > limit or here.hi < -limit)):
            return False
        todo += [(a, middle, piece, left_over - 1), (middle, b, piece, left_over - 1)]
    return False


def _cell(piece: Expr, a: Fraction, b: Fraction, *, mean: bool) -> Interval | None:
    try:
        return mean_value(piece, {"z": (a, b)}) if mean else over(piece, intervals({"z": (a, b)}))
    except Undecided:
        return None


def _enclose(piece: Expr, a: Fraction, b: Fraction) -> Interval | None:
    plain, mean = (_cell(piece, a, b, mean=mean) for mean in (False, True))
    return plain.meet(mean) if plain is not None and mean is not None else plain or mean


def _near(value: Interval, outer: Interval, reached: Interval, tolerance: Fraction) -> bool:
    """Whether an enclosure adds nothing to what the tails allow, or only little to what is reached."""
    slack = ball(tolerance)
    low = value.lo >= outer.lo or value.lo >= reached.lo - slack * (1 + abs(reached.lo))
    return bool(low and (value.hi <= outer.hi or value.hi <= reached.hi + slack * (1 + abs(reached.hi))))


def _at(piece: Expr, point: Fraction) -> Interval | None:
    return _cell(piece, point, point, mean=False)


def _reach(reached: Interval | None, piece: Expr, point: Fraction) -> Interval | None:
    """Add the value at a point, rounded inward: `hi` is a lower bound on the largest value, `lo` an upper bound on
    the smallest.
    """
    value = _at(piece, point)
    if value is None:
        return reached
    inward = Interval(value.hi, value.lo)
    return inward if reached is None else reached.hull(inward)


def _monotone(piece: Expr, a: Fraction, b: Fraction, slope: Callable[[Fraction, Fraction], Interval] | None) -> bool:
    value = _enclose(piece.derivative("z"), a, b)
    if value is not None and (value.lo >= 0 or value.hi <= 0):
        return True
    if slope is None:
        return False
    try:
        value = slope(a, b)
    except Undecided:
        return False
    return bool(value.lo >= 0 or value.hi <= 0)


def one_peak(slope: Expr, low: Fraction | None, ends: tuple[Interval, Interval, Fraction] | None = None) -> bool:
    """Whether a function whose slope has the sign of `slope` rises up to a point and falls after it.

    Decided on the whole line, or for z > 0 where `low` is 0. A cell in which the sign changes must have a falling
    slope. False means: not shown.
    """
    left, right, end = ends or tails(slope)
    if not right.hi <= 0 or (low is None and not left.lo >= 0):
        return False
    falling = False
    bends = kinks(slope)
    run_end: Fraction | None = None  # the end of a run of cells on which the slope falls without a jump
    todo = [(a, b, resolve(slope, a, b), 60) for a, b in reversed(segments(bends, end)) if low is None or a >= low]
    count = 0
    while todo:
        a, b, piece, left_over = todo.pop()
        count += 1
        value = _enclose(piece, a, b)
        if value is not None and value.hi <= 0:
            falling = falling or bool(value.lo < 0)
            continue
        if value is not None and value.lo >= 0:
            if falling:
                return False
            continue
        change = _enclose(piece.derivative("z"), a, b)
        if change is not None and change.hi <= 0 and (not falling or (run_end == a and a not in bends)):
            last = _at(piece, b)
            falling = last is None or not last.lo >= 0  # once it may be negative it must stay so, or keep falling
            run_end = b
            continue
        if left_over == 0 or count > 20_000:
            return False
        middle = (a + b) / 2
        todo += [(middle, b, piece, left_over - 1), (a, middle, piece, left_over - 1)]
    return True
