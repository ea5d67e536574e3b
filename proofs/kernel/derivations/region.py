r"""Regions of parameters: conditions such as ``b > 0`` or ``a < b``, as substitutions by positive variables.

Each parameter gets a lower or an upper end, or both, from conditions that compare it with formulas in parameters that
are known already: p > l becomes :math:`p = l + x`, p < u becomes :math:`u - x`, and l < p < u becomes
:math:`l + (u-l)\,x/(1+x)`, with x > 0. Each substitution maps x > 0 onto the range of p, so a statement for all x > 0
is one for all parameters of the region. A condition with ≤ or ≥ adds the end itself as a case of its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product
from typing import Any

from dpwitness.proofs.kernel.algebra.expr import Expr, parse
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.derivations.functions import decided as seen
from dpwitness.proofs.kernel.derivations.reading import PI, read
from dpwitness.proofs.kernel.derivations.ring import ONE, Quotient, variable
from dpwitness.proofs.kernel.limits import tick

MAX_PARAMETERS, MAX_CONDITIONS = 8, 24
RESERVED = frozenset(("z", "t", "x", "Delta", "lam", PI, "E"))
_ORDER = re.compile(r"<=|>=|<|>")
Values = dict[str, Quotient]
Condition = tuple[Expr, Expr, bool]  # the smaller side, the larger one, and whether they differ
End = tuple[Expr, bool]  # and whether it belongs to the range
Ending = tuple[Expr | None, bool]
Range = tuple[str, Expr | None, Expr | None, bool, bool]  # name, lower and upper end, whether they belong to it


class NoCondition(Rejected):
    """A parameter about which nothing is assumed."""


class Empty(Rejected):
    """No values of the parameters meet the conditions."""


def comparison(source: object) -> tuple[Expr, Expr, bool]:
    """``a < b`` as (a, b, strict); the smaller side first."""
    if not isinstance(source, str) or len(source) > 400:
        raise Rejected("a condition is text such as 'b > 0'")
    signs = _ORDER.findall(source)
    if len(signs) != 1:
        raise Rejected(f"{source[:60]!r} is not one comparison such as 'b > 0'")
    left, right = (parse(part) for part in _ORDER.split(source))
    low, high = (left, right) if "<" in signs[0] else (right, left)
    return low, high, "=" not in signs[0]


def cases(names: Sequence[str], conditions: Sequence[object], *, changes: Sequence[str] = ()) -> list[Values]:
    """The region as images of positive variables that have the names of the parameters.

    `changes` are reserved names that count as parameters here.

    >>> [case["b"].key for case in cases(["b"], ["b >= 1"])]
    ['1* + 1*var:b^[1*]', '1*']
    """
    return _spelled(ranges(names, conditions, changes=changes))


def proofs_of(proof: Any, regions: Sequence[Values]) -> list[Any]:
    """One proof for each case of a region: a list of them, or one that serves all."""
    if not isinstance(proof, list):
        return [proof] * len(regions)
    if len(proof) != len(regions):
        raise Rejected(f"{len(regions)} proofs are needed, one for each case of the region")
    return proof


def ranges(names: Sequence[str], conditions: Sequence[object], *, changes: Sequence[str] = ()) -> list[Range]:
    """Each parameter with its ends, after those that its ends speak of."""
    if not isinstance(conditions, list | tuple) or len(conditions) > MAX_CONDITIONS:
        raise Rejected(f"conditions are a list of at most {MAX_CONDITIONS} comparisons")
    if len(names) > MAX_PARAMETERS or len(set(names)) < len(names):
        raise Rejected(f"at most {MAX_PARAMETERS} parameters, each once")
    if clash := sorted(set(names) & RESERVED - set(changes)):
        raise Rejected(f"a parameter cannot be called {clash[0]!r}")
    open_ = [comparison(c) for c in conditions]
    for low, high, _ in open_:
        if unknown := sorted((low.variables() | high.variables()) - set(names)):
            raise Rejected(f"a condition speaks of {unknown[0]!r}, which is no parameter")
    bare = [n for n in names if not any(n in (side.name for side in c[:2] if side.op == "var") for c in open_)]
    if bare:
        raise NoCondition(f"nothing is assumed about {bare[0]!r}: say for which values, such as {bare[0]} > 0")
    found = _ordered(list(names), open_, [])
    if found is None:
        raise Rejected("the conditions cannot be read one parameter after the other: write each as 'name > formula', "
                       "with at most one lower and one upper end for each name")  # fmt: skip
    return found


def _ordered(todo: list[str], conditions: list[tuple[Expr, Expr, bool]], known: list[str]) -> list[Range] | None:
    """The parameters in an order in which every condition is an end of the last parameter that it speaks of."""
    tick()
    if not todo:
        return [] if not conditions else None
    for name in todo:
        lows, highs = _ends(name, conditions, known)
        if not lows and not highs:
            continue
        narrow = _narrowest(lows, highs)
        if narrow is None:
            continue
        now = [*known, name]
        left = [c for c in conditions if not (c[0].variables() | c[1].variables()) <= set(now)]
        rest = _ordered([n for n in todo if n != name], left, now)
        used = len(lows) + len(highs)
        if rest is None or used != len(conditions) - len(left):
            continue
        (low, closed_low), (high, closed_high) = narrow
        return [(name, low, high, closed_low, closed_high), *rest]
    return None


def _ends(name: str, conditions: Sequence[Condition], known: Sequence[str]) -> tuple[list[End], list[End]]:
    """Lower and upper ends of one parameter by formulas in known ones, each with whether the end belongs to it."""
    lows, highs = [], []
    for low, high, strict in conditions:
        if high.op == "var" and high.name == name and low.variables() <= set(known):
            lows.append((low, not strict))
        if low.op == "var" and low.name == name and high.variables() <= set(known):
            highs.append((high, not strict))
    return lows, highs


def _narrowest(lows: list[End], highs: list[End]) -> tuple[Ending, Ending] | None:
    """One end of each kind: the only one, or of several numbers the narrowest."""
    found: list[Ending] = []
    for ends, sign in ((lows, -1), (highs, 1)):
        if len(ends) > 1 and any(end.op != "num" for end, _ in ends):
            return None
        found.append(min(ends, key=lambda end: (sign * end[0].value, end[1])) if ends else (None, False))
    return found[0], found[1]


def _spelled(entries: Sequence[Range]) -> list[Values]:
    choices = [["inside", *(["low"] if cl else []), *(["high"] if ch else [])] for _, _, _, cl, ch in entries]
    found = []
    for picks in product(*choices):
        values: Values = {}
        for (name, low, high, *closed), pick in zip(entries, picks, strict=True):
            start = None if low is None else read(low, values)
            stop = None if high is None else read(high, values)
            x = variable(name)
            if start is not None and stop is not None:
                room = seen(stop - start)
                if room < 0 or (room == 0 and not all(closed)):
                    raise Empty(f"the conditions leave no value for {name}")
                if room == 0 and pick != "low":
                    break
            if pick == "inside":
                if start is not None:
                    values[name] = start + (x if stop is None else (stop - start) * x / (ONE + x))
                else:
                    assert stop is not None
                    values[name] = stop - x
            else:
                values[name] = start if pick == "low" else stop  # type: ignore[assignment]
        if len(values) == len(entries):
            found.append(values)
    return found
