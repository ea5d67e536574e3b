"""Is the formula the function? A Python function is run beside the formula that was read from it."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from typing import Any

from dpwitness.core.errors import OutsideFragment
from dpwitness.proofs.kernel.sensitivity.setting import Setting
from dpwitness.proofs.sensitivity.floats import interesting, value

SIZES, EACH, CLOSE = range(7), 12, 1e-9


def compare_with_function(function: Callable[..., Any], setting: Setting) -> None:
    """Raise unless the function returns what the formula says, on datasets of 0 to 6 records."""
    draw = random.Random(20)
    points = [float(p) for p in interesting(setting.whole, setting.ends)]
    low, high = map(float, setting.ends)
    compared = 0
    for n in SIZES:
        for k in range(EACH if n else 1):
            data = [draw.choice(points) if k % 2 else draw.uniform(low, high) for _ in range(n)]
            if k < len(points):
                data = [points[k]] * n
            ours = _ours(setting, data)
            if ours is None:
                continue
            compared += 1
            try:
                theirs = function(list(data))
            except Exception as error:
                raise OutsideFragment(
                    f"{_name(function)}({data}) raises {type(error).__name__}, and the formula read from it is {ours}"
                ) from None
            if not _close(ours, theirs):
                raise OutsideFragment(f"{_name(function)}({data}) is {str(theirs)[:60]}, and the formula says {ours}")
    if not compared:
        raise OutsideFragment("the formula has no value on any small dataset")


def _name(function: Callable[..., Any]) -> str:
    return str(getattr(function, "__name__", "the function"))[:40]


def _ours(setting: Setting, data: Sequence[float]) -> list[float] | None:
    try:
        return [value(f, data, {"n": float(len(data))}) for f in setting.outputs]
    except (ArithmeticError, ValueError, LookupError):
        return None


def _close(ours: Sequence[float], theirs: Any) -> bool:
    try:
        given = [float(v) for v in theirs] if isinstance(theirs, tuple | list) else [float(theirs)]
    except (TypeError, ValueError):
        return False
    return len(given) == len(ours) and all(
        math.isclose(a, b, rel_tol=CLOSE, abs_tol=CLOSE) for a, b in zip(ours, given, strict=True)
    )
