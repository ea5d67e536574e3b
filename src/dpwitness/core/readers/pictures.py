"""Everything that the rest of a run depends on, by value: two equal pictures mean that it goes on in the same way.

What can change is known by content and by identity as far as that matters: which names share one list, and which
objects were there when the loop began. Others may hold these, so that they belong to every later picture of the loop,
also where no variable of the loop leads to them any more. What has a state that cannot be seen is refused: an
iterator, a set (its order), a bound method, a NaN (it is found in a list by identity), and a dictionary where keys are
taken away: it keeps their places, and how a later loop goes through it depends on them.
"""

from __future__ import annotations

import types
from collections.abc import Hashable, Mapping, Sequence, Set
from fractions import Fraction
from math import isnan
from typing import Any

from dpwitness.core.errors import OutsideFragment
from dpwitness.core.functions import Irrational
from dpwitness.core.noise import Noise
from dpwitness.core.numbers import Exact, Written
from dpwitness.core.public import Public
from dpwitness.core.readers.gate import USABLE
from dpwitness.core.readers.memory import UNBOUND, read_cell

MAX_PARTS, MAX_LENGTH = 20_000, 100_000  # values of a picture; characters of a text, or bits of a number
MAX_DEPTH, MAX_TERMS = 60, 500  # lists in lists; terms of the formula of a number
Picture = tuple[tuple[str, Hashable], ...]


class HiddenState(OutsideFragment):
    """A loop whose state cannot be seen."""


class TooLarge(HiddenState):
    """A loop whose state is seen and grows: to unroll it would grow it further."""


class Painter:
    """Makes pictures of the variables of one loop; the first one says which objects were there before.

    >>> def here(**names):
    ...     return names
    >>> painter, shared = Painter(None), []
    >>> first = painter.paint(here(a=shared, b=shared))
    >>> first == painter.paint(here(a=shared, b=shared)), first == painter.paint(here(a=shared, b=[]))
    (True, False)
    """

    def __init__(self, noise: Noise | None, outside: Sequence[Any] = (), *, loses_keys: bool = False) -> None:
        self.noise = noise
        self.before: dict[int, tuple[int, Any]] | None = None
        self.held: dict[int, tuple[int, Any]] = {}
        self.names: dict[int, str] = {}  # where an object that was there before was met first
        self.doubtful: Set[types.CodeType] = frozenset()  # functions whose variables may be those of another call
        self.held_elsewhere = False  # whether callers, or loops around, may hold what no variable leads to any more
        self.loses_keys = loses_keys  # whether keys are taken away from some dictionary
        self.depth = 0
        for value in outside:  # what lives outside of the program can be met later on
            _hold(value, self.held)
        for _, value in self.held.values():
            self._refuse_outside(value)

    def paint(self, names: Mapping[str, Any]) -> Picture:
        """The values of all variables."""
        self.parts = 0
        self.met: dict[int, tuple[int, Any]] = {}
        made = []
        for name in sorted(names):
            self.name = name
            made.append((name, self._value(names[name])))
        if self.before is None:
            later = {at: entry for at, entry in self.met.items() if at not in self.held}
            shift = len(self.held)  # the objects are kept alive, so that no other gets their identity
            self.before = {**self.held, **{at: (shift + number, value) for at, (number, value) in later.items()}}
            return self.paint(names)
        for at, name in self.names.items() if self.held_elsewhere else ():
            if at not in self.met and at not in self.held:
                self.name = name
                made.append((name, self._value(self.before[at][1])))
        return tuple(made)

    def _value(self, value: Any) -> Hashable:
        self.depth += 1
        try:
            return self._looked_at(value)
        finally:
            self.depth -= 1

    def _looked_at(self, value: Any) -> Hashable:
        self.parts += 1
        if self.parts > MAX_PARTS:
            raise TooLarge(f"{self.name} holds more than {MAX_PARTS} values at the head of a loop")
        if self.depth > MAX_DEPTH:
            raise TooLarge(f"{self.name} is nested more than {MAX_DEPTH} times at the head of a loop")
        if value is self.noise and value is not None:
            return "noise"
        plain = known(value, self.name)
        if plain is not None:
            return plain
        if type(value) is tuple:
            return "tuple", *map(self._value, value)
        if id(value) in USABLE:
            return "function", id(value)
        if type(value) is types.MethodType and value.__self__ is self.noise and self.noise is not None:
            return "noise", value.__func__.__name__
        return self._object(value)

    def _object(self, value: Any) -> Hashable:
        """What can change, or be told apart from its equal: by number and content, once."""
        kind = type(value)
        if kind not in (list, dict, types.FunctionType, types.CellType):
            raise HiddenState(
                f"at the head of a loop {self.name} holds an object of type {kind.__name__}, whose state cannot be "
                "seen: keep numbers, text, tuples, lists and dictionaries from round to round"
            )
        if id(value) in self.met:
            return "again", self.met[id(value)][0]
        first = (self.before or {}).get(id(value))
        number = len(self.met)
        self.met[id(value)] = number, value
        if self.before is None:
            self.names[id(value)] = self.name
        self._refuse_doubt(value)
        mark = (kind.__name__, "kept", first[0]) if first is not None else (kind.__name__, "made", number)
        if kind is list:
            return (*mark, *map(self._value, value))
        if kind is dict:
            return (*mark, *((self._value(k), self._value(v)) for k, v in value.items()))
        if kind is types.CellType:
            held = read_cell(value)
            return (*mark, "unbound" if held is UNBOUND else self._value(held))
        defaults = (value.__defaults__ or (), tuple(sorted((value.__kwdefaults__ or {}).items())))
        return (*mark, id(value.__code__), self._value(defaults), *map(self._value, value.__closure__ or ()))

    def _refuse_outside(self, value: Any) -> None:
        """Refuse what lives outside and hides a state: no variable need lead there for a round to change it."""
        if type(value) is dict and self.loses_keys:
            raise HiddenState(
                "a dictionary outside the program beside a loop by 'while', and keys are taken away from one: their "
                "places stay in it, which cannot be seen"
            )

    def _refuse_doubt(self, value: Any) -> None:
        """Refuse what looks the same and need not be: a dictionary by its keys, a function by its variables."""
        if type(value) is dict and self.loses_keys:
            raise HiddenState(
                f"at the head of a loop {self.name} holds a dictionary, and keys are taken away from one: their places "
                "stay in it, which cannot be seen, and loops over its keys come upon them"
            )
        before = self.before
        if before is None or not isinstance(value, types.FunctionType) or value.__code__ not in self.doubtful:
            return
        if any(id(cell) not in before for cell in value.__closure__ or ()):
            raise HiddenState(
                f"at the head of a loop {self.name} holds a function that was made inside another one, which is "
                "called more than once: the variables of which call it uses cannot be seen"
            )


