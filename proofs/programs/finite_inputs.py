r"""All pairs of a finite set of inputs, all outputs, all ε: exact, by exact probabilities.

Where a program can be read on unknown answers, one tree serves all inputs and leaves that read the same answers
share their integrals. Otherwise (choices whose weights depend on the data, datasets) the program is read once for
each input.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.errors import OutsideFragment
from dpwitness.core.numbers import Exact
from dpwitness.core.spaces import Answers, Records
from dpwitness.proofs.kernel.algebra.quotients import Quotient
from dpwitness.proofs.kernel.arith import Rejected, precision
from dpwitness.proofs.kernel.moves import Moves
from dpwitness.proofs.kernel.programs.comparisons import NotAForest
from dpwitness.proofs.kernel.programs.finite import Law, Laws, Pure, divergence
from dpwitness.proofs.kernel.spaces import Space
from dpwitness.proofs.labels import label, labels
from dpwitness.proofs.programs.exploring import TooManyPaths
from dpwitness.proofs.programs.tables import Table, read_data, read_table
from dpwitness.proofs.spaces import RELATIONS

MAX_INPUTS = 600
Pairs = list[tuple[int, int]]


@dataclass
class FiniteInputs:
    """A program's exact laws on all inputs of a finite space, and the ordered pairs of neighbours.

    Equal trees are kept once: input i has the tree and the law number ``use[i]``. Where one tree with unknown answers
    serves all inputs, `use` counts up and `tables` has that one entry.
    """

    inputs: list[tuple[Any, ...]]
    tables: list[Table]
    laws: list[Law]
    use: list[int]
    pairs: Pairs
    space: Space
    seconds: float = 0.0

    @property
    def every_epsilon(self) -> bool:
        """Whether the laws are functions of ε."""
        return self.tables[0].tree.unit == "eps"

    @property
    def shared(self) -> bool:
        """Whether one tree with unknown answers serves all inputs."""
        return self.tables[0].tree.queries > 0

    def law(self, i: int) -> Law:
        """The law on input i."""
        return self.laws[self.use[i]]

    def certificate(self, claim: dict[str, str], program: str, target: str) -> dict[str, Any]:
        """As the kernel checks it: all laws are computed again."""
        result = {
            "type": "program-finite",
            "target": target,
            "program": program,
            "space": self.space.to_json(),
            "trees": [table.json for table in self.tables],
            "claim": claim,
        }
        return result if self.shared else {**result, "use": self.use}


@dataclass
class Broken:
    """A pair, an output (or several) and an ε at which the claim fails."""

    left: int
    right: int
    outputs: list[str]
    eps: Fraction
    seconds: float = field(default=0.0)


def read_inputs(claim: Claim, *, values: Sequence[Any] | None = None, queries: int | None = None,
                moves: Moves | None = None, seconds: float = 20.0) -> FiniteInputs:  # fmt: skip
    """The exact laws on every input of a finite space.

    Parameters
    ----------
    values, queries
        All vectors of `queries` answers from `values`, in place of the inputs of the claim's space.
    """
    start = time.monotonic()
    space, inputs, pairs = inputs_and_pairs(claim, values, queries, moves)
    tables, laws, use = _laws(claim, inputs, isinstance(claim.space, Answers), start + seconds)
    return FiniteInputs(inputs, tables, laws, use, pairs, space, time.monotonic() - start)


def inputs_and_pairs(
    claim: Claim, values: Sequence[Any] | None = None, queries: int | None = None, moves: Moves | None = None
) -> tuple[Space, list[tuple[Any, ...]], Pairs]:
    """The space in the kernel's terms, all its inputs, and the ordered pairs of neighbours as places in the list."""
    space = claim.space
    if isinstance(space, Answers) and (values is not None or space.values is not None):
        points: list[Any] = [Exact(v) for v in (values if values is not None else space.values or ())]
        n = queries or claim.queries
        moves = moves or Moves(RELATIONS[space.moves], Fraction(space.by), n)
        found = Space(tuple(map(str, points)), n, n, moves.relation, moves)
    elif isinstance(space, Records) and space.finite:
        points = list({label(record): record for record in space.domain}.values())  # type: ignore[union-attr]
        found = Space(labels(points), space.fewest, space.most, space.relation)
    else:
        raise OutsideFragment("the inputs are not finitely many")
    if sum(len(points) ** k for k in range(found.fewest, found.most + 1)) > MAX_INPUTS:
        raise TooManyPaths(0)
    sizes = range(found.fewest, found.most + 1)
    inputs = [x for k in sizes for x in itertools.product(points, repeat=k)]
    pairs = found.pairs()
    return found, inputs, sorted([*pairs, *((j, i) for i, j in pairs)])


