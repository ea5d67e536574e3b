"""Where the interval of records is cut: at the zeros of the forms that change their sign, one after the other."""

from __future__ import annotations

from typing import Any

from dpwitness.core.errors import OutsideFragment
from dpwitness.proofs.kernel.algebra.field import Number
from dpwitness.proofs.kernel.local.lines import Uncut
from dpwitness.proofs.kernel.local.reports import MAX_CUTS, between, verify


def cuts(tree: dict[str, Any], low: Number, high: Number, factor: Number) -> list[Number]:
    """The cuts that the kernel's check asks for; raises what it raises where it fails for another reason."""
    points = [low, high]
    while len(points) <= MAX_CUTS + 2:
        try:
            verify(tree, between(points), factor)
        except Uncut as error:
            zero = -error.line.parts[0] / error.line.parts[1]
            place = next(k for k, point in enumerate(points) if (point - zero).sign() > 0)
            points.insert(place, zero)
        else:
            return points[1:-1]
    raise OutsideFragment(f"more than {MAX_CUTS} cuts of the interval of records")


__all__ = ["cuts"]
