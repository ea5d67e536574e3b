"""Loops over queries as transitions between loop heads, and what is known of their public variables.

A program is given as a decision tree for the start and for every loop head (`loop_trees`); each path to a leaf is a
*transition* between *nodes* (loop heads). The public side of a proof states domains of the
parameters, which public variables are whole or positive, invariants of every node (kept by every transition, by Farkas
multipliers), and which transitions are impossible. `loop_shifts` builds the privacy proof on this.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dpwitness.proofs.kernel.algebra.laurent import Monomial, Poly, from_json, monomial
from dpwitness.proofs.kernel.arith import Rejected, number
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.loops.trees import END, FAIL, QUERIES, START, Let, Step, merged, read_program

__all__ = ["END", "FAIL", "QUERIES", "START", "Domains", "Loops", "Step", "read_domains"]


@dataclass
class Domains:
    """Facts about the parameters: polynomials that are ≥ 0 (or > 0), symbols that are > 0, symbols that are whole."""

    facts: list[Poly] = field(default_factory=list)
    positive: set[str] = field(default_factory=set)
    whole: set[str] = field(default_factory=set)
    strict: list[Poly] = field(default_factory=list)

    def sure(self, poly: Poly) -> bool:
        """Whether poly ≥ 0 because every term is."""
        return all(c >= 0 and self.signed(m) for m, c in poly.terms.items())

    def surely_positive(self, poly: Poly) -> bool:
        """Whether poly > 0: every term is, or it is a positive multiple of a strict bound."""
        if poly and self.sure(poly):
            return True
        for fact in self.strict:
            mono = next(iter(fact.terms))
            ratio = poly.terms.get(mono, Fraction(0)) / fact.terms[mono]
            if ratio > 0 and poly == fact * ratio:
                return True
        return False

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
            if key != "least":
                known.strict.append(known.facts[-1])
            if (key == "above" and limit >= 0) or (key == "least" and limit > 0):
                known.positive.add(name)
    return known


class Loops:
    """The program's transitions with their public side: domains, whole and positive variables, invariants."""

    def __init__(self, certificate: Mapping[str, Any]) -> None:
        program = read_program(certificate["model"])
        self.known = read_domains(program.params)
        self.params = {*program.params, QUERIES, *(let.symbol for let in program.atoms)}
        self.nodes = program.nodes
        self.counters = {int(loop): symbol for loop, symbol in certificate["counters"].items()}
        self.invariant = {n: [from_json(p) for p in certificate["invariant"].get(n, [])] for n in self.nodes}
        self.steps = program.steps
        self._check_entries(certificate)
        self._check_kinds(set(certificate["whole"]), set(certificate["positive"]))
        self._check_divisors([*program.atoms, *(let for step in self.steps for let in step.lets)])
        self.steps = self._live(certificate)
        self._check_invariant(certificate["kept"])
        rates = certificate["rates"]
        for step in self.steps:
            for draw in step.draws:
                if not draw.rate:
                    raise Rejected(f"{draw.symbol} has no finite scale")
                if not self.known.sure(draw.rate):
                    what = f"the scale of {draw.symbol} is positive"
                    self.farkas(step, draw.rate, rates[step.place][draw.symbol], what)

    @property
    def whole(self) -> bool:
        """Whether some draw is integer-valued, so that the answers must be whole numbers."""
        return any(step.whole for step in self.steps)

    def _live(self, certificate: Mapping[str, Any]) -> tuple[Step, ...]:
        """The transitions that are not shown impossible, merged where the certificate says so."""
        steps = []
        for step in self.steps:
            if step.place in certificate["dead"]:
                self._check_dead(step, certificate["dead"][step.place])
            elif step.target == FAIL:
                raise Rejected(f"{step.place}: the program fails here, and this was not shown impossible")
            else:
                steps.append(step)
        if type(certificate["merged"]) is not bool:
            raise Rejected("merged is true or false")
        return merged(tuple(steps)) if certificate["merged"] else tuple(steps)

    def _check_entries(self, certificate: Mapping[str, Any]) -> None:
        """Nothing may be listed for a node, a loop or a transition that is not there: it would not be read."""
        steps = {step.place for step in self.steps}
        if not set(certificate["invariant"]) <= set(self.nodes):
            raise Rejected("an invariant of an unknown node")
        if any(not set(certificate[name]) <= steps for name in ("kept", "dead", "rates")):
            raise Rejected("a proof about an unknown transition")
        for loop, symbol in self.counters.items():
            if not any(node.loop == loop and symbol in node.public for node in self.nodes.values()):
                raise Rejected(f"{symbol} does not count the loop {loop}")

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

    def _check_divisors(self, lets: Sequence[Let]) -> None:
        for let in lets:
            if not self.known.surely_positive(let.right):
                raise Rejected(f"{let.right} stands in a denominator and is not known to be positive")

    def rows(self, step: Step) -> dict[str, Poly]:
        """The polynomials that are ≥ 0 whenever a transition is taken, by name."""
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

    def _check_dead(self, step: Step, proof: Any) -> None:
        """Check Σ λ · μ · Π rows = −1, or = 0 where a row that is > 0 occurs: there is no such path."""
        rows = self.rows(step)
        strict = {f"g{k}" for k, (p, is_strict) in enumerate(step.public) if is_strict and not self.known.integral(p)}
        for k, answer in enumerate(step.sides[0]):
            rows[f"p{k}"] = answer.poly if answer.outcome else -answer.poly
            strict |= set() if answer.outcome else {f"p{k}"}
        left = self.combination(rows, proof, f"{step.place} is impossible")
        alone = any(len(names) == 1 and names[0] in strict and number(value) > 0 for _, names, value in proof)
        if left != Poly.constant(-1) and (left or not alone):
            raise Rejected(f"{step.place} is impossible: the multipliers give {left}")

    def combination(self, rows: Mapping[str, Poly], proof: Any, what: str) -> Poly:
        """Σ λ · μ · Π rows of a proof, with λ ≥ 0 and positive monomials μ."""
        if not isinstance(proof, Sequence) or len(proof) > 200:
            raise Rejected(f"{what}: no list of multipliers")
        total = Poly()
        for weight, names, factor in proof:
            mono, value = monomial(weight), number(factor)
            if value < 0 or not self.known.signed(mono) or len(names) > 3:
                raise Rejected(f"{what}: a multiplier is negative or not known to be positive")
            part = Poly.term(mono, value)
            for name in names:
                part = part * rows[name]
            total = total + part
        return total

    def farkas(self, where: Step | str, target: Poly, proof: object, what: str) -> None:
        """Check target = Σ λ · μ · Π rows with λ ≥ 0 and positive monomials μ, on a transition or at a node."""
        rows = self.rows(where) if isinstance(where, Step) else self.rows_at(where)
        left = target - self.combination(rows, proof, what)
        if left:
            raise Rejected(f"{what}: the multipliers leave {left}")

    def _check_invariant(self, kept: Mapping[str, Any]) -> None:
        for step in self.steps:
            for k, wanted in enumerate(self.invariant.get(step.target, [])):
                if not all(s in self.params or s in self.nodes[step.target].public for s in wanted.symbols()):
                    raise Rejected(f"the invariant {wanted} uses a symbol that is not a public variable")
                proof = kept[step.place][k]
                self.farkas(step, wanted.substitute(step.updates), proof, f"{step.place} keeps {wanted} >= 0")

    def one_read_a_step(self) -> None:
        """Check that within a loop no query is read twice: reads are at a counter that then advances."""
        for step in self.steps:
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
