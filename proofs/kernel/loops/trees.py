"""Programs with loops as decision trees: one tree for the start and one for every loop head.

A node of a tree is an object of one of these kinds::

    {"test": p, "is": ">=" | "==", "yes": tree, "no": tree}    is p >= 0 (or p = 0)?
    {"draw": law, "rate": p, "then": tree}                     ~k, the k-th draw of the path, of scale 1/p
    {"read": p, "then": tree}                                  ?k, the answer at the public place p
    {"let": "/" | "%" | "//", "left": p, "right": p, "then": tree}    @tk, or @+tk for 1/right
    {"to": head, "set": {variable: [kind, p]}, "lists": [[part, ...], ...]}   the leaf arrives at a loop head
    {"return": value}                                          the leaf returns
    {"fail": reason}                                           the program raises

Both answers to a test stand in the tree, so that no branch can be left out. Variables of the head stand for their
values when it was reached. A value is ``["none"]``, ``["bool", true]``, ``["text", t]``, ``["int", "3"]``,
``["float", "0.5"]``, ``["number", kind, p]``, ``["tuple", [values]]`` or ``["list", [parts]]``; a part of a list is a
value or ``["old", k]``, all of the k-th list of the head. Whatever enters a list counts as released.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from dpwitness.proofs.kernel.algebra.laurent import Poly, from_json
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.check import fields

START, END, FAIL = "start", "end", "fail"
QUERIES = "#n"
LAWS = ("laplace", "exponential", "discrete_laplace")
PUBLIC_KINDS = ("int", "param", "exact", "float", "mixed")
PRIVATE_KINDS = ("data", "real", "blend")
"""How Python computes a number. ``int``: as an int; ``param``: as a rational; ``exact``: as one of these two;
``float``; ``mixed``: in one of these ways. ``data``: from answers, integer-valued draws and ints by adding and
multiplying; ``real``: as a float, from draws or answers; ``blend``: from draws or answers in some way."""
MAX_NODES, MAX_DEPTH = 20_000, 300


class Draw(NamedTuple):
    """A draw: its symbol, 1/scale, and its law."""

    symbol: str
    rate: Poly
    kind: str


class Let(NamedTuple):
    """A public number with its definition: 1/right, left % right or left // right."""

    symbol: str
    op: str
    left: Poly
    right: Poly


class Answer(NamedTuple):
    """The outcome of a test whether a number that depends on the data or on draws is ≥ 0."""

    poly: Poly
    outcome: bool


@dataclass(frozen=True)
class Node:
    """A loop head: which loop, the numbers that live there (equal in both runs, or not), and how many lists."""

    loop: int
    public: tuple[str, ...]
    private: tuple[str, ...]
    lists: int = 0


@dataclass(frozen=True)
class Step:
    """A transition: one path from a root to a leaf.

    Attributes
    ----------
    place
        The name of the leaf: the root, and the answers on the way; of merged leaves, that of the first one.
    public
        Pairs (polynomial, strict) that are ≥ 0 (> 0) on the path.
    sides
        The private tests with their outcomes: one set, or several where leaves of the same effect were merged.
    leaf
        The leaf as it stands in the certificate.
    also
        The names of the other leaves that were merged.
    """

    place: str
    source: str
    target: str = FAIL
    public: tuple[tuple[Poly, bool], ...] = ()
    sides: tuple[tuple[Answer, ...], ...] = ((),)
    draws: tuple[Draw, ...] = ()
    reads: tuple[Poly, ...] = ()
    lets: tuple[Let, ...] = ()
    updates: Mapping[str, Poly] = field(default_factory=dict)
    released: tuple[Poly, ...] = ()
    leaf: Mapping[str, Any] = field(default_factory=dict)
    unequal: tuple[Poly, ...] = ()
    also: tuple[str, ...] = ()

    @property
    def guards(self) -> tuple[Poly, ...]:
        """What must not decrease, so that every private test comes out the same."""
        return tuple(dict.fromkeys(a.poly if a.outcome else -a.poly for side in self.sides for a in side))

    def all_guards(self) -> list[Poly]:
        """The guards, with those that one-sided noise adds."""
        return [*self.guards, *(Poly.symbol(d.symbol) for d in self.draws if d.kind == "exponential")]

    @property
    def whole(self) -> set[str]:
        """The integer-valued draws."""
        return {d.symbol for d in self.draws if d.kind == "discrete_laplace"}


@dataclass(frozen=True)
class Program:
    """The model of a certificate, as read: heads, atoms, and the transitions that the trees give."""

    params: Mapping[str, Any]
    atoms: tuple[Let, ...]
    nodes: dict[str, Node]
    steps: tuple[Step, ...]


