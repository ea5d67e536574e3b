"""The model of a certificate, executable: it can be run beside the program on the same data, parameters and draws.

Only the ``model`` of the certificate is read, the part whose fingerprint is the subject of the kernel's theorem, and
which of its leaves are shown to be impossible.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dpwitness.core import laws
from dpwitness.core.claims import Claim
from dpwitness.core.coexecution.model import Computed, Model, NoWay, Probe, Source, Trace
from dpwitness.core.numbers import Exact
from dpwitness.proofs.kernel.algebra.laurent import Poly, from_json
from dpwitness.proofs.kernel.loops.trees import QUERIES, START

MAX_STEPS = 10_000
_NEAR = Fraction(1, 2**40)
_LAWS: dict[str, Callable[[Any], laws.Law]] = {
    "laplace": laws.Laplace, "exponential": laws.Exponential, "discrete_laplace": laws.DiscreteLaplace,
}  # fmt: skip


def executable(claim: Claim, certificate: Mapping[str, Any]) -> Model:
    """The model of a certificate of this package; it does not depend on the claim."""
    from dpwitness.proofs.anyn.selection import FlippingModel, RankingModel

    made: dict[str, Callable[[Mapping[str, Any]], Model]] = {
        "loop-shift": LoopModel, "argmax-shift": LoopModel, "ranking-shift": RankingModel,
        "permute-and-flip": FlippingModel,
    }  # fmt: skip
    return made[certificate["type"]](certificate)


def law_of(kind: str, rate: Fraction) -> laws.Law:
    """The law of a draw with its exact scale."""
    if rate <= 0:
        raise NoWay(f"a draw of the scale 1/({rate})")
    return _LAWS[kind](Exact(1 / rate))


def doubtful(poly: Poly, value: Callable[[str], Fraction]) -> bool:
    """Whether rounding could decide a test ``poly >= 0`` otherwise in a run with floating-point numbers.

    Far from zero it cannot. Near zero it cannot where doubles add all terms without rounding: where they are whole
    multiples of one power of two, and not too large.
    """
    terms = []
    for mono, coefficient in poly.terms.items():
        term = coefficient
        for symbol, power in mono:
            term *= value(symbol) ** power
        terms.append(term)
    size = sum(map(abs, terms), Fraction(0))
    if abs(sum(terms, Fraction(0))) > _NEAR * size:
        return False
    step = max((t.denominator for t in terms), default=1)
    return any(t.denominator & (t.denominator - 1) for t in terms) or size * step >= 2**53


@dataclass
class Walk:
    """One run under way: the state at a loop head, and what was passed on the way."""

    data: Sequence[Fraction]
    params: Mapping[str, Fraction]
    at: str = START
    state: dict[str, Fraction] = field(default_factory=dict)
    lists: list[list[Any]] = field(default_factory=list)
    laws: list[laws.Law] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    doubt: bool = False
    output: Any = None


Node = Mapping[str, Any]


class LoopModel:
    """Decision trees for the start and for every loop head, as `dpwitness.proofs.kernel.loops.trees` describes them."""

    def __init__(self, certificate: Mapping[str, Any]) -> None:
        self.model = certificate["model"]
        self.dead = set(certificate.get("dead", ()))
        self.atoms = [
            (f"@{'+' * (op == '/')}{k}", op, from_json(left), from_json(right))
            for k, (op, left, right) in enumerate(self.model["atoms"])
        ]
        self.polys: dict[int, Poly] = {}

    def poly(self, data: Mapping[str, str]) -> Poly:
        """A polynomial of the model; each is read once."""
        found = self.polys.get(id(data))
        if found is None:
            found = self.polys[id(data)] = from_json(data)
        return found

    def places(self) -> Collection[str]:
        """All leaves that are not shown to be impossible."""
        return [place for place in leaves(self.model["trees"]) if place not in self.dead]

    def probes(self, claim: Claim, rng: random.Random) -> Iterator[Probe]:
        """Runs that reach every leaf, and points beside and on the boundaries between leaves."""
        from dpwitness.proofs.anyn.probing import probes

        return probes(self, claim, rng)

    def run(self, data: Sequence[Any], params: Mapping[str, Any], source: Source) -> Trace:
        """Run the trees from the start to a leaf that returns."""
        walk = self.begin(data, params)
        try:
            while walk.at:
                self.advance(walk, source)
        except ZeroDivisionError:
            raise NoWay(f"{walk.at}: division by zero") from None
        return Trace(tuple(walk.laws), walk.output, tuple(walk.places), walk.doubt)

    def begin(self, data: Sequence[Any], params: Mapping[str, Any]) -> Walk:
        """A run that stands at the start."""
        walk = Walk([Fraction(x) for x in data], {name: Fraction(params[name]) for name in self.model["params"]})
        walk.state = {**walk.params, QUERIES: Fraction(len(data))}
        for symbol, op, left, right in self.atoms:
            walk.state[symbol] = divided(op, left.evaluate(walk.state), right.evaluate(walk.state))
        return walk

    def advance(self, walk: Walk, source: Source) -> dict[str, Fraction]:
        """Go through one tree, from a root to a leaf; returns the values of all symbols on this path."""
        if len(walk.places) >= MAX_STEPS:
            raise NoWay(f"the run did not end after {MAX_STEPS} steps")
        node: Node = self.model["trees"][walk.at]
        place = f"{walk.at}:"
        here = dict(walk.state)
        draws = reads = lets = 0
        while "then" in node or "test" in node:
            if "test" in node:
                poly = self.poly(node["test"])
                number = poly.evaluate(here)
                walk.doubt |= poly.private and doubtful(poly, here.__getitem__)
                answer = number >= 0 if node["is"] == ">=" else number == 0
                place += "y" if answer else "n"
                node = node["yes" if answer else "no"]
                continue
            if "draw" in node:
                law = law_of(node["draw"], self.poly(node["rate"]).evaluate(here))
                walk.laws.append(law)
                here[f"~{draws}"] = Fraction(source(law))
                draws += 1
            elif "read" in node:
                index = self.poly(node["read"]).evaluate(here)
                if index.denominator != 1 or not 0 <= index < len(walk.data):
                    raise NoWay(f"{place}: the answer {index} of {len(walk.data)} is read")
                here[f"?{reads}"] = walk.data[int(index)]
                reads += 1
            else:
                left, right = (self.poly(node[side]).evaluate(here) for side in ("left", "right"))
                here[f"@{'+' * (node['let'] == '/')}t{lets}"] = divided(node["let"], left, right)
                lets += 1
            node = node["then"]
        walk.places.append(place)
        self._arrive(walk, node, place, here)
        return here

    def _arrive(self, walk: Walk, leaf: Node, place: str, here: dict[str, Fraction]) -> None:
        if "fail" in leaf or place in self.dead:
            reason = leaf.get("fail", "the certificate calls this path impossible")
            raise NoWay(f"{place}: {reason}", doubt=walk.doubt)
        if "return" in leaf:
            walk.output, walk.at = self.value(leaf["return"], walk, here), ""
            return
        fixed = {s: v for s, v in walk.state.items() if s[0] not in "$%#" or s == QUERIES}
        state = {s: self.poly(data).evaluate(here) for s, (_, data) in leaf["set"].items()}
        walk.lists = [self.value(["list", parts], walk, here) for parts in leaf["lists"]]
        walk.state, walk.at = {**fixed, **state}, leaf["to"]

    def value(self, data: Sequence[Any], walk: Walk, here: dict[str, Fraction]) -> Any:
        """A value of an output: constants as they are, numbers that are computed as `Computed`."""
        tag, *rest = data
        if tag == "none":
            return None
        if tag in ("bool", "text"):
            return rest[0]
        if tag == "int":
            return int(rest[0])
        if tag == "float":
            return float(rest[0])
        if tag == "number":
            number = self.poly(rest[1]).evaluate(here)
            if rest[0] != "int":
                return Computed(number)
            if number.denominator != 1:
                raise NoWay(f"{number} is said to be a whole number")
            return int(number)
        parts: list[Any] = []
        for part in rest[0]:
            parts += walk.lists[part[1]] if part[0] == "old" else [self.value(part, walk, here)]
        return tuple(parts) if tag == "tuple" else parts


def divided(op: str, left: Fraction, right: Fraction) -> Fraction:
    """1/right, left % right or left // right."""
    if right <= 0:
        raise NoWay(f"{right} stands in a denominator")
    return left / right if op == "/" else left % right if op == "%" else Fraction(left // right)


def leaves(trees: Mapping[str, Node]) -> Iterator[str]:
    """The names of all leaves, as the kernel has them."""
    for root, tree in trees.items():
        todo: list[tuple[str, Node]] = [(f"{root}:", tree)]
        while todo:
            place, node = todo.pop()
            if "test" in node:
                todo += [(place + "n", node["no"]), (place + "y", node["yes"])]
            elif "then" in node:
                todo.append((place, node["then"]))
            else:
                yield place
