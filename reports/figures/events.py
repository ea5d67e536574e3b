"""Which outputs an event speaks of, read from its words, so that a figure can shade them."""

from __future__ import annotations

import operator
import re
from collections.abc import Sequence
from fractions import Fraction

_NUMBER = r"(-?\d[\d./e+-]*|-?inf)"
_RANGE = re.compile(rf"(?:{_NUMBER} (<|<=|≤) )?(?:output|x)(?: (<|<=|≤|>|≥|=) {_NUMBER})?$")
_SIGNS = {
    "<": operator.lt, "<=": operator.le, "≤": operator.le, ">": operator.gt, "≥": operator.ge, "=": operator.eq
}  # fmt: skip
_TURNED = {"<": ">", "<=": "≥", "≤": "≥"}


def members(words: str, outputs: Sequence[str] | Sequence[float]) -> tuple[bool, ...] | None:
    """For every output whether the event holds it; None where the words cannot be read, or hold none or all of them.

    >>> members("output ≤ 0.25 or output > 2", [0.0, 1.0, 3.0])
    (True, False, True)
    >>> members("output 4", ["None", "0", "4"]), members("output ≥ 1 or output = None", ["None", "0", "4"])
    ((False, False, True), (True, False, True))
    >>> members("output x with -1/4 <= x <= 1/4", [0.0, 1.0])
    (True, False)
    """
    if not outputs or len(words) > 400:
        return None
    found = _labels(words, outputs) if isinstance(outputs[0], str) else _ranges(words, outputs)
    return found if found is not None and any(found) and not all(found) else None


def _labels(words: str, outputs: Sequence[object]) -> tuple[bool, ...]:
    listed = words.removeprefix("output is one of ")
    if listed != words:
        return tuple(bool(re.search(rf"(^|, ){re.escape(str(o))}(, |$)", listed)) for o in outputs)
    parts = words.split(" or ")
    named = {re.sub(r"^output (= )?", "", part).strip() for part in parts}
    ranges = [found for part in parts if (found := _range(part))]
    return tuple(str(o) in named or any(_holds(part, x) for x in _number(str(o)) for part in ranges) for o in outputs)


def _number(label: str) -> list[float]:
    """The number that a label is, or nothing."""
    return [float(label)] if re.fullmatch(r"-?\d+(\.\d+)?", label) else []


def _ranges(words: str, outputs: Sequence[object]) -> tuple[bool, ...] | None:
    parts = [_range(part) for part in words.removeprefix("output x with ").split(" or ")]
    if any(part is None for part in parts):
        return None
    return tuple(any(part is not None and _holds(part, float(str(o))) for part in parts) for o in outputs)


def _range(part: str) -> list[tuple[str, float]] | None:
    """The conditions on a number, each a sign and a bound."""
    found = _RANGE.match(part.strip())
    if found is None:
        return None
    low, low_sign, sign, bound = found.groups()
    try:
        conditions = [] if low is None else [(_TURNED[low_sign], _float(low))]
        return conditions + ([] if bound is None else [(sign, _float(bound))])
    except (ValueError, ZeroDivisionError):
        return None


def _holds(conditions: list[tuple[str, float]], x: float) -> bool:
    return all(_SIGNS[sign](x, bound) for sign, bound in conditions)


def _float(text: str) -> float:
    return float(text) if "inf" in text else float(Fraction(text))
