r"""A program as a decision tree: draws, tests, choices, outputs.

The tree is what a symbolic run of the program found. Every test has a branch for each answer, so the leaves cover all
values of the draws and of the answers, and no two of them overlap: completeness and disjointness are a property of the
format. A branch that cannot be taken may be cut off with a Farkas proof that its rows contradict each other.

Nodes, as nested lists::

    ["d0", child]            a fresh draw from law 0; the k-th draw on the way from the root is n<k>
    ["t0", yes, no]          test 0, such as ["n1-n0+q0", true]: form > 0 (true: strict) or form >= 0
    ["m0", c0, c1, ...]      argmax number 0 of several forms, the first of equal ones
    ["c0", c0, c1, ...]      choice 0 with fixed weights
    ["o0", "form", ...]      output 0 with the values of its slots
    ["x", {"0": "1", ...}]   cannot be reached: Farkas multipliers of the rows above
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpwitness.proofs.kernel.algebra.polyhedra import Linear, Row, multipliers, parse, plus, refutes, unknowns
from dpwitness.proofs.kernel.arith import Rejected, number
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.outputs import slots_of

LAWS = {"laplace": True, "exponential": True, "discrete_laplace": False}  # whether the law has a density
DENSITY = {
    **LAWS,
    "gaussian": True,
}  # normal draws are read only where a checker asks for them: shifts do not serve them
MAX_LEAVES = 20_000
MAX_QUERIES = 200


@dataclass(frozen=True)
class Draw:
    """A law and its scale in the unit of the tree (1/ε, or 1)."""

    law: str
    scale: Fraction


@dataclass(frozen=True)
class Leaf:
    """One way through the program: its rows, draws, choices and output."""

    number: int
    rows: tuple[Row, ...]
    draws: tuple[Draw, ...]
    choices: tuple[tuple[int, int], ...]
    output: int
    values: tuple[Linear, ...]

    @property
    def continuous(self) -> set[str]:
        """Names of the draws that have a density."""
        return {f"n{k}" for k, draw in enumerate(self.draws) if DENSITY[draw.law]}

    def supports(self) -> list[Row]:
        """Rows that hold because of the laws: one-sided draws are non-negative."""
        one_sided = [f"n{k}" for k, draw in enumerate(self.draws) if draw.law == "exponential"]
        return [Row({name: Fraction(1)}, False) for name in one_sided]


@dataclass(frozen=True)
class Tree:
    """A program on `queries` answers: the leaves that can be reached, and the outputs by number.

    `unit` is ``"eps"`` (scales are multiples of 1/ε, for every ε > 0) or ``"1"`` (scales are numbers).
    """

    queries: int
    unit: str
    leaves: tuple[Leaf, ...]
    outputs: tuple[Any, ...]
    choices: tuple[tuple[str, ...], ...] = ()
    cuts: frozenset[tuple[str, ...]] = frozenset()  # names of the laws drawn before each branch that is cut off

    @property
    def discrete(self) -> bool:
        """Whether some draw is integer-valued."""
        return any(not DENSITY[d.law] for leaf in self.leaves for d in leaf.draws)


def read_tree(value: object, laws: Collection[str] = tuple(LAWS)) -> Tree:
    """Read the tree of a certificate, checking every node; only draws from `laws` are accepted."""
    queries, unit, draws, tests, maxima, choices, outputs, nodes = fields(
        value, "queries", "unit", "draws", "tests", "maxima", "choices", "outputs", "nodes"
    )
    if not isinstance(queries, int) or isinstance(queries, bool) or not 0 <= queries <= MAX_QUERIES:
        raise Rejected(f"queries must be a whole number from 0 to {MAX_QUERIES}")
    if unit not in ("eps", "1"):
        raise Rejected("unit must be 'eps' or '1'")
    if len({json.dumps(output) for output in outputs}) != len(outputs):
        raise Rejected("the same output has two numbers")
    slots = [slots_of(output) for output in outputs]
    tables: dict[str, Sequence[Any]] = {
        "d": [_law(item, laws) for item in draws],
        "t": [_test(item) for item in tests],
        "m": [[parse(text) for text in item] for item in maxima],
        "c": [_weights(item) for item in choices],
    }
    reader = _Reader(queries, unit, tables, slots)
    reader.run(nodes)
    if any((kind, i) not in reader.used for kind, table in tables.items() for i in range(len(table))):
        raise Rejected("a draw, test, maximum or choice is listed that no node names")
    picks = tuple(tuple(entry) for entry in tables["c"])
    return Tree(queries, unit, tuple(reader.leaves), tuple(outputs), picks, frozenset(reader.cuts))


def _law(item: Any, laws: Collection[str]) -> Draw:
    law, scale = item
    if law not in laws or number(scale) <= 0:
        raise Rejected(f"the law {str(law)[:40]!r} with scale {scale} is unknown or its scale is not positive")
    return Draw(law, number(scale))


def _test(item: Any) -> Row:
    text, strict = item
    if not isinstance(strict, bool):
        raise Rejected("a test is [form, true or false]")
    return Row(parse(text), strict)


def _weights(item: Any) -> list[Any]:
    if not isinstance(item, list) or not item or any(not isinstance(weight, str) for weight in item):
        raise Rejected("a choice is a list of weights")
    return item


class _Reader:
    def __init__(self, queries: int, unit: str, tables: Mapping[str, Sequence[Any]], slots: Sequence[int]) -> None:
        self.queries, self.unit, self.tables, self.slots = queries, unit, tables, slots
        self.leaves: list[Leaf] = []
        self.cuts: set[tuple[str, ...]] = set()
        self.used: set[tuple[str, int]] = set()

    def run(self, root: Any) -> None:
        todo: list[tuple[Any, tuple[Row, ...], tuple[Draw, ...], tuple[tuple[int, int], ...]]] = [(root, (), (), ())]
        while todo:
            node, rows, draws, choices = todo.pop()
            if not isinstance(node, list) or not node or not isinstance(node[0], str):
                raise Rejected("a node is a list that begins with its kind")
            kind, parts = node[0][:1], node[1:]
            if kind == "x":
                self._cut(rows, draws, node)
                continue
            index = _number(node[0][1:])
            if kind == "o":
                self._leaf(index, rows, draws, choices, parts)
                continue
            if kind not in self.tables or index >= len(self.tables[kind]):
                raise Rejected(f"unknown node {node[0][:20]!r}")
            self.used.add((kind, index))
            entry = self.tables[kind][index]
            if kind == "d":
                (child,) = parts
                todo.append((child, rows, (*draws, entry), choices))
                continue
            options = self._options(kind, entry, len(draws))
            if len(options) != len(parts):
                raise Rejected(f"node {node[0]!r} has {len(parts)} branches instead of {len(options)}")
            for i, (child, more) in reversed(list(enumerate(zip(parts, options, strict=True)))):
                picked = (*choices, (index, i)) if kind == "c" else choices
                todo.append((child, rows + more, draws, picked))

    def _options(self, kind: str, entry: Any, draws: int) -> list[tuple[Row, ...]]:
        if kind == "c":
            return [() for _ in entry]
        if kind == "t":
            self._known([entry.form], draws)
            return [(entry,), (entry.opposite(),)]
        self._known(entry, draws)
        return [
            tuple(Row(plus(best, other, -1), j < i) for j, other in enumerate(entry) if j != i)
            for i, best in enumerate(entry)
        ]

    def _known(self, forms: Sequence[Linear], draws: int) -> None:
        """A form may use draws that were made before it, and the answers; nothing else."""
        for name in unknowns(forms):
            if (name[0] == "n" and int(name[1:]) >= draws) or (name[0] == "q" and int(name[1:]) >= self.queries):
                raise Rejected(f"{name} is used before it is drawn, or is not an answer")
            if name == "u" and self.unit != "eps":
                raise Rejected("u stands for 1/eps, which this tree does not keep")

    def _leaf(self, output: int, rows: Any, draws: Any, choices: Any, parts: Sequence[Any]) -> None:
        values = tuple(parse(text) for text in parts)
        self._known(values, len(draws))
        if output >= len(self.slots) or len(values) != self.slots[output]:
            raise Rejected(f"output {output} is not listed, or needs another number of values")
        if len(self.leaves) >= MAX_LEAVES:
            raise Rejected(f"more than {MAX_LEAVES} leaves")
        self.leaves.append(Leaf(len(self.leaves), rows, draws, choices, output, values))

    def _cut(self, rows: tuple[Row, ...], draws: tuple[Draw, ...], node: Sequence[Any]) -> None:
        proof = multipliers(node[1])
        shape = Leaf(0, rows, draws, (), 0, ())
        system = [*(row.open(shape.continuous) for row in rows), *shape.supports()]
        if len(node) != 2 or not refutes(system, proof):
            raise Rejected("a branch is cut off without a proof that it cannot be taken")
        self.cuts.add(tuple(draw.law for draw in draws))


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 6:
        raise Rejected(f"{text[:20]!r} is not a number of a node")
    return int(text)
