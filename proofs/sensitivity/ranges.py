"""Find monotone pieces of a function of one record, and write the certificate of its range."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from dpwitness.proofs.kernel.algebra.cells import Box, intervals
from dpwitness.proofs.kernel.algebra.expr import Expr
from dpwitness.proofs.kernel.algebra.values import over
from dpwitness.proofs.kernel.arith import Rejected, Undecided, lower, outward, precision, text, upper
from dpwitness.proofs.kernel.sensitivity.language import nodes
from dpwitness.proofs.kernel.sensitivity.ranges import at, check_range, rebuilt, resolved
from dpwitness.proofs.kernel.sensitivity.setting import Setting
from dpwitness.proofs.kernel.sensitivity.values import enclosed
from dpwitness.proofs.laws.positivity import Disproved, prove, simplest
from dpwitness.proofs.sensitivity.floats import value

GRID, MAX_CELLS = 240, 400
Piece = dict[str, Any]


def range_of(expr: Expr, setting: Setting) -> dict[str, Any] | None:
    """A certificate of the range of a function of z, or None where none is found.

    >>> from dpwitness.proofs.kernel.sensitivity.language import parse_function
    >>> from dpwitness.proofs.sensitivity.settings import make_setting
    >>> found = range_of(parse_function("z*(1 - z)", ("z",)), make_setting(["n"]))
    >>> found["low"], found["high"], [p["by"] for p in found["pieces"]]
    ('0', '1/4', ['rising', 'falling'])
    """
    if any(node.op in ("gt", "ge", "mod", "rec", "order", "sum", "prod") for node in nodes(expr)):
        return None
    for make in (_inside, _pieces):
        try:
            found = make(expr, setting)
            if found is not None:
                check_range(found, setting.ends, setting.params)
                return found
        except (Rejected, Undecided, Disproved, ArithmeticError, ValueError):
            continue
    return None


def _inside(expr: Expr, setting: Setting) -> dict[str, Any] | None:
    """Where interval arithmetic gives the very range."""
    with precision(128):
        whole = over(expr, intervals({**setting.params, "z": setting.ends}))
    low, high = lower(whole.lo), upper(whole.hi)
    if low.denominator > 10**6 or high.denominator > 10**6 or setting.params:
        return None
    seen = [_float(expr, z, {}) for z in setting.ends]
    if min(abs(s - float(low)) for s in seen) > 1e-12 or min(abs(s - float(high)) for s in seen) > 1e-12:
        return None
    end = text(setting.ends[1])
    return {"formula": str(expr), "low": text(low), "high": text(high), "pieces": [{"to": end, "by": "inside"}]}


def _float(expr: Expr, z: Fraction | float, env: dict[str, float]) -> float:
    return value(expr, [], {**env, "z": float(z)})


def _pieces(expr: Expr, setting: Setting) -> dict[str, Any] | None:
    low, high = setting.ends
    env = {
        name: float(a or 0) + (0.37 * float(b - (a or 0)) if b is not None else 0.5)
        for name, (a, b) in setting.params.items()
    }
    grid = [low + (high - low) * k / GRID for k in range(GRID + 1)]
    seen = [_float(expr, z, env) for z in grid]
    steps = [b - a for a, b in pairwise(seen)]
    turns = [k for k in range(1, GRID) if steps[k - 1] * steps[k] < 0 or steps[k - 1] != 0 == steps[k]]
    if len(turns) > 8:
        return None
    plain = rebuilt(expr)
    cuts = [low, *(simplest(grid[k - 1], grid[k + 1]) for k in turns), high]
    made = [_monotone(plain, {**setting.params, "z": ends}) for ends in pairwise(cuts)]
    pieces: list[Piece] = [piece for piece in made if piece is not None]
    if len(pieces) < len(made):
        return _loose(expr, plain, setting, [grid[k] for k in turns], float(high - low) / GRID)
    ends = [(at(plain, cut), _float(expr, cut, env)) for cut in cuts]
    least, most = min(ends, key=lambda e: e[1])[0], max(ends, key=lambda e: e[1])[0]
    return {"formula": str(expr), "low": str(least), "high": str(most), "pieces": pieces}


def _monotone(plain: Expr, box: Box) -> Piece | None:
    with precision(128):
        derivative = resolved(plain, box).derivative("z")
    for rule, slope in (("rising", derivative), ("falling", -derivative)):
        try:
            proof = prove(slope, box, max_cells=MAX_CELLS)["proof"]
        except (Disproved, Undecided, Rejected):
            continue
        return {"to": text(box["z"][1] or 0), "by": rule, "slope": proof}
    return None


def _loose(expr: Expr, plain: Expr, setting: Setting, turns: Sequence[Fraction], step: float) -> dict[str, Any] | None:
    """Turning points that are not rational: pieces around them where interval arithmetic has to do."""
    if setting.params:
        return None
    low, high = setting.ends
    near = Fraction(step).limit_denominator(10**6)
    pieces: list[Piece] = []
    bounds: list[Fraction] = []
    start = low
    for turn in turns:
        left, right = max(turn - near, low), min(turn + near, high)
        for end, rule in ((left, "run"), (right, "inside")):
            if end <= start:
                continue
            piece = _monotone(plain, {"z": (start, end)}) if rule == "run" else {"to": text(end), "by": "inside"}
            if piece is None:
                return None
            if rule == "inside":
                with precision(128):
                    value_ = over(expr, intervals({"z": (start, end)}))
                bounds += [lower(value_.lo), upper(value_.hi)]
            pieces.append(piece)
            start = end
    if start < high:
        piece = _monotone(plain, {"z": (start, high)})
        if piece is None:
            return None
        pieces.append(piece)
    for z in (low, high):
        found = enclosed(at(plain, z))
        bounds += [lower(found.lo), upper(found.hi)]
    least, most = outward(min(bounds), max(bounds), 6)
    return {"formula": str(expr), "low": text(least), "high": text(most), "pieces": pieces}
