"""The shape of what a program returns: nested lists and tuples of constants, and slots for real numbers."""

from __future__ import annotations

from typing import Any

from dpwitness.proofs.kernel.arith import Rejected

CONSTANTS = ("int", "float", "bool", "str", "NoneType", "Fraction")


def slots_of(output: Any) -> int:
    """How many real numbers an output holds; what is no output is rejected.

    >>> slots_of(["list", ["slot"], ["const", "int", 3], ["tuple", ["slot"]]])
    2
    """
    if not isinstance(output, list) or not output:
        raise Rejected("an output is a list that begins with its kind")
    kind, *parts = output
    if kind == "slot" and not parts:
        return 1
    plain = len(parts) == 2 and (parts[1] is None or isinstance(parts[1], bool | int | float | str))
    if kind == "const" and plain and parts[0] in CONSTANTS:
        return 0
    if kind in ("list", "tuple"):
        return sum(slots_of(part) for part in parts)
    raise Rejected(f"{str(output)[:40]!r} is not an output")
