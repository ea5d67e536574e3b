"""What to look at: facts about two outputs that name a cause, each checked on the outputs themselves."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from dpwitness.auditors.stability.search import Found
from dpwitness.core.numbers import show
from dpwitness.core.stability.claim import Stable
from dpwitness.core.stability.distances import OF_DATASETS, numbers, records_of
from dpwitness.core.stability.rows import Rows, record_key

WIDTHS = (8, 16, 32, 64)


def cause(claim: Stable, found: Found) -> str:
    """What the two answers show beyond their distance, in words; empty where they show nothing more."""
    left, right = found.before, found.after
    if found.shows.kind == "domain":
        return ""
    if found.shows.kind == "raises":
        return _raises(left.raised, right.raised)
    one, two = numbers(left.value), numbers(right.value)
    shape = "" if claim.distance.name in OF_DATASETS else _shape(one, two)
    said = [shape or _records(claim, found) or _special(one, two) or _wraps(found, one, two)]
    said += [_order(claim, found), _times(found)]
    return "; ".join(text for text in said if text)


def _raises(left: str | None, right: str | None) -> str:
    if left is None:
        return f"raises {right} on the right only"
    return f"raises {left} on the left only" if right is None else f"raises {left} on the left, {right} on the right"


def _shape(one: dict[Any, Any] | None, two: dict[Any, Any] | None) -> str:
    if one is None or two is None or one.keys() == two.keys():
        return ""
    if len(one) != len(two):
        return f"the number of outputs depends on the data: {len(one)} on the left, {len(two)} on the right"
    extra = next(iter(two.keys() - one.keys()), ("",))
    return f"which outputs there are depends on the data: {extra[-1]!r} stands on the right only"


def _records(claim: Stable, found: Found) -> str:
    if claim.distance.name not in ("hamming",):
        return ""
    one, two = records_of(found.before.value), records_of(found.after.value)
    if one is None or two is None or len(one) == len(two):
        return ""
    return f"the number of records depends on the data: {len(one)} on the left, {len(two)} on the right"


def _special(one: dict[Any, Any] | None, two: dict[Any, Any] | None) -> str:
    for here, there, side in ((one or {}, two or {}, "left"), (two or {}, one or {}, "right")):
        for place, value in here.items():
            other = there.get(place, 0)
            if isinstance(value, float) and math.isnan(value) and not _nan(other):
                return f"the output is NaN on the {side} only"
            if isinstance(value, float) and math.isinf(value) and not math.isinf(float(other)) and not _nan(other):
                return f"the output is infinite on the {side} only"
    return ""


def _nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _wraps(found: Found, one: dict[Any, Any] | None, two: dict[Any, Any] | None) -> str:
    """An output that jumps by 2^k, give or take what is allowed, from one end of the k-bit numbers to the other."""
    bound = found.shows.bound
    for place, a in (one or {}).items() if bound is not None and two is not None else ():
        b = (two or {}).get(place)
        if b is None or not isinstance(a, int | float) or not isinstance(b, int | float):
            continue
        jump = abs(Fraction(a) - Fraction(b)) if math.isfinite(a) and math.isfinite(b) else Fraction(0)
        for width in WIDTHS:
            room = bound if bound is not None else Fraction(0)
            signed = min(a, b) <= -(2 ** (width - 1)) + room and max(a, b) >= 2 ** (width - 1) - 1 - room
            unsigned = 0 <= min(a, b) <= room and 2**width - 1 - room <= max(a, b) <= 2**width - 1
            if abs(jump - 2**width) <= room and (signed or unsigned):
                limit = width - 1 if signed else width
                return (
                    f"the output jumps from {a} to {b}, as a number of {width} bits does that wraps around at 2^{limit}"
                )
    return ""


def _order(claim: Stable, found: Found) -> str:
    if found.apart != 0 or not isinstance(claim.space, Rows):
        return ""
    same = sorted(map(repr, map(record_key, found.left))) == sorted(map(repr, map(record_key, found.right)))
    return "both inputs hold the same records: the order of the records decides" if same else ""


def _times(found: Found) -> str:
    """How many times as far as allowed, where that is a small whole number."""
    shows = found.shows
    if shows.kind != "moves" or not shows.bound or shows.measure == math.inf or shows.power != 1:
        return ""
    ratio = Fraction(shows.measure) / shows.bound
    if ratio.denominator == 1 and 2 <= ratio <= 16:
        return f"{show(ratio)} times as far as claimed"
    return ""
