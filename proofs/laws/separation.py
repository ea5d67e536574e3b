"""Events that tell two given laws apart: guessed in floating point, certified by the kernel."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpwitness.core.claims import Claim
from dpwitness.core.evidence import Event
from dpwitness.core.guarantees import epsilon_delta
from dpwitness.core.identity import constant_value
from dpwitness.core.readers.outputs import Skeleton
from dpwitness.proofs.kernel.arith import Undecided, ball, lower, precision, text, upper
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.kernel.releases.scales import probability, read_law, read_noise
from dpwitness.proofs.laws.reading import Leaf
from dpwitness.proofs.laws.stamps import about, guarantee_json

if TYPE_CHECKING:
    from dpwitness.proofs.laws.scales import Release

Found = dict[str, Any]
LEAST = 1e-15  # events that are rarer than this on the left are not offered


def apart(left: Sequence[Leaf], right: Sequence[Leaf], claim: Claim, inputs: list[list[str]]) -> Found | None:
    """A counterexample where no output of the left law has the shape of an output of the right law."""
    if any(alike(a.output, b.output) for a in left for b in right):
        return None
    pair = epsilon_delta(claim.guarantee)
    assert pair is not None
    certificate = {
        "type": "table-violation",
        "inputs": inputs,
        "outputs": [" or ".join(dict.fromkeys(_show(leaf.output) for leaf in side)) for side in (left, right)],
        "left": ["1", "0"],
        "right": ["0", "1"],
        "event": [0],
        "epsilon": text(pair[0]),
        "delta": text(pair[1]),
        "about": about(claim),
    }
    if not examine(certificate):
        return None
    shapes = list(dict.fromkeys(_show(leaf.output) for leaf in left))
    words = "output looks like " + " or ".join(shapes[:4]) + (" or …" if len(shapes) > 4 else "")
    return _found(words, "1", "0", 1.0, 0.0, None, certificate)


def alike(a: Skeleton, b: Skeleton) -> bool:
    """Whether two outputs may be equal: same structure, equal constants; a number may equal a number."""
    if "slot" in (a[0], b[0]):
        return all(x[0] == "slot" or (x[0] == "const" and x[1] in ("int", "float", "bool", "Fraction")) for x in (a, b))
    if a[0] == "const" or b[0] == "const":
        return a == b
    return a[0] == b[0] and len(a) == len(b) and all(alike(x, y) for x, y in zip(a[1:], b[1:], strict=True))


def _show(skeleton: Skeleton) -> str:
    if skeleton[0] == "slot":
        return "number"
    if skeleton[0] == "const":
        return repr(constant_value(skeleton))
    inside = ", ".join(_show(part) for part in skeleton[1:])
    return f"[{inside}]" if skeleton[0] == "list" else f"({inside})"


def separated(left: Release, right: Release, claim: Claim, place: Mapping[str, Any]) -> Found | None:
    """A counterexample for one released number with these two laws, or None; `place` names its inputs and output."""
    noise = left.noise or right.noise or (("name", "laplace"),)
    if {left.noise, right.noise} - {(), noise} or left.law == right.law:
        return None
    pair = epsilon_delta(claim.guarantee)
    assert pair is not None
    eps, delta = pair
    best: Found | None = None
    for inside, low, high in _events(dict(noise), left, right, float(eps)):
        bounds = _probabilities(dict(noise), left, right, inside, low, high)
        if bounds is None:
            continue
        (p, _), (_, q) = bounds
        if p <= delta or (q > 0 and float((p - delta) / q) <= math.exp(eps) * (1 + 1e-9)):
            continue
        reached = None if q == 0 else Fraction(math.log((p - delta) / q) * (1 - 1e-9)).limit_denominator(10**9)
        if best is not None and reached is not None and reached <= best["epsilon_lower"]:
            continue
        ends = {"low": None if low is None else text(low), "high": None if high is None else text(high)}
        certificate = {
            "type": "scales-violation",
            **place,
            "noise": dict(noise),
            "left": left.law,
            "right": right.law,
            "event": {"inside": inside, **ends},
            "guarantee": guarantee_json(claim.guarantee),
        }
        if not examine(certificate):
            continue
        words = _words(inside, low, high)
        shown = [f"P[{side.location} + ({side.scale})·Z {_range(inside, low, high)}]" for side in (left, right)]
        best = _found(words, shown[0], shown[1], float(p), float(q), reached, certificate)
        if reached is None:
            break
    if best is not None:
        best["certificate"]["about"] = about(claim)
    return best


def _words(inside: bool, low: Fraction | None, high: Fraction | None) -> str:
    return f"output {_range(inside, low, high)}"


def _range(inside: bool, low: Fraction | None, high: Fraction | None) -> str:
    if low == high and low is not None:
        return f"{'is' if inside else 'is not'} {low}"
    ends = f"[{'-∞' if low is None else f'{float(low):.6g}'}, {'∞' if high is None else f'{float(high):.6g}'}]"
    return f"lies {'in' if inside else 'outside'} {ends}"


def _found(words: str, left: str, right: str, p: float, q: float, reached: Any, certificate: Any) -> Found:
    decimals = {"p_left_decimal": p, "p_right_decimal": q, "epsilon_lower": reached}
    return {"event": Event(words), "p_left": left, "p_right": right, **decimals, "certificate": certificate}


Event3 = tuple[bool, Fraction | None, Fraction | None]


def _events(noise: dict[str, str], left: Release, right: Release, eps: float) -> list[Event3]:
    """Where the log-ratio is above some level, on a grid that reaches far out; the points of a law without noise."""
    import numpy as np

    from dpwitness.proofs.kernel.algebra.expr import parse
    from dpwitness.proofs.laws.floats import values

    (m1, s1), (m2, s2) = ((float(values(parse(x), np.float64(0))) for x in side.law) for side in (left, right))
    if s1 == 0:
        exact = parse(left.location)
        return [(True, exact.value, exact.value)] if exact.op == "num" else []
    if s2 == 0:
        exact = parse(right.location)
        return [(False, exact.value, exact.value)] if exact.op == "num" else []
    reach = np.sinh(np.linspace(-30, 30, 6001))
    y = np.unique(np.concatenate([m1 + abs(s1) * reach, m2 + abs(s2) * reach, np.linspace(m1, m2, 99)]))
    with np.errstate(all="ignore"):
        ratio = _log_density(noise, (y - m1) / s1) - math.log(abs(s1)) - _log_density(noise, (y - m2) / s2)
        ratio = np.nan_to_num(ratio + math.log(abs(s2)), nan=-np.inf, posinf=1e3, neginf=-1e3)
    top = float(np.max(ratio))
    levels = sorted({eps, *(eps + (top - eps) * k / 12 for k in range(12))} if top > eps else {eps}, reverse=True)
    events: list[Event3] = []
    for level in levels:
        where = ratio > level
        if not where.any():
            continue
        ends = np.flatnonzero(np.diff(where.astype(int)))
        cuts = [Fraction(float(y[i])).limit_denominator(10**6) for i in ends]
        if where[0] and where[-1] and len(cuts) == 2:
            events.append((False, cuts[0], cuts[1]))
        elif len(cuts) == 2 and not where[0]:
            events.append((True, cuts[0], cuts[1]))
        elif len(cuts) == 1:
            events.append((True, None, cuts[0]) if where[0] else (True, cuts[0], None))
    return events


def _log_density(noise: dict[str, str], z: Any) -> Any:
    import numpy as np

    name = noise["name"]
    if name == "laplace":
        return -np.abs(z)
    if name == "gaussian":
        return -z * z / 2
    if name == "admissible":
        return -np.logaddexp(0.0, float(Fraction(noise["gamma"])) * np.log(np.abs(z)))
    if name == "exponential":
        return np.where(z >= 0, -z, -np.inf)
    return np.where((z >= 0) & (z <= 1), 0.0, -np.inf)


def _probabilities(
    noise: dict[str, str], left: Release, right: Release, inside: bool, low: Fraction | None, high: Fraction | None
) -> list[tuple[Fraction, Fraction]] | None:
    kind = read_noise(noise)
    found = []
    with precision(256):
        for side in (left, right):
            try:
                p = probability(kind, read_law(side.law), low, high)
                p = p if inside else ball(1) - p
                found.append((max(lower(p), Fraction(0)), max(upper(p), Fraction(0))))
            except Undecided:
                return None
    return found if float(found[0][0]) > LEAST else None