def read_program(model: object) -> Program:
    """Read the model of a certificate."""
    params, atoms_json, heads, trees = fields(model, "params", "atoms", "heads", "trees")
    if not isinstance(heads, Mapping) or not isinstance(trees, Mapping) or set(trees) != {START, *heads}:
        raise Rejected("a tree is needed for the start and for every loop head")
    if END in heads or FAIL in heads or START in heads:
        raise Rejected("a loop head must not be called start, end or fail")
    fixed = {*params, QUERIES}
    atoms: list[Let] = []
    for k, (op, left, right) in enumerate(atoms_json):
        atoms.append(_let(f"{k}", op, left, right, fixed))
        fixed = {*fixed, atoms[-1].symbol}
    nodes = {}
    for name, entry in heads.items():
        loop, public, private, lists = fields(entry, "loop", "public", "private", "lists")
        if type(loop) is not int or type(lists) is not int or lists < 0:
            raise Rejected("loops and lists are counted")
        nodes[name] = Node(loop, tuple(public), tuple(private), lists)
        if any(s[0] not in "$#" or s == QUERIES for s in public) or any(s[0] != "%" for s in private):
            raise Rejected("a variable with the wrong kind of name")
        if len({*public, *private}) != len(public) + len(private):
            raise Rejected("a variable is named twice")
    reader = _Reader(nodes, fixed)
    steps = [step for root in (START, *sorted(heads)) for step in reader.leaves(root, trees[root])]
    return Program(params, tuple(atoms), nodes, tuple(steps))


def _let(name: str, op: str, left: object, right: object, here: set[str]) -> Let:
    if op not in ("/", "%", "//"):
        raise Rejected(f"the operation {op!r}")
    made = Let(f"@{'+' * (op == '/')}{name}", op, from_json(left), from_json(right))
    if not made.left.symbols() | made.right.symbols() <= here or made.left.private or made.right.private:
        raise Rejected("a public number is defined by something that is not public")
    if op == "/" and made.left != Poly.constant(1):
        raise Rejected("an inverse has the numerator 1")
    return made


class _Reader:
    """Walks through trees and collects what holds and happens on the way to every leaf."""

    def __init__(self, nodes: Mapping[str, Node], fixed: set[str]) -> None:
        self.nodes, self.fixed = nodes, fixed
        self.count = 0

    def leaves(self, root: str, tree: object) -> Iterator[Step]:
        here = set(self.fixed)
        if root != START:
            here |= {*self.nodes[root].public, *self.nodes[root].private}
        todo: list[tuple[object, Step, set[str], int]] = [(tree, Step(f"{root}:", root), here, 0)]
        while todo:
            node, step, here, depth = todo.pop()
            self.count += 1
            if self.count > MAX_NODES or depth > MAX_DEPTH:
                raise Rejected("a decision tree that is too large")
            if not isinstance(node, Mapping):
                raise Rejected("a decision tree is an object")
            if "test" in node:
                no, yes = self.test(node, step, here)
                todo += [(no[0], no[1], here, depth + 1), (yes[0], yes[1], here, depth + 1)]
            elif "then" in node:
                inner, after, symbol = self.one(node, step, here)
                todo.append((inner, after, {*here, symbol}, depth + 1))
            else:
                yield self.leaf(node, step, here)

    def poly(self, data: object, here: set[str], *, public: bool) -> Poly:
        poly = from_json(data)
        if not poly.symbols() <= here:
            raise Rejected(f"a tree uses a symbol that is not defined there: {poly}")
        if public and poly.private:
            raise Rejected("a public part of a tree depends on private values")
        return poly

    def test(self, node: Mapping[str, Any], step: Step, here: set[str]) -> tuple[tuple[object, Step], ...]:
        data, op, yes, no = fields(node, "test", "is", "yes", "no")
        poly = self.poly(data, here, public=False)
        if op not in (">=", "=="):
            raise Rejected(f"the test {op!r}")
        if poly.private:
            poly.linear()
            if op == "==":
                raise Rejected("a private value is tested for equality")
            (side,) = step.sides
            ways = tuple(replace(step, sides=((*side, Answer(poly, outcome)),)) for outcome in (False, True))
        elif op == ">=":
            strict = poly in step.unequal or -poly in step.unequal
            ways = (
                replace(step, public=(*step.public, (-poly, True))),
                replace(step, public=(*step.public, (poly, strict))),
            )
        else:
            ways = (
                replace(step, unequal=(*step.unequal, poly)),
                replace(step, public=(*step.public, (poly, False), (-poly, False))),
            )
        return (no, replace(ways[0], place=step.place + "n")), (yes, replace(ways[1], place=step.place + "y"))

    def one(self, node: Mapping[str, Any], step: Step, here: set[str]) -> tuple[object, Step, str]:
        """A node with one successor: a draw, a read, or a definition."""
        if "draw" in node:
            kind, data, then = fields(node, "draw", "rate", "then")
            if kind not in LAWS:
                raise Rejected(f"a draw of kind {str(kind)[:40]!r}")
            draw = Draw(f"~{len(step.draws)}", self.poly(data, here, public=True), kind)
            return then, replace(step, draws=(*step.draws, draw)), draw.symbol
        if "read" in node:
            data, then = fields(node, "read", "then")
            index = self.poly(data, here, public=True)
            return then, replace(step, reads=(*step.reads, index)), f"?{len(step.reads)}"
        op, left, right, then = fields(node, "let", "left", "right", "then")
        made = _let(f"t{len(step.lets)}", op, left, right, here)
        return then, replace(step, lets=(*step.lets, made)), made.symbol

    def leaf(self, node: Mapping[str, Any], step: Step, here: set[str]) -> Step:
        released: list[Poly] = []
        old = 0 if step.source == START else self.nodes[step.source].lists
        if "return" in node:
            (value,) = fields(node, "return")
            self.value(value, here, old, released)
            return replace(step, target=END, released=tuple(dict.fromkeys(released)), leaf=node)
        if "fail" in node:
            fields(node, "fail")
            return replace(step, target=FAIL, leaf=node)
        target, updates_json, lists = fields(node, "to", "set", "lists")
        head = self.nodes.get(target)
        if head is None or set(updates_json) != {*head.public, *head.private} or len(lists) != head.lists:
            raise Rejected("a leaf must set exactly the variables and lists of the head that it reaches")
        updates = {}
        for s, (kind, data) in updates_json.items():
            updates[s] = self.poly(data, here, public=s in head.public)
            updates[s].linear()
            self.kind(kind, updates[s])
        for parts in lists:
            self.value(["list", parts], here, old, released)
        return replace(step, target=target, updates=updates, released=tuple(dict.fromkeys(released)), leaf=node)

    def kind(self, kind: object, poly: Poly) -> None:
        if kind not in PRIVATE_KINDS and (kind not in PUBLIC_KINDS or poly.private):
            raise Rejected(f"a number of kind {str(kind)[:40]!r}")

    def value(self, data: Any, here: set[str], old: int, released: list[Poly]) -> None:
        """Check a value and collect the private numbers in it."""
        tag, *rest = data
        if tag in ("tuple", "list"):
            for part in rest[0]:
                if tag == "list" and part[0] == "old":
                    if type(part[1]) is not int or not 0 <= part[1] < old or len(part) != 2:
                        raise Rejected("a list that is not there")
                else:
                    self.value(part, here, old, released)
        elif tag == "number":
            kind, poly_json = rest
            poly = self.poly(poly_json, here, public=False)
            self.kind(kind, poly)
            if poly.private:
                poly.linear()
                released.append(poly)
        elif not _constant(tag, rest):
            raise Rejected("a value of an unknown kind")


