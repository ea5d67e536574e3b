"""Where the loops of a function begin: the targets of its backward jumps, `for` loops apart.

At such a place the state of a function is what its variables hold and how far the `for` loops around it have come:
the compiler keeps nothing else on its stack there, which is checked.
"""

from __future__ import annotations

import dis
import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from types import CodeType

from dpwitness.core.readers.pictures import HiddenState

_ENDS = {"RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE", "RETURN_GENERATOR"}
_ALWAYS = {"JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT", "JUMP_ABSOLUTE"}
_JUMPS = {*dis.hasjrel, *dis.hasjabs}


@dataclass(frozen=True)
class Head:
    """A place where a round of a loop begins: offsets of the `for` loops around it, and the variables still needed."""

    around: tuple[int, ...]
    needed: frozenset[str]


@lru_cache(maxsize=1_000)
def heads(code: CodeType) -> Mapping[int, Head]:
    """Offsets at which a round of a loop begins.

    Raises
    ------
    HiddenState
        Where a loop's state cannot be seen: in a generator, or with a value that is kept on the stack.

    >>> def toss(noise):
    ...     while True:
    ...         for _ in range(2):
    ...             while noise.bernoulli(0.5):
    ...                 pass
    >>> [(len(head.around), sorted(head.needed)) for head in heads(toss.__code__).values()]
    [(0, ['noise']), (1, ['noise'])]
    """
    steps = list(dis.get_instructions(code))
    begins = _jumped_back_to(steps)
    if not begins:
        return {}
    if code.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        raise HiddenState("a loop by 'while' in a generator, whose state cannot be seen: write it as a function")
    kept = _kept(steps)
    rounds = [(step.offset, step.argval) for step in steps if step.opname == "FOR_ITER"]
    needed = _needed(code, steps)
    found = {}
    for begin in sorted(begins):
        around = tuple(first for first, after in rounds if first < begin < after)
        if kept.get(begin) != len(around):
            raise HiddenState("a loop by 'while' inside an expression, whose state cannot be seen")
        found[begin] = Head(around, needed[begin])
    return found


@lru_cache(maxsize=1_000)
def rounds(code: CodeType) -> Mapping[int, int]:
    """Where Python shows that a `for` loop asks for its next value, and the offset of that instruction.

    A long jump is written with instructions before it, and it is the first of them that is shown.
    """
    found: dict[int, int] = {}
    before: list[int] = []
    for step in dis.get_instructions(code):
        before.append(step.offset)
        if step.opname == "FOR_ITER":
            found |= dict.fromkeys(before, step.offset)
        if step.opname != "EXTENDED_ARG":
            before = []
    return found


@lru_cache(maxsize=1_000)
def loses_keys(code: CodeType) -> bool:
    """Whether a function may take a key away from a dictionary.

    A dictionary that lost keys and got them back looks as before. The places of the lost ones stay in it: whoever goes
    through it meets the others once more, and where it is changed meanwhile, it is cleared of them sooner.
    """
    return bool({"pop", "popitem", "clear"} & set(code.co_names)) or any(
        step.opname == "DELETE_SUBSCR" for step in dis.get_instructions(code)
    )


@lru_cache(maxsize=1_000)
def sorts(code: CodeType) -> bool:
    """Whether a function may sort a list in place.

    Meanwhile the list looks empty, and Python notes whether it is changed, also where it is empty again at the end.
    """
    return "sort" in code.co_names


@lru_cache(maxsize=1_000)
def nested(code: CodeType) -> frozenset[CodeType]:
    """The functions that are made inside a function, and inside those."""
    inner = [part for part in code.co_consts if isinstance(part, CodeType)]
    return frozenset(inner).union(*map(nested, inner))


def _jumped_back_to(steps: list[dis.Instruction]) -> set[int]:
    """Targets of backward jumps that do not ask an iterator for its next value."""
    found, names = set(), {step.offset: step.opname for step in steps}
    after = {step.offset: later.offset for step, later in pairwise(steps)}
    for step in steps:
        if step.opcode in _JUMPS and step.argval <= step.offset:
            target = step.argval
            while names[target] == "EXTENDED_ARG":
                target = after[target]
            if names[target] != "FOR_ITER":
                found.add(step.argval)
    return found


def _kept(steps: list[dis.Instruction]) -> dict[int, int]:
    """How many values are on the stack before each instruction."""
    known: dict[int, int] = {}
    place = {step.offset: k for k, step in enumerate(steps)}
    todo = [(0, 0)]
    while todo:
        k, depth = todo.pop()
        step = steps[k]
        if known.setdefault(step.offset, depth) != depth:
            raise HiddenState("code whose stack cannot be followed")
        argument = step.arg if step.opcode >= dis.HAVE_ARGUMENT else None
        ways = []
        if step.opcode in _JUMPS:
            ways.append((place[step.argval], depth + dis.stack_effect(step.opcode, argument, jump=True)))
        if step.opname not in _ENDS and step.opname not in _ALWAYS and k + 1 < len(steps):
            ways.append((k + 1, depth + dis.stack_effect(step.opcode, argument, jump=False)))
        todo += [(to, there) for to, there in ways if known.get(steps[to].offset) != there]
    return known


def _needed(code: CodeType, steps: Sequence[dis.Instruction]) -> dict[int, frozenset[str]]:
    """The variables that may be read after each place before they are set anew; those of inner functions always."""
    place = {step.offset: k for k, step in enumerate(steps)}
    always = frozenset((*code.co_cellvars, *code.co_freevars))
    known = [always] * (len(steps) + 1)
    changed = True
    while changed:
        changed = False
        for k in reversed(range(len(steps))):
            step, after = steps[k], set[str]()
            if step.opcode in _JUMPS:
                after |= known[place[step.argval]]
            if step.opname not in _ENDS and step.opname not in _ALWAYS:
                after |= known[k + 1]
            if step.opname == "STORE_FAST":
                after -= {step.argval}
            elif "FAST" in step.opname:  # read, deleted, or several at once
                after |= set(step.argval) if isinstance(step.argval, tuple) else {step.argval}
            if not after <= known[k]:
                known[k], changed = known[k] | after, True
    return {step.offset: known[k] for k, step in enumerate(steps)}
