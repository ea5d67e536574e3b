"""Certificates about released numbers, made by hand, and how far their numbers move, computed without the kernel."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import floor
from typing import Any

F = Fraction
RELATION = {"all": "linf", "one": "one", "l1": "l1", "l2": "l2", "listed": "one"}


def output(numbers: int) -> list[Any]:
    return ["slot"] if numbers == 1 else ["list", *(["slot"] for _ in range(numbers))]


def model(laws: Sequence[Any], rows: list[list[str]]) -> dict[str, Any]:
    return {"output": output(len(laws)), "laws": list(laws), "rows": rows, "offsets": ["0"] * len(laws)}


def noise(laws: Sequence[Any], kind: str, by: Sequence[Any], guarantee: dict[str, str]) -> dict[str, Any]:
    """Number i moves by `by[i]` where its answer moves by 1; ``"listed"``: `by[j][i]` where answer j moves by 1."""
    if kind == "listed":
        rows = [[str(column[i]) for column in by] for i in range(len(laws))]
    else:
        rows = [[str(size) if i == j else "0" for j in range(len(by))] for i, size in enumerate(by)]
    whole = any(law is not None and "discrete" in law["name"] for law in laws)
    space = {"answers": len(rows[0]), "relation": RELATION[kind], "by": "1", "whole": whole}
    return {"type": "noise", "space": space, **model(laws, rows), "unit": "1", "guarantee": guarantee}


def violation(laws: Sequence[Any], move: Sequence[Any], guarantee: dict[str, str]) -> dict[str, Any]:
    rows = [["1" if i == j else "0" for j in range(len(move))] for i in range(len(move))]
    ends = [["0"] * len(move), [str(step) for step in move]]
    return {"type": "noise-violation", "inputs": ends, **model(laws, rows), "guarantee": guarantee}


def moves(certificate: Mapping[str, Any]) -> tuple[str, list[list[Fraction]]]:
    """The kind of the moves, and their sizes: every vector of ``"listed"`` is one that neighbours may reach."""
    if "locations" in certificate:
        places = [[F(x) for x in row] for row in certificate["locations"]]
        if certificate["type"] == "noise-violation":
            return "listed", [_apart(*places)]
        found = [_apart(places[i], places[j]) for i, j in neighbours(certificate["space"])]
        return "listed", found
    rows = [[F(c) for c in row] for row in certificate["rows"]]
    if certificate["type"] == "noise-violation":
        left, right = ([F(x) for x in side] for side in certificate["inputs"])
        return "listed", [[abs(sum(c * (b - a) for c, a, b in zip(row, left, right, strict=True))) for row in rows]]
    space = certificate["space"]
    by = F(space["high"]) - F(space["low"]) if "low" in space else F(space["by"])
    if space.get("whole") and (space["relation"] != "l2" or len(rows[0]) == 1):
        by = F(floor(by))
    if space["relation"] in ("one", "substitute"):
        return "listed", [[by * abs(row[j]) for row in rows] for j in range(len(rows[0]))]
    sums = [by * sum(map(abs, row)) for row in rows]
    return ("all" if space["relation"] in ("linf", "monotone") else space["relation"]), [sums]


def _apart(left: Sequence[Fraction], right: Sequence[Fraction]) -> list[Fraction]:
    return [abs(b - a) for a, b in zip(left, right, strict=True)]


def inputs(space: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """All inputs of a finite space, shorter ones first."""
    if "answers" in space:
        return list(itertools.product(space["answers"], repeat=space["queries"]))
    sizes = range(space["fewest"], space["most"] + 1)
    return [x for n in sizes for x in itertools.product(space["records"], repeat=n)]


def neighbours(space: Mapping[str, Any]) -> Iterator[tuple[int, int]]:
    """Places of all neighbours of a finite space, by the definition of its relation."""
    for (i, a), (j, b) in itertools.combinations(enumerate(inputs(space)), 2):
        if _related(space, a, b):
            yield i, j


def _related(space: Mapping[str, Any], a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    if space["relation"] == "add-remove":
        small, large = sorted((a, b), key=len)
        return any(large[:k] + large[k + 1 :] == small for k in range(len(large)))
    if space["relation"] == "substitute":
        return len(a) == len(b) and sum(x != y for x, y in zip(a, b, strict=True)) == 1
    step, by = [F(y) - F(x) for x, y in zip(a, b, strict=True)], F(space["by"])
    sizes = [abs(x) for x in step]
    return {
        "linf": max(sizes) <= by,
        "one": max(sizes) <= by and sum(map(bool, sizes)) == 1,
        "l1": sum(sizes) <= by,
        "l2": sum(x * x for x in sizes) <= by * by,
        "monotone": max(sizes) <= by and (min(step) >= 0 or max(step) <= 0),
    }[space["relation"]]
