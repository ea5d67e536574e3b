"""The largest admissible slide and dilation as formulas in ε, and the theorem for a smooth bound that follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dpwitness.core.errors import BadInput, ProgramTimeout
from dpwitness.core.limits import time_limit
from dpwitness.proofs.derivations.bounds import Bound, parse_names
from dpwitness.proofs.derivations.bridge import PATIENCE, from_sympy, simplified, symbol, to_sympy
from dpwitness.proofs.derivations.lines import kinks, ordered
from dpwitness.proofs.derivations.model import Step
from dpwitness.proofs.derivations.quotients import roots, show
from dpwitness.proofs.derivations.search import Search, Tree
from dpwitness.proofs.kernel.algebra.expr import Expr, parse
from dpwitness.proofs.kernel.arith import Rejected, Undecided
from dpwitness.proofs.kernel.check import check
from dpwitness.proofs.kernel.derivations.functions import Unseen, derivative, put, sign_of
from dpwitness.proofs.kernel.derivations.losses import Pieces
from dpwitness.proofs.kernel.derivations.reading import read
from dpwitness.proofs.kernel.derivations.region import Values, cases
from dpwitness.proofs.kernel.derivations.ring import ONE, ZERO, variable

Found = Mapping[str, tuple[Bound, ...]]
_NAMES = {
    "slide": ("Delta", "largest admissible slide α at pure ε/2"),
    "dilate": ("lam", "largest admissible dilation β at pure ε/2"),
}


def solved(bound: Bound) -> tuple[str, dict[str, Any]] | None:
    """The change at which a bound comes to ε/2, as a formula in eps, with a certificate of that equation."""
    import sympy

    assert bound.formula is not None
    name = _NAMES[bound.change][0]
    try:
        with time_limit(PATIENCE, "the solution of an equation"):
            from dpwitness.proofs.derivations.bridge import _inverse_sinh

            value = to_sympy(parse(bound.formula)).replace(sympy.log, _inverse_sinh)
            roots = sympy.solve(sympy.Eq(value, symbol("eps") / 2), symbol(name), dict=False)
            shown = [simplified(from_sympy(sympy.simplify(root))) for root in roots]
    except (ProgramTimeout, BadInput, Undecided, Rejected, NotImplementedError):
        return None
    except Exception:  # sympy raises errors of many kinds
        return None
    for text in shown:
        left = str(parse(bound.formula).substitute({name: parse(text)}))
        where = [c for c in bound.where if "=" not in c or "<" in c or ">" in c]
        cert: dict[str, Any] = {
            "type": "derived-identity",
            "where": [*where, "eps > 0"],
            "left": left,
            "right": "eps/2",
        }
        try:
            check(cert, seconds=5.0)
        except Rejected:
            continue
        return text, cert
    return None


def rising(bound: Bound) -> dict[str, Any] | None:
    """A certificate that a bound grows with the change: then it holds for all smaller changes too."""
    assert bound.formula is not None
    name, expr = _NAMES[bound.change][0], parse(bound.formula)
    small, large = (expr.substitute({name: parse(x)}) for x in ("move", "move + more"))
    formula = f"({large}) - ({small})"
    names = parse(formula).variables()
    where = [*(c for c in bound.where if ("<" in c or ">" in c) and parse_names(c) <= names), "move > 0", "more > 0"]
    try:
        regions = cases(sorted(names), where)
        with time_limit(2 * PATIENCE, "a proof that a loss grows"):
            proofs = [_grown(parse(formula), values, 0) for values in regions]
            if None in proofs:
                return None
            cert = {"type": "derived-inequality", "where": where, "formula": formula,
                    "proof": proofs if len(proofs) > 1 else proofs[0]}  # fmt: skip
            check(cert, seconds=5.0)
            return cert
    except (ProgramTimeout, Undecided, Rejected):
        return None


def _grown(expr: Expr, values: Values, depth: int) -> Tree | None:
    """A proof, in cases where Max needs them."""
    try:
        return Search(300).prove(read(expr, values))
    except Unseen as error:
        for name in sorted(error.of.variables) if depth < 2 else ():
            for root in roots(error.of, name)[:1]:
                v = variable(name)
                images = (root / (ONE + v), root, root + v)
                parts = [_grown(expr, {n: put(x, {name: i}) for n, x in values.items()}, depth + 1) for i in images]
                if None not in parts:
                    below, equal, above = parts
                    return {"by": "split", "variable": name, "at": show(root), "below": below, "equal": equal,
                            "above": above}  # fmt: skip
        return None


def largest_step(source: str, where: Sequence[str], found: Found) -> list[Step]:
    """Steps for the largest slide and the largest dilation, where these are known as formulas."""
    steps = []
    for change in ("slide", "dilate"):
        for bound in found.get(change, ()):
            if bound.formula is None:
                continue
            grows = rising(bound)
            if grows is None:
                continue
            word = "slide" if change == "slide" else "dilation"
            steps.append(Step(f"a larger {word} loses more", "the bound at move + more, minus the bound at move, "
                              "is at least 0", "", bound.extra, grows))  # fmt: skip
            answer = _max_solved(bound) or solved(bound)
            if answer is not None:
                rule = "the loss is ε/2 there, and rises with the change"
                extra = (*bound.extra, *(() if _positive(answer[0], bound.where) else ("where this is positive",)))
                steps.append(Step(_NAMES[change][1], rule, answer[0], extra, answer[1]))
    if not any(b.formula for b in found.get("slide", ())):
        for bound in found.get("slope", ()):
            if bound.formula is not None:
                text = simplified(f"eps/(2*({bound.formula}))")
                rule = "α times the largest slope is ε/2"
                steps.append(Step("an admissible slide α at pure ε/2", rule, text, bound.extra, bound.certificate))
    return steps


def _positive(text: str, where: Sequence[str]) -> bool:
    """Whether a formula is seen to be positive for all parameters and all eps > 0."""
    names = parse(text).variables()
    kept = [*(c for c in where if ("<" in c or ">" in c) and parse_names(c) <= names), "eps > 0"]
    try:
        return all(sign_of(read(parse(text), values)) == 1 for values in cases(sorted(names), kept))
    except Unseen:
        return True  # of Max or Min, whose branches are
    except (Undecided, Rejected):
        return False


def implicit_step(source: str, where: Sequence[str], curve: Step | None) -> list[Step]:
    """The equation for the largest slide where δ > 0, for a density that rises up to a point and falls after it."""
    if curve is None or not one_peak(source, where):
        return []
    text = str(parse(curve.formula).substitute({"Delta": parse("alpha"), "eps": parse("eps/2")}))
    region = tuple(c.replace("Delta", "alpha").replace("eps", "eps/2") for c in curve.conditions)
    rule = (
        "δ of a slide grows with the slide, as the density has one peak; both halves of the guarantee are spent on it"
    )
    return [
        Step(
            "the largest slide α at (ε/2, δ/2), δ > 0, is where this is δ/2", rule, simplified(text), region, None, True
        )
    ]


def one_peak(source: str, where: Sequence[str]) -> bool:
    """Whether a density is seen to rise before one of its kinks (or 0) and to fall after it."""
    expr = parse(source)
    try:
        values = cases(sorted(expr.variables() - {"z"}), where)[0]
        pieces = Pieces(ordered([read(k, values) for k in kinks(expr)] or [ZERO]))
        slopes = []
        for z in pieces.z:
            h = read(expr, {**values, "z": z})
            slopes.append((derivative(h, "t") / derivative(z, "t")).sign if h else 0)
    except (Undecided, Rejected):
        return False
    if None in slopes or any(read(expr, {**values, "z": z}).sign not in (0, 1) for z in pieces.z):
        return False
    turns = [s for s in slopes if s]
    return turns == sorted(turns, key=lambda s: -(s or 0)) and "sign" not in source and "Heaviside" not in source


def _max_solved(bound: Bound) -> tuple[str, dict[str, Any]] | None:
    """Max(λ·A, λ·B) = ε/2 at λ = (ε/2)/Max(A, B)."""
    assert bound.formula is not None
    expr = parse(bound.formula)
    name = _NAMES[bound.change][0]
    if expr.op != "Max":
        return None
    import sympy

    parts = [sympy.simplify(to_sympy(a) / symbol(name)) for a in expr.args]
    if any(p.has(symbol(name)) for p in parts):
        return None
    return f"eps/(2*Max({from_sympy(parts[0])}, {from_sympy(parts[1])}))", bound.certificate


def theorem_step(where: Sequence[str], found: Found, steps: Sequence[Step]) -> list[Step]:
    """The theorem for noise scaled by a smooth bound; a loss of a slide is used where it is shown to grow."""
    grows = any(step.statement == "a larger slide loses more" for step in steps)
    slopes = [b for b in found.get("slope", ()) if b.formula]
    slides = [b for b in found.get("slide", ()) if b.formula and grows]
    stretches = [b for b in found.get("stretch", ()) if b.formula]
    if not stretches or not (slides or slopes):
        return []
    one = (slides or slopes)[0]
    assert one.formula is not None
    left = str(parse(one.formula).substitute({"Delta": parse("alpha")})) if slides else f"alpha*({one.formula})"
    other = f"beta*({stretches[0].formula})" if stretches[0].formula != "1" else "beta"
    text = f"{left} + {other}"
    return [
        Step(
            "f(x) + (S(x)/α) Z is ε-private for every β-smooth bound S where this is at most ε",
            "the loss of a slide and then of a dilation",
            text,
            tuple(dict.fromkeys((*one.extra, *stretches[0].extra))),
            None,
            True,
        )
    ]
