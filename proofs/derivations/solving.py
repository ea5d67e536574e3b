"""The largest admissible slide and dilation as formulas in ε, and the theorem for a smooth bound that follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dpwitness.core.errors import BadInput, ProgramTimeout
from dpwitness.core.limits import time_limit
from dpwitness.proofs.derivations.bounds import Bound
from dpwitness.proofs.derivations.bridge import PATIENCE, from_sympy, simplified, symbol, to_sympy
from dpwitness.proofs.derivations.model import Step
from dpwitness.proofs.kernel.algebra.expr import parse
from dpwitness.proofs.kernel.arith import Rejected, Undecided
from dpwitness.proofs.kernel.check import check

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


def largest_step(source: str, where: Sequence[str], found: Found) -> list[Step]:
    """Steps for the largest slide and the largest dilation, where these are known as formulas."""
    steps = []
    for change in ("slide", "dilate"):
        for bound in found.get(change, ()):
            if bound.formula is None:
                continue
            answer = _max_solved(bound) or solved(bound)
            if answer is not None:
                rule = "the loss is ε/2 there, and rises with the change"
                steps.append(Step(_NAMES[change][1], rule, answer[0], bound.extra, answer[1]))
    if not any(b.formula for b in found.get("slide", ())):
        for bound in found.get("slope", ()):
            if bound.formula is not None:
                text = simplified(f"eps/(2*({bound.formula}))")
                steps.append(
                    Step(
                        "an admissible slide α at pure ε/2",
                        "α times the largest slope is ε/2",
                        text,
                        bound.extra,
                        bound.certificate,
                    )
                )
    return steps


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


def theorem_step(where: Sequence[str], found: Found) -> list[Step]:
    """The theorem for noise scaled by a smooth bound."""
    slopes = [b for b in found.get("slope", ()) if b.formula]
    slides = [b for b in found.get("slide", ()) if b.formula]
    stretches = [b for b in found.get("stretch", ()) if b.formula]
    if not stretches or not (slides or slopes):
        return []
    one = (slides or slopes)[0]
    assert one.formula is not None
    left = one.formula.replace("Delta", "alpha") if slides else f"alpha*({one.formula})"
    other = f"beta*({stretches[0].formula})" if stretches[0].formula != "1" else "beta"
    text = f"{left} + {other}"
    return [
        Step(
            "f(x) + (S(x)/α) Z is ε-private for every β-smooth bound S where this is at most ε",
            "the loss of a slide and then of a dilation",
            text,
            tuple(dict.fromkeys((*one.extra, *stretches[0].extra))),
            None,
        )
    ]
