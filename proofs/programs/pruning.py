"""Cutting off branches that cannot be taken, each with the Farkas proof that the kernel will ask for."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from dpwitness.core.readers.paths import Condition, Draw
from dpwitness.proofs.kernel.algebra.polyhedra import Row, parse, plus
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.programs.trees import DENSITY
from dpwitness.proofs.programs.excluded import refuse_excluded
from dpwitness.proofs.programs.points import Empty, decide


class Pruner:
    """Answers the reader's question whether a branch can be taken; says no only with a proof."""

    def __init__(self) -> None:
        self.asked = 0

    def feasible(self, conditions: Sequence[Condition], draws: Sequence[Draw]) -> bool:
        """False where the conditions contradict each other for all draws and answers."""
        self.asked += 1
        rows = []
        for condition in conditions:
            parts = condition.form.linear()
            if parts is None:
                return True
            form: dict[str, Fraction] = {}
            for symbol, factor in parts[0].items():
                number = factor.value()
                if number is None:
                    return True
                form[("n" if symbol.kind == "draw" else "q") + str(symbol.index)] = number
            for mono, number in parts[1].terms.items():
                form[f"w{mono}" if mono else ""] = number
            rows.append(Row(form, condition.strict))
        if not isinstance(decide(_open(rows, [d.law.name for d in draws])), Empty):
            return True
        refuse_excluded([conditions])
        return False

    def fill(self, root: list[Any], tables: Mapping[str, Mapping[Any, int]]) -> None:
        """Put the proof of every branch that was not followed into the tree."""
        for spot, place, rows, draws in _walk(root, list(tables["t"]), list(tables["m"]), list(tables["d"])):
            if spot[place] is None:
                found = decide(_open(rows, draws))
                if not isinstance(found, Empty):
                    raise Rejected("a branch was cut off without a proof that it cannot be taken")
                spot[place] = _proof(found)


def drop_empty(json: dict[str, Any], seconds: float | None = None) -> None:
    """Cut off the leaves of a tree that cannot be reached; those that remain when time is up stay, which is sound."""
    start = time.monotonic()
    root = [json["nodes"]]
    for spot, place, rows, draws in _walk(root, json["tests"], json["maxima"], json["draws"]):
        if spot[place][0][0] != "o" or len(rows) < 2:
            continue
        if seconds is not None and time.monotonic() - start > seconds / 3:
            break
        found = decide(_open(rows, draws))
        if isinstance(found, Empty):
            spot[place] = _proof(found)
    json["nodes"] = root[0]


def _proof(found: Empty) -> list[Any]:
    return ["x", {str(j): str(v) for j, v in found.proof.items()}]


def _walk(
    root: list[Any], test_table: Sequence[Any], max_table: Sequence[Any], draw_table: Sequence[Any]
) -> Iterator[tuple[list[Any], int, list[Row], list[str]]]:
    """Every place of the tree that holds a leaf or nothing, with the rows and laws on the way to it."""
    tests = [Row(parse(text), strict) for text, strict in test_table]
    maxima = [[parse(text) for text in entry] for entry in max_table]
    todo: list[tuple[list[Any], int, list[Row], list[str]]] = [(root, 0, [], [])]
    while todo:
        spot, place, rows, draws = todo.pop()
        node = spot[place]
        if node is None or node[0][0] in "ox":
            if node is None or node[0][0] == "o":
                yield spot, place, rows, draws
            continue
        kind, index = node[0][0], int(node[0][1:])
        if kind == "d":
            todo.append((node, 1, rows, [*draws, draw_table[index][0]]))
        elif kind == "t":
            todo.append((node, 1, [*rows, tests[index]], draws))
            todo.append((node, 2, [*rows, tests[index].opposite()], draws))
        elif kind == "m":
            forms = maxima[index]
            for i, best in enumerate(forms):
                more = [Row(plus(best, other, -1), j < i) for j, other in enumerate(forms) if j != i]
                todo.append((node, i + 1, [*rows, *more], draws))
        else:
            todo += [(node, i, rows, draws) for i in range(1, len(node))]


def _open(rows: Sequence[Row], laws: Sequence[str]) -> list[Row]:
    continuous = {f"n{k}" for k, law in enumerate(laws) if DENSITY[law]}
    one_sided = [Row({f"n{k}": Fraction(1)}, False) for k, law in enumerate(laws) if law == "exponential"]
    return [*(row.open(continuous) for row in rows), *one_sided]
