"""The prover of mechanisms that add independent noise to a statistic."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor, isqrt
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.errors import BadInput, DPWitnessError, OutsideFragment
from dpwitness.core.evidence import IDEAL_REALS, Counterexample, Evidence, Scope, Unsupported, UpperBound
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.readers.paths import unknown_inputs
from dpwitness.core.spaces import Answers, Interval, Records
from dpwitness.proofs.kernel.algebra.linear import Reals, steps
from dpwitness.proofs.kernel.arith import Rejected, Undecided, text
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.kernel.claims import claim_from_json
from dpwitness.proofs.kernel.laws.curves import INTEGER_LAWS
from dpwitness.proofs.kernel.laws.noise import NoiseLaw
from dpwitness.proofs.kernel.releases.additive import violated
from dpwitness.proofs.laws.exactness import every_epsilon, reaches
from dpwitness.proofs.laws.layouts import Layout, layout
from dpwitness.proofs.laws.stamps import about as stamp
from dpwitness.proofs.laws.stamps import at_epsilon, guarantee_json
from dpwitness.proofs.laws.witnesses import witness
from dpwitness.proofs.sizes import for_each_size
from dpwitness.proofs.spaces import finite_space, names, real_space

METHOD = "additive noise"


@dataclass(frozen=True)
class Moves:
    """How the released numbers move: sizes for a proof, and the single moves that may refute the claim.

    `space` and, on finite spaces, `locations` (the numbers on each input) are the part of a certificate that speaks of
    the inputs; there `ends` holds the places of the two inputs of each of the `tries`.
    """

    kind: str
    by: Sequence[Any]
    tries: tuple[tuple[tuple[Any, ...], tuple[Any, ...], tuple[Fraction, ...]], ...]  # left, right, move
    space: dict[str, Any]
    locations: tuple[tuple[Fraction, ...], ...] | None = None
    ends: tuple[tuple[int, int], ...] = ()
    one_type: bool = True  # else the type of a number tells more than its value: moves may refute and cannot prove


@dataclass(frozen=True)
class AdditiveProver:
    """Decides a claim about a program that releases linear statistics with independent noise.

    Answers with real values are kept symbolic; finite spaces are enumerated. Pure, approximate, Gaussian,
    zero-concentrated and Rényi guarantees are decided for the noise laws of `dpwitness.proofs.kernel.laws.noise`.
    """

    name: str = "additive"

    def supports(self, claim: Claim) -> str | None:
        """None where the prover can try, else the reason why it cannot."""
        if not isinstance(claim.mechanism, Mechanism):
            return "a black box has no program to read"
        if claim.numerics != IDEAL_REALS:
            return "the proof is about real-valued noise, not about doubles"
        if isinstance(claim.space, Records) and isinstance(claim.space.domain, Interval):
            return None if claim.space.relation == "substitute" else "records of an interval come and go"
        return None

    def run(self, claim: Claim, budget: Any = None) -> Evidence:
        """Evidence about the claim: an upper bound with its certificate, a counterexample, or why neither was found."""
        return for_each_size(self._run, claim)

    def _run(self, claim: Claim) -> Evidence:
        start = time.monotonic()
        reason = self.supports(claim)
        if reason is None:
            try:
                return self._decide(claim, start)
            except OutsideFragment as error:
                return Unsupported(error.reason, error.line, METHOD, time.monotonic() - start)
            except (DPWitnessError, Rejected, Undecided) as error:
                reason = str(error)
        return Unsupported(reason, None, METHOD, time.monotonic() - start)

    def _decide(self, claim: Claim, start: float) -> Evidence:
        first, moves = additive_form(claim)
        guarantee = guarantee_json(claim.guarantee)
        scope = Scope(claim.queries, at_epsilon(claim), IDEAL_REALS)
        noisy = [pair for pair in first.laws if pair is not None]
        if len(noisy) == len(first.laws) and noisy and moves.one_type:
            certificate: dict[str, Any] = {
                "type": "noise",
                "space": moves.space,
                **model(first, moves, claim),
                "unit": "1",
                "guarantee": guarantee,
                "about": stamp(claim),
            }
            if examine(certificate):
                exact = reaches(noisy, moves.tries, claim_from_json(guarantee))
                factor = every_epsilon(claim, noisy, moves.kind, moves.by)
                wider = None if factor is None else for_every_epsilon(certificate, noisy, claim, factor)
                formula = None if wider is None else f"{factor}·eps"
                scope = scope if wider is None else replace(scope, epsilon="all")
                seconds = time.monotonic() - start
                return UpperBound(claim.guarantee, scope, wider or certificate, exact, METHOD, formula, seconds)
        for place, (left, right, move) in enumerate(moves.tries):
            found = self._refute(claim, first, moves, place, left, right, move, guarantee)
            if found is not None:
                seconds = time.monotonic() - start
                return Counterexample(**found, scope=scope, method=METHOD, seconds=seconds)
        reason = "neither proved nor refuted by the moves that were tried"
        return Unsupported(reason, None, METHOD, time.monotonic() - start)

    def _refute(
        self,
        claim: Claim,
        first: Layout,
        moves: Moves,
        place: int,
        left: Any,
        right: Any,
        move: Sequence[Fraction],
        guarantee: Any,
    ) -> dict[str, Any] | None:
        sizes = [abs(step) for step in move]
        bare = [i for i, pair in enumerate(first.laws) if pair is None and sizes[i]]
        laws = [pair[1] for pair in first.laws if pair is not None]
        moving = [size for size, pair in zip(sizes, first.laws, strict=True) if pair is not None]
        decided = claim_from_json(guarantee)
        if not bare and not violated(list(zip(laws, moving, strict=True)), decided):
            return None
        certificate: dict[str, Any] = {
            "type": "noise-violation",
            "inputs": [names(data, claim.space) for data in (left, right)],
            **model(first, moves, claim, moves.ends[place] if moves.ends else None),
            "guarantee": guarantee,
            "about": stamp(claim),
        }
        seen = witness(laws, moving, decided, bare)
        if seen is None or not examine(certificate):
            return None
        return {"left": left, "right": right, **seen, "certificate": certificate}


def model(first: Layout, moves: Moves, claim: Claim, ends: tuple[int, int] | None = None) -> dict[str, Any]:
    """The model of the program as certificates state it, on all inputs or on two of a finite space."""
    if moves.locations is None:
        return first.model(claim.space.size)
    listed = moves.locations if ends is None else [moves.locations[i] for i in ends]
    return {**first.model(), "locations": [[text(x) for x in row] for row in listed]}


def for_every_epsilon(
    certificate: dict[str, Any], laws: Sequence[tuple[NoiseLaw, NoiseLaw]], claim: Claim, factor: Fraction
) -> dict[str, Any] | None:
    """The certificate with scales in units of 1/ε and a loss in units of ε, where the kernel accepts it."""
    eps = Fraction(claim.params["eps"])
    scaled = [{"name": law.name, "scale": text(law.params["scale"] * eps)} for law, _ in laws]
    wider = {**certificate, "unit": "eps", "laws": scaled, "guarantee": {"kind": "pure", "epsilon": text(factor)}}
    return wider if examine(wider) else None


def additive_form(claim: Claim) -> tuple[Layout, Moves]:
    """How the program adds noise to its data, and how far neighbouring inputs move what it releases."""
    space = claim.space
    if isinstance(space, Answers) and not space.finite:
        return _answers(claim, space)
    if isinstance(space, Records) and isinstance(space.domain, Interval):
        return _interval(claim, space, space.domain)
    return _enumerated(claim)


def _integers(first: Layout) -> bool:
    return any(pair is not None and pair[0].name in INTEGER_LAWS for pair in first.laws)


def _answers(claim: Claim, space: Answers) -> tuple[Layout, Moves]:
    n, reals = space.size, real_space(space)
    first = layout(claim, unknown_inputs(n))
    whole = space.whole and (space.moves != "l2" or n == 1)
    by = Fraction(floor(space.by)) if whole else Fraction(space.by)  # whole answers move by whole numbers
    if _integers(first):
        if space.whole:
            _refuse_parts(first)
        elif space.unbounded and (coarse := _whole_rows(first)):  # the fractional part passes through
            return first, _fractional(first, reals, by, *coarse[0])
        elif _whole_rows(first):
            raise OutsideFragment("integer noise on answers that are bounded but not enumerated")
    tries = tuple(_tries(first, space, n, by))
    kind, sizes = _steps(first, reals, claim)
    return first, Moves(kind, sizes if kind == "listed" else sizes[0], tries, reals.to_json())


def _steps(first: Layout, reals: Reals, claim: Claim) -> tuple[str, list[tuple[Fraction, ...]]]:
    """How far the kernel lets the numbers move; a number without noise counts as one with the noise of another."""
    rows = [tuple(row.get(j, Fraction(0)) for j in range(reals.size)) for row in first.rows]
    known = [pair[0].name for pair in first.laws if pair is not None]
    laws = [known[0] if pair is None and known else "laplace" if pair is None else pair[0].name for pair in first.laws]
    try:
        return steps(reals, rows, laws, claim.guarantee.kind)
    except Rejected as error:
        raise OutsideFragment(str(error)) from None


def _refuse_parts(first: Layout) -> None:
    for pair, row in zip(first.laws, first.rows, strict=True):
        if pair is not None and pair[0].name in INTEGER_LAWS and any(a.denominator != 1 for a in row.values()):
            raise OutsideFragment("integer noise on a fraction of a whole answer")


def _tries(first: Layout, space: Answers, n: int, by: Fraction) -> Iterator[Any]:
    zero = Fraction(0)
    steps: list[tuple[Fraction, ...]] = [tuple(by if i == j else zero for i in range(n)) for j in range(n)]
    if space.moves in ("all", "up", "down"):
        steps.insert(0, (by,) * n)
    if space.moves == "all":
        steps += [tuple(by if i % 2 else -by for i in range(n)), (by, *(-by,) * (n - 1))]
    if space.moves == "l1":
        steps.append((by / n,) * n)
    if space.moves == "l2":
        k = max(k for k in range(1, n + 1) if isqrt(k) ** 2 == k)
        steps.insert(0, (by / isqrt(k),) * k + (zero,) * (n - k))
    base = Fraction(0) if space.low is None else Fraction(space.low)
    for step in steps:
        left, right = (base,) * n, tuple(base + s for s in step)
        try:
            space.validate(left)
            space.validate(right)
        except BadInput:
            continue
        yield left, right, tuple(sum((a * step[j] for j, a in row.items()), zero) for row in first.rows)


def _whole_rows(first: Layout) -> list[tuple[int, Fraction]]:
    """Answers that reach a number with integer noise, with their factors there."""
    return [
        (j, a)
        for row, pair in zip(first.rows, first.laws, strict=True)
        if pair is not None and pair[0].name in INTEGER_LAWS
        for j, a in row.items()
        if a
    ]


def _fractional(first: Layout, reals: Reals, by: Fraction, j: int, factor: Fraction) -> Moves:
    """A move of answer j alone, by which a number with integer noise moves by at most one half."""
    step, n = min(by, Fraction(1, 2) / abs(factor)), reals.size
    right = tuple(step if i == j else Fraction(0) for i in range(n))
    move = tuple(row.get(j, Fraction(0)) * step for row in first.rows)
    return Moves("all", tuple(map(abs, move)), (((Fraction(0),) * n, right, move),), reals.to_json())


def _interval(claim: Claim, space: Records, domain: Interval) -> tuple[Layout, Moves]:
    reals = real_space(space)
    n, low, high = space.most, Fraction(domain.low), Fraction(domain.high)
    first = layout(claim, unknown_inputs(n))
    if _integers(first):
        raise OutsideFragment("integer noise on real-valued records")
    tries = []
    for j in range(n):
        move = tuple(row.get(j, Fraction(0)) * (high - low) for row in first.rows)
        tries.append(((low,) * n, tuple(high if i == j else low for i in range(n)), move))
    return first, Moves(*_steps(first, reals, claim), tuple(tries), reals.to_json())


def _enumerated(claim: Claim) -> tuple[Layout, Moves]:
    """Every neighbouring pair of a finite space; all inputs must give the same structure and the same noise."""
    if not claim.space.finite:
        raise OutsideFragment("the space is not finite, and its data are not real answers")
    space, inputs = finite_space(claim.space)
    first = layout(claim, inputs[0])
    places, kinds = [], set()
    for data in inputs:
        here = layout(claim, data)
        if (here.skeleton, here.laws) != (first.skeleton, first.laws):
            raise OutsideFragment("structure or noise of the output depends on the data")
        kinds.add(here.kinds)
        places.append(here.constants)
    if not first.laws:
        raise OutsideFragment("nothing noisy is released")
    vectors: dict[tuple[Fraction, ...], tuple[int, int]] = {}
    for i, j in space.pairs():
        vectors.setdefault(tuple(abs(b - a) for a, b in zip(places[i], places[j], strict=True)), (i, j))
    worst = sorted(vectors.items(), key=lambda item: -sum(item[0]))[:20]
    tries, ends = [], []
    for _, (i, j) in worst:
        tries.append((inputs[i], inputs[j], tuple(b - a for a, b in zip(places[i], places[j], strict=True))))
        ends.append((i, j))
    return first, Moves(
        "listed", list(vectors), tuple(tries), space.to_json(), tuple(places), tuple(ends), len(kinds) == 1
    )
