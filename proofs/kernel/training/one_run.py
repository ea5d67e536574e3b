r"""How many right guesses one run can show: the tail of a count under a claim.

m canaries are included by independent fair coins. From the outcome of one run alone c of them are picked and a side is
guessed for each; W guesses are right, :math:`p_j = P[W = j]`. The claim is that the laws of the outcome for two values
of the coins that differ in one canary obey, in both directions,
:math:`\sum_t (P(t) - e^\varepsilon Q(t))_+ \le \delta(\varepsilon)`. Then for every
ε ≥ 0, with :math:`E \ge e^\varepsilon`,

.. math:: \sum_{j=1}^c (j p_j - E (c-j+1) p_{j-1})_+ + \sum_{j=1}^c ((c-j+1) p_{j-1} - E j p_j)_+
          \le m\,\delta(\varepsilon),

and each of the two sums is at most mδ/2 where only "in" is guessed (the proof stands in
`dpwitness.auditors.training.program`: turn one coin, and count each outcome once for each right guess).

A certificate lists points (ε, E, δ) and whole numbers u_j, d_j ≥ 0 over a common ``scale``. With λ the largest u or d
of a point, :math:`\lambda (x)_+ \ge u x` for 0 ≤ u ≤ λ, so the inequality above bounds every such combination of its
terms by λmδ (where one side is guessed: half of the sum of the largest u and the largest d, times mδ). The combination
is linear in p. If :math:`\mathbf 1\{j \ge v\}` minus it is at most β₀ for every j, then, as p sums to 1, :math:`P[W \ge
v] \le \beta_0 + m\sum \lambda\delta`. All of this is computed here, in whole numbers; what rests on an enclosure is
that E ≥ e^ε and that δ is not below the claim's curve at ε.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import lcm
from typing import Any

from dpwitness.proofs.kernel.accounts.compositions import MAX_STEPS, both_orders, bound, largest_loss, step_from_json
from dpwitness.proofs.kernel.arith import Rejected, ball, number, precision, upper
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.claims import claim_from_json, words
from dpwitness.proofs.kernel.laws.curves import normal
from dpwitness.proofs.kernel.limits import tick
from dpwitness.proofs.kernel.statements import NO_INPUTS, subject
from dpwitness.proofs.kernel.theorem import Theorem, constant

MAX_CANARIES, MAX_GUESSES, MAX_POINTS, MAX_ODDS_BITS, BITS = 10**9, 20_000, 64, 200, 192
KINDS = ("pure", "approximate", "gaussian", "composition")
_COINS = (
    "each canary was included by a fair coin of its own, tossed independently of all else and used for nothing else"
)
_FIXED = (
    "the numbers of canaries and of guesses were fixed before the coins were seen, the guesses from the outcome alone"
)


def check_one_run(certificate: Mapping[str, Any]) -> Theorem:
    """The checker of ``{"type": "one-run-count", "claim", "canaries", "guesses", "right", "sides", "scale", "points",
    "bound"}``.
    """
    claim, canaries, guesses, right, sides, scale, points, stated = fields(
        certificate, "type", "claim", "canaries", "guesses", "right", "sides", "scale", "points", "bound",
        optional=("about",),
    )[1:]  # fmt: skip
    m, c = _whole(canaries, 1, MAX_CANARIES), _whole(guesses, 1, MAX_GUESSES)
    v, both = _whole(right, 1, c), _whole(sides, 1, 2)
    unit = _whole(scale, 1, 1 << 256)
    if c > m:
        raise Rejected("there are more guesses than canaries")
    if not isinstance(points, list) or not 1 <= len(points) <= MAX_POINTS:
        raise Rejected(f"points are a list of 1 to {MAX_POINTS}")
    kind, given = _claim(claim)
    price, total, common = Fraction(0), [0] * (c + 1), 1
    rows = [_point(point, kind, given, c) for point in points]
    common = lcm(*(odds.denominator for odds, *_ in rows))
    for odds, delta, up, down in rows:
        _add(total, up, down, odds.numerator * (common // odds.denominator), common, c)
        highest = (max(up), max(down))
        budget = Fraction(max(highest)) if both == 2 else Fraction(sum(highest), 2)
        price += budget * m * delta / unit
    rest = max((unit * common if j >= v else 0) - value for j, value in enumerate(total))
    found = max(Fraction(rest, unit * common) + price, Fraction(0))
    if found > number(stated):
        raise Rejected(f"the weights prove {float(found):.6g} and not the stated bound {str(stated)[:40]}")
    said = (
        f"if one canary more or less changes the outcome of a run within {given['words']}, then of {c} guesses "
        f"about {m} canaries ({'either side' if both == 2 else 'only in'}) at least {v} are right with "
        f"probability at most {stated}"
    )
    about = subject(certificate, "claim", "canaries", "guesses", "sides")
    return Theorem("one-run-count", said, about, False, {"kind": "tail", "probability": constant(number(stated))},
                   NO_INPUTS, "any", assumptions=(_COINS, _FIXED))  # fmt: skip


def _whole(value: object, low: int, high: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise Rejected(f"{str(value)[:40]!r} is not a whole number from {low} to {high}")
    return value


def _claim(claim: object) -> tuple[str, dict[str, Any]]:
    """The claimed curve: a guarantee, or steps that are composed."""
    kind = claim.get("kind") if isinstance(claim, Mapping) else None
    if kind == "composition":
        _, relation, steps = fields(claim, "kind", "relation", "steps")
        if relation not in ("add-remove", "replace") or not isinstance(steps, list) or not 1 <= len(steps) <= MAX_STEPS:
            raise Rejected("a composition has a relation and a list of steps")
        orders = both_orders([step_from_json(relation, step) for step in steps])
        listed = "; ".join(f"{step[-1]} × {step[0]}({', '.join(map(str, step[1:-1]))})"[:120] for step in steps[:4])
        return kind, {"orders": orders, "words": f"the curve of {listed}{' …' if len(steps) > 4 else ''}"}
    if kind not in KINDS:
        raise Rejected(f"the claim {str(kind)[:40]!r} is unknown here; known: {', '.join(KINDS)}")
    read = claim_from_json(claim)
    return str(kind), {**read, "words": words(read)}


def _point(point: object, kind: str, given: Mapping[str, Any], guesses: int) -> tuple[Fraction, Fraction, Any, Any]:
    """(E, δ, u, d) of a point, with E ≥ e^ε and δ not below the claim's curve at ε."""
    eps, odds, delta, up, down, hints = fields(point, "epsilon", "odds", "delta", "up", "down", "hints")
    at, big, most = number(eps), number(odds), number(delta)
    if at < 0 or at > 300 or not 0 <= most <= 1 or big.denominator.bit_length() > MAX_ODDS_BITS:
        raise Rejected("a point has ε from 0 to 300, δ from 0 to 1 and short odds")
    with precision(BITS):
        if not upper(ball(at).exp()) <= big:
            raise Rejected(f"the odds {str(odds)[:40]} are below e^ε")
    if not most >= _curve(kind, given, at, hints):
        raise Rejected(f"δ = {str(delta)[:40]} is below the claim's curve at ε = {str(eps)[:40]}")
    return big, most, _weights(up, guesses), _weights(down, guesses)


