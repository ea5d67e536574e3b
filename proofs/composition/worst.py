"""A failed proof in words: what each release costs on the worst path, and two inputs on which it costs so much.

What is said here decides nothing: it helps whoever reads it, and names inputs to those who look for counterexamples.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.errors import BadInput, OutsideFragment
from dpwitness.core.spaces import REAL, Box, Records
from dpwitness.proofs.composition.trees import Reading
from dpwitness.proofs.kernel.algebra.laurent import Poly
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.composition.costs import Cost
from dpwitness.proofs.kernel.composition.inputs import Inputs, Move, read_inputs
from dpwitness.proofs.kernel.composition.knowledge import Knowledge
from dpwitness.proofs.kernel.composition.scope import Scope
from dpwitness.proofs.kernel.composition.transcripts import read_parts
from dpwitness.proofs.kernel.composition.walk import Walk
from dpwitness.proofs.kernel.limits import limited
from dpwitness.proofs.kernel.theorem import checking

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
MOST_PAIRS, SECONDS = 16, 5.0
Trail = list[tuple[Any, Mapping[Move, Cost]]]


class Logged(Walk):
    """A walk that notes what each release costs, along the dearest way of each fork."""

    at: Mapping[str, Fraction]  # the claim's parameters
    trail: Trail
    partial: bool = False  # whether releases of a sample or of a clipped vector cost another sum than that of the noted

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.trail = []

    def charge(self, costs: Mapping[Move, Cost], sample: str = "") -> None:
        super().charge(dict(costs), sample)
        self.partial = self.partial or (bool(costs) and bool(sample))
        if costs:
            self.trail.append((self.step, costs))

    def _vector_release(self, *given: Any) -> bool:
        found = super()._vector_release(*given)
        self.partial = self.partial or found
        return found

    def _fork(self, branches: Any) -> bool:
        goes_on = super()._fork(branches)
        self.partial = self.partial or any(walk.partial for walk in self.branches)
        trails: list[Trail] = [walk.trail for walk in self.branches]
        self.trail += max(trails, key=self.dearest, default=[])
        return goes_on

    def repeat(self, count: Any, names: Any, steps: Any) -> bool:
        """The costs of a turn, so many times."""
        goes_on = super().repeat(count, names, steps)
        for walk in self.branches:
            self.partial = self.partial or walk.partial
            self.trail += [(step, {m: c.times(count) for m, c in costs.items()}) for step, costs in walk.trail]
        return goes_on

    def dearest(self, trail: Any) -> Fraction:
        """The largest sum over all moves."""
        return max(totals(trail, self.at).values(), default=Fraction(0))


def value(cost: Cost, at: Mapping[str, Fraction]) -> Fraction:
    """One number for a cost: its ε, or its ρ where it has Gaussian noise."""
    form = cost.rho if cost.normal.terms else cost.pure
    return form.evaluate(at) if isinstance(form, Poly) else Fraction(0)


def totals(trail: Trail, at: Mapping[str, Fraction]) -> dict[Move, Fraction]:
    """The sum of costs by move."""
    found: dict[Move, Fraction] = {}
    for _, costs in trail:
        for move, cost in costs.items():
            found[move] = found.get(move, Fraction(0)) + value(cost, at)
    return found


class TooDear(OutsideFragment):
    """The releases cost more than is claimed; `pairs` are neighbours on which they do."""

    pairs: tuple[Any, ...] = ()

    @staticmethod
    def of(claim: Claim, reading: Reading, certificate: Mapping[str, Any], reason: str) -> OutsideFragment:
        """What to say of a transcript that the kernel does not accept for a reason."""
        if "cost more" not in reason:
            return OutsideFragment(reason)
        try:
            trail, inputs, partial = worst_path(claim, certificate)
        except (Rejected, ArithmeticError, LookupError, TypeError, ValueError, RuntimeError):
            return OutsideFragment(reason)
        at = {name: Fraction(number) for name, number in claim.params.items()}
        sums = totals(trail, at)
        if not sums:
            return OutsideFragment(reason)
        move = max(sums, key=lambda m: (sums[m], wide(inputs, m)))  # a cut itself is where doubles err
        words, line = in_words(claim, trail, move, at, reading.lines)
        found = TooDear(reason if partial else f"{reason}: {words}", line)
        plain = [m for m in sums if all(sampled_as_it_is(claim, inputs, k) for k in cells_of(m))]
        if plain:
            found.pairs = tuple(pairs_of(claim, inputs, max(plain, key=lambda m: (sums[m], wide(inputs, m)))))
        return found


def worst_path(claim: Claim, certificate: Mapping[str, Any]) -> tuple[Trail, Inputs, bool]:
    """The costs of all releases along the dearest way, and whether their sum is another one."""
    inputs = read_inputs(certificate["inputs"])
    at = {name: Fraction(number) for name, number in claim.params.items()}
    logged = type("LoggedHere", (Logged,), {"at": at})
    with limited(SECONDS), checking():
        scope = Scope(inputs, Knowledge(tuple(certificate["open"])))
        walk: Logged = logged(scope, read_parts(certificate["parts"]), corners=inputs.moves == "l1")
        walk.run(certificate["transcript"])
    return walk.trail, inputs, walk.partial


def in_words(
    claim: Claim, trail: Trail, move: Move, at: Mapping[str, Fraction], lines: Mapping[int, int | None]
) -> tuple[str, int | None]:
    """What each release costs, and the line of the dearest one."""
    parts = [(step, cost[move]) for step, cost in trail if move in cost]
    unit, claimed = "ε", getattr(claim.guarantee, "eps", None)
    if claim.guarantee.kind not in ("pure", "approximate") or any(cost.normal.terms for _, cost in parts):
        unit, claimed = "ρ", getattr(claim.guarantee, "rho", None)
    costs = [(step, (cost.pure if unit == "ε" else cost.rho).evaluate(at)) for step, cost in parts]
    total = sum((c for _, c in costs), Fraction(0))
    share = None if claimed is None or not costs else Fraction(claimed) / len(costs)
    k = max(range(len(costs)), key=lambda i: costs[i][1])
    step, most = costs[k]
    line = lines.get(id(step))
    name = ORDINALS[k] if k < len(ORDINALS) else f"{k + 1}th"
    words = f"together {unit} = {_show(total)}"
    if claimed is not None:
        limit = _show(Fraction(claimed))
        above = f"together {unit} is just above {limit}" if total > claimed and _show(total) == limit else words
        words = f"{above} where {limit} is claimed"
    delta = sum((cost[move].delta for _, cost in trail if move in cost), Fraction(0))
    if delta:
        words += f", with δ = {_show(delta)}"
    if len(costs) == 1:
        return words, line
    words += f"; the {name} of {len(costs)} releases costs {_show(most)}"
    if share is not None and most > share:
        words += f", {_show(most - share)} more than its share"
    return words, line


def _show(number: Fraction) -> str:
    return str(number) if number.denominator <= 1000 else f"{float(number):.4g}"


def pairs_of(claim: Claim, inputs: Inputs, move: Move) -> Iterator[tuple[tuple[Any, ...], tuple[Any, ...]]]:
    """Neighbours of a move, among few other records and among many: a loss may show only where others are far away."""
    space = claim.space
    if not isinstance(space, Records) or inputs.cells is None:
        return
    ends = [records_in(space, inputs, k) for k in cells_of(move)]
    count = 0
    for others, one in itertools.product(companies(space, inputs), ends[0]):
        for two in ends[-1] if inputs.replaced else (None,):
            left = (*others, one)
            right = others if two is None else (*others, two)
            if left == right or count >= MOST_PAIRS:
                continue
            try:
                yield space.validate(left), space.validate(right)
            except BadInput:
                continue
            count += 1


def companies(space: Records, inputs: Inputs) -> list[tuple[Any, ...]]:
    """The records beside the one that moves: as few and as many as there may be, and one or two, mixed or all alike."""
    edges = space.domain.edges() if isinstance(space.domain, REAL) else space.domain
    few, many = max(space.fewest, 1) - 1 if inputs.replaced else space.fewest, space.most - 1
    sizes = [size for size in dict.fromkeys((few, many, few + 1, few + 2)) if size <= many]
    found = [tuple(edges[i % len(edges)] for i in range(size)) for size in sizes]
    found += [(edge,) * size for size in sizes[1:] for edge in (edges[0], edges[-1])]
    return list(dict.fromkeys(found))


def cells_of(move: Move) -> tuple[int, ...]:
    """The cells of a move."""
    return move if isinstance(move, tuple) else (move,)


def wide(inputs: Inputs, move: Move) -> int:
    """How many cells of a move are more than a point."""
    return 0 if inputs.cells is None else sum(not inputs.is_point(k) for k in cells_of(move))


def sampled_as_it_is(claim: Claim, inputs: Inputs, cell: int) -> bool:
    """Whether a record of a cell can be handed to a sampler: of a cut such as 1/5 a double lies on one side."""
    if inputs.cells is None or not isinstance(claim.space, Records) or not isinstance(claim.space.domain, REAL):
        return True
    return all(low != high or Fraction(float(low)) == low for low, high in inputs.cells[cell])


def records_in(space: Records, inputs: Inputs, cell: int) -> Sequence[Any]:
    """Records of a cell: a point, or numbers near both ends of an interval."""
    assert inputs.cells is not None
    if not isinstance(space.domain, REAL):
        return [space.domain[cell]]
    found = []
    for share in (Fraction(127, 128), Fraction(1, 128)):
        record = tuple(low + (high - low) * share for low, high in inputs.cells[cell])
        found.append(record if isinstance(space.domain, Box) else record[0])
    return list(dict.fromkeys(found))


__all__ = ["TooDear", "pairs_of", "worst_path"]
