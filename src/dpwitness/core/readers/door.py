"""The one door through which programs are read.

`reading` admits a program (the gate refuses what could tell a reader from a real run), notes everything that the
program can reach, and compares it afterwards. A reader that is not a sampler can be made inside such a block only:
`require` raises elsewhere, so that no way of reading a program can forget the gate.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from dpwitness.core.errors import ImpureProgram
from dpwitness.core.readers.gate import is_ours, memory, refuse_tricks
from dpwitness.core.readers.memory import Place, Snapshot

P = ParamSpec("P")
R = TypeVar("R")

_open: ContextVar[tuple[int, ...]] = ContextVar("programs that are being read", default=())
_admitted: OrderedDict[int, tuple[Any, list[Place], Snapshot]] = OrderedDict()  # by identity, the latest last
KEPT = 256


@contextmanager
def reading(program: Any) -> Iterator[None]:
    """Read a program inside this block.

    Raises
    ------
    OutsideFragment
        Where the gate refuses the program.
    ImpureProgram
        Where something that the program can reach is not what it was when the block began.

    >>> log = []
    >>> def forgetful(noise, answers, *, eps):
    ...     log.append(1)
    ...     return answers[0] + noise.laplace(1 / eps)
    >>> with reading(forgetful):
    ...     _ = log.append(2)
    Traceback (most recent call last):
    dpwitness.core.errors.ImpureProgram: the program changes 'log', which lives outside it
    """
    bare = innermost(program)
    if id(bare) in _open.get():  # the outer block compares
        yield
        return
    watched, before = _admit(bare)
    token = _open.set((*_open.get(), id(bare)))
    try:
        yield
    finally:
        _open.reset(token)
    changed = before.changed(Snapshot(watched))
    if changed is not None:
        raise ImpureProgram(f"the program changes {changed!r}, which lives outside it")


def _admit(program: Any) -> tuple[list[Place], Snapshot]:
    """Pass the gate; the outcome is kept as long as nothing that the program refers to has changed."""
    known = _admitted.get(id(program))
    if known is not None and known[0] is program and known[2].changed(Snapshot(known[1])) is None:
        return known[1], known[2]
    refuse_tricks(program)
    watched = memory(program)
    made = Snapshot(watched)
    _admitted[id(program)] = program, watched, made
    while len(_admitted) > KEPT:
        _admitted.popitem(last=False)
    return watched, made


def innermost(program: Any) -> Any:
    """The function that the user wrote, without the wrappers that provers put around it."""
    while hasattr(program, "__wrapped__") and is_ours(program):
        program = program.__wrapped__
    return program


def require() -> None:
    """Raise unless some program is being read through the door."""
    if not _open.get():
        raise RuntimeError("a program is read through dpwitness.core.readers.door.reading only")


def through_door(reader: Callable[P, R]) -> Callable[P, R]:
    """Let a function whose first argument is a program read it through the door."""

    @wraps(reader)
    def enter(*args: P.args, **kwargs: P.kwargs) -> R:
        with reading(args[0] if args else kwargs["program"]):
            return reader(*args, **kwargs)

    return enter
