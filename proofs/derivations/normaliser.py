"""The normaliser and δ(ε) of a slide as formulas: sympy integrates and solves, the kernel checks what it is told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.core.errors import BadInput, ProgramTimeout
from dpwitness.core.limits import time_limit
from dpwitness.proofs.derivations.bounds import Bound, back
from dpwitness.proofs.derivations.bridge import PATIENCE, from_sympy, simplified, symbol, to_sympy
from dpwitness.proofs.derivations.lines import kinks, ordered
from dpwitness.proofs.derivations.model import Step
from dpwitness.proofs.derivations.quotients import points, roots, show, value
from dpwitness.proofs.derivations.search import Search
from dpwitness.proofs.kernel.algebra.expr import Expr, num, parse, rebuild
from dpwitness.proofs.kernel.arith import Rejected, Undecided
from dpwitness.proofs.kernel.check import check
from dpwitness.proofs.kernel.derivations.functions import Unseen, derivative, exp, log, put
from dpwitness.proofs.kernel.derivations.losses import Pieces
from dpwitness.proofs.kernel.derivations.masses import Primitive
from dpwitness.proofs.kernel.derivations.reading import read
from dpwitness.proofs.kernel.derivations.region import Values, cases
from dpwitness.proofs.kernel.derivations.ring import ZERO, Quotient, variable

Antiderivative = tuple[list[str], list[str]]  # cuts, and a formula for each piece


def antiderivative(source: str, where: Sequence[str]) -> Antiderivative | None:
    """What sympy integrates on each piece between the kinks; None where it finds nothing in time."""
    import sympy

    expr = parse(source)
    names = sorted(expr.variables() - {"z"})
    values = cases(names, where)[0]
    text = back(names, where)
    cuts = ordered([read(k, values) for k in kinks(expr)] or [ZERO])
    z = symbol("z")
    found = []
    try:
        with time_limit(PATIENCE, "the integral of a density"):
            for i in range(len(cuts) + 1):
                inner = to_sympy(parse(str(_resolved(expr, values, cuts, i))))
                whole = sympy.integrate(inner, z)
                if whole.has(sympy.Integral):
                    return None
                found.append(from_sympy(whole.rewrite(sympy.erfc) if whole.has(sympy.erf) else whole))
    except (ProgramTimeout, BadInput, Undecided, Rejected):
        return None
    except Exception:  # sympy raises errors of many kinds
        return None
    return [simplified(show(c, text)) for c in cuts], found


def _resolved(expr: Expr, values: Values, cuts: list[Quotient], i: int) -> Expr:
    """The formula on one piece, with absolute values, signs, Min and Max replaced by their branches."""
    z = Pieces(cuts).z[i]
    if not expr.args:
        return expr
    args = tuple(_resolved(a, values, cuts, i) for a in expr.args)
    here = {**values, "z": z}
    if expr.op in ("Abs", "sign", "Min", "Max"):
        inner = args[0] if len(args) == 1 else args[0] - args[1]
        sign = read(inner, here).sign
        if sign is None:
            raise Undecided("a sign is not seen on a piece")
        if expr.op == "sign":
            return num(sign)
        if expr.op == "Abs":
            return args[0] if sign >= 0 else -args[0]
        return args[0] if (sign >= 0) == (expr.op == "Max") else args[1]
    return rebuild(expr, args)


def normaliser_step(source: str, where: Sequence[str], known: Antiderivative | None) -> Step | None:
    """∫ h as a formula, or None where sympy finds none in time or the kernel does not accept it."""
    expr = parse(source)
    names = sorted(expr.variables() - {"z"})
    if known is None:
        return _by_beta(source, where)
    try:
        found = Primitive(expr, [parse(c) for c in known[0]], [parse(p) for p in known[1]], cases(names, where)[0])
        total = simplified(show(found.total, back(names, where)))
        cert = {"type": "derived-mass", "density": source, "where": list(where), "cuts": known[0],
                "antiderivatives": known[1], "total": total}  # fmt: skip
        check(cert, seconds=5.0)
    except (Rejected, Undecided):
        return None
    return Step(
        "the integral of h over the line", "the derivative of the antiderivative is h on each piece", total, (), cert
    )


def _by_beta(source: str, where: Sequence[str]) -> Step | None:
    """The normaliser of c·(1 + (|z|/s)^g)^(−r), whose parts are read from the formula."""
    parts = power_law(parse(source))
    if parts is None:
        return None
    c, s, g, r = (simplified(str(part)) for part in parts)
    cert = {"type": "derived-beta", "density": source, "where": list(where), "factor": c, "scale": s, "power": g,
            "exponent": r}  # fmt: skip
    try:
        check(cert, seconds=5.0)
    except Rejected:
        return None
    if r == "1":
        rule = f"the substitution x = (z/s)^{g}, Euler's integral and reflection"
        total = simplified(f"2*pi*({c})*({s})/({g})")
        return Step(f"the integral of h over the line, times sin(π/{g})", rule, total, (), cert)
    first, second = simplified(f"1/({g})"), simplified(f"({r}) - 1/({g})")
    said = f"the integral of h over the line is {_factor(c, s, g)}B({first}, {second})"
    return Step(said, f"the substitution x = (z/s)^{g}, and Euler's Beta integral", "", (), cert)


def _factor(c: str, s: str, g: str) -> str:
    text = simplified(f"2*({c})*({s})/({g})")
    return "" if text == "1" else f"({text})·"


def power_law(expr: Expr) -> tuple[Expr, Expr, Expr, Expr] | None:
    """c, s, g, r of a formula c·(a + b·|z|^g)^(−r) with a, b > 0, as far as its shape shows them."""
    if expr.op == "/":
        below = power_law(Expr("**", (expr.args[1], num(-1)))) if expr.args[1].op != "**" else None
        if below is None and expr.args[1].op == "**":
            below = power_law(Expr("**", (expr.args[1].args[0], -expr.args[1].args[1])))
        return None if below is None or "z" in expr.args[0].variables() else (expr.args[0] * below[0], *below[1:])
    if expr.op == "*" and "z" not in expr.args[0].variables():
        inner = power_law(expr.args[1])
        return None if inner is None else (expr.args[0] * inner[0], *inner[1:])
    if expr.op != "**" or "z" in expr.args[1].variables() or expr.args[0].op != "+":
        return None
    r = -expr.args[1]
    for a, rest in (expr.args[0].args, expr.args[0].args[::-1]):
        if "z" in a.variables():
            continue
        b, g = _power_of_z(rest)
        if b is not None and g is not None:
            return a ** expr.args[1], (a / b) ** (num(1) / g), g, r
    return None


def _power_of_z(expr: Expr) -> tuple[Expr | None, Expr | None]:
    """b and g of b·|z|^g."""
    if expr.op == "**" and expr.args[0].variables() == {"z"} and expr.args[0].op in ("var", "Abs"):
        return num(1), expr.args[1]
    if expr.op == "/" and "z" not in expr.args[1].variables():
        b, g = _power_of_z(expr.args[0])
        return (None if b is None else b / expr.args[1]), g
    if expr.op == "*" and "z" not in expr.args[0].variables():
        b, g = _power_of_z(expr.args[1])
        return (None if b is None else expr.args[0] * b), g
    return None, None


def curve_step(source: str, where: Sequence[str], known: Antiderivative | None, slides: Sequence[Bound]) -> Step | None:
    """δ(ε) of a slide by Δ as a formula: where h(z) exceeds e^ε h(z + Δ), integrated."""
    if known is None or len(slides) != 1:
        return None
    loss = slides[0].formula
    region = (*where, "Delta > 0", "eps >= 0", *(() if loss is None else (f"eps < {loss}",)))
    try:
        with time_limit(3 * PATIENCE, "the derivation of δ(ε)"):
            try:
                return _either(source, region, known, loss)
            except Unseen as error:
                return _nearer(source, region, known, loss, error.of)
    except (Rejected, Undecided, ProgramTimeout):
        return None


def _either(source: str, region: Sequence[str], known: Antiderivative, loss: str | None) -> Step | None:
    """The curve of whichever order it is found for."""
    return next((step for way in "+-" if (step := _curve(source, region, known, loss, way))), None)


def _nearer(
    source: str, region: Sequence[str], known: Antiderivative, loss: str | None, of: Quotient
) -> Step | None:  # fmt: skip
    """The curve for slides by less than where a sign changes."""
    text = back(sorted((parse(source).variables() | {"eps", "Delta"}) - {"z"}), region, ("Delta",))
    for root in roots(of, "Delta"):
        return _either(source, (*region, f"Delta < {simplified(show(root, text))}"), known, loss)
    return None


def _curve(source: str, region: Sequence[str], known: Antiderivative, loss: str | None, toward: str) -> Step | None:
    expr = parse(source)
    names = sorted((expr.variables() | {"eps", "Delta"}) - {"z"})
    regions = cases(names, region, changes=("Delta",))
    text = back(names, region, ("Delta",))
    values = regions[0]
    move = values["Delta"] if toward == "+" else -values["Delta"]
    places = [read(k, values) for k in kinks(expr)] or [ZERO]
    cuts = ordered(list(dict.fromkeys([*places, *(p - move for p in places)])))
    crossing = _crossing(expr, values, cuts, move)
    if crossing is None:
        return None
    z0, side = crossing
    plain = not kinks(expr)  # a smooth density needs no other cut than the crossing
    changes = [z0] if plain else ordered([*cuts, z0])
    shown = [simplified(show(c, text)) for c in changes]
    proofs = []
    for case in regions:
        way = case["Delta"] if toward == "+" else -case["Delta"]
        trees = _trees(expr, case, [read(parse(c), case) for c in shown], changes.index(z0), side, way)
        if trees is None:
            return None
        proofs.append({"trees": trees})
    found = Primitive(expr, [parse(c) for c in known[0]], [parse(p) for p in known[1]], values)
    first, second = found.up_to(z0), found.up_to(z0 + move)
    if side == "right":
        first, second = found.total - first, found.total - second
    formula = simplified(show((first - exp(values["eps"]) * second) / found.total, text))
    cert: dict[str, Any] = {
        "type": "derived-curve", "density": source, "where": list(region), "cuts": known[0],
        "antiderivatives": known[1],
        "changes": shown, "crossing": shown[changes.index(z0)], "side": side, "toward": toward,
        "proof": proofs if len(proofs) > 1 else proofs[0], "formula": formula,
    }  # fmt: skip
    check(cert, seconds=10.0)
    rule = f"h(z) ≥ e^ε h(z {toward} Δ) on the {side} of z = {cert['crossing']}, and ≤ on the other side"
    return Step("δ(ε) of a slide by Δ", rule, formula, tuple(c for c in region if "Delta" in c or "eps" in c), cert)


def _crossing(expr: Expr, values: Values, cuts: list[Quotient], move: Quotient) -> tuple[Quotient, str] | None:
    """Where the log-ratio of the slide is ε, and on which side it is larger."""
    smooth = not kinks(expr)
    edge = _edge(expr, values, cuts, move)
    if edge is not None:
        return edge
    for z in [variable("t")] if smooth else Pieces(cuts).z:
        h, other = (read(expr, {**values, "z": x}) for x in (z, z + move))
        if h.sign != 1 or other.sign != 1:
            continue
        gap = log(h) - log(other) - values["eps"]
        for root in roots(gap, "t", signed=smooth):
            place = root if smooth else put(z, {"t": root})
            slope = derivative(gap, "t") / derivative(z, "t")
            for at in points(gap.variables, 6):
                try:
                    return place, "right" if value(slope, {**at, "t": abs(value(root, at))}) > 0 else "left"
                except (OverflowError, ValueError, ZeroDivisionError):
                    continue
    return None


def _edge(expr: Expr, values: Values, cuts: list[Quotient], move: Quotient) -> tuple[Quotient, str] | None:
    """The end of the piece on which the changed density alone is zero, if all of h > e^ε h(z ± Δ) is there."""
    alone = []
    for i, z in enumerate(Pieces(cuts).z):
        h, other = (read(expr, {**values, "z": x}) for x in (z, z + move))
        if h.sign == 1 and not other:
            alone.append(i)
        elif h and not other:
            return None
    if len(alone) != 1 or alone[0] == len(cuts):
        return None
    return cuts[alone[0]], "left"


def _trees(expr: Expr, values: Values, cuts: list[Quotient], place: int, side: str, move: Quotient) -> list[Any] | None:
    trees = []
    for i, z in enumerate(Pieces(cuts).z):
        h, other = (read(expr, {**values, "z": x}) for x in (z, z + move))
        gap = h - exp(values["eps"]) * other
        tree = Search(200).prove(gap if (i <= place) == (side == "left") else -gap)
        if tree is None:
            return None
        trees.append(tree)
    return trees


__all__ = ["antiderivative", "curve_step", "normaliser_step"]
