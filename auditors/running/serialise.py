"""The state of an audit as bytes, and back, without anything that could run code.

A file holds a line of JSON and, behind it, the raw bytes of all arrays. Containers, arrays and objects stand in one
list and refer to each other by their place in it, so what two of them share is shared again afterwards. An object is
the name of a class of this package and the values of its attributes: reading it makes an empty instance and fills it
in. No function is called and no constructor is run, whatever the file says.
"""

from __future__ import annotations

import importlib
import json
import re
from enum import Enum
from fractions import Fraction
from typing import Any

import numpy as np

from dpwitness.core.errors import BadInput
from dpwitness.core.numbers import Exact

_HOME = "dpwitness."
_KINDS = "fiub"
_RATIONAL = re.compile(r"-?[0-9]{1,4000}(?:/[0-9]{1,4000})?")


def pack(value: Any) -> bytes:
    """The bytes of numbers, text, arrays, containers and this package's own objects.

    >>> unpack(pack({"wealth": (1.5, float("inf")), "hits": [np.arange(3)]}))
    {'wealth': (1.5, inf), 'hits': [array([0, 1, 2])]}
    """
    writer = _Writer()
    root = writer.put(value)
    head = json.dumps([root, writer.nodes], separators=(",", ":")).encode()
    return b"\n".join([head, b"".join(writer.arrays)])


def unpack(data: bytes) -> Any:
    """What `pack` was given; `BadInput` where the bytes are not of its making."""
    head, _, tail = data.partition(b"\n")
    try:
        root, nodes = json.loads(head)
        return _Reader(nodes, tail).get(root)
    except BadInput:
        raise
    except (ArithmeticError, ValueError, TypeError, LookupError, AttributeError, RecursionError, ImportError) as error:
        raise BadInput(f"it is damaged ({error})") from None


class _Writer:
    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.arrays: list[bytes] = []
        self._size = 0
        self._place: dict[int, int] = {}
        self._kept: list[Any] = []  # states made on the way must live as long as their identity is used

    def put(self, value: Any) -> Any:
        """A plain value as itself, anything else as ``[place]``."""
        if value is None or type(value) in (bool, int, float, str):
            return value
        if isinstance(value, np.generic):
            return value.item()
        if id(value) not in self._place:
            self._place[id(value)] = len(self.nodes)
            self._kept.append(value)
            self.nodes.append(None)
            self.nodes[self._place[id(value)]] = self._node(value)
        return [self._place[id(value)]]

    def _node(self, value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return self._array(value)
        kind = type(value)
        if kind in (list, tuple, set, frozenset):
            return [kind.__name__, [self.put(x) for x in value]]
        if kind is dict:
            return ["dict", [[self.put(k), self.put(v)] for k, v in value.items()]]
        if kind in (Fraction, Exact):
            return [kind.__name__, str(value)]
        if isinstance(value, Enum) and kind.__module__.startswith(_HOME):
            return ["member", kind.__module__, kind.__qualname__, value.name]
        if kind.__module__.startswith(_HOME) and not issubclass(kind, (int, float, str, tuple)):
            state = value.__getstate__() or {}  # None: an object without attributes
            self._kept.append(state)
            return ["object", kind.__module__, kind.__qualname__, [[k, self.put(v)] for k, v in state.items()]]
        raise TypeError(f"a {kind.__name__} cannot be kept in a checkpoint")

    def _array(self, value: Any) -> Any:
        if value.dtype.kind not in _KINDS:
            raise TypeError(f"an array of {value.dtype} cannot be kept in a checkpoint")
        order = "F" if value.flags.f_contiguous and not value.flags.c_contiguous else "C"
        raw = value.tobytes(order=order)
        node = ["array", value.dtype.str, list(value.shape), order, self._size, len(raw)]
        self.arrays.append(raw)
        self._size += len(raw)
        return node


class _Reader:
    def __init__(self, nodes: list[Any], tail: bytes) -> None:
        self.nodes, self.tail = nodes, tail
        self._made: dict[int, Any] = {}

    def get(self, value: Any) -> Any:
        if not isinstance(value, list):
            return value
        (place,) = value
        if place not in self._made:
            self._make(place, *self.nodes[place])
        return self._made[place]

    def _make(self, place: int, kind: str, *parts: Any) -> None:
        if kind == "array":
            self._made[place] = self._array(*parts)
        elif kind == "list":
            found = self._made[place] = []
            found += [self.get(x) for x in parts[0]]
        elif kind == "dict":
            table = self._made[place] = {}
            table.update((self.get(k), self.get(v)) for k, v in parts[0])
        elif kind in ("tuple", "set", "frozenset"):
            make = {"tuple": tuple, "set": set, "frozenset": frozenset}[kind]
            self._made[place] = make(self.get(x) for x in parts[0])
        elif kind in ("Fraction", "Exact"):
            if not _RATIONAL.fullmatch(parts[0]):  # an exponent could ask for a number of any size
                raise BadInput("it holds a number that no checkpoint needs")
            self._made[place] = (Fraction if kind == "Fraction" else Exact)(parts[0])
        elif kind == "member":
            self._made[place] = _class(parts[0], parts[1], Enum)[parts[2]]
        elif kind == "object":
            empty = self._made[place] = object.__new__(_class(parts[0], parts[1]))
            empty.__dict__.update((str(k), self.get(v)) for k, v in parts[2])
        else:
            raise BadInput(f"it holds a {kind!r}, which no checkpoint needs")

    def _array(self, dtype: str, shape: list[int], order: str, start: int, length: int) -> Any:
        kind = np.dtype(dtype)
        if kind.kind not in _KINDS or start < 0 or start + length > len(self.tail):
            raise BadInput("it is cut short or damaged")
        flat = np.frombuffer(self.tail, dtype=kind, count=length // kind.itemsize, offset=start)
        return flat.reshape(shape, order="F" if order == "F" else "C").copy(order="K")


def _class(module: str, name: str, kind: type = object) -> Any:
    """A class that this package defines; nothing else, and nothing that it only imports."""
    if not module.startswith(_HOME) or not all(part.isidentifier() for part in module.split(".")):
        raise BadInput(f"it holds {module}.{name}, which no checkpoint needs")
    found = getattr(importlib.import_module(module), name, None)
    if not isinstance(found, type) or found.__module__ != module or not issubclass(found, kind):
        raise BadInput(f"it holds {module}.{name}, which no checkpoint needs")
    return found