def _hold(value: Any, held: dict[int, tuple[int, Any]]) -> None:
    """Number what can change among the parts of a value."""
    if type(value) in (list, dict, set, types.FunctionType, types.CellType):
        if id(value) in held:
            return
        held[id(value)] = len(held), value
    if isinstance(value, dict):
        value = [*value.keys(), *value.values()]
    if isinstance(value, list | tuple | set | frozenset):
        for part in value:
            _hold(part, held)


def known(value: Any, name: str = "a variable") -> Hashable | None:
    """A number, a text or nothing, by type and value; None for everything else."""
    kind = type(value)
    _refuse_length(value, name)
    if kind in (bool, int, str, types.NoneType):
        return kind.__name__, value
    if isinstance(value, float):
        if isnan(value):
            raise HiddenState(f"at the head of a loop {name} holds a NaN, which is equal to nothing")
        if isinstance(value, Irrational):
            return "irrational", repr(float(value)), str(value.form)
        return ("float", repr(value)) if kind is float else None
    if kind is Public:
        plain = value.plain()
        return "public", plain.numerator, plain.denominator, known(value.python, name)
    if kind is Written:
        return "written", known(value.shipped(), name)
    if kind in (Exact, Fraction):
        return kind.__name__, value.numerator, value.denominator
    if kind is range:
        return "range", value.start, value.stop, value.step
    return None


def _refuse_length(value: Any, name: str) -> None:
    """Refuse a number or a text that is too long: what grows from round to round would not end."""
    if type(value) is str and len(value) > MAX_LENGTH:
        raise TooLarge(f"{name} holds more than {MAX_LENGTH} characters or bits at the head of a loop")
    if isinstance(value, Irrational) and len(value.form.terms) > MAX_TERMS:
        raise TooLarge(f"{name} holds a number whose formula has more than {MAX_TERMS} terms at the head of a loop")
    if isinstance(value, Fraction):
        plain = value.plain() if isinstance(value, Public) else value
        whole = max(abs(plain.numerator), plain.denominator)
    else:
        whole = value if type(value) is int else 0
    if whole.bit_length() > MAX_LENGTH:
        raise TooLarge(f"{name} holds more than {MAX_LENGTH} characters or bits at the head of a loop")