def _constant(tag: object, rest: list[Any]) -> bool:
    if tag == "none":
        return not rest
    (value,) = rest
    if tag == "bool":
        return type(value) is bool
    if not isinstance(value, str):
        return False
    if tag == "int":
        return str(int(value)) == value
    if tag == "float":
        return repr(float(value)) == value
    return tag == "text"


def merged(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """The transitions with those of the same effect merged, where tests can then be forgotten.

    Let {A} be the runs that give the answers A. The answer "no" to a test may be left out of A where another leaf of
    the same effect has answers B that are part of A with "yes" in its place: {A without the test} is the union of {A}
    and a part of {B}. All merged leaves share their shifts, so every test that is left must come out the same.
    """
    groups: dict[object, list[Step]] = {}
    for step in steps:
        groups.setdefault(_effect(step), []).append(step)
    result: list[Step] = []
    for group in groups.values():
        result += _merge(group) if len(group) > 1 else group
    return tuple(result)


def _effect(step: Step) -> object:
    """Everything about a transition but its private tests. Where Python may give equal numbers of different types, or
    floats that differ by rounding, the effect is that of this leaf alone: an observer could tell which path was taken.
    """
    kinds = {kind for kind, _ in step.leaf.get("set", {}).values()}
    for value in [step.leaf.get("return"), *(part for parts in step.leaf.get("lists", ()) for part in parts)]:
        kinds |= _kinds(value)
    if not kinds <= {"int", "param", "data", "real"}:
        return step.place
    leaf = json.dumps(step.leaf, sort_keys=True)
    return step.source, frozenset(step.public), frozenset(step.unequal), step.draws, step.reads, step.lets, leaf


def _kinds(value: Any) -> set[str]:
    if value is None or value[0] not in ("number", "tuple", "list"):
        return set()
    return {value[1]} if value[0] == "number" else {kind for part in value[1] for kind in _kinds(part)}


def _merge(group: list[Step]) -> list[Step]:
    """One transition for the union where tests can be forgotten; else the group as it is."""
    sides = [set(step.sides[0]) for step in group]
    before = sum(map(len, sides))
    changed = True
    while changed:
        changed = False
        for k, answers in enumerate(sides):
            for answer in sorted(answers, key=str):
                opposite = (answers - {answer}) | {Answer(answer.poly, not answer.outcome)}
                if any(j != k and other <= opposite for j, other in enumerate(sides)):
                    answers.discard(answer)
                    changed = True
    if sum(map(len, sides)) == before:
        return group
    kept = tuple(tuple(sorted(side, key=str)) for side in sides)
    return [replace(group[0], sides=kept, also=tuple(step.place for step in group[1:]))]
