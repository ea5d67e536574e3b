"""Events about the bit patterns of numbers: multiples of powers of two, and lattices of any step.

The *level* of a number z ≠ 0 is the e for which z = odd · 2^e; "z is not a multiple of 2^k" is level < k, which is
exact. A lattice {origin + n · step} of a step that is no power of two is found as the greatest common divisor of
differences of outputs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpwitness.auditors.bounds.count import bounds
from dpwitness.auditors.outputs.arrays import Bools, Floats, Ints

SIZES = (-24, 24)
LEVELS = (-120, 8)
_FEWEST = 8
_FINE = 2.0**-40  # relative: a lattice finer than a few of these cannot be told from rounding
_MOST_DIFFERENCES = 256


def level(z: Floats) -> Ints:
    """The exponent of the lowest set bit: z = odd · 2^level; 2000 for 0, NaN and infinities.

    >>> level(np.array([1.0, 0.75, 12.0, 0.1])).tolist()
    [0, -2, 2, -55]
    """
    finite = np.isfinite(z) & (z != 0)
    fraction, exponent = np.frexp(np.where(finite, z, 1.0))
    whole = np.abs(np.ldexp(fraction, 53)).astype(np.int64)
    lowest = (whole & -whole).astype(np.float64)
    trailing = np.frexp(lowest)[1] - 1
    return np.where(finite, exponent.astype(np.int64) - 53 + trailing, 2000).astype(np.int64)


@dataclass(frozen=True)
class BitEvent:
    """``|z| < 2^size`` (any size where None) and z is a multiple of ``2^level``, or is not."""

    column: int
    size: int | None
    level: int
    multiple: bool
    side: int

    def holds(self, z: Floats) -> Bools:
        """For which numbers the event is true; NaN and infinities are in no event."""
        with np.errstate(invalid="ignore"):
            small = np.isfinite(z) if self.size is None else np.abs(z) < 2.0**self.size
        return np.asarray(small & ((level(z) >= self.level) == self.multiple), dtype=bool)

    def words(self, place: str) -> str:
        """The event in words."""
        near = "" if self.size is None else f"|{place}| < 2^{self.size} and "
        return f"{near}{place} is {'' if self.multiple else 'not '}a multiple of 2^{self.level}"


@dataclass(frozen=True)
class LatticeEvent:
    """z lies on the lattice ``origin + n · step``, up to `slack`, or does not."""

    column: int
    origin: float
    step: float
    slack: float
    member: bool
    side: int

    def holds(self, z: Floats) -> Bools:
        """For which numbers the event is true; NaN and infinities are in no event."""
        finite = np.isfinite(z)
        away = np.where(finite, z, self.origin) - self.origin
        off = np.abs(away - self.step * np.rint(away / self.step))
        return np.asarray(finite & ((off <= self.slack) == self.member), dtype=bool)

    def words(self, place: str) -> str:
        """The event in words."""
        sign = "+" if self.origin >= 0 else "−"
        where = f" {sign} {abs(self.origin):.6g}" if abs(self.origin) > self.slack else ""
        return f"{place} is {'' if self.member else 'not '}a multiple of {self.step:.6g}{where}"


Event = BitEvent | LatticeEvent


def find_lattice(z: Floats) -> tuple[float, float, float] | None:
    """Origin, step and slack of the coarsest lattice that holds all the numbers; None where it is too fine to tell.

    >>> origin, step, _ = find_lattice(np.array([0.3, 1.0, 2.4, 3.1, 0.3, 5.2, 4.5, 1.7, 3.8]))
    >>> round(origin, 6), round(step, 6)
    (0.3, 0.7)
    """
    values = np.unique(z[np.isfinite(z)])
    if len(values) < _FEWEST:
        return None
    slack = _FINE * float(np.abs(values).max())
    step = 0.0
    for difference in np.diff(values)[:_MOST_DIFFERENCES].tolist():
        step = _divisor(step, difference, slack)
        if step < 64 * slack:
            return None
    width = float(values[-1] - values[0])
    step = width / round(width / step)  # the long way round tells the step more exactly than short differences
    origin = math.remainder(float(values[0]), step)
    found = LatticeEvent(0, origin, step, 16 * slack, True, 0)
    return (origin, step, 16 * slack) if bool(found.holds(values).all()) else None


def _divisor(a: float, b: float, slack: float) -> float:
    while b > slack:
        rest = math.fmod(a, b)
        a, b = b, 0.0 if b - rest <= slack else rest
    return a


def _histogram(z: Floats) -> Ints:
    """Counts by size and level, cumulated so that entry (i, j) counts |z| < 2^a_i and level < k_j."""
    z = z[np.isfinite(z)]
    size = np.clip(np.frexp(np.where(z == 0, 1e-300, z))[1], SIZES[0], SIZES[1] + 1) - SIZES[0]
    depth = np.clip(level(z), LEVELS[0] - 1, LEVELS[1]) - LEVELS[0] + 1
    shape = (SIZES[1] - SIZES[0] + 2, LEVELS[1] - LEVELS[0] + 2)
    flat = np.bincount(size * shape[1] + depth, minlength=shape[0] * shape[1]).reshape(shape)
    return np.asarray(flat.cumsum(axis=0).cumsum(axis=1), dtype=np.int64)


@dataclass(frozen=True)
class Choice:
    """How promising an event looks on the selection part, in terms of the bound that a count of `runs` would give."""

    runs: int
    alpha: float
    delta: float
    seen: int

    def promise(self, own: Ints, other: Ints) -> Floats:
        """The bound to be expected, less one standard error; −∞ where an event was hardly ever seen."""
        v, w = own.astype(np.float64), other.astype(np.float64)
        result = np.full(v.shape, -np.inf)
        enough = v >= _FEWEST
        if enough.any():
            v, w, scale = v[enough], w[enough], self.runs / max(1, self.seen)
            found = bounds(v * scale, (w + 0.5) * scale, self.runs + scale + 1, self.alpha, self.delta, sides=1)
            result[enough] = found - np.sqrt(1 / (v + 0.5) + 1 / (w + 0.5))
        return result


def choose_event(
    left: Floats, right: Floats, runs: int, alpha: float, delta: float, column: int = 0
) -> tuple[float, Event] | None:
    """The most promising event of one column, and the bound that it is expected to give."""
    choice = Choice(runs, alpha, delta, len(left) + len(right))
    options = [*_bit_events(left, right, choice, column), *_lattice_events(left, right, choice, column)]
    return max((o for o in options if math.isfinite(o[0])), key=lambda o: o[0], default=None)


def _bit_events(left: Floats, right: Floats, choice: Choice, column: int) -> list[tuple[float, Event]]:
    tables = [_histogram(left), _histogram(right)]
    found: list[tuple[float, Event]] = []
    for multiple in (False, True):
        counts = [t[:, -1:] - t if multiple else t for t in tables]
        for side in (0, 1):
            expected = choice.promise(counts[side], counts[1 - side])
            at = np.unravel_index(int(np.argmax(expected)), expected.shape)
            power, depth = int(at[0]) + SIZES[0], int(at[1]) + LEVELS[0]
            event = BitEvent(column, None if power > SIZES[1] else power, depth, multiple, side)
            found.append((float(expected[at]), event))
    return found


def _lattice_events(left: Floats, right: Floats, choice: Choice, column: int) -> list[tuple[float, Event]]:
    found: list[tuple[float, Event]] = []
    for own, numbers in enumerate((left, right)):
        lattice = find_lattice(numbers)
        for member in (True, False) if lattice is not None else ():
            assert lattice is not None
            event = LatticeEvent(column, *lattice, member, own if member else 1 - own)
            hits = [np.array([np.count_nonzero(event.holds(z))]) for z in (left, right)]
            found.append((float(choice.promise(hits[event.side], hits[1 - event.side])[0]), event))
    return found
