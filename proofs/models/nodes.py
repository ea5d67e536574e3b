"""The nodes of a certificate's decision tree, made ready to be run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any

from dpwitness.core import laws
from dpwitness.core.coexecution.model import Array, Computed, Fixed
from dpwitness.core.coexecution.rounding import Term
from dpwitness.core.laws import Law
from dpwitness.proofs.kernel.algebra.field import Number
from dpwitness.proofs.kernel.algebra.polyhedra import ONE, UNIT, Linear, Row, parse, plus
from dpwitness.proofs.kernel.arith import precision

ONE_ = Fraction(1)
BITS = 160


@dataclass(frozen=True)
class Point:
    """Where forms are evaluated: answers, draws so far, 1/ε (1 in trees that were read at one ε), public constants."""

    answers: Sequence[Fraction]
    draws: Sequence[Any]
    unit: Fraction
    public: Mapping[str, Any] = field(default_factory=dict)

    def value(self, name: str) -> Any:
        """The number that a name of a form stands for."""
        if name == ONE:
            return ONE_
        if name == UNIT:
            return self.unit
        if name[0] == "w":
            return self.public[name]
        return (self.draws if name[0] == "n" else self.answers)[int(name[1:])]

    def terms(self, form: Linear) -> list[Term]:
        """Coefficients and values."""
        return [(c, self.value(name)) for name, c in form.items()]

    def number(self, form: Linear) -> Fraction:
        """The exact value of a form."""
        return sum((c * Fraction(self.value(name)) for name, c in form.items()), Fraction(0))


@dataclass
class Node:
    """One node: its kind (d, t, m, c, o or x), what it asks for, and its branches.

    `rows` are the rows on the way to it, `drawn` the laws drawn before it; a leaf has a `place`.
    """

    kind: str
    entry: Any
    rows: tuple[Row, ...]
    drawn: tuple[str, ...]
    branches: list[Node] = field(default_factory=list)
    place: str = ""
    values: tuple[Linear, ...] = ()
    parent: Node | None = None
    branch: int = 0

    def exact(self) -> bool:
        """Whether no draw takes part in the test, so that a program on rational data computes it in rationals."""
        forms = [self.entry.form] if self.kind == "t" else self.entry
        return not any(name[:1] == "n" for form in forms for name in form)


def compile_tree(json: Mapping[str, Any], name: str) -> Node:
    """The root of a tree as it stands in certificates; its leaves are called after `name`."""
    tests = [Row(parse(text), strict) for text, strict in json["tests"]]
    maxima = [[parse(text) for text in entry] for entry in json["maxima"]]
    number = 0

    def visit(node: Sequence[Any], rows: tuple[Row, ...], drawn: tuple[str, ...]) -> Node:
        nonlocal number
        kind = node[0][0]
        if kind == "x":
            return Node("x", None, rows, drawn)
        index = int(node[0][1:])
        if kind == "o":
            number += 1
            place = f"{name}leaf {number}"
            return Node("o", json["outputs"][index], rows, drawn, [], place, tuple(parse(text) for text in node[1:]))
        if kind == "d":
            law, scale = json["draws"][index]
            made = Node("d", (law, Fraction(scale)), rows, drawn)
            made.branches = [visit(node[1], rows, (*drawn, law))]
            return made
        if kind == "c":
            made = Node("c", tuple(json["choices"][index]), rows, drawn)
            made.branches = [visit(child, rows, drawn) for child in node[1:]]
            return made
        entry = tests[index] if kind == "t" else maxima[index]
        made = Node(kind, entry, rows, drawn)
        made.branches = [
            visit(child, (*rows, *more), drawn) for child, more in zip(node[1:], _options(kind, entry), strict=True)
        ]
        return made

    root = visit(json["nodes"], (), ())
    for node in every_node(root):
        for k, child in enumerate(node.branches):
            child.parent, child.branch = node, k
    return root


def _options(kind: str, entry: Any) -> list[tuple[Row, ...]]:
    if kind == "t":
        return [(entry,), (entry.opposite(),)]
    return [
        tuple(Row(plus(best, other, -1), j < i) for j, other in enumerate(entry) if j != i)
        for i, best in enumerate(entry)
    ]


def every_node(root: Node) -> Iterator[Node]:
    """All nodes of a tree, from the root on."""
    todo = [root]
    while todo:
        node = todo.pop()
        yield node
        todo += reversed(node.branches)


def law_of(entry: tuple[str, Fraction], unit: Fraction) -> Law:
    """The law of a draw at given 1/ε."""
    name, scale = entry
    kinds: dict[str, type[Law]] = {
        "laplace": laws.Laplace,
        "exponential": laws.Exponential,
        "discrete_laplace": laws.DiscreteLaplace,
        "gaussian": laws.Gaussian,
    }
    return kinds[name](scale * unit)  # type: ignore[call-arg]


def choice_of(weights: Sequence[str], unit: Fraction, *, homogeneous: bool) -> Law:
    """The law of a choice: rates are multiples of ε in trees that hold for every ε."""
    if all(text.startswith("exp(") for text in weights):
        rates = [Fraction(text[4:-1]) for text in weights]
        return laws.LogChoice(tuple(rate / unit if homogeneous else rate for rate in rates))
    if any(text.startswith("=") for text in weights):
        if len(weights) == 2 and weights[1] == f"=1-({weights[0][1:]})":
            return laws.Bernoulli(number_at(weights[0][1:], True, 1 / unit))
        return laws.Choice(tuple(number_at(text.removeprefix("="), True, 1 / unit) for text in weights))
    return laws.Choice(tuple(Fraction(text) for text in weights))


@lru_cache(maxsize=4096)
def number_at(source: str, opened: bool, eps: Fraction) -> Fraction | float:
    """The value of a certificate's number: exact where no power of e is in it."""
    number = Number.read(source, opened)
    top, bottom = (poly.at(eps if opened else Fraction(1)) for poly in (number.top, number.bottom))
    if top.rational is not None and bottom.rational is not None:
        return top.rational / bottom.rational
    with precision(BITS):
        return float(top.ball() / bottom.ball())


def output_of(spec: Sequence[Any], values: Iterator[Fraction | float]) -> Any:
    """An output: constants by type and value, slots as computed numbers."""
    kind = spec[0]
    if kind == "slot":
        return Computed(next(values))
    if kind == "const":
        return constant_of(spec)
    parts = [output_of(part, values) for part in spec[1:]]
    return parts if kind == "list" else Array(parts) if kind == "array" else tuple(parts)


def constant_of(spec: Sequence[Any]) -> Fixed:
    """A constant of an output; floats may stand in it as numbers or as text."""
    kind, value = spec[1], spec[2]
    return Fixed(kind, repr(value) if isinstance(value, float) else value)
