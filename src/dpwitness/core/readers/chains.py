"""Programs with loops that end by chance, as finite Markov chains.

The program is stopped wherever a round of a loop begins. If everything that the rest of the run depends on is as it was
at an earlier stop (`pictures`), the run goes on as it did from there. So a program whose loops have finitely many
states is a finite chain: each state has a tree of choices, and at its leaves an output or the next state. How long
the loops run has no bound, and needs none.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any

from dpwitness.core.errors import ImpureProgram, OutsideFragment, ProgramTimeout
from dpwitness.core.laws import Law
from dpwitness.core.noise import Noise
from dpwitness.core.readers.chain_trees import Chain, Choice, Leaf, Tree, leaves, shrunk
from dpwitness.core.readers.door import innermost, through_door
from dpwitness.core.readers.finite import MAX_CHOICES, Outcomes, Probability, finite_weights
from dpwitness.core.readers.gate import codes, memory
from dpwitness.core.readers.heads import Head, heads, loses_keys, nested, rounds, sorts
from dpwitness.core.readers.memory import Snapshot
from dpwitness.core.readers.outputs import Skeleton, take_apart
from dpwitness.core.readers.pictures import HiddenState, Painter, Picture, known
from dpwitness.core.readers.unsteady import refuse_unsteady

MAX_STATES, MAX_RUNS = 250, 20_000
JOINTS = 2_000  # how many ways that lead to a known state are followed once more


class _Stop(BaseException):
    """The program came to the head of a loop; not an error, so that nothing of ours takes it for one."""


@dataclass(frozen=True)
class _Head:
    """A stop: which frame and which rounds of the `for` loops around it, which place of the code, and the picture."""

    where: tuple[Any, ...]
    code: CodeType
    offset: int
    line: int
    picture: Picture

    def name(self) -> Any:
        """What two stops share from which the program goes on in the same way."""
        return self.where, id(self.code), self.offset, self.picture


@dataclass
class _State:
    """A state: the choices that lead to it, the number of the stop, and the tree of what follows."""

    prefix: tuple[int, ...]
    stops: int
    head: _Head | None
    tree: list[Any] = field(default_factory=lambda: [None])


@dataclass
class _Base:
    """What all runs share: the code that has loops, the values outside the program, the laws that were read."""

    every: list[CodeType]
    outside: list[Any]
    laws: dict[Any, tuple[list[Any], list[Probability], list[int]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.codes = [code for code in self.every if heads(code)]
        self.loses_keys, self.sorts = any(map(loses_keys, self.every)), any(map(sorts, self.every))

    def painter(self, noise: Noise) -> Painter:
        """For one loop of one run."""
        return Painter(noise, self.outside, loses_keys=self.loses_keys)


class _Walk(Outcomes):
    """One run on prescribed outcomes, which are followed by the first possible ones, from one stop to the next."""

    def __init__(self, base: _Base, state: _State, prefix: Sequence[int]) -> None:
        super().__init__(prefix)
        self.base, self.laws, self.state = base, base.laws, state
        self.chances: list[list[Probability]] = []
        self.stops = self.events = 0
        self.frames: dict[FrameType, tuple[Any, ...]] = {}
        self.calls: Counter[CodeType] = Counter()
        self.rounds: dict[tuple[FrameType, int], tuple[Any, ...]] = {}
        self.painters: dict[Any, tuple[tuple[Any, ...], Painter]] = {}
        self.head: _Head | None = None

    def draw(self, law: Law) -> Any:
        values, weights, possible = self.read(law)
        k = len(self.taken)
        if k >= MAX_CHOICES:
            raise OutsideFragment(f"more than {MAX_CHOICES} choices in one run")
        pick = self.prefix[k] if k < len(self.prefix) else possible[0]
        if pick not in possible:
            raise ImpureProgram(f"on replay choice {k} does not have the outcome {pick}")
        self.taken.append(pick)
        self.chances.append(weights)
        return values[pick]

    def read(self, law: Law) -> tuple[list[Any], list[Probability], list[int]]:
        """Outcomes, exact chances, and the outcomes whose chances are not zero; each law is read once."""
        name = law.name, *(known(x) for value in law.params().values() for x in _several(value))
        if name not in self.laws or None in name:
            values, weights = finite_weights(law)
            self.laws[name] = values, weights, [i for i, weight in enumerate(weights) if weight.top.terms]
        return self.laws[name]

    def here(self) -> tuple[Any, ...]:
        """A moment of the run: the outcomes so far and the number of events, the same on every replay."""
        self.events += 1
        return tuple(self.taken), self.events

    def trace(self, frame: FrameType, event: str, arg: Any) -> Any:
        """Called by Python at every call, and at every step of a function that has loops."""
        if event == "call" and frame.f_code in self.base.codes:
            frame.f_trace_opcodes, frame.f_trace_lines = True, False
            self.frames[frame] = self.here()
            self.calls[frame.f_code] += 1
            return self.step
        return None

    def step(self, frame: FrameType, event: str, arg: Any) -> Any:
        """Before each instruction of a function that has loops."""
        if event == "opcode":
            begins, at = heads(frame.f_code), frame.f_lasti
            if at in begins:
                self.stop(frame, begins[at])
            elif (first := rounds(frame.f_code).get(at)) is not None:
                self.rounds[frame, first] = self.here()
        return self.step

    def stop(self, frame: FrameType, head: Head) -> None:
        """A round begins: note it, and end the run if it is the next stop after the state's own."""
        self.stops += 1
        base = (self.frames[frame], *(self.rounds[frame, at] for at in head.around))
        fresh = base not in self.painters
        if fresh:  # what was there at the first stop is known by that moment: only runs that share it are compared
            self.painters[base] = self.here(), self.base.painter(self)
        moment, painter = self.painters[base]
        where = (base, moment)
        if self.stops == self.state.stops and tuple(self.taken) != self.state.prefix:
            raise ImpureProgram("on replay the program came to the head of a loop after other choices")
        if fresh or self.stops > self.state.stops:
            # the same code entered twice has variables of its own each time, and which of them a function that is made
            # there refers to cannot be seen
            painter.doubtful = nested(frame.f_code) if self.calls[frame.f_code] > 1 else frozenset()
            called = self.called(frame)
            painter.held_elsewhere = bool(head.around) or called
            if called and self.base.sorts:
                raise HiddenState(
                    "a loop by 'while' in a function that is called, and lists are sorted in place: whether one is "
                    "just being sorted cannot be seen; write sorted(...)",
                    frame.f_lineno,
                )
            try:
                picture = painter.paint({name: x for name, x in frame.f_locals.items() if name in head.needed})
            except HiddenState as error:
                raise type(error)(error.reason, frame.f_lineno) from None
            self.head = _Head(where, frame.f_code, frame.f_lasti, frame.f_lineno, picture)
        if self.stops > self.state.stops:
            raise _Stop

    def called(self, frame: FrameType) -> bool:
        """Whether a function of the program waits for this one: it may hold lists, or be sorting one."""
        above = frame.f_back
        while above is not None and above.f_code not in self.base.every:
            above = above.f_back
        return above is not None


