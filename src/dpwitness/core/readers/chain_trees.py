"""The states of a program with loops that end by chance, each with a tree of choices, and the fewest that do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dpwitness.core.readers.finite import Probability

Leaf = tuple[str, Any]  # ("state", number), ("output", skeleton), or ("never", None) where the chance is zero


@dataclass
class Choice:
    """A choice with the exact chances of its outcomes, and what follows each of them."""

    chances: list[Probability]
    ways: list[Choice | Leaf | None]


Tree = Choice | Leaf


@dataclass(frozen=True)
class Chain:
    """A tree of choices for each state; the program begins in state 0."""

    states: tuple[Tree, ...]

    def circular(self) -> bool:
        """Whether some state can follow itself."""
        after = [{leaf[1] for leaf in leaves(tree) if leaf[0] == "state"} for tree in self.states]
        left = set(range(len(after)))
        while ends := {k for k in left if not after[k] & left}:
            left -= ends
        return bool(left)


def leaves(tree: Tree | None) -> list[Leaf]:
    """The leaves of a tree, from the first outcome on."""
    if isinstance(tree, Choice):
        return [leaf for way in tree.ways for leaf in leaves(way)]
    return [] if tree is None else [tree]


def shrunk(trees: Sequence[Tree]) -> tuple[Chain, list[int]]:
    """The chain with states of equal trees put together and mere passages left out, and a first state of each class."""
    group = list(range(len(trees)))
    while True:
        for k, tree in enumerate(trees):  # a state that only passes on is the state that it passes on to
            if isinstance(tree, tuple) and tree[0] == "state":
                group = [_end(trees, g) if g == k else g for g in group]
        seen: dict[Any, int] = {}
        new = [seen.setdefault(_text(trees[group[k]], group), group[k]) for k in range(len(trees))]
        if new == group:
            break
        group = new
    used, todo = {group[0]: 0}, [group[0]]
    for k in todo:
        for leaf in leaves(trees[k]):
            if leaf[0] == "state" and group[leaf[1]] not in used:
                used[group[leaf[1]]] = len(used)
                todo.append(group[leaf[1]])
    number = [used.get(g, -1) for g in group]
    return Chain(tuple(_renamed(trees[k], number) for k in todo)), todo


def _end(trees: Sequence[Tree], first: int) -> int:
    """Where a passage leads; a circle of passages stays where it is."""
    at, met = first, {first}
    while isinstance(tree := trees[at], tuple) and tree[0] == "state":
        at = tree[1]
        if at in met:
            return first
        met.add(at)
    return at


def _text(tree: Tree | None, group: Sequence[int]) -> Any:
    if isinstance(tree, Choice):
        return (tuple(map(str, tree.chances)), *(_text(way, group) for way in tree.ways))
    return None if tree is None else ("state", group[tree[1]]) if tree[0] == "state" else tree


def _renamed(tree: Any, number: Sequence[int]) -> Any:
    if isinstance(tree, Choice):
        return Choice(tree.chances, [_renamed(way, number) for way in tree.ways])
    return ("state", number[tree[1]]) if tree[0] == "state" else tree


__all__ = ["Chain", "Choice", "Leaf", "Tree", "leaves", "shrunk"]
