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
from dpwitness.proofs.kernel.additive import violated
from dpwitness.proofs.kernel.arith import Rejected, Undecided, text
from dpwitness.proofs.kernel.check import check
from dpwitness.proofs.kernel.claims import claim_from_json
from dpwitness.proofs.kernel.curves import INTEGER_LAWS
from dpwitness.proofs.laws.exactness import every_epsilon, reaches
from dpwitness.proofs.laws.layouts import Layout, layout
from dpwitness.proofs.laws.stamps import about as stamp
from dpwitness.proofs.laws.stamps import at_epsilon, guarantee_json
from dpwitness.proofs.laws.witnesses import witness

METHOD = "additive noise"
MAX_INPUTS = 5_000


@dataclass(frozen=True)
class Moves:
    """How the released numbers move: for a certificate, and the single moves that may refute the claim."""

    kind: str
    by: list[Any]
    tries: tuple[tuple[tuple[Any, ...], tuple[Any, ...], tuple[Fraction, ...]], ...]  # left, right, move
    one_type: bool = True  # else the type of a number tells more than its value: moves may refute and cannot prove


@dataclass(frozen=True)
class AdditiveProver:
    """Decides a claim about a program that releases linear statistics with independent noise.

    Answers with real values are kept symbolic; finite spaces are enumerated. Pure, approximate, Gaussian,
    zero-concentrated and Rényi guarantees are decided for the noise laws of `dpwitness.proofs.kernel.noise`.
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
        about = stamp(claim)
        scope = Scope(claim.queries, at_epsilon(claim), IDEAL_REALS)
        noisy = [pair for pair in first.laws if pair is not None]
        if len(noisy) == len(first.laws) and noisy and moves.one_type:
            certificate: dict[str, Any] = {
                "type": "noise",
                "laws": [low.to_json() for low, _ in noisy],
                "moves": {"kind": moves.kind, "by": moves.by},
                "guarantee": guarantee,
                "about": about,
            }
            verdict = check(certificate)
            if verdict:
                exact = reaches(noisy, moves.tries, claim_from_json(guarantee))
                factor = every_epsilon(claim, noisy, moves.kind, moves.by)
                scope = scope if factor is None else replace(scope, epsilon="all")
                formula = None if factor is None else f"{factor}·eps"
                seconds = time.monotonic() - start
                return UpperBound(claim.guarantee, scope, certificate, exact, METHOD, formula, seconds)
        for left, right, move in moves.tries:
            found = self._refute(claim, first, left, right, move, guarantee, about)
            if found is not None:
                seconds = time.monotonic() - start
                return Counterexample(**found, scope=scope, method=METHOD, seconds=seconds)
        reason = "neither proved nor refuted by the moves that were tried"
        return Unsupported(reason, None, METHOD, time.monotonic() - start)

    def _refute(
        self, claim: Claim, first: Layout, left: Any, right: Any, move: Sequence[Fraction], guarantee: Any, about: Any
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
            "laws": [law.to_json() for law in laws],
            "move": [text(size) for size in moving],
            "guarantee": guarantee,
            "about": about,
        }
        if bare:  # a number without noise tells the two inputs apart: all of one law against none
            eps = guarantee.get("epsilon", "0") if guarantee["kind"] in ("pure", "approximate") else "0"
            rows = {"epsilon": eps, "delta": guarantee.get("delta", "0"), "left": ["1", "0"], "right": ["0", "1"]}
            certificate = {"type": "table-violation", **rows, "event": [0], "about": about}
        seen = witness(laws, moving, decided, bare)
        if seen is None or not check(certificate):
            return None
        return {"left": left, "right": right, **seen, "certificate": certificate}


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
    n, by = space.size, Fraction(space.by)
    first = layout(claim, unknown_inputs(n))
    if space.whole and (space.moves != "l2" or n == 1):
        by = Fraction(floor(by))  # whole answers move by whole numbers
    if _integers(first):
        if space.whole:
            _refuse_parts(first)
        elif space.unbounded:  # real answers under integer noise: the fractional part passes through
            return first, _fractional(first, n, by)
        else:
            raise OutsideFragment("integer noise on answers that are bounded but not enumerated")
    rows = [{j: abs(a) for j, a in row.items()} for row in first.rows]
    single = all(len(row) <= 1 for row in rows) and len({j for row in rows for j in row}) == sum(map(len, rows))
    sums = [sum(row.values(), Fraction(0)) * by for row in rows]
    columns = [[row.get(j, Fraction(0)) * by for row in rows] for j in range(n)]
    tries = list(_tries(first, space, n, by))
    if space.moves in ("all", "up", "down"):
        return first, Moves("all", [text(s) for s in sums], tuple(tries))
    if space.moves == "one":
        return first, Moves("listed", [[text(s) for s in column] for column in columns], tuple(tries))
    names = {pair[0].name for pair in first.laws if pair is not None}
    if single:
        return first, Moves(space.moves, [text(s) for s in sums], tuple(tries))
    if space.moves == "l1" and names in ({"laplace"}, {"gaussian"}) and claim.guarantee.kind != "approximate":
        return first, Moves("listed", [[text(s) for s in column] for column in columns], tuple(tries))
    raise OutsideFragment("several answers are mixed in one output under this adjacency")


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


def _fractional(first: Layout, n: int, by: Fraction) -> Moves:
    step = min(by, Fraction(1)) / 2
    right = (step, *(Fraction(0),) * (n - 1))
    move = tuple(row.get(0, Fraction(0)) * step for row in first.rows)
    return Moves("all", [text(abs(m)) for m in move], (((Fraction(0),) * n, right, move),))


def _interval(claim: Claim, space: Records, domain: Interval) -> tuple[Layout, Moves]:
    if space.fewest != space.most:
        raise OutsideFragment("datasets of several sizes over an interval")
    n, low, high = space.most, Fraction(domain.low), Fraction(domain.high)
    first = layout(claim, unknown_inputs(n))
    if _integers(first):
        raise OutsideFragment("integer noise on real-valued records")
    tries, by = [], []
    for j in range(n):
        move = tuple(row.get(j, Fraction(0)) * (high - low) for row in first.rows)
        by.append([text(abs(m)) for m in move])
        tries.append(((low,) * n, tuple(high if i == j else low for i in range(n)), move))
    return first, Moves("listed", by, tuple(tries))


def _enumerated(claim: Claim) -> tuple[Layout, Moves]:
    """Every neighbouring pair of a finite space; all datasets must give the same structure and the same noise."""
    space = claim.space
    if not space.finite:
        raise OutsideFragment("the space is not finite, and its data are not real answers")
    seen: dict[Any, Layout] = {}
    vectors: dict[tuple[Fraction, ...], tuple[Any, Any, tuple[Fraction, ...]]] = {}
    first: Layout | None = None
    for pair in space.all_pairs():
        for data in (pair.left, pair.right):
            if space.key(data) not in seen:
                if len(seen) >= MAX_INPUTS:
                    raise OutsideFragment(f"more than {MAX_INPUTS} inputs")
                seen[space.key(data)] = layout(claim, data)
        here, there = seen[space.key(pair.left)], seen[space.key(pair.right)]
        first = first or here
        if any((x.skeleton, x.laws) != (first.skeleton, first.laws) for x in (here, there)):
            raise OutsideFragment("structure or noise of the output depends on the data")
        move = tuple(b - a for a, b in zip(here.constants, there.constants, strict=True))
        vectors.setdefault(tuple(map(abs, move)), (pair.left, pair.right, move))
    assert first is not None
    if not first.laws:
        raise OutsideFragment("nothing noisy is released")
    by = [[text(m) for m in vector] for vector in vectors]
    worst = sorted(vectors.values(), key=lambda item: -sum(map(abs, item[2])))
    return first, Moves("listed", by, tuple(worst[:20]), len({found.kinds for found in seen.values()}) == 1)