def _several(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def has_loops(program: Any) -> bool:
    """Whether a program, or a function that it can reach, has a loop other than `for`."""
    try:
        return any(heads(code) for code in codes(innermost(program)))
    except OutsideFragment:
        return True


@through_door
def read_chain(
    program: Callable[[Noise], Any], *, max_states: int = MAX_STATES, max_runs: int = MAX_RUNS, end: float | None = None
) -> Chain:
    """The chain of a program with finite choices, each state as often as it must be kept apart.

    Raises
    ------
    OutsideFragment
        Where a loop has too many states, or one from which no output can be reached.

    >>> def until_heads(noise):
    ...     while noise.bernoulli(0.5):
    ...         pass
    ...     return "heads"
    >>> [len(leaves(tree)) for tree in read_chain(until_heads).states]
    [2]
    """
    watched = memory(innermost(program))
    before = Snapshot(watched)
    base = _Base(codes(innermost(program)), [place.fetch() for place in watched])
    states = [_State((), 0, None)]
    if base.codes:
        refuse_unsteady(base.every, base.outside)
    names: dict[Any, int] = {}
    joints: list[tuple[tuple[int, ...], int]] = []
    runs = done = 0
    while done < len(states):
        state = states[done]
        done += 1
        todo = [list(state.prefix)]
        while todo:
            runs += 1
            if runs > max_runs:
                raise OutsideFragment(f"the program has more than {max_runs} ways from round to round of its loops")
            if end is not None and time.monotonic() > end:
                raise ProgramTimeout(f"the states of the program's loops were not found in time: {len(states)} so far")
            walk = _Walk(base, state, todo.pop())
            leaf = _follow(program, walk)
            if (name := before.changed(Snapshot(watched))) is not None:
                raise ImpureProgram(f"the program changes {name!r}, which lives outside it")
            if leaf is None:
                assert walk.head is not None
                number = names.setdefault(walk.head.name(), len(states))
                if number == len(states):
                    states.append(_State(tuple(walk.taken), walk.stops, walk.head))
                if len(states) > max_states:
                    raise _endless(states, max_states)
                leaf = "state", number
                joints.append((tuple(walk.taken), number))
            if len(walk.taken) < len(walk.prefix) or walk.stops < state.stops:
                raise ImpureProgram("on replay the program ended before a choice that it had made before")
            todo += _put(state, walk, leaf)
    found = shrunk([state.tree[0] for state in states])
    _refuse_traps(found, [state.head for state in states])
    _follow_on(program, base, states, joints, end)
    return found[0]


def _follow_on(
    program: Callable[[Noise], Any],
    base: _Base,
    states: Sequence[_State],
    joints: Sequence[tuple[tuple[int, ...], int]],
    end: float | None,
) -> None:
    """Go on from each way that led to a state which another way had found: the output must be that of the state's tree.

    Pictures alone say that both ways go on alike. This is a test of them, on the states as they were found: in the
    chain of a certificate states with equal trees are one, and nobody knows any more which ways led to them.
    """
    rng = random.Random(0)
    for taken, number in joints if len(joints) <= JOINTS else rng.sample(joints, JOINTS):
        if taken == states[number].prefix:
            continue
        if end is not None and time.monotonic() > end:
            raise ProgramTimeout("the ways round were not tried in time")
        picks = list(taken)
        tree: Any = states[number].tree[0]
        while not (isinstance(tree, tuple) and tree[0] == "output") and len(picks) < MAX_CHOICES:
            if isinstance(tree, Choice):
                pick = rng.choice([k for k, way in enumerate(tree.ways) if way != ("never", None)])
                picks.append(pick)
                tree = tree.ways[pick]
            else:
                tree = states[tree[1]].tree[0]
        if len(picks) >= MAX_CHOICES:
            continue
        walk = _Walk(base, states[0], picks)
        output = program(walk)
        if walk.taken != picks or take_apart(output, lambda _: False)[0] != tree[1]:
            head = states[number].head
            raise HiddenState("a loop that goes on in two ways from one state", None if head is None else head.line)


def _follow(program: Callable[[Noise], Any], walk: _Walk) -> Leaf | None:
    """The output of a run, or None where it stopped at the head of a loop."""
    old = sys.gettrace()
    sys.settrace(walk.trace)
    try:
        output = program(walk)
    except _Stop:
        return None
    finally:
        sys.settrace(old)
    return "output", take_apart(output, lambda _: False)[0]


def _put(state: _State, walk: _Walk, leaf: Leaf) -> list[list[int]]:
    """Enter a run into the tree of its state; the ways beside it that were not taken yet."""
    first, more = len(state.prefix), []
    spot, place = state.tree, 0
    for k in range(first, len(walk.taken)):
        chances, pick = walk.chances[k], walk.taken[k]
        if spot[place] is None:
            ways: list[Any] = [None if chance.top.terms else ("never", None) for chance in chances]
            spot[place] = Choice(chances, ways)
            more += [[*walk.taken[:k], other] for other, way in enumerate(ways) if way is None and other != pick]
        node = spot[place]
        if not isinstance(node, Choice) or len(node.ways) != len(chances) or not _same(node.chances, chances):
            raise ImpureProgram(f"on replay choice {k} is another one")
        spot, place = node.ways, pick
    if spot[place] is not None:
        raise ImpureProgram("on replay the program made fewer or more choices than before")
    spot[place] = leaf
    return more


def _same(left: Sequence[Probability], right: Sequence[Probability]) -> bool:
    return all(a == b for a, b in zip(left, right, strict=True))


def _endless(states: Sequence[_State], most: int) -> OutsideFragment:
    """Why a loop has too many states: the variables that have ever new values."""
    last = states[-1].head
    assert last is not None
    same = [s.head for s in states if s.head is not None and (s.head.code, s.head.offset) == (last.code, last.offset)]
    values: dict[str, set[Any]] = {}
    for head in same:
        for name, value in head.picture:
            values.setdefault(name, set()).add(value)
    growing = [name for name, seen in values.items() if 2 * len(seen) > len(same) > 2]
    what = f"{', '.join(growing)} takes ever new values" if growing else "calls, rounds and values together are so many"
    return OutsideFragment(
        f"a loop with more than {most} states: {what}; a loop that ends by chance is decided where its state "
        "comes back: bound what it counts, such as 'while k < 40 and ...'",
        last.line,
    )


def _refuse_traps(found: tuple[Chain, list[int]], names: Sequence[_Head | None]) -> None:
    """Raise where a state has no way to an output: what is lost there is no output's probability."""
    chain, first = found
    after = [leaves(tree) for tree in chain.states]
    ends = {k for k, way in enumerate(after) if any(leaf[0] == "output" for leaf in way)}
    while more := {
        k for k, way in enumerate(after) if k not in ends and any(x == ("state", j) for x in way for j in ends)
    }:
        ends |= more
    for k in range(len(after)):
        if k not in ends:
            head = names[first[k]]
            raise OutsideFragment(
                "a loop that never ends on some input, with a probability that is not zero",
                None if head is None else head.line,
            )


__all__ = ["Chain", "Choice", "Leaf", "Skeleton", "Tree", "has_loops", "leaves", "read_chain"]
