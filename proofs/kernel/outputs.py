"""The shape of what a program returns: nested lists and tuples of constants, and slots for real numbers."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from dpwitness.proofs.kernel.arith import Rejected

CONSTANTS = {"int": int, "float": float, "bool": bool, "str": str, "NoneType": type(None), "Fraction": str}
_RATIONAL = re.compile(r"-?(0|[1-9][0-9]*)(/[1-9][0-9]*)?", re.ASCII)


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
    if kind == "const" and len(parts) == 2 and _is_constant(*parts):
        return 0
    if kind in ("list", "tuple"):
        return sum(slots_of(part) for part in parts)
    raise Rejected(f"{str(output)[:40]!r} is not an output")


def _is_constant(kind: Any, value: Any) -> bool:
    """Whether a constant is stated in the one way that there is: the same output under two names would be two.

    >>> [_is_constant(*part) for part in (("int", 1), ("int", True), ("Fraction", "1/2"), ("Fraction", "2/4"))]
    [True, False, True, False]
    """
    if not isinstance(kind, str) or type(value) is not CONSTANTS.get(kind):
        return False
    if kind != "Fraction" or not isinstance(value, str):
        return True
    return _RATIONAL.fullmatch(value) is not None and str(Fraction(value)) == value