def _curve(kind: str, given: Mapping[str, Any], eps: Fraction, hints: Any) -> Fraction:
    """An upper end of the claim's δ(ε)."""
    if kind == "composition":
        if not isinstance(hints, list) or len(hints) != len(given["orders"]):
            raise Rejected(f"the number of orders of the neighbours is {len(given['orders'])}")
        with precision(256):
            ends: list[Fraction] = [_end(parts, hint, eps)
                       for parts, hint in zip(given["orders"], hints, strict=True)]  # fmt: skip
            return max(ends)
    if hints is not None:
        raise Rejected("hints belong to compositions")
    with precision(BITS):
        if kind == "gaussian":
            value = normal(given["mu"] ** 2, eps)
            return Fraction(0) if isinstance(value, tuple) else upper(value())
        top, rest = Fraction(given["epsilon"]), Fraction(given.get("delta", 0))
        if eps >= top:
            return rest
        return max(rest, upper(1 - (1 + ball(eps).exp()) * ball(1 - rest) / (1 + ball(top).exp())))


def _end(parts: Any, hint: Any, eps: Fraction) -> Fraction:
    """An upper end of δ(ε) of one order; without hints where the largest loss is at most ε, or in closed form."""
    most = largest_loss(parts)
    if hint is None and most is not None:
        if most > eps:
            raise Rejected(f"the largest loss exceeds ε = {eps}, and there are no hints")
        return Fraction(0)
    return Fraction(upper(bound(parts, hint, True)(eps)))


def _weights(given: object, guesses: int) -> list[int]:
    """Whole numbers ≥ 0, one for each j from 1 to c."""
    if not isinstance(given, list) or len(given) != guesses:
        raise Rejected(f"weights are a list of {guesses} whole numbers")
    for value in given:
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise Rejected("a weight is a whole number ≥ 0")
    return given


def _add(total: list[int], up: list[int], down: list[int], big: int, one: int, guesses: int) -> None:
    """Add Σ u_j (j p_j − E(c−j+1) p_{j−1}) + d_j ((c−j+1) p_{j−1} − E j p_j) to the coefficients of p; E = big/one."""
    for j, (u, d) in enumerate(zip(up, down, strict=True), start=1):
        if u or d:
            tick()
            wrong = guesses - j + 1
            total[j] += j * (u * one - d * big)
            total[j - 1] += wrong * (d * one - u * big)


CHECKERS = {"one-run-count": check_one_run}

__all__ = ["CHECKERS", "check_one_run"]
