r"""Certificates about answers released with independent additive noise.

``laws`` lists the noise of each coordinate. ``moves`` says how the answers may move between neighbours, by sizes ``by``
(one number per coordinate): ``"all"`` (each by up to its size), ``"one"`` (only one of them), ``"l1"`` or ``"l2"`` (the
vector of moves divided by the sizes lies in the unit ball), or ``"listed"`` (``by`` is a list of such vectors, each
read as ``"all"``). Under an integer law answers and moves are whole numbers.

Guarantees are those of `claims`. For Gaussian noise with :math:`r = \sum_i \Delta_i^2/\sigma_i^2` they are
:math:`r \le \mu^2` (``gaussian``), :math:`r/2 \le \rho` (``zcdp``) and :math:`\alpha r/2 \le \varepsilon` (``renyi``);
for integer Gaussian noise the last two hold as well (Canonne, Kamath and Steinke 2020, proposition 5: with equality at
whole orders, where the sum over the integers shifts into itself).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from dpwitness.proofs.kernel.arith import Rejected, enclose, number
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.claims import Claim, claim_from_json, words
from dpwitness.proofs.kernel.curves import INTEGER_LAWS, exact, normal
from dpwitness.proofs.kernel.noise import NoiseLaw, at_most
from dpwitness.proofs.kernel.products import laplace_product
from dpwitness.proofs.kernel.statements import NO_INPUTS, subject
from dpwitness.proofs.kernel.statements import guarantee as stated
from dpwitness.proofs.kernel.theorem import Theorem

Part = tuple[NoiseLaw, Fraction]
MAX_PARTS, MAX_MOVES = 5_000, 50_000
KINDS = ("all", "one", "l1", "l2")


def holds(parts: Sequence[Part], kind: str, claim: Claim) -> bool:
    """Whether the guarantee holds for every allowed move; raises `Rejected` where no rule applies."""
    if claim["kind"] in ("pure", "approximate"):
        return _close(parts, kind, claim["epsilon"], claim.get("delta", Fraction(0)))
    return _divergence(claim, _squared(parts, kind))


def _squared(parts: Sequence[Part], kind: str) -> tuple[Fraction, bool]:
    """The largest r = Σ Δᵢ²/σᵢ², and whether some noise is integer-valued."""
    names = {law.name for law, _ in parts}
    if not names <= {"gaussian", "discrete_gaussian"}:
        raise Rejected(f"no rule for this guarantee with {sorted(names)} noise")
    if "discrete_gaussian" in names and any(s.denominator != 1 for law, s in parts if law.name == "discrete_gaussian"):
        raise Rejected("a move of an integer law is not a whole number")
    squares = [shift * shift / law.params["variance"] for law, shift in parts]
    return (sum(squares, Fraction(0)) if kind == "all" else max(squares)), "discrete_gaussian" in names


def _divergence(claim: Claim, squared: tuple[Fraction, bool]) -> bool:
    r, integer = squared
    if claim["kind"] == "gaussian":
        if integer:
            raise Rejected("no rule for Gaussian DP of integer noise")
        return bool(r <= claim["mu"] ** 2)
    if claim["kind"] == "zcdp":
        return bool(r / 2 <= claim["rho"])
    return bool(claim["order"] * r / 2 <= claim["epsilon"])


def _close(parts: Sequence[Part], kind: str, eps: Fraction, delta: Fraction) -> bool:
    names = {law.name for law, _ in parts}
    if len(parts) == 1 or kind == "one":
        return all(scalar(law, shift, eps, delta) for law, shift in parts)
    if names == {"gaussian"}:  # rotation: only the length of the standardised move matters
        return delta > 0 and at_most(normal(_squared(parts, kind)[0], eps), delta)
    if names == {"laplace"} and kind != "l2":
        losses = [shift / law.params["scale"] for law, shift in parts]
        if kind == "l1":  # the ℓ1 lemma: one coordinate that takes the whole shift is worst
            return scalar(NoiseLaw("laplace", {"scale": Fraction(1)}), max(losses), eps, delta)
        if delta == 0:
            return sum(losses, Fraction(0)) <= eps
        return at_most(exact(laplace_product(losses, eps)), delta)
    if delta == 0 and kind == "all":
        total = Fraction(0)
        for law, shift in parts:
            loss = law.loss(shift)
            if loss is None:
                return False
            total += loss if isinstance(loss, Fraction) else enclose(loss)[1]
        return total <= eps
    raise Rejected(f"no rule for {sorted(names)} with moves {kind!r} and delta={delta}")


def scalar(law: NoiseLaw, shift: Fraction, eps: Fraction, delta: Fraction) -> bool:
    """Whether one coordinate is (ε,δ)-close under every shift of at most the given size."""
    if shift == 0:
        return True
    if delta > 0:
        return at_most(law.curve(shift, eps), delta)
    loss = law.loss(shift)
    if loss is None:
        return False
    return loss <= eps if isinstance(loss, Fraction) else at_most(loss, eps)


def violated(parts: Sequence[Part], claim: Claim) -> bool:
    """Whether the guarantee fails when every coordinate moves by exactly its shift."""
    moving = [(law, shift) for law, shift in parts if shift]
    if not moving:
        return False
    if any(law.name in INTEGER_LAWS and shift.denominator != 1 for law, shift in moving):
        return True  # disjoint supports: every guarantee fails
    if claim["kind"] not in ("pure", "approximate"):
        squared = _squared(moving, "all")
        if claim["kind"] == "renyi" and squared[1] and claim["order"].denominator != 1:
            raise Rejected("integer noise at an order that is not whole: the divergence is only bounded")
        return not _divergence(claim, squared)
    eps, delta = claim["epsilon"], claim.get("delta", Fraction(0))
    if delta > 0 and any(not at_most(law.curve(shift, eps), delta) for law, shift in moving):
        return True  # looking at one coordinate alone shows it; at δ = 0 the losses below do, and a curve may be zero
    names = {law.name for law, _ in moving}
    if names == {"gaussian"}:
        return not at_most(normal(_squared(moving, "all")[0], eps), delta)
    losses = [law.loss(shift) for law, shift in moving]
    if names == {"laplace"} and delta > 0:
        return not at_most(exact(laplace_product(losses, eps)), delta)
    if delta == 0:
        lows = [loss if isinstance(loss, Fraction) else enclose(loss)[0] for loss in losses if loss is not None]
        return len(lows) < len(losses) or sum(lows, Fraction(0)) > eps
    return False


def _parts(laws: Sequence[NoiseLaw], by: object) -> list[Part]:
    if not isinstance(by, list) or len(by) != len(laws):
        raise Rejected("a move needs one number per law")
    moves = [number(item) for item in by]
    if any(move < 0 for move in moves):
        raise Rejected("a move is given by its size, which is not negative")
    return list(zip(laws, moves, strict=True))


def _laws(value: object) -> list[NoiseLaw]:
    if not isinstance(value, list) or not 1 <= len(value) <= MAX_PARTS:
        raise Rejected(f"laws must be a list of 1 to {MAX_PARTS} noise laws")
    return [NoiseLaw.from_json(item) for item in value]


def check_noise(certificate: Mapping[str, Any]) -> Theorem:
    """The checker of ``{"type": "noise", "laws", "moves": {"kind", "by"}, "guarantee"}``."""
    given, moves, guarantee = fields(certificate, "type", "laws", "moves", "guarantee", optional=("about",))[1:]
    kind, by = fields(moves, "kind", "by")
    laws, claim = _laws(given), claim_from_json(guarantee)
    if kind == "listed":
        if not isinstance(by, list) or not 1 <= len(by) <= MAX_MOVES:
            raise Rejected(f"listed moves: 1 to {MAX_MOVES} vectors")
        cases = [(_parts(laws, item), "all") for item in by]
    elif kind in KINDS:
        cases = [(_parts(laws, by), kind)]
    else:
        raise Rejected(f"moves must be one of {', '.join(KINDS)}, listed")
    for parts, how in cases:
        if not holds(parts, how, claim):
            raise Rejected(f"the noise does not give {words(claim)}")
    shown = ", ".join(str(law) for law in laws[:3]) + ", …" * (len(laws) > 3)
    said = f"{shown} against moves {kind} {str(by)[:80]}: {words(claim)}"
    return Theorem("noise", said, subject(certificate, "laws", "moves"), False, stated(claim), NO_INPUTS, "any")


def check_noise_violation(certificate: Mapping[str, Any]) -> Theorem:
    """The checker of ``{"type": "noise-violation", "laws", "move", "guarantee"}``: all coordinates move."""
    given, move, guarantee = fields(certificate, "type", "laws", "move", "guarantee", optional=("about",))[1:]
    claim = claim_from_json(guarantee)
    if not violated(_parts(_laws(given), move), claim):
        raise Rejected(f"{words(claim)} is not violated")
    said = f"a move by {str(move)[:80]} violates {words(claim)}"
    return Theorem("noise-violation", said, subject(certificate, "laws"), True, stated(claim), NO_INPUTS, "any")


CHECKERS = {"noise": check_noise, "noise-violation": check_noise_violation}
