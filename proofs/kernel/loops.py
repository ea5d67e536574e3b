"""Loops over queries as transitions between loop heads, and what is known of their public variables.

A program is given as *transitions* between *nodes* (loop heads). The public side of a proof states domains of the
parameters, which public variables are whole or positive, invariants of every node (kept by every transition, by Farkas
multipliers), and which transitions are impossible. `loop_shifts` builds the privacy proof on this.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dpwitness.proofs.kernel.arith import Rejected, number
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.laurent import Monomial, Poly, from_json, monomial

START, END, FAIL = "start", "end", "fail"
QUERIES = "#n"


@dataclass
class Domains:
    """Facts about the parameters: polynomials that are ≥ 0, symbols that are > 0, symbols that are whole."""

    facts: list[Poly] = field(default_factory=list)
    positive: set[str] = field(default_factory=set)
    whole: set[str] = field(default_factory=set)

    def sure(self, poly: Poly) -> bool:
        """Whether poly ≥ 0 because every term is."""
        return all(c >= 0 and self.signed(m) for m, c in poly.terms.items())

    def signed(self, mono: Monomial) -> bool:
        """Whether a monomial is positive because every symbol in it is."""
        return all(s in self.positive or s.startswith("@+") for s, _ in mono)

    def integral(self, poly: Poly) -> bool:
        """Whether the value is a whole number."""
        return all(c.denominator == 1 and all(p > 0 and s in self.whole for s, p in m) for m, c in poly.terms.items())


def read_domains(params: object) -> Domains:
    """The facts that declared domains give; there is at least one query (with none, neighbours are equal)."""
    known = Domains([Poly.symbol(QUERIES) - 1], {QUERIES}, {QUERIES})
    if not isinstance(params, Mapping):
        raise Rejected("params must be an object")
    for name in sorted(params):
        if not str(name).isidentifier():
            raise Rejected(f"{name!r} is not the name of a parameter")
        fields(params[name], optional=("whole", "above", "least", "below"))
        symbol = Poly.symbol(name)
        for key, value in sorted(params[name].items()):
            if key == "whole":
                if value is not True:
                    raise Rejected("whole is true or absent")
                known.whole.add(name)
                continue
            limit = number(value)
            known.facts.append(limit - symbol if key == "below" else symbol - limit)
            if (key == "above" and limit >= 0) or (key == "least" and limit > 0):
                known.positive.add(name)
    return known


@dataclass(frozen=True)
class Step:
    """A transition, as read from the certificate."""

    source: str
    target: str
    public: list[tuple[Poly, bool]]
    guards: list[Poly]
    draws: list[tuple[str, Poly]]
    whole: set[str]
    released: list[Poly]
    reads: list[Poly]
    updates: dict[str, Poly]


@dataclass(frozen=True)
class Node:
    """A loop head: which loop, and the variables that live there."""

    loop: int
    public: list[str]
    private: list[str]


def _step(data: object) -> Step:
    source, target, public, guards, draws, released, reads, updates = fields(
        data, "from", "to", "public", "private", "draws", "released", "reads", "set"
    )
    more = []
    for symbol, _, kind in draws:
        if kind not in ("laplace", "exponential", "discrete_laplace") or not symbol.startswith("~"):
            raise Rejected(f"a draw of kind {kind!r}")
        if kind == "exponential":
            more.append(Poly.symbol(symbol))
    return Step(
        source,
        target,
        [(from_json(p), bool(strict)) for p, strict in public],
        [from_json(p) for p in guards] + more,
        [(symbol, from_json(rate)) for symbol, rate, _ in draws],
        {symbol for symbol, _, kind in draws if kind == "discrete_laplace"},
        [from_json(p) for p in released],
        [from_json(p) for p in reads],
        {s: from_json(p) for s, p in updates.items()},
    )


class Loops:
    """The program's transitions with their public side: domains, whole and positive variables, invariants."""

    def __init__(self, certificate: Mapping[str, Any]) -> None:
        self.known = read_domains(certificate["params"])
        self.params = set(certificate["params"]) | {QUERIES}
        self.nodes = {n: Node(*fields(d, "loop", "public", "private")) for n, d in certificate["nodes"].items()}
        self.steps = [_step(d) for d in certificate["transitions"]]
        self.counters = {int(loop): symbol for loop, symbol in certificate["counters"].items()}
        self.invariant = {n: [from_json(p) for p in certificate["invariant"].get(n, [])] for n in self.nodes}
        self._check_entries(certificate)
        self._check_names()
        self._check_kinds(set(certificate["whole"]), set(certificate["positive"]))
        self.dead = {int(t) for t in certificate["dead"]}
        for t, proof in certificate["dead"].items():
            self.farkas(int(t), Poly.constant(-1), proof, "a dead transition")
        if any(s.target == FAIL for t, s in enumerate(self.steps) if t not in self.dead):
            raise Rejected("a transition on which the program fails was not shown impossible")
        self._check_invariant(certificate["kept"])
        rates = certificate["rates"]
        for t, step in self.live():
            for symbol, rate in step.draws:
                if not rate:
                    raise Rejected(f"{symbol} has no finite scale")
                if not self.known.sure(rate):
                    self.farkas(t, rate, rates[str(t)][symbol], f"the scale of {symbol} is positive")

    @property
    def whole(self) -> bool:
        """Whether some draw is integer-valued, so that the answers must be whole numbers."""
        return any(step.whole for _, step in self.live())

    def live(self) -> list[tuple[int, Step]]:
        """The transitions that were not shown impossible."""
        return [(t, s) for t, s in enumerate(self.steps) if t not in self.dead]

    def _check_entries(self, certificate: Mapping[str, Any]) -> None:
        """Nothing may be listed for a node, a loop or a transition that is not there: it would not be read."""
        steps = {str(t) for t in range(len(self.steps))}
        if not set(certificate["invariant"]) <= set(self.nodes):
            raise Rejected("an invariant of an unknown node")
        if any(not set(certificate[name]) <= steps for name in ("kept", "dead", "rates")):
            raise Rejected("a proof about an unknown transition")
        for loop, symbol in self.counters.items():
            if not any(node.loop == loop and symbol in node.public for node in self.nodes.values()):
                raise Rejected(f"{symbol} does not count the loop {loop}")

    def _check_names(self) -> None:
        for node in self.nodes.values():
            if any(s[0] not in "$#" or s == QUERIES for s in node.public) or any(s[0] != "%" for s in node.private):
                raise Rejected("a variable with the wrong kind of name")
        for step in self.steps:
            if step.source != START and step.source not in self.nodes:
                raise Rejected(f"unknown node {step.source!r}")
            here = set(self.params)
            if step.source != START:
                here |= set(self.nodes[step.source].public) | set(self.nodes[step.source].private)
            here |= {s for s, _ in step.draws} | {f"?{j}" for j in range(len(step.reads))}
            polys = [p for p, _ in step.public] + [r for _, r in step.draws] + step.reads
            if any(p.private for p in polys):
                raise Rejected("a public part of a transition depends on private values")
            for p in [*polys, *step.guards, *step.released, *step.updates.values()]:
                if not all(s in here or s[0] == "@" for s in p.symbols()):
                    raise Rejected(f"a transition uses a symbol that is not defined there: {p}")
            if step.target in self.nodes:
                node = self.nodes[step.target]
                if set(step.updates) != {*node.public, *node.private}:
                    raise Rejected("a transition must set exactly the variables of the node that it reaches")
                if any(step.updates[s].private for s in node.public):
                    raise Rejected("a public variable is set to a private value")
            elif step.target not in (END, FAIL) or step.updates:
                raise Rejected(f"unknown target {step.target!r}")
            if len({s for s, _ in step.draws}) != len(step.draws):
                raise Rejected("a draw is named twice")

    def _check_kinds(self, whole: set[str], positive: set[str]) -> None:
        states = {s for node in self.nodes.values() for s in node.public}
        if not whole | positive <= states:
            raise Rejected("only public variables can be whole or positive")
        self.known.whole |= whole
        self.known.positive |= positive
        for step in self.steps:
            for symbol, value in step.updates.items():
                if symbol in whole and not self.known.integral(value):
                    raise Rejected(f"{symbol} is not kept whole by {value}")
                if symbol in positive and not (value and self.known.sure(value)):
                    raise Rejected(f"{symbol} is not kept positive by {value}")

    def rows(self, t: int) -> dict[str, Poly]:
        """The polynomials that are ≥ 0 whenever transition `t` is taken, by name."""
        step = self.steps[t]
        found = self.rows_at(step.source)
        for k, (p, strict) in enumerate(step.public):
            found[f"g{k}"] = p - 1 if strict and self.known.integral(p) else p
        return found

    def rows_at(self, node: str) -> dict[str, Poly]:
        """The polynomials that are ≥ 0 whenever a node is reached: facts about parameters, and its invariant."""
        found = {f"f{k}": p for k, p in enumerate(self.known.facts)}
        if node != START:
            found |= {f"i{k}": p for k, p in enumerate(self.invariant[node])}
        return found

    def farkas(self, where: int | str, target: Poly, proof: object, what: str) -> None:
        """Check target = Σ λ · μ · Π rows with λ ≥ 0 and positive monomials μ, on a transition or at a node."""
        if not isinstance(proof, Sequence) or len(proof) > 200:
            raise Rejected(f"{what}: no list of multipliers")
        rows = self.rows(where) if isinstance(where, int) else self.rows_at(where)
        left = target
        for weight, names, factor in proof:
            mono, value = monomial(weight), number(factor)
            if value < 0 or not self.known.signed(mono) or len(names) > 3:
                raise Rejected(f"{what}: a multiplier is negative or not known to be positive")
            part = Poly.term(mono, value)
            for name in names:
                part = part * rows[name]
            left = left - part
        if left:
            raise Rejected(f"{what}: the multipliers leave {left}")

    def _check_invariant(self, kept: Mapping[str, Any]) -> None:
        for t, step in self.live():
            for k, wanted in enumerate(self.invariant.get(step.target, [])):
                if not all(s in self.params or s in self.nodes[step.target].public for s in wanted.symbols()):
                    raise Rejected(f"the invariant {wanted} uses a symbol that is not a public variable")
                proof = kept[str(t)][k]
                self.farkas(t, wanted.substitute(step.updates), proof, f"transition {t} keeps {wanted} >= 0")

    def one_read_a_step(self) -> None:
        """Check that within a loop no query is read twice: reads are at a counter that then advances."""
        for _, step in self.live():
            if step.source == START:
                if step.reads:
                    raise Rejected("a query is read before the loop")
                continue
            loop = self.nodes[step.source].loop
            counter = self.counters.get(loop)
            if not step.reads and counter is None:
                continue
            if counter is None or counter not in self.nodes[step.source].public or len(step.reads) > 1:
                raise Rejected("several queries are read in one step, or none is counted")
            now = Poly.symbol(counter)
            if step.reads and step.reads[0] != now:
                raise Rejected("a query is read at an index that is not the loop's counter")
            if step.target in self.nodes and self.nodes[step.target].loop == loop:
                after = step.updates.get(counter)
                if after != now + 1 and (step.reads or after != now):
                    raise Rejected("the counter does not advance by one")