def _laws(
    claim: Claim, inputs: Sequence[tuple[Any, ...]], symbolic: bool, deadline: float
) -> tuple[list[Table], list[Law], list[int]]:
    if symbolic:
        try:
            table = read_table(claim, len(inputs[0]), seconds=max(0.1, deadline - time.monotonic()))
            shared = Laws(table.tree)
            return [table], [shared.of(row) for row in inputs], list(range(len(inputs)))
        except (OutsideFragment, NotAForest, Rejected):
            pass
    try:
        return _one_by_one(claim, inputs, deadline, None)
    except Rejected:  # weights that are not exponentials of multiples of ε: at the claim's ε they are numbers
        if "eps" not in claim.params:
            raise
        return _one_by_one(claim, inputs, deadline, Fraction(claim.params["eps"]))


def _one_by_one(
    claim: Claim, inputs: Sequence[tuple[Any, ...]], deadline: float, epsilon: Fraction | None
) -> tuple[list[Table], list[Law], list[int]]:
    """The distinct trees with their laws, and which of them each input has."""
    places: dict[str, int] = {}
    tables: list[Table] = []
    laws: list[Law] = []
    use: list[int] = []
    for data in inputs:
        if time.monotonic() > deadline:
            raise TooManyPaths(len(use))
        table = read_data(claim, data, epsilon=epsilon, seconds=max(0.1, deadline - time.monotonic()))
        key = repr(table.json)
        if key not in places:
            places[key] = len(tables)
            tables.append(table)
            laws.append(Laws(table.tree).of([]))
        use.append(places[key])
    if len({table.tree.unit for table in tables}) > 1:
        raise OutsideFragment("the program is homogeneous in eps on some inputs only")
    return tables, laws, use


def check_all(found: FiniteInputs, factor: Fraction) -> Broken | None:
    """None where factor·ε-privacy holds for all pairs, all outputs and all ε > 0, else where it fails."""
    start = time.monotonic()
    judge = Pure(factor)
    rows = [judge.enter(law) for law in found.laws]
    for i, j in found.pairs:
        failed = judge.fails(rows[found.use[i]], rows[found.use[j]])
        if failed is not None:
            return Broken(i, j, [failed[0]], failed[1], time.monotonic() - start)
    return None


def check_at(found: FiniteInputs, eps: Fraction, epsilon: Fraction, delta: Fraction) -> Broken | None:
    """None where (epsilon, delta) holds for all pairs at one ε, else where it fails."""
    at = eps if found.every_epsilon else Fraction(1)
    for i, j in found.pairs:
        good, outputs = divergence(found.law(i), found.law(j), at, epsilon, delta)
        if not good:
            return Broken(i, j, outputs, eps)
    return None


def worst_loss(found: FiniteInputs, eps: Fraction) -> tuple[float, int, int, str] | None:
    """The largest ln P/P′ at one ε with its pair and output, as a number for display; None where it is infinite."""
    at = eps if found.every_epsilon else Fraction(1)
    decimals: dict[int, float] = {}

    def decimal(value: Quotient) -> float:
        if id(value) not in decimals:
            with precision(128):
                decimals[id(value)] = float((value[0].at(at).ball() / value[1].at(at).ball()).mid())
        return decimals[id(value)]

    import math

    best: tuple[float, int, int, str] | None = (0.0, 0, 0, "")
    for i, j in found.pairs:
        for name, p in found.law(i).items():
            top = decimal(p)
            other = found.law(j).get(name)
            bottom = 0.0 if other is None else decimal(other)
            if top > 0 and bottom == 0:
                return None
            if top > 0 and best is not None and math.log(top / bottom) > best[0]:
                best = (math.log(top / bottom), i, j, name)
    return best
