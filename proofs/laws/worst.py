"""The worst neighbouring inputs of a mechanism whose law is known, each with its privacy curve.

A `Worst` holds pairs that some neighbours reach and pairs that no neighbours exceed; mostly they are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from time import monotonic
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.errors import BadInput, DPWitnessError, OutsideFragment
from dpwitness.core.evidence import Scope, UpperBound
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.readers.door import reading
from dpwitness.proofs.kernel.arith import Rejected, Undecided, ball, enclose, outward
from dpwitness.proofs.kernel.laws.curves import Value, exact
from dpwitness.proofs.kernel.laws.noise import NoiseLaw
from dpwitness.proofs.kernel.releases.tables import Row, pure_loss
from dpwitness.proofs.laws.additive import Moves, additive_form, model
from dpwitness.proofs.laws.finite import laws_of
from dpwitness.proofs.laws.layouts import Layout
from dpwitness.proofs.laws.privacy_curves.curves import Enclosure
from dpwitness.proofs.laws.privacy_curves.powers import Part, product_curve
from dpwitness.proofs.laws.privacy_curves.table_powers import merged, same, table_power

SECONDS, MAX_RUNS = 60.0, 5_000


@dataclass(frozen=True)
class PairOfLaws:
    """One pair of laws: its curve, and its pure loss (None where it is infinite). Pairs with the same key are equal."""

    key: object
    curve: Callable[[Fraction], Value] = field(compare=False)
    loss: Callable[[], Enclosure | None] = field(compare=False)


@dataclass(frozen=True)
class Worst:
    """Pairs that neighbouring inputs reach, pairs that no neighbours exceed, and why the two differ."""

    reached: Sequence[PairOfLaws]
    bounds: Sequence[PairOfLaws]
    why: str = ""


def worst_pairs(mechanism: Mechanism, times: int = 1, params: Mapping[str, Any] | None = None) -> Worst:
    """The worst pairs of `times` independent runs on the same input, for the inputs of the mechanism's first claim.

    >>> from dpwitness.catalogue import catalogue
    >>> [str(law) for law, _ in worst_pairs(catalogue()["output-perturbation"]).bounds[0].key]
    ['laplace(scale=1)']
    """
    if not isinstance(mechanism, Mechanism):
        raise BadInput(f"mechanism={mechanism!r} must be made by @mechanism")
    if not isinstance(times, int) or isinstance(times, bool) or times < 1:
        raise BadInput(f"times={times!r} must be a positive whole number")
    claim = mechanism.claims(**(params or {}))[0]
    reasons = []
    for read in (_additive, _finite):
        try:
            with reading(mechanism.program):
                return read(claim, times)
        except (DPWitnessError, Rejected, Undecided) as error:
            reasons.append(str(error))
    raise OutsideFragment(f"no curve of {mechanism.name}: as added noise: {reasons[0]}; as a table: {reasons[1]}")


def _compare(claim: Claim, model: dict[str, Any]) -> None:
    """Run what was read beside the program; raises where they differ."""
    from dpwitness.core.coexecution import coexecute
    from dpwitness.proofs.models.registry import model_of

    found = model_of(claim, UpperBound(claim.guarantee, Scope(), model))
    assert found is not None
    coexecute(claim, found)


def _additive(claim: Claim, times: int) -> Worst:
    form, moves = additive_form(claim)
    _compare(claim, {"type": "noise", "space": moves.space, **model(form, moves, claim), "unit": "1"})
    if not moves.one_type:
        raise OutsideFragment("the type of a released number depends on the data")
    bare = [n for n, pair in enumerate(form.laws) if pair is None]
    listed = moves.by if moves.kind == "listed" else [moves.by]
    if any(Fraction(move[n]) for move in listed for n in bare):  # not only the moves that are tried
        certain = PairOfLaws("no noise", lambda e: exact(1), lambda: None)  # the number itself tells the inputs apart
        return Worst([certain], [certain])
    if len(bare) == len(form.laws):
        raise OutsideFragment("no released number carries noise")
    reached = _unique(_parts(form, move, thick=True) for _, _, move in moves.tries)
    bounds, why = _bounding(form, moves)
    return Worst([_noisy(parts, times) for parts in reached], [_noisy(parts, times) for parts in bounds], why)


def _parts(form: Layout, move: Sequence[Fraction], *, thick: bool) -> tuple[Part, ...]:
    """The laws that move; where an irrational size had to be rounded, from above (`thick`) or from below."""
    pairs = zip(form.laws, move, strict=True)
    return tuple((pair[int(thick)], abs(size)) for pair, size in pairs if pair is not None and size)


def _unique(moves: Iterable[tuple[Part, ...]]) -> list[tuple[Part, ...]]:
    """Each move once, in any order of its coordinates, and without those that others exceed in every coordinate."""
    found: dict[object, tuple[Part, ...]] = {}
    for parts in moves:
        ordered = tuple(sorted(parts, key=str))
        found.setdefault(str(ordered), ordered)
    lists = list(found.values())
    return [a for a in lists if not any(a is not b and _below(a, b) for b in lists)]


def _below(a: tuple[Part, ...], b: tuple[Part, ...]) -> bool:
    """Whether the same laws move less far in a than in b."""
    if len(a) != len(b) or any(x.params != y.params or x.name != y.name for (x, _), (y, _) in zip(a, b, strict=True)):
        return False
    return all(s <= t for (_, s), (_, t) in zip(a, b, strict=True)) and a != b


def _bounding(form: Layout, moves: Moves) -> tuple[list[tuple[Part, ...]], str]:
    """Moves that no neighbours exceed, and a reason where no neighbours reach them."""
    if moves.kind == "listed":
        why = "" if len(moves.by) <= len(moves.tries) else f"only the {len(moves.tries)} longest moves were tried"
        return _unique(_parts(form, [Fraction(x) for x in by], thick=False) for by in moves.by), why
    whole = _parts(form, [Fraction(x) for x in moves.by], thick=False)
    if moves.kind == "all" or not whole:
        return _unique([whole]), ""
    names = {law.name for law, _ in whole}
    if (
        moves.kind == "one" or len(whole) == 1 or names == {"gaussian"} or (names == {"laplace"} and moves.kind == "l1")
    ):  # one coordinate that takes the whole move is worst
        return _unique((part,) for part in whole), ""
    if names == {"laplace"} and moves.kind == "l2":
        squares = sum(((shift / law.params["scale"]) ** 2 for law, shift in whole), Fraction(0))
        length = outward(*enclose(lambda: ball(squares).sqrt()), 25)[1]  # Cauchy–Schwarz: Σ uᵢaᵢ ≤ |u|₂ |a|₂
        bound = NoiseLaw("laplace", {"scale": Fraction(1)}), length
        return [(bound,)], "the worst move of an ℓ2 ball under Laplace noise is only bounded, by its ℓ1 length"
    raise OutsideFragment(f"the worst move of {', '.join(sorted(names))} noise under {moves.kind} moves is not known")


def _noisy(parts: tuple[Part, ...], times: int) -> PairOfLaws:
    """Independent noise on numbers that move by given shifts."""

    def loss() -> Enclosure | None:
        low = high = Fraction(0)
        for law, shift in parts:
            one = law.loss(shift)
            if one is None:
                return None
            ends = (one, one) if isinstance(one, Fraction) else enclose(one)
            low, high = low + times * ends[0], high + times * ends[1]
        return low, high

    return PairOfLaws(_Key(parts), lambda e: product_curve(parts, e, times), loss)


class _Key(tuple[Part, ...]):
    """Parts that compare by their text: laws hold a mapping and have no hash."""

    def __hash__(self) -> int:
        return hash(str(tuple(self)))


def _finite(claim: Claim, times: int) -> Worst:
    if not claim.space.finite:
        raise OutsideFragment("the input space is not finite, or too large to enumerate")
    table = laws_of(claim, MAX_RUNS, monotonic() + SECONDS)
    _compare(claim, {"type": table.kind, **table.model()})
    found: list[tuple[Row, Row]] = []
    seen: set[object] = set()
    names = [[str(weight) for weight in row.weights] for row in table.rows]
    for i, j in ((a, b) for pair in table.pairs for a, b in (pair, pair[::-1])):
        key = tuple(sorted(zip(names[i], names[j], strict=True)))  # the order of the outcomes does not matter
        if key not in seen:
            seen.add(key)
            pair = merged(table.rows[i], table.rows[j])
            if not any(same(pair, other) for other in found):
                found.append(pair)
    pairs = [_table(n, p, q, times) for n, (p, q) in enumerate(found)]
    return Worst(pairs, pairs)


def _table(key: int, p: Row, q: Row, times: int) -> PairOfLaws:
    """A pair of finite laws in one order."""

    def loss() -> Enclosure | None:
        one = pure_loss(p, q)
        return None if one is None else (times * one[0], times * one[1])

    return PairOfLaws(key, lambda e: table_power(p, q, e, times), loss)
