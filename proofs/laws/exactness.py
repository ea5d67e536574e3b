"""When a bound on additive noise is the smallest possible, and when one formula gives it for every ε."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.errors import DPWitnessError
from dpwitness.core.forms import Form, Symbol
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.readers.paths import symbolic_paths, unknown_inputs
from dpwitness.core.spaces import Answers, Interval, Records
from dpwitness.proofs.kernel.laws.noise import NoiseLaw
from dpwitness.proofs.spaces import finite_space

LINEAR = ("laplace", "discrete_laplace")  # laws whose pure loss is move/scale
MAX_INPUTS = 300
Pair = tuple[NoiseLaw, NoiseLaw]


def reaches(laws: Sequence[Pair], tries: Sequence[Any], claim: Any) -> bool:
    """Whether a single move between neighbours already costs all that is claimed.

    The noise of different outputs is independent, so the largest log-ratio of a vector is the sum of the largest ones.
    For normal noise the other guarantees depend on the squared length of the standardised move alone.
    """
    if any(low != high for low, high in laws):
        return False
    for _, _, move in tries:
        parts = [(law, abs(step)) for (law, _), step in zip(laws, move, strict=True)]
        names = {law.name for law, _ in parts}
        if claim["kind"] == "pure":
            whole = all(law.name == "laplace" or step.denominator == 1 for law, step in parts)
            if names <= set(LINEAR) and whole and _linear(parts) == claim["epsilon"]:
                return True
        elif names == {"gaussian"} and claim["kind"] != "approximate":
            r = sum((step * step / law.params["variance"] for law, step in parts), Fraction(0))
            if r == _allowed(claim):
                return True
    return False


def _allowed(claim: Any) -> Fraction:
    """The squared length of a standardised move that just keeps a guarantee of normal noise."""
    if claim["kind"] == "gaussian":
        return Fraction(claim["mu"]) ** 2
    return 2 * Fraction(claim["rho"]) if claim["kind"] == "zcdp" else 2 * Fraction(claim["epsilon"]) / claim["order"]


def _linear(parts: Sequence[tuple[NoiseLaw, Fraction]]) -> Fraction:
    return sum((step / law.params["scale"] for law, step in parts), Fraction(0))


def every_epsilon(claim: Claim, laws: Sequence[Pair], kind: str, by: Sequence[Any]) -> Fraction | None:
    """The c for which the program is c·ε-private for every ε > 0, or None.

    What is read: on every dataset the released numbers move as they do at the claim's ε, and the scale of every noise
    is a constant over ε. Then the loss at ε, the sum of move/scale, is a constant times ε.
    """
    eps = claim.params.get("eps")
    if eps is None or claim.guarantee.kind != "pure" or kind == "l2" or not _scales_with(claim):
        return None
    if any(low != high or low.name not in LINEAR for low, high in laws):
        return None
    rows = [[Fraction(x) for x in row] for row in (by if kind == "listed" else [by])]
    losses = [[step / law.params["scale"] for (law, _), step in zip(laws, row, strict=True)] for row in rows]
    worst = max((max(row) if kind in ("one", "l1") else sum(row, Fraction(0))) for row in losses)
    return worst / Fraction(eps)


def _mentions(form: Form, symbol: Symbol) -> bool:
    """Whether a symbol occurs in a form, inside its atoms too."""
    return any(s == symbol or (s.of is not None and _mentions(s.of, symbol)) for s in form.symbols())


def _scales_with(claim: Claim) -> bool:
    """Whether on every dataset all scales are constants over ε and nothing else depends on ε."""
    assert isinstance(claim.mechanism, Mechanism)
    space = claim.space
    unknown = isinstance(space, Answers) and not space.finite
    if unknown or (isinstance(space, Records) and isinstance(space.domain, Interval)):
        datasets: list[Any] = [unknown_inputs(space.size)]
    else:
        datasets = list(finite_space(space)[1])
    if len(datasets) > MAX_INPUTS:
        return False
    eps = Symbol("param", 0, "eps")
    for data in datasets:
        try:
            table = symbolic_paths(claim.mechanism.program, data, claim.params, symbolic=("eps",), max_paths=2)
        except DPWitnessError:
            return False
        if len(table.paths) != 1 or not table.complete or table.paths[0].conditions:
            return False
        path = table.paths[0]
        if any(_mentions(form, eps) for form in path.values):
            return False
        for draw in path.draws:
            scale = draw.law.params().get("scale")
            if not isinstance(scale, Form) or (scale * Form.of_symbol(eps)).value() is None:
                return False
    return True
