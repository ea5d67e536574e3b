"""The steps of several ways through a program as a tree, and what a turn of a loop has changed."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dpwitness.core.mechanism import Mechanism
from dpwitness.proofs.composition.state import Env, State
from dpwitness.proofs.composition.values import Helper, Listing, Number, Value
from dpwitness.proofs.kernel.algebra.laurent import Poly

Steps = list[Any]


@dataclass
class Leaf:
    """A way through the program: how it goes on ("next", "return", "break", "continue"), its state and its steps."""

    kind: str
    state: State
    out: Steps
    value: Value = None
    line: int | None = None


@dataclass(frozen=True)
class Reading:
    """What was read of a program: inputs and steps as certificates have them, and the mechanisms that it runs."""

    inputs: Mapping[str, Any]
    steps: Steps
    parts: Sequence[tuple[str, Mechanism, Mapping[str, Poly], int]]
    burnt: bool  # whether a selection used its noise up
    lines: Mapping[int, int | None]  # by identity of a step: the line of the program that it comes from


def is_used(node: ast.For) -> bool:
    """Whether the target of a loop is looked at, or the loop is left early."""
    names = {x.id for x in ast.walk(node.target) if isinstance(x, ast.Name)}
    inside = [x for statement in node.body for x in ast.walk(statement)]
    used = any(isinstance(x, ast.Name) and x.id in names for x in inside)
    return used or bool(node.orelse) or any(isinstance(x, ast.Break | ast.Return) for x in inside)


def differences(one: Env, two: Env, names: set[str]) -> dict[str, Poly] | None:
    """What a turn made of the numbers called `names`; None where it changed anything else."""
    values: dict[str, Poly] = {}
    there: dict[int, int] = {}  # which list took the place of which: two names of one list stay two names of one
    back: dict[int, int] = {}

    def same(a: Value, b: Value) -> bool:
        if isinstance(a, Number) and isinstance(b, Number):
            symbols = a.form.symbols()
            symbol = next(iter(symbols)) if len(symbols) == 1 else ""
            if symbol in names and a.form == Poly.symbol(symbol) and not b.form.private:
                return values.setdefault(symbol, b.form) == b.form
            return a.form == b.form and not any(
                s in names and values.get(s, Poly.symbol(s)) != Poly.symbol(s) for s in symbols
            )
        if type(a) is not type(b):
            return False
        if isinstance(a, Helper):
            if id(a.env) in there or id(b.env) in back:
                return a == b and there.get(id(a.env)) == id(b.env)
            there[id(a.env)], back[id(b.env)] = id(b.env), id(a.env)
            return a == b and all(name in b.env and same(value, b.env[name]) for name, value in a.env.items())
        if isinstance(a, Listing):
            if id(a) in there or id(b) in back:
                return there.get(id(a)) == id(b) and back.get(id(b)) == id(a)
            there[id(a)], back[id(b)] = id(b), id(a)
            return a.kind == b.kind and len(a.items) == len(b.items) and all(map(same, a.items, b.items))
        return bool(a == b)

    return values if all(name in two and same(value, two[name]) for name, value in one.items()) else None


def grow(traces: list[tuple[Steps, Leaf]], out: Steps, depth: int = 0) -> list[Leaf]:
    """The steps of several runs as a tree: each fork has a list for each of its ways."""
    first = traces[0][0]
    place = next((k for k in range(depth, len(first)) if first[k][0] == "?"), None)
    if place is None:
        out += first[depth:]
        traces[0][1].out = out
        return [traces[0][1]]
    out += first[depth:place]
    _, header, ways, _ = first[place]
    lists: list[Steps] = [[] for _ in range(ways)]
    out.append([*header, *lists] if header[0] == "if" else [*header, lists])
    found = []
    for way, branch in enumerate(lists):
        part = [trace for trace in traces if trace[0][place][3] == way]
        found += grow(part, branch, place + 1)
    return found


__all__ = ["Leaf", "Reading", "Steps", "differences", "grow", "is_used"]
