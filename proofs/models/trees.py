"""Decision trees of certificates, executable: on unknown answers, or one tree for each of finitely many inputs."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.coexecution.model import NoWay, Probe, Source, Trace
from dpwitness.core.coexecution.rounding import Rounding
from dpwitness.core.laws import Law
from dpwitness.proofs.models.constants import Constants
from dpwitness.proofs.models.nodes import Node, Point, choice_of, compile_tree, every_node, law_of, output_of
from dpwitness.proofs.models.seeking import Passing, Region, beside

Where = Callable[[Sequence[Any]], tuple[int, tuple[Fraction, ...]]]  # an input's tree and its answers


@dataclass
class TreeModel:
    """Several decision trees; `where` says which of them an input has, and which answers, or raises `UnknownInput`.

    Attributes
    ----------
    region
        Where to look for inputs that reach a leaf.
    read
        What the trees leave open: public constants and weights that are not rational.
    """

    jsons: Sequence[Mapping[str, Any]]
    where: Where
    region: Region
    read: Constants = field(default_factory=Constants)
    roots: list[Node] = field(init=False)
    reached: set[str] = field(default_factory=set)
    empty: set[str] = field(default_factory=set)
    passed: dict[int, Passing] = field(default_factory=dict)

    def __post_init__(self) -> None:
        single = len(self.jsons) == 1
        self.roots = [compile_tree(json, "" if single else f"tree {k}, ") for k, json in enumerate(self.jsons)]

    def places(self) -> Collection[str]:
        """All leaves that inputs of the region can reach."""
        return [n.place for root in self.roots for n in every_node(root) if n.place and n.place not in self.empty]

    def unit(self, tree: int, params: Mapping[str, Any]) -> Fraction:
        """1/ε in trees that hold for every ε, else 1."""
        return 1 / Fraction(params["eps"]) if self.jsons[tree]["unit"] == "eps" else Fraction(1)

    def run(self, data: Sequence[Any], params: Mapping[str, Any], source: Source) -> Trace:
        """Walk down the tree of the input."""
        tree, answers = self.where(data)
        unit = self.unit(tree, params)
        draws: list[Any] = []
        asked: list[Law] = []
        made: list[Any] = []
        spots: list[int] = []
        tests = Rounding()
        point = Point(answers, draws, unit, self.public(params))
        node = self.roots[tree]
        while node.kind not in "ox":
            if node.kind == "d":
                asked.append(law_of(node.entry, unit))
                draws.append(source(asked[-1]))
                spots.append(len(made))
                made.append(draws[-1])
                node = node.branches[0]
            elif node.kind == "c":
                asked.append(self._choice(tree, node.entry, params))
                picked = source(asked[-1])
                made.append(picked)
                node = node.branches[(0 if picked else 1) if isinstance(picked, bool) else picked]
            else:
                self._note(node, data, params, made, spots)
                node = node.branches[self._decide(node, point, tests)]
        if node.kind == "x":
            raise NoWay("a branch that was cut off as empty", doubt=tests.doubt or tests.tied)
        if not tests.doubt:
            self.reached.add(node.place)
        output = output_of(node.entry, iter([point.number(form) for form in node.values]))
        return Trace(tuple(asked), output, (node.place,), tests.doubt)

    def public(self, params: Mapping[str, Any]) -> Mapping[str, Any]:
        """The public constants of the program at given parameters."""
        return self.read.values(params)

    def _choice(self, tree: int, weights: Sequence[str], params: Mapping[str, Any]) -> Law:
        if any(text.startswith("?") for text in weights):
            return self.read.choice(weights, params)
        return choice_of(weights, self.unit(tree, params), homogeneous=self.jsons[tree]["unit"] == "eps")

    def _decide(self, node: Node, point: Point, tests: Rounding) -> int:
        exact = node.exact()
        if node.kind == "t":
            way = tests.sign(point.terms(node.entry.form), exact=exact)
            return 0 if way > 0 or (way == 0 and not node.entry.strict) else 1
        best = 0
        for i in range(1, len(node.entry)):
            minus = [(-c, value) for c, value in point.terms(node.entry[best])]
            if tests.sign([*point.terms(node.entry[i]), *minus], exact=exact) > 0:
                best = i
        return best

    def _note(self, node: Node, data: Any, params: Any, made: Sequence[Any], spots: Sequence[int]) -> None:
        """Keep one run that passes a test, of few binary places where there is one, for points beside its boundary."""
        known = self.passed.get(id(node))
        if known is not None and known.short:
            return
        short = all(Fraction(x).denominator <= 64 for x in made)
        if known is None or short:
            self.passed[id(node)] = Passing(Probe(tuple(data), params, tuple(made)), tuple(spots), short)

    def probes(self, claim: Claim, rng: random.Random) -> Iterator[Probe]:
        """A point in every leaf that was not reached so far, and points on and beside the boundary of every test."""
        for tree, root in enumerate(self.roots):
            for node in every_node(root):
                if node.place and node.place not in self.reached:
                    found = self.region.point(self, claim, tree, node, rng)
                    if found is None:
                        self.empty.add(node.place)
                    else:
                        yield from found
        for tree, root in enumerate(self.roots):
            for node in every_node(root):
                passing = self.passed.get(id(node))
                if node.kind in "tm" and passing is not None:
                    params, answers = passing.probe.params, self.where(passing.probe.data)[1]
                    point = Point(answers, (), self.unit(tree, params), self.public(params))
                    yield from beside(node, passing, point, self.region.inputs(claim))
