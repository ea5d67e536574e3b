"""What else to try of a claim that was proved: other parameters, and inputs of every kind."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.domains import Domain
from dpwitness.core.errors import BadInput, DPWitnessError
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.numbers import Exact
from dpwitness.core.spaces import Answers, Pair, Records

OTHERS = 3  # values of each further parameter beside ε: the nearest, one between, and the farthest
AWKWARD = (Exact(1, 3), Exact(1, 10), Exact(49))  # in doubles thirds and tenths are rounded, and so is (1 / 49) · 49


def other_parameters(claim: Claim, covered: frozenset[str] = frozenset()) -> Iterator[Claim]:
    """The claim at other values of the parameters of which it is a function: ε at eleven, each other one at three.

    Parameters
    ----------
    covered
        Parameters for which nothing needs to be tried: the proof holds for all their values.
    """
    if not isinstance(claim.mechanism, Mechanism):
        return
    for name in claim.free:
        if name in covered:
            continue
        here = claim.params[name]
        values = sorted(claim.mechanism.domains.get(name, Domain()).spread(here), key=lambda x: _distance(x, here))
        if name != "eps":
            last = len(values) - 1
            values = [values[i] for i in sorted({k * last // (OTHERS - 1) for k in range(OTHERS)})] if values else []
        else:
            values += [there["eps"] for there in awkward_parameters(claim) if there["eps"] not in values]
        for value in values:
            try:
                yield claim.elsewhere({name: value})
            except DPWitnessError:  # the claim itself makes no sense there
                continue


def awkward_parameters(claim: Claim, name: str = "eps") -> list[dict[str, Exact]]:
    """The claim's parameters with an ε at which Python rounds what exact arithmetic does not: 1/3, 1/10 and 49."""
    if not isinstance(claim.mechanism, Mechanism) or name not in claim.params:
        return []
    found = []
    for value in AWKWARD:
        try:
            claim.mechanism.domains.get(name, Domain()).validate(value, name)
        except BadInput:
            continue
        if value != claim.params[name]:
            found.append({**claim.params, name: value})
    return found


def _distance(value: Fraction, here: Fraction) -> Fraction:
    """How far a value is from the one that was asked about, by its ratio where both are positive: the nearest first."""
    return max(value / here, here / value) if value > 0 and here > 0 else abs(value - here)


def spread_pairs(claim: Claim, any_size: bool, seed: int = 0, count: int = 6) -> list[tuple[Any, Any]]:
    """Neighbouring inputs of every kind for a second opinion on a proof.

    Of every allowed size (where `any_size`, of one and two answers as well), at typical and at extreme values, in
    another order, and on both sides of each pair.
    """
    space, rng = claim.space, random.Random(seed)
    if isinstance(space, Records):
        sizes = list(range(max(space.fewest, 1), space.most + 1))
    else:
        sizes = sorted({space.size, *((1, 2) if any_size else ())})
    kinds: list[list[Pair]] = [space.typical_pairs(n) for n in sizes] if isinstance(space, Answers) else []
    if isinstance(space, Records):
        pairs = space.typical_pairs()
        kinds = [[p for p in pairs if max(len(p.left), len(p.right)) == n] for n in sizes]
    chosen: list[Pair] = []
    while len(chosen) < count - 1 and any(kinds):
        for kind in kinds:
            if kind and len(chosen) < count - 1:
                chosen.append(kind.pop(rng.randrange(len(kind)) if chosen else 0))
    chosen += [p for p in (_permuted(claim, p, rng) for p in chosen[:1]) if p is not None]
    return [(p.left, p.right) for p in chosen]


def _permuted(claim: Claim, pair: Pair, rng: random.Random) -> Pair | None:
    """The same pair in another order, where that is a pair of neighbours as well."""
    if len(pair.left) != len(pair.right) or len(pair.left) < 2:
        return None
    order = list(range(len(pair.left)))
    rng.shuffle(order)
    left, right = tuple(pair.left[i] for i in order), tuple(pair.right[i] for i in order)
    same = left == pair.left and right == pair.right
    return None if same or not claim.space.adjacency.related(left, right) else Pair(left, right, "permuted")
