"""Paths with the same effect are one: ``if v >= a or v >= b`` has two paths for its true branch.

The answer "no" to a test may be forgotten on one path where the path with the answer "yes" instead is (part of) another
path with the same effect: the union of the two is then {the other tests}. All merged paths share their shifts, so that
every test that is left must come out the same in the second run.
"""

from __future__ import annotations

from dataclasses import replace

from dpwitness.proofs.anyn.model import Model, Transition
from dpwitness.proofs.kernel.laurent import Poly

Answer = tuple[Poly, bool]


def merged(model: Model) -> Model | None:
    """The model with paths of the same effect merged; None where there are none."""
    groups: dict[object, list[Transition]] = {}
    for t in model.transitions:
        groups.setdefault(_effect(t), []).append(t)
    result: list[Transition] = []
    for group in groups.values():
        result += _merge(group) if len(group) > 1 else group
    return None if len(result) == len(model.transitions) else replace(model, transitions=result)


def _effect(t: Transition) -> object:
    """Everything about a transition but its private tests."""
    updates = tuple(sorted((s, str(p)) for s, p in t.updates.items()))
    public = frozenset(a for way in t.ways for a in way if not a.poly.private)
    return (
        t.source, t.target, public, frozenset(t.public), t.draws, frozenset(t.released), t.reads, updates,
        repr(t.effects),
    )  # fmt: skip


def _answers(t: Transition) -> set[Answer]:
    return {(a.poly, a.outcome) for a in t.ways[0] if a.poly.private}


def _merge(group: list[Transition]) -> list[Transition]:
    """One transition for the union where tests can be forgotten; else the group as it is."""
    sides = [_answers(t) for t in group]
    before = sum(map(len, sides))
    changed = True
    while changed:
        changed = False
        for k, answers in enumerate(sides):
            for poly, outcome in list(answers):
                opposite = (answers - {(poly, outcome)}) | {(poly, not outcome)}
                if any(j != k and other <= opposite for j, other in enumerate(sides)):
                    answers.discard((poly, outcome))
                    changed = True
    if sum(map(len, sides)) == before:
        return group
    guards = dict.fromkeys(poly if outcome else -poly for side in sides for poly, outcome in sorted(side, key=str))
    return [replace(group[0], guards=tuple(guards), ways=tuple(way for t in group for way in t.ways))]
