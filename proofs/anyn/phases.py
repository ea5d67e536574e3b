"""Phases: what a proof may remember of the change of the data, beside the node.

Where every answer may move (a box of changes), each node has K phases. Where one answer moves, a phase also says
whether it has already been read in this loop (``+``) or may still come (``-``), and what was so when earlier loops
ended.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from dpwitness.proofs.anyn.model import END, FAIL, START, Model, Step


@dataclass(frozen=True)
class Setting:
    """One direction of change and the shape of the proof that is tried.

    Parameters
    ----------
    low, high
        Each change lies between these.
    single
        Whether only one answer changes (its change is called D); else every answer may change (d0, d1, ... are those
        read in one step).
    history
        Whether differences may depend on the change of the query that was read last (g).
    count
        How many phases are tried.
    linear
        Whether shifts must be proportional to the change; chains of single changes then cover an ℓ1 ball.
    """

    low: Fraction
    high: Fraction
    single: bool = False
    history: bool = False
    count: int = 1
    linear: bool = False

    def unknowns(self, t: Step) -> list[str]:
        """The changes on which the shifts of a transition may depend."""
        names = ["D"] if self.single else [f"d{j}" for j in range(len(t.reads))]
        return [*names, "g"] if self.history and t.source != START else names

    def corners(self, t: Step) -> list[dict[str, Fraction]]:
        """The vertices of the box of changes."""
        names = self.unknowns(t)
        return [dict(zip(names, c, strict=True)) for c in product((self.low, self.high), repeat=len(names))]

    def over(self, changes: list[str]) -> list[str]:
        """The changes with the constant ``"1"`` where shifts need not be proportional."""
        return changes if self.linear else ["1", *changes]

    def memory(self) -> list[str]:
        """The changes on which differences of variables may depend."""
        return ["D"] if self.single else ["g"] if self.history else []


@dataclass(frozen=True)
class Phase:
    """A node with what is remembered."""

    node: str
    past: str
    seen: int | None

    @property
    def name(self) -> str:
        """As certificates call it."""
        return f"{self.node}/{self.past}{'-' if self.seen is None else f'+{self.seen}'}"


@dataclass(frozen=True)
class Move:
    """A transition from a phase (None: from the start), and the phases that it may reach (empty: the end)."""

    on: int
    phase: Phase | None
    changed: bool
    targets: tuple[Phase, ...]

    @property
    def key(self) -> tuple[int, str, bool]:
        """The transition, the phase and whether the changed query is read now."""
        return (self.on, START if self.phase is None else self.phase.name, self.changed)


def phases(model: Model, setting: Setting) -> list[Phase]:
    """All phases of all nodes."""
    found = []
    for name, node in model.nodes.items():
        if not setting.single:
            found += [Phase(name, "", k) for k in range(setting.count)]
            continue
        for past in product("-+", repeat=node.loop - 1):
            memory = "".join(past)
            found.append(Phase(name, memory, None))
            found += [Phase(name, memory, k) for k in range(setting.count)]
    return found


def moves(model: Model, setting: Setting, dead: set[int]) -> list[Move]:
    """Every transition from every phase, with and without the change where one answer changes."""
    every = phases(model, setting)
    found = []
    for k, t in enumerate(model.transitions):
        if k in dead or t.target == FAIL:
            continue
        sources: list[Phase | None] = [None] if t.source == START else [p for p in every if p.node == t.source]
        for source in sources:
            found.append(Move(k, source, False, _targets(model, setting, t, source, False)))
            if setting.single and t.reads and (source is None or source.seen is None):
                found.append(Move(k, source, True, _targets(model, setting, t, source, True)))
    return found


def _targets(model: Model, setting: Setting, t: Step, source: Phase | None, changed: bool) -> tuple[Phase, ...]:
    if t.target == END:
        return ()
    every = tuple(Phase(t.target, "", k) for k in range(setting.count))
    if not setting.single:
        return every[:1] if source is None else every
    if source is None:
        return (Phase(t.target, "", None),)
    waiting = source.seen is None and not changed
    if model.nodes[source.node].loop != model.nodes[t.target].loop:
        return (Phase(t.target, source.past + ("-" if waiting else "+"), None),)
    if waiting:
        return (Phase(t.target, source.past, None),)
    return tuple(Phase(t.target, source.past, k) for k in range(setting.count))
