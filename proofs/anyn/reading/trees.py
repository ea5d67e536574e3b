"""Decision trees from runs: the runs of one piece of a program, put together at the tests where they part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dpwitness.proofs.anyn.reading.numbers import Number
from dpwitness.proofs.anyn.reading.values import Drawn, Event, Listing, Old, Read, Test, Value
from dpwitness.proofs.kernel.algebra.laurent import to_json

Tree = dict[str, Any]


def grow(root: str, runs: Sequence[tuple[Sequence[Event], Tree]]) -> tuple[Tree, list[str]]:
    """The tree of all runs from a root, and the name of each run's leaf.

    Runs fork by replay, so that two of them agree up to a test that one answers with yes and the other with no. That
    both answers occur is seen by `dpwitness.proofs.kernel.loops.trees`, which refuses a test with one branch.
    """
    top: Tree = {}
    places = []
    for events, leaf in runs:
        at, place = top, f"{root}:"
        for event in events:
            made = _node(event)
            branch = "then"
            if isinstance(event, Test):
                branch = "yes" if event.outcome else "no"
                place += branch[0]
            for key, value in made.items():
                if at.setdefault(key, value) != value:
                    raise AssertionError("two runs of one piece differ before they part")
            at = at.setdefault(branch, {})
        if at:
            raise AssertionError("two runs of one piece end at one leaf")
        at.update(leaf)
        places.append(place)
    return top, places


def _node(event: Event) -> Tree:
    if isinstance(event, Test):
        return {"test": to_json(event.poly), "is": event.op}
    if isinstance(event, Drawn):
        return {"draw": event.law, "rate": to_json(event.rate)}
    if isinstance(event, Read):
        return {"read": to_json(event.index)}
    return {"let": event.op, "left": to_json(event.left), "right": to_json(event.right)}


def leaf_json(
    output: Value, head: str | None = None, updates: Mapping[str, Number] | None = None, lists: Sequence[Listing] = ()
) -> Tree:
    """A leaf that arrives at a loop head, or that returns."""
    if head is None:
        return {"return": value_json(output)}
    made = {s: [number.kind, to_json(number.poly)] for s, number in sorted((updates or {}).items())}
    return {"to": head, "set": made, "lists": [value_json(part)[1] for part in lists]}


def value_json(value: Value | Old) -> list[Any]:
    """A value as it stands in a certificate."""
    if value is None:
        return ["none"]
    if isinstance(value, bool):
        return ["bool", value]
    if isinstance(value, str):
        return ["text", value]
    if isinstance(value, Old):
        return ["old", value.index]
    if isinstance(value, tuple):
        return ["tuple", [value_json(part) for part in value]]
    if isinstance(value, Listing):
        return ["list", [value_json(part) for part in value.parts]]
    if not isinstance(value, Number):
        raise AssertionError(f"{value!r} cannot be part of an output")
    constant = value.python()
    if constant is None:
        return ["number", value.kind, to_json(value.poly)]
    return ["int", str(constant)] if isinstance(constant, int) else ["float", repr(constant)]
