"""What a program computes with while it is read.

Numbers are sealed: nothing tells a program what kind of number it holds, since nothing of the program runs. A number is
a polynomial in public symbols, private sums and draws (see `dpwitness.proofs.kernel.algebra.laurent`), linear in the
latter two.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import FunctionType
from typing import Any

from dpwitness.core.errors import OutsideFragment
from dpwitness.proofs.kernel.algebra.laurent import Poly

Value = Any
Origin = frozenset[int]


class Refused(OutsideFragment):
    """The program does something that this reader does not follow; the text says what to write instead."""


@dataclass(frozen=True)
class Number:
    """A number: public, or private, or noisy. `whole`: it is an int in Python; `truth`: it is True or False.

    `rough`: Python has rounded it. `lost`: numbers cancel in it, so that Python's rounding may be all that is left.
    """

    form: Poly
    whole: bool = False
    truth: bool = False
    varies: bool = False  # computed from a parameter that is left open, even where it cancels
    rough: bool = False
    lost: bool = False
    bulk: Poly | None = field(default=None, compare=False)  # see `dpwitness.proofs.composition.remains`
    origin: int | None = field(default=None, compare=False)  # how a rounded number was computed

    @property
    def constant(self) -> Fraction | None:
        """The number, where it is a plain one."""
        return self.form.value()


@dataclass(frozen=True)
class Test:
    """``form op 0`` of a public form, whose truth is not known."""

    op: str
    form: Poly
    origin: Origin | None = field(default=None, compare=False)  # of the rounded numbers that it compares
    __test__ = False  # not a test case


@dataclass(eq=False)
class Listing:
    """A list, tuple or set. `owner` is the run of a record function that made it; 0 for the program itself."""

    items: list[Value]
    kind: str = "list"
    owner: int = 0


@dataclass(frozen=True)
class Result:
    """What another mechanism gave back: it can be handed on and returned."""

    symbol: str


@dataclass(frozen=True)
class Gone:
    """A name that a loop over the records has set: it holds what one record left behind."""


@dataclass(frozen=True)
class Helper:
    """A function of the program's module, or a lambda of the program."""

    tree: ast.FunctionDef | ast.Lambda
    names: Mapping[str, Any]
    function: FunctionType | None = None
    env: dict[str, Value] = field(default_factory=dict, compare=False)


@dataclass(frozen=True)
class Builtin:
    """A builtin function or one of this package."""

    name: str


@dataclass(frozen=True)
class Foreign:
    """Something from outside that is not read, and may be handed to ``noise.postprocess``."""

    path: str
    value: Any = field(compare=False)


class Noise:
    """The program's noise: its methods may be called."""


NOISE = Noise()


def origin_of(*numbers: Number) -> Origin | None:
    """How these numbers were computed; None where Python has rounded none of them."""
    if not any(n.rough for n in numbers):
        return None
    return frozenset(made_by(n) for n in numbers)


def made_by(number: Number) -> int:
    """How a number was computed: two doubles with the same form and the same origin are equal."""
    return number.origin if number.origin is not None else hash(("form", number.form))


def constant(value: Fraction | int, *, whole: bool | None = None) -> Number:
    """A plain number."""
    number = Fraction(value)
    return Number(Poly.constant(number), isinstance(value, int) if whole is None else whole)


def refuse(reason: str, line: int | None = None) -> Any:
    """Raise `Refused`."""
    raise Refused(reason, line)


__all__ = [
    "NOISE", "Builtin", "Foreign", "Gone", "Helper", "Listing", "Noise", "Number", "Refused", "Result", "Test", "Value",
    "constant", "made_by", "origin_of", "refuse",
]  # fmt: skip
