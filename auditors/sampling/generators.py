"""Random generators that a sampler holds: found, and set anew for every chunk.

A sampler may draw from `random`, from numpy's global generator, or from generators of its own: in its module, its
closure, its object. A process that is forked inherits them as they are, and an object that is sent to a worker takes a
copy along: without care, chunks drawn in different places would hold the same noise, and no test of independent outputs
would mean anything. So every chunk sets all the generators that can be found to streams of its own, and where the
sampler is at home they are put back afterwards.
"""

from __future__ import annotations

import contextlib
import functools
import random
import threading
from collections.abc import Callable, Iterator
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from dpwitness.auditors.sampling.source_code import foreign, names_in

_WORDS = 8
_DEEP, _MANY = 6, 2000  # steps from the function, and objects looked at


def reachable_generators(function: Callable[..., Any]) -> list[Any]:
    """The generators that a function can reach, in a fixed order.

    >>> dice = random.Random(1)
    >>> reachable_generators(functools.partial(dice.random)) == [dice]
    True
    """
    found: dict[int, Any] = {}
    todo: list[tuple[Any, int]] = [(function, 0)]
    seen: set[int] = set()
    for value, depth in todo:
        if id(value) in seen or len(seen) > _MANY:
            continue
        seen.add(id(value))
        if isinstance(value, np.random.Generator | np.random.RandomState | np.random.BitGenerator | random.Random):
            bits = _bits(value)
            found.setdefault(id(value if bits is None else bits), value)
        elif depth < _DEEP:
            with contextlib.suppress(Exception):  # whatever the attributes of foreign objects raise
                todo += [(part, depth + 1) for part in _parts(value)]
    return list(found.values())


def _parts(value: Any) -> Iterator[Any]:
    """What a value holds that might hold a generator."""
    if isinstance(value, functools.partial):
        yield from (value.func, *value.args, *value.keywords.values())
    elif isinstance(value, MethodType):
        yield from (value.__self__, value.__func__)
    elif isinstance(value, BuiltinFunctionType):
        yield value.__self__
    elif isinstance(value, FunctionType):
        yield from _of_function(value)
    elif isinstance(value, list | tuple):
        yield from value[:64]
    elif isinstance(value, dict):
        yield from list(value.values())[:64]
    elif isinstance(value, type):
        if not foreign(value.__module__):
            yield from (getattr(part, "__func__", part) for part in vars(value).values())
    elif not isinstance(value, ModuleType) and not foreign(type(value).__module__):
        yield from list(vars(value).values()) if isinstance(getattr(value, "__dict__", None), dict) else ()
        yield from type(value).__mro__


def _of_function(function: FunctionType) -> Iterator[Any]:
    for cell in function.__closure__ or ():
        with contextlib.suppress(ValueError):  # not yet bound
            yield cell.cell_contents
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()
    yield from vars(function).values()
    if foreign(function.__module__ or ""):
        return
    names = list(names_in(function.__code__))
    for name in names:
        value = function.__globals__.get(name)
        yield value
        if isinstance(value, ModuleType) and not foreign(value.__name__):
            yield from (vars(value)[other] for other in names if other in vars(value))


def _bits(value: Any) -> Any:
    """The bit generator of one of numpy's generators: two of them may share it."""
    return getattr(value, "bit_generator", None) or getattr(value, "_bit_generator", None)


class Dice:
    """The generators within reach of a function, set to streams of one place of the seed tree after the other.

    Parameters
    ----------
    abroad
        Whether this is another process than the one where the sampler is at home: nothing needs to be put back. At
        home, threads share their generators, which go on from draw to draw: only the main thread sets them.

    Attributes
    ----------
    refused
        Kinds of generators that take no seed: they are left alone, and the seed does not repeat what they draw.
    """

    def __init__(self, function: Callable[..., Any], *, abroad: bool = False) -> None:
        own = _of_user(function)
        self.handles: list[_Handle] = []
        self.refused: list[str] = []
        self.abroad = abroad
        if own is not None and (abroad or threading.current_thread() is threading.main_thread()):
            self.handles = [_Handle(random), _Handle(np.random.mtrand._rand), *map(_Handle, reachable_generators(own))]

    def __enter__(self) -> Dice:
        self.before = [handle.read() for handle in self.handles]
        return self

    def throw(self, key: np.random.SeedSequence) -> None:
        """Set every generator to a stream that belongs to `key`."""
        for handle, seed in zip(self.handles, key.spawn(len(self.handles)), strict=True):
            if not handle.set(seed):
                self.refused.append(handle.kind)

    def __exit__(self, *_: object) -> None:
        for handle, state in zip(self.handles if not self.abroad else (), self.before, strict=False):
            handle.write(state)


def _of_user(function: Callable[..., Any]) -> Any:
    """The third-party function that a claim is about; None for this project's programs, which draw from `rng` alone."""
    mechanism = getattr(getattr(function, "claim", None), "mechanism", None)
    if mechanism is None:
        return function
    return None if hasattr(mechanism, "program") else getattr(mechanism, "sampler", function)


class _Handle:
    """One generator, whatever its kind. Setting it is an offer: whatever a foreign one raises, it is left as it is."""

    def __init__(self, dice: Any) -> None:
        self.dice = dice

    @property
    def kind(self) -> str:
        """The name of its class."""
        bits = _bits(self.dice)
        return type(self.dice if bits is None else bits).__name__

    def read(self) -> Any:
        """Its state; None where it has none (the system's own dice)."""
        if isinstance(self.dice, random.SystemRandom):
            return None
        try:
            if isinstance(self.dice, np.random.RandomState):
                return self.dice.get_state(legacy=False)
            if isinstance(self.dice, np.random.Generator | np.random.BitGenerator):
                return self._own().state
            return self.dice.getstate()
        except Exception:  # a generator of somebody else's
            return None

    def write(self, state: Any) -> None:
        """Put a state back."""
        if state is None:
            return
        with contextlib.suppress(Exception):
            if isinstance(self.dice, np.random.RandomState):
                self.dice.set_state(state)
            elif isinstance(self.dice, np.random.Generator | np.random.BitGenerator):
                self._own().state = state
            else:
                self.dice.setstate(state)

    def set(self, seed: np.random.SeedSequence) -> bool:
        """Start a stream; False where the generator does not take one."""
        if isinstance(self.dice, random.SystemRandom):
            return False
        try:
            if isinstance(_bits(self.dice), np.random.MT19937) and isinstance(self.dice, np.random.RandomState):
                self.dice.seed(seed.generate_state(_WORDS))  # far quicker than a new generator
            elif isinstance(self.dice, np.random.RandomState):
                self.dice.set_state({**type(_bits(self.dice))(seed).state, "has_gauss": 0, "gauss": 0.0})
            elif isinstance(self.dice, np.random.Generator | np.random.BitGenerator):
                self._own().state = type(self._own())(seed).state
            else:
                self.dice.seed(int.from_bytes(seed.generate_state(8).tobytes(), "little"))
        except Exception:
            return False
        return True

    def _own(self) -> Any:
        return self.dice if isinstance(self.dice, np.random.BitGenerator) else self.dice.bit_generator
