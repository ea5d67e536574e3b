r"""Certificates about compositions: these steps together are (ε, δ)-DP, or they are not.

``steps`` lists ``[kind, parameters…, count]`` with exact numbers. Kinds are

* ``gaussian`` m², ``laplace`` a, ``response`` a, ``responses`` a and the number of answers, ``staircase`` a and γ,
  ``geometric`` scale and shift, ``discrete-gaussian`` variance and shift, and ``table`` P and Q (two lists): the pairs
  of `account_pairs` and `account_laws`;
* ``pure`` ε₀ and ``approximate`` ε₀ and δ₀: any step with that guarantee;
* ``poisson-…`` with a rate before the parameters of one of these: one record is added or removed; ``sample-…`` with a
  share m/n before the parameters: one record is replaced.

``relation`` says what neighbours are: ``"add-remove"`` or ``"replace"``. It has no part in the pairs whose parameters
hold for either; a sampled step is only admitted under the relation for which its pair was derived.

``orders`` holds the proof: hints for one bound on δ(ε) for each order of the neighbours, by the inversion sum or one
moment (``"by": "moments"``) or on a grid (``"grid"``). How many there are is computed here: one if every pair is the
same in both orders, else two. A violation names the one order that it shows. Where all steps are Gaussian a closed
form decides, and where δ = 0 the largest loss does; hints are then ``null``.

A violation speaks of the class of all steps of these kinds: some step of each kind has the pair as its laws, and
together they break the guarantee. It says nothing of one run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from dpwitness.proofs.kernel.accounts.grid import grid_loss
from dpwitness.proofs.kernel.accounts.laws import DiscreteGaussian, Geometric, Poisson, Table, Without
from dpwitness.proofs.kernel.accounts.moments import Line
from dpwitness.proofs.kernel.accounts.pairs import (
    Gaussian,
    Laplace,
    Pair,
    Parts,
    Response,
    Sampled,
    natural,
    responses,
    staircase,
)
from dpwitness.proofs.kernel.arith import Rejected, lower, number, precision, upper
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.claims import claim_from_json, words
from dpwitness.proofs.kernel.laws.curves import normal
from dpwitness.proofs.kernel.statements import NO_INPUTS, guarantee, subject
from dpwitness.proofs.kernel.theorem import Theorem

MAX_STEPS, MAX_COUNT, MAX_OUTCOMES, CLOSED_BITS = 1_000, 10**10, 2_000, 640
LAWS: dict[str, tuple[Callable[..., Pair], int]] = {
    "gaussian": (Gaussian, 1),
    "laplace": (Laplace, 1),
    "response": (Response, 1),
    "pure": (Response, 1),
    "approximate": (Response, 2),
    "responses": (responses, 2),
    "staircase": (staircase, 2),
    "geometric": (Geometric, 2),
    "discrete-gaussian": (DiscreteGaussian, 2),
}
WHOLE, BELOW_ONE = ("geometric", "discrete-gaussian", "responses"), ("approximate", "staircase")
_IMAGES = "Kairouz, Oh and Viswanath 2015: laws that are (ε₀, δ₀)-close are an image of randomized response"
_BLACKWELL = "Blackwell 1951: a pair whose curve is never above another's is an image of it"
_SAMPLES = "Balle, Barthe and Gaboardi 2018: the curve of a step on a sample without replacement"
_WRITTEN = ("gaussian", "response", "responses", "table", "pure", "approximate")  # kernels that are written out


def pair_from_json(relation: str, name: str, given: list[Any]) -> Pair:
    """The pair of a step. Parameters are positive; a rate, a share and δ₀ lie below 1."""
    how, _, kind = name.partition("-")
    if how in ("poisson", "sample"):
        if relation != {"poisson": "add-remove", "sample": "replace"}[how] or kind[:7] in ("poisson", "sample-"):
            raise Rejected(f"the pair of {name[:40]} is not that of the relation {relation}")
        rate, base = number(given[0]), pair_from_json(relation, kind, given[1:])
        if not 0 < rate < 1 or (how == "sample" and base.flip() != base):
            raise Rejected("a rate lies in (0, 1), and without replacement a pair is the same in both orders")
        if isinstance(base, Gaussian) and how == "poisson":
            return Sampled(rate, 1 / base.squared)
        return Poisson(base, rate) if how == "poisson" else Without(base, rate)
    if name == "table":
        p, q = (tuple(number(x) for x in row) for row in given)
        if not 1 <= len(p) == len(q) <= MAX_OUTCOMES or min(*p, *q) < 0 or sum(p) != 1 or sum(q) != 1:
            raise Rejected("a table has two laws on the same outcomes")
        return Table(p, q)
    if name not in LAWS or len(given) != LAWS[name][1]:
        raise Rejected(f"the step {name[:40]!r} is unknown or has other parameters; known: table, {', '.join(LAWS)}")
    values = [number(x) for x in given]
    if min(values) <= 0 or (name in BELOW_ONE and values[1] >= 1):
        raise Rejected("the parameters of a step are positive, and a share or a probability is below 1")
    if name in WHOLE and not (values[1].denominator == 1 and (name == "responses") < values[1] <= 10_000):
        raise Rejected("a shift or a number of answers is a whole number up to 10000")
    return LAWS[name][0](*values)


def step_from_json(relation: str, step: list[Any]) -> tuple[Pair, int]:
    """A pair and its count."""
    name, *given, count = step
    return pair_from_json(relation, str(name), given), natural(count, MAX_COUNT)


def both_orders(parts: Parts) -> list[list[tuple[Pair, int]]]:
    """The composition in each order of the neighbours; one where they are the same."""
    flipped = [(pair.flip(), count) for pair, count in parts]
    return [list(parts)] if flipped == list(parts) else [list(parts), flipped]


def largest_loss(parts: Parts) -> Fraction | None:
    """The largest loss of pairs that have an atom there, exactly; None for other pairs."""
    losses = [count * p.loss for p, count in parts if isinstance(p, Laplace | Response | Geometric) and not p.infinite]
    return sum(losses, Fraction(0)) if len(losses) == len(parts) else None


def bound(parts: Parts, hints: Any, up: bool) -> Callable[[Fraction], Any]:
    """Enclosures of δ(ε) of one order, or of a number that is not below it (`up`) or not above it."""
    if all(isinstance(pair, Gaussian) for pair, _ in parts):
        squared = sum((count * pair.squared for pair, count in parts if isinstance(pair, Gaussian)), Fraction(0))

        def closed(eps: Fraction) -> Any:
            with precision(CLOSED_BITS):
                return normal(squared, eps)()  # type: ignore[operator]

        return closed
    if hints["by"] == "grid":
        return grid_loss(parts if up else [(pair.attained(), k) for pair, k in parts], hints, up).delta
    return Line(parts, hints).delta


def _decide(parts: Parts, hints: Any, claim: Mapping[str, Any], up: bool) -> bool:
    eps, delta, most = claim["epsilon"], claim.get("delta", Fraction(0)), largest_loss(parts)
    if not delta and (most is not None or up):
        return most is not None and (most <= eps) == up
    value = bound(parts, hints, up)(eps)
    return bool(upper(value) <= delta if up else lower(value) > delta)


def _read(certificate: Mapping[str, Any], *more: str) -> tuple[Any, ...]:
    relation, steps, given, *rest = fields(
        certificate, "type", "relation", "steps", "guarantee", *more, optional=("about",)
    )[1:]
    claim = claim_from_json(given)
    if relation not in ("add-remove", "replace") or claim["kind"] not in ("pure", "approximate"):
        raise Rejected("the relation is add-remove or replace, the guarantee pure or approximate")
    if not isinstance(steps, list) or not 1 <= len(steps) <= MAX_STEPS:
        raise Rejected(f"steps are a list of 1 to {MAX_STEPS} kinds of steps")
    return both_orders([step_from_json(relation, step) for step in steps]), claim, *rest


def _theorem(certificate: Mapping[str, Any], claim: Any, refutes: bool) -> Theorem:
    steps, kinds = certificate["steps"], {step[0] for step in certificate["steps"]}
    listed = "; ".join(f"{count} × {kind}({', '.join(map(str, given))})"[:120] for kind, *given, count in steps[:8])
    said = f"{listed}{f'; and {len(steps) - 8} more' if len(steps) > 8 else ''}, composed adaptively, neighbours "
    said += (
        f"{certificate['relation']}: {words(claim)} {'is broken by some steps of these kinds' if refutes else 'holds'}"
    )
    bases = {kind.removeprefix("poisson-").removeprefix("sample-") for kind in kinds}
    trusts = {_IMAGES} if bases & {"pure", "approximate"} else set()
    trusts |= {_BLACKWELL} if bases - set(_WRITTEN) else set()
    trusts |= {_BLACKWELL, _SAMPLES} if any(kind.startswith("sample-") for kind in kinds) else set()
    about, assumed = subject(certificate, "relation", "steps"), () if refutes else tuple(sorted(trusts))
    return Theorem(certificate["type"], said, about, refutes, guarantee(claim), NO_INPUTS, "any", assumptions=assumed)


def check_composition(certificate: Mapping[str, Any]) -> Theorem:
    """The checker of ``{"type": "composition", "relation", "steps", "guarantee", "orders"}``."""
    orders, claim, hints = _read(certificate, "orders")
    if not isinstance(hints, list) or len(hints) != len(orders):
        raise Rejected(f"the number of orders of the neighbours is {len(orders)}")
    if not all(_decide(parts, hint, claim, True) for parts, hint in zip(orders, hints, strict=True)):
        raise Rejected(f"{words(claim)} is not shown for these steps")
    return _theorem(certificate, claim, False)


def check_violation(certificate: Mapping[str, Any]) -> Theorem:
    """The checker of ``{"type": "composition-violation", "relation", "steps", "guarantee", "order", "hints"}``."""
    orders, claim, order, hints = _read(certificate, "order", "hints")
    if not _decide(orders[natural(order, len(orders) - 1, 0)], hints, claim, False):
        raise Rejected(f"it is not shown that these steps break {words(claim)}")
    return _theorem(certificate, claim, True)


CHECKERS = {"composition": check_composition, "composition-violation": check_violation}
