"""Points inside the leaves of a tree, and beside the boundaries of its tests."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpwitness.core.claims import Claim
from dpwitness.core.coexecution.model import Probe
from dpwitness.core.errors import BadInput
from dpwitness.core.numbers import Exact
from dpwitness.core.spaces import Answers, Interval, Records
from dpwitness.proofs.kernel.algebra.polyhedra import ONE, UNIT, Linear, Row, plus
from dpwitness.proofs.kernel.programs.trees import DENSITY
from dpwitness.proofs.models.nodes import Node, Point
from dpwitness.proofs.programs.points import Empty, decide, satisfies

if TYPE_CHECKING:
    from dpwitness.proofs.models.trees import TreeModel

ZERO = Fraction(0)
STEP = Fraction(1, 2**20)  # how far beside a boundary, in units of the size of the numbers there
ROUNDINGS = 64


@dataclass(frozen=True)
class Region:
    """The inputs of a model.

    Attributes
    ----------
    listed
        The inputs one by one, by their tree; None: all inputs of the claim's space, whose entries are the answers.
    params
        The values of the parameters at which leaves are looked for, in this order.
    """

    params: Sequence[Mapping[str, Any]]
    listed: Mapping[int, Sequence[tuple[Any, ...]]] | None = None

    def inputs(self, claim: Claim) -> Callable[[Sequence[Fraction]], tuple[Any, ...] | None]:
        """Makes an input of answers; None where the space has no such input, or the inputs are listed."""

        def made(answers: Sequence[Fraction]) -> tuple[Any, ...] | None:
            if self.listed is not None:
                return None
            try:
                return tuple(claim.space.validate([Exact(x) for x in answers]))
            except BadInput:
                return None

        return made

    def point(self, model: TreeModel, claim: Claim, tree: int, node: Node, rng: random.Random) -> list[Probe] | None:
        """Probes inside a leaf; None where it is shown to be empty, and no probe where none was found."""
        empty = True
        for params in self.params:
            unit, public = model.unit(tree, params), model.public(params)
            options: list[tuple[tuple[Any, ...] | None, list[Row]]] = []
            if self.listed is None:
                options.append((None, [put(row, unit, public, None) for row in node.rows] + bounds(claim)))
            else:
                for given in self.listed.get(tree, ()):
                    answers = model.where(given)[1]
                    options.append((given, [put(row, unit, public, answers) for row in node.rows]))
            for data, rows in options:
                found = self._solve(claim, node, data, rows, rng)
                if isinstance(found, dict):
                    made = self._probe(model, claim, tree, node, params, data, found)
                    if made is not None:
                        return [made]
                empty = empty and found == "empty"
        if empty and self.listed is None and any(name[:1] in "uw" for row in node.rows for name in row.form if name):
            empty = isinstance(decide(opened(node)), Empty)  # for every ε, not only at those that were tried
        return None if empty else []

    def _solve(self, claim: Claim, node: Node, data: Any, rows: list[Row], rng: random.Random) -> Any:
        system = opened(node, rows)
        constant = [row for row in system if not set(row.form) - {ONE}]
        if not satisfies(constant, {}):
            return "empty"
        found = decide([row for row in system if set(row.form) - {ONE}])
        if isinstance(found, Empty):
            return "empty"
        if found is None:
            return "unknown"
        whole = {f"n{k}" for k, law in enumerate(node.drawn) if not DENSITY[law]}
        if data is None and isinstance(claim.space, Answers) and claim.space.whole:
            whole |= {name for name in found if name[0] == "q"}
        return _rounded(system, found, whole & set(found), rng)

    def _probe(
        self, model: TreeModel, claim: Claim, tree: int, node: Node, params: Any, data: Any, found: Any
    ) -> Probe | None:
        if data is None:
            base = _default(claim)
            size = model.jsons[tree]["queries"]
            data = self.inputs(claim)([found.get(f"q{j}", base) for j in range(size)])
            if data is None:
                return None
        return Probe(data, params, tuple(_draws(node, found)), node.place)


def _draws(leaf: Node, found: Mapping[str, Fraction]) -> Iterator[Any]:
    """The draws and choices on the way to a leaf."""
    way: list[tuple[Node, int]] = []
    node = leaf
    while node.parent is not None:
        way.append((node.parent, node.branch))
        node = node.parent
    k = 0
    for passed, branch in reversed(way):
        if passed.kind == "d":
            yield found.get(f"n{k}", Fraction(k + 1, 4))
            k += 1
        elif passed.kind == "c":
            yield Picked(branch)


class Picked(int):
    """The number of a branch of a choice; as a truth value the first branch is True."""

    def __bool__(self) -> bool:
        return int(self) == 0


def _default(claim: Claim) -> Fraction:
    space = claim.space
    if isinstance(space, Records):
        return Fraction(space.domain.low) if isinstance(space.domain, Interval) else ZERO
    return Fraction(space.low if space.low is not None else space.high if space.high is not None else 0)


def put(row: Row, unit: Fraction, public: Mapping[str, Any], answers: Sequence[Fraction] | None) -> Row:
    """A row with the numbers of 1/ε, of public constants and, where they are given, of the answers put in."""
    form: dict[str, Fraction] = {}
    for name, c in row.form.items():
        if name == UNIT or name in public:
            form[ONE] = form.get(ONE, ZERO) + c * Fraction(unit if name == UNIT else public[name])
        elif answers is not None and name[:1] == "q":
            form[ONE] = form.get(ONE, ZERO) + c * answers[int(name[1:])]
        else:
            form[name] = form.get(name, ZERO) + c
    return Row(form, row.strict)


def opened(node: Node, rows: Sequence[Row] | None = None) -> list[Row]:
    """The rows of a leaf, strict where a continuous draw takes part, and the supports of one-sided laws."""
    continuous = {f"n{k}" for k, law in enumerate(node.drawn) if DENSITY[law]}
    one_sided = [Row({f"n{k}": Fraction(1)}, False) for k, law in enumerate(node.drawn) if law == "exponential"]
    return [*(row.open(continuous) for row in (node.rows if rows is None else rows)), *one_sided]


def bounds(claim: Claim) -> list[Row]:
    """Rows that say where the answers of a bounded space lie."""
    space = claim.space
    if isinstance(space, Answers):
        low, high = space.low, space.high
        if space.values is not None:
            low, high = min(space.values), max(space.values)
    else:
        low, high = (space.domain.low, space.domain.high) if isinstance(space.domain, Interval) else (None, None)
    rows = []
    for j in range(space.size):
        if low is not None:
            rows.append(Row({f"q{j}": Fraction(1), ONE: -Fraction(low)}, False))
        if high is not None:
            rows.append(Row({f"q{j}": Fraction(-1), ONE: Fraction(high)}, False))
    return rows


def _rounded(rows: Sequence[Row], found: Mapping[str, Fraction], whole: set[str], rng: random.Random) -> Any:
    """The point with whole numbers where they are needed: several roundings are tried."""
    if all(found[name].denominator == 1 for name in whole):
        return dict(found)
    names = sorted(whole)
    choices = itertools.product((0, 1), repeat=len(names)) if len(names) <= 6 else (
        [rng.randrange(2) for _ in names] for _ in range(ROUNDINGS)
    )  # fmt: skip
    for ups in itertools.islice(choices, ROUNDINGS):
        fixed = {name: Fraction(found[name].__floor__() + up) for name, up in zip(names, ups, strict=True)}
        rest = [Row(_put_in(row.form, fixed), row.strict) for row in rows]
        if not satisfies([row for row in rest if not set(row.form) - {ONE}], {}):
            continue
        solved = decide([row for row in rest if set(row.form) - {ONE}])
        if isinstance(solved, dict):
            return {**solved, **fixed}
    return "unknown"


def _put_in(form: Linear, fixed: Mapping[str, Fraction]) -> dict[str, Fraction]:
    result: dict[str, Fraction] = {}
    for name, c in form.items():
        key, value = (ONE, c * fixed[name]) if name in fixed else (name, c)
        result[key] = result.get(key, ZERO) + value
    return result


@dataclass(frozen=True)
class Passing:
    """A run that passes a test: its draws so far, and which of them are numbers of the tree's forms."""

    probe: Probe
    spots: tuple[int, ...]
    short: bool


