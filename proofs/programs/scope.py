"""What a claim says about its inputs, in the terms of the provers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.errors import BadInput
from dpwitness.core.guarantees import epsilon_delta
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.spaces import Answers, Interval, Records
from dpwitness.proofs.kernel.moves import Moves
from dpwitness.proofs.programs.finite_inputs import inputs_and_pairs
from dpwitness.proofs.programs.rays import Inside
from dpwitness.proofs.programs.shift import Bounds


def claimed(claim: Claim) -> tuple[Fraction, Fraction]:
    """ε and δ of the claim."""
    pair = epsilon_delta(claim.guarantee)
    assert pair is not None
    return pair


def unit_of(bounds: Bounds, claim: Claim) -> Fraction:
    """What one unit of the table's ε is at the claim's parameters."""
    return Fraction(claim.params["eps"]) if bounds.table.tree.unit == "eps" else Fraction(1)


def exceeds(bounds: Bounds, claim: Claim, *, strict: bool = True) -> bool:
    """Whether the lower bound is above the claim (`strict`), or the upper bound is."""
    if strict and bounds.lower is not None and bounds.lower.value is None:
        return True
    value = (bounds.lower.value if bounds.lower is not None else Fraction(0)) if strict else bounds.upper
    if value is None:
        return True
    return value * unit_of(bounds, claim) > claimed(claim)[0]


def moves_of(claim: Claim, n: int) -> Moves | None:
    """The relation in the kernel's terms; None where there is no rule for it."""
    space = claim.space
    if isinstance(space, Answers):
        name = {"all": "linf", "one": "one", "up": "monotone", "down": "monotone", "l1": "l1", "l2": "linf"}[
            space.moves
        ]
        return Moves(name, Fraction(space.by), n)
    if not isinstance(space.domain, Interval) or space.relation != "substitute":
        return None
    if space.fewest == space.most:  # one tree speaks of one size
        return Moves("one", Fraction(space.domain.high - space.domain.low), n)
    return None


def neighbours_of(claim: Claim) -> dict[str, str] | None:
    """The relation between records of an interval as certificates state it; None for answers."""
    space = claim.space
    if not isinstance(space, Records) or not isinstance(space.domain, Interval):
        return None
    return {"relation": "substitute", "low": str(Fraction(space.domain.low)), "high": str(Fraction(space.domain.high))}


def whole_inputs(claim: Claim) -> bool:
    """Whether all answers, and so all moves, are whole numbers."""
    space = claim.space
    if not isinstance(space, Answers):
        return False
    return space.whole or (space.values is not None and all(v.denominator == 1 for v in space.values))


def drawn_laws(claim: Claim) -> set[str]:
    """Names of the laws that the program draws from on its first input."""
    assert isinstance(claim.mechanism, Mechanism)
    inputs = inputs_and_pairs(claim, queries=1)[1] if isinstance(claim.space, Answers) else [()]
    data = inputs[0] * claim.queries
    paths = claim.mechanism.paths(list(data), params=dict(claim.params), symbolic=(), max_paths=50, seconds=1.0).paths
    return {draw.law.name for path in paths for draw in path.draws}


def few_inputs(claim: Claim) -> bool:
    """Whether the inputs are so few that all pairs can be compared."""
    return claim.space.finite


def inside_of(claim: Claim) -> Inside | None:
    """Where the answers lie, in the terms of lower bounds; None where lines of inputs that go on for ever leave it."""
    space = claim.space
    if not isinstance(space, Answers) or space.values is not None or space.moves == "l2":
        return None
    if space.low is not None and space.high is not None:
        return None
    low, high = (None if x is None else Fraction(x) for x in (space.low, space.high))
    return Inside(low, high, space.whole)


def allowed_inputs(claim: Claim) -> Any:
    """A test whether an input belongs to the claim's space."""
    space = claim.space

    def inside(values: tuple[Fraction, ...]) -> bool:
        try:
            space.validate(values)
        except BadInput:
            return False
        return True

    return inside


def corner_of(claim: Claim) -> Any:
    """Inputs at the edge of a bounded space; None where the space has no bounds."""
    space = claim.space
    if isinstance(space, Answers):
        points = sorted(space.values) if space.values is not None else None
        low, high = (points[0], points[-1]) if points else (space.low, space.high)
    else:
        low, high = (space.domain.low, space.domain.high) if isinstance(space.domain, Interval) else (None, None)
    if low is None and high is None:
        return None
    down = Fraction(low) if low is not None else Fraction(high or 0) - 2
    up = Fraction(high) if high is not None else Fraction(low or 0) + 2
    return lambda move: tuple(down if d >= 0 else up for d in move)


def has_unit(bounds: Bounds) -> bool:
    """Whether constants of the program depend on ε, so that probabilities must be computed at one ε."""
    return any("u" in row.form for leaf in bounds.table.tree.leaves for row in leaf.rows)
