"""Certificates of chains and of functions of vectors, changed part by part: what is still accepted must be true.

Laws of chains are computed by walking them for many rounds, in floats, without the kernel's equations.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from typing import Any

import pytest
from tests.proofs.kernel.test_chains import PROOF, VIOLATION

import dpwitness as dpw
from dpwitness import Box, Records
from dpwitness.core.numbers import exact
from dpwitness.proofs.kernel.check import examine

ROUNDS = 400
VALUES = ["0", "1", "2", "-1", "1/2", "1e3", 0, 1, [], ["1"], {"1": "1"}, {"-1": "1"}, {"0": "3"}, "o0", "o1", "n0",
          "x", "c0", None, True, [["1"], ["1"]]]  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every part of a certificate but its type and its inputs."""
    if path:
        yield path
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, part in entries:
        if name not in ("type", "space", "inputs", "about", "box"):
            yield from places(part, (*path, name))


def changed(certificate: Any, path: tuple[Any, ...], new: Any) -> Any:
    made = copy.deepcopy(certificate)
    part = made
    for name in path[:-1]:
        part = part[name]
    part[path[-1]] = new
    return made


def weight(stated: Any) -> float:
    if isinstance(stated, dict):
        return sum(float(exact(c)) * math.exp(float(exact(r))) for r, c in stated.items())
    return float(exact(stated))


def law(certificate: Any, chain: int) -> dict[int, float]:
    """The chances of the outputs, by walking."""
    trees = certificate["chains"][chain]
    at, found = {0: 1.0}, dict.fromkeys(range(len(certificate["outputs"])), 0.0)
    for _ in range(ROUNDS):
        after: dict[int, float] = {}
        todo = [(trees[state], mass) for state, mass in at.items()]
        while todo:
            tree, mass = todo.pop()
            if isinstance(tree, list):
                weights = [weight(w) for w in certificate["choices"][int(tree[0][1:])]]
                todo += [(way, mass * w / sum(weights)) for way, w in zip(tree[1:], weights, strict=True) if way != "x"]
            elif tree[0] == "o":
                found[int(tree[1:])] += mass
            else:
                after[int(tree[1:])] = after.get(int(tree[1:]), 0.0) + mass
        at = after
    assert sum(at.values()) < 1e-9
    return found


def excess(certificate: Any, left: int, right: int, event: Any = None) -> float:
    """How far the two laws go beyond the claim."""
    p, q = law(certificate, left), law(certificate, right)
    try:
        most = math.exp(float(exact(certificate["epsilon"])))
    except OverflowError:
        return -1.0
    gaps = [p[i] - most * q[i] for i in (p if event is None else event)]
    total = sum(gaps) if event is not None else sum(gap for gap in gaps if gap > 0)
    return total - float(exact(certificate["delta"]))


@pytest.mark.parametrize("certificate", [PROOF, VIOLATION], ids=["proof", "violation"])
def test_a_changed_chain_that_is_accepted_is_true(certificate: Any) -> None:
    accepted = 0
    for path in places(certificate):
        for new in VALUES:
            made = changed(certificate, path, new)
            if made == certificate or not examine(made):
                continue
            accepted += 1
            if certificate is PROOF:
                one, two = made["use"]
                assert max(excess(made, one, two), excess(made, two, one)) <= 1e-9, (path, new)
            else:
                assert excess(made, 0, 1, made["event"]) > -1e-9, (path, new)
    assert accepted >= 5


def test_a_changed_certificate_of_a_function_of_vectors_does_not_promise_less() -> None:
    found = dpw.sensitivity(
        ["sum(r[0] for r in x)", "sum(r[1] for r in x)"], Records(Box((0, 3), (0, 4)), 3, "add-remove"), "l2", n="any"
    )
    certificate = dict(found.certificate)
    accepted = []
    for path in places(certificate):
        for new in [*VALUES, "3", "4", "5", "l1", "l2", "linf", "substitute", "n", "5/2"]:
            made = changed(certificate, path, new)
            checked = examine(made) if made != certificate else None
            if checked:
                accepted.append((path, checked.statement))
    for path, statement in accepted:
        if "sum(x[i] for i in range(n)); coordinate 1: sum(x[i] for i in range(n))" in statement:
            bound = statement.partition("sensitivity at most every n >= ")[2].partition(": ")[2].partition(";")[0]
            assert eval_bound(bound) >= 5 - 1e-9 or path[0] == "norm", (path, statement)


def eval_bound(text: str) -> float:
    """``sqrt((3)**2 + (4)**2)``."""
    parts = text.removeprefix("sqrt(").removesuffix(")").split(" + ")
    return math.sqrt(sum(float(exact(part.strip("()").replace(")**2", ""))) ** 2 for part in parts))
