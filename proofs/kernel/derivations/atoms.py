"""What terms of the ring are made of: variables, Euler's number, and functions of sums and quotients."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any


class Keyed:
    """Things that are equal where their keys are."""

    key: Any  # text, made once

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Keyed) and type(self) is type(other) and bool(self.key == other.key)

    def __hash__(self) -> int:
        return hash(self.key)


@dataclass(frozen=True, eq=False)
class Atom(Keyed):
    """``var`` with a name, ``e``; ``power`` and ``log`` of a positive sum; ``erfc`` and ``atan`` of a quotient."""

    kind: str
    name: str = ""
    of: Any = None  # a `Sum`
    at: Any = None  # a `Quotient`

    @cached_property
    def key(self) -> str:
        """What atoms are compared by."""
        inner = self.of or self.at
        return f"{self.kind}:{self.name}" if inner is None else f"{self.kind}({inner.key})"

    @cached_property
    def variables(self) -> frozenset[str]:
        """The variables that it depends on."""
        inner = self.of or self.at
        return frozenset((self.name,)) if self.kind == "var" else inner.variables if inner else frozenset()


EULER = Atom("e")
