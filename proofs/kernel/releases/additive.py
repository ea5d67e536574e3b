r"""Numbers released with independent additive noise.

The model of a program: each released number is linear in the inputs (``rows`` and ``offsets``) or is listed for every
input of a finite space (``locations``), plus a draw from its law. How far the numbers move between neighbours is
computed by `linear`: ``"all"`` (each by up to its size), ``"one"`` (only one of them), ``"l1"`` or ``"l2"`` (the vector
of moves divided by the sizes lies in the unit ball), or ``"listed"`` (several such vectors, each read as ``"all"``).
Under an integer law inputs and moves are whole numbers.

Guarantees are those of `claims`. For Gaussian noise with :math:`r = \sum_i \Delta_i^2/\sigma_i^2` they are
:math:`r \le \mu^2` (``gaussian``), :math:`r/2 \le \rho` (``zcdp``) and :math:`\alpha r/2 \le \varepsilon` (``renyi``);
for integer Gaussian noise the last two hold as well (Canonne, Kamath and Steinke 2020, proposition 5: with equality at
whole orders, where the sum over the integers shifts into itself).

Where the unit is ``"eps"`` all noise is Laplace noise, real or whole, of scales that are multiples of 1/ε. Its pure
loss is move over scale, so a loss of c at ε = 1 is a loss of c·ε at every ε > 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from dpwitness.proofs.kernel.algebra.linear import (
    Reals,
    differences,
    moved,
    read_locations,
    read_matrix,
    read_reals,
    steps,
)
from dpwitness.proofs.kernel.arith import Rejected, enclose, number, text
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.claims import Claim, claim_from_json, words
from dpwitness.proofs.kernel.laws.curves import INTEGER_LAWS, exact, normal
from dpwitness.proofs.kernel.laws.noise import NoiseLaw, at_most
from dpwitness.proofs.kernel.laws.products import laplace_product
from dpwitness.proofs.kernel.outputs import slots_of
from dpwitness.proofs.kernel.spaces import Space, read_inputs, read_space, show_inputs
from dpwitness.proofs.kernel.statements import guarantee as stated
from dpwitness.proofs.kernel.statements import loss, subject, two_inputs
from dpwitness.proofs.kernel.theorem import Theorem

Part = tuple[NoiseLaw, Fraction]
MAX_PARTS, MAX_MOVES = 5_000, 50_000
LINEAR = {"laplace", "discrete_laplace"}  # laws whose pure loss is move over scale


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


def read_laws(value: object, *, up: bool = False) -> list[NoiseLaw | None]:
    """The noise of each number, None where it has none."""
    if not isinstance(value, list) or not 1 <= len(value) <= MAX_PARTS:
        raise Rejected(f"laws must be a list of 1 to {MAX_PARTS} noise laws")
    return [None if item is None else NoiseLaw.from_json(item, up=up) for item in value]


def check_noise(certificate: Mapping[str, Any]) -> Theorem:
    """The checker of ``{"type": "noise", "space", "output", "laws", "rows", "offsets", "unit", "guarantee"}``.

    For a finite space ``locations`` takes the place of ``rows`` and ``offsets``.
    """
    space_json, output, given, unit, guarantee = fields(
        certificate, "type", "space", "output", "laws", "unit", "guarantee",
        optional=("rows", "offsets", "locations", "about"),
    )[1:]  # fmt: skip
    claim, laws = claim_from_json(guarantee), [law for law in read_laws(given) if law is not None]
    if len(laws) != len(given) or slots_of(output) != len(laws):
        raise Rejected("each number of the output has its noise")
    names = [law.name for law in laws]
    if unit not in ("1", "eps") or (unit == "eps" and (claim["kind"] != "pure" or not set(names) <= LINEAR)):
        raise Rejected("the unit is 1, or eps for pure guarantees of Laplace noise")
    space: Reals | Space
    if "locations" in certificate:
        fields(certificate, "type", "space", "output", "laws", "unit", "guarantee", "locations", optional=("about",))
        space = read_space(space_json)
        places = read_locations(certificate["locations"], len(space.inputs()), len(laws))
        kind, moves, sizes = "listed", differences(space, places), space.sizes()
        model = subject(certificate, "space", "output", "laws", "unit", "locations")
    else:
        space = read_reals(space_json)
        rows, offsets = certificate["rows"], certificate["offsets"]
        if len(rows) != len(laws) or len([number(c) for c in offsets]) != len(laws):
            raise Rejected("each number has a row and an offset")
        kind, moves = steps(space, read_matrix(rows, space.size), names, claim["kind"])
        sizes, model = (space.size,), subject(certificate, "output", "laws", "unit", "rows", "offsets")
    if len(moves) > MAX_MOVES:
        raise Rejected(f"more than {MAX_MOVES} different moves")
    for move in moves:
        if not holds(list(zip(laws, move, strict=True)), "all" if kind == "listed" else kind, claim):
            raise Rejected(f"the noise does not give {words(claim)}")
    shown = ", ".join(_show(item) for item in given[:3]) + ", …" * (len(laws) > 3)
    times = " times eps, for every eps > 0 (scales in units of 1/eps)" if unit == "eps" else ""
    said = f"{space.describe()}: numbers with the noise {shown}: {words(claim)}{times}"
    held, left_open = loss(claim["epsilon"], unit) if unit == "eps" else (stated(claim), {})
    return Theorem("noise", said, model, False, held, space.stated(), sizes, left_open, _assumed(names, claim))


def check_noise_violation(certificate: Mapping[str, Any]) -> Theorem:
    """The checker of ``{"type": "noise-violation", "inputs", "output", "laws", "rows", "offsets", "guarantee"}``.

    ``inputs`` are two vectors of numbers. For inputs of a finite space ``locations`` holds the numbers on both, and
    takes the place of ``rows`` and ``offsets``. A number without noise (null) that moves tells the two inputs apart.
    """
    inputs, output, given, guarantee = fields(
        certificate, "type", "inputs", "output", "laws", "guarantee",
        optional=("rows", "offsets", "locations", "about"),
    )[1:]  # fmt: skip
    claim, laws = claim_from_json(guarantee), read_laws(given, up=True)
    left, right = read_inputs(inputs)
    if slots_of(output) != len(laws):
        raise Rejected("each number of the output has its noise, or none")
    if "locations" in certificate:
        fields(certificate, "type", "inputs", "output", "laws", "guarantee", "locations", optional=("about",))
        here, there = read_locations(certificate["locations"], 2, len(laws))
        move: Sequence[Fraction] = [b - a for a, b in zip(here, there, strict=True)]
        model = subject(certificate, "inputs", "output", "laws", "locations")
    else:
        if len(left) != len(right):
            raise Rejected("two inputs of different lengths")
        rows = read_matrix(certificate["rows"], len(left))
        if len(rows) != len(laws) or len([number(c) for c in certificate["offsets"]]) != len(laws):
            raise Rejected("each number has a row and an offset")
        here, there = tuple(map(number, left)), tuple(map(number, right))
        move, left, right = moved(rows, here, there), tuple(map(text, here)), tuple(map(text, there))
        model = subject(certificate, "output", "laws", "rows", "offsets")
    parts = list(zip(laws, map(abs, move), strict=True))
    bare = any(law is None and step for law, step in parts)
    if not bare and not violated([(law, step) for law, step in parts if law is not None], claim):
        raise Rejected(f"{words(claim)} is not violated")
    said = f"{show_inputs((left, right))}: the released numbers violate {words(claim)}"
    return Theorem("noise-violation", said, model, True, stated(claim), *two_inputs(left, right))


def _show(law: Mapping[str, str]) -> str:
    return f"{law['name']}({', '.join(f'{key}={value[:60]}' for key, value in law.items() if key != 'name')})"


def _assumed(names: Sequence[str], claim: Claim) -> tuple[str, ...]:
    if "discrete_gaussian" in names and claim["kind"] in ("zcdp", "renyi"):
        return ("Canonne, Kamath and Steinke 2020, proposition 5",)
    return ()


CHECKERS = {"noise": check_noise, "noise-violation": check_noise_violation}