def beside(
    node: Node,
    passing: Passing,
    point: Point,
    inputs: Callable[[Sequence[Fraction]], tuple[Any, ...] | None],
) -> Iterator[Probe]:
    """Runs on the boundary of a test and on both sides of it, made of a run that passes the test."""
    probe, spots = passing.probe, passing.spots
    point = replace(point, draws=[Fraction(probe.draws[spot]) for spot in spots])
    answers = point.answers
    for form in _boundaries(node, point):
        value = point.number(form)
        size = 1 + sum((abs(c * Fraction(point.value(n))) for n, c in form.items()), ZERO)
        draws = sorted((int(n[1:]) for n in form if n[:1] == "n"), reverse=True)
        for k in draws[:2]:
            for side in (ZERO, STEP * size, -STEP * size):
                moved = list(probe.draws)
                moved[spots[k]] = point.draws[k] - (value - side) / form[f"n{k}"]
                if node.drawn[k] != "exponential" or moved[spots[k]] >= 0:
                    yield replace(probe, draws=tuple(moved))
        for j in [] if draws else sorted(int(n[1:]) for n in form if n[:1] == "q")[:2]:
            for side in (ZERO, STEP * size, -STEP * size, Fraction(1), Fraction(-1)):
                other = list(answers)
                other[j] = answers[j] - (value - side) / form[f"q{j}"]
                data = inputs(other)
                if data is not None:
                    yield replace(probe, data=data)


def _boundaries(node: Node, point: Point) -> Iterator[dict[str, Fraction]]:
    """The form of a test; for a maximum the difference of each form to the largest of the others."""
    if node.kind == "t":
        yield dict(node.entry.form)
        return
    values = [point.number(form) for form in node.entry]
    for i, form in enumerate(node.entry):
        rest = [j for j in range(len(values)) if j != i]
        if rest:
            yield plus(form, node.entry[max(rest, key=lambda j: values[j])], -1)
