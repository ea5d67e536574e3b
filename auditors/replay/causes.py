"""What to look at in a program that was refuted: facts that the same noise shows on the two inputs.

Each sentence says what was seen in every run that was made, and nothing that was not. Where the noise was added to the
output as Laplace or normal draws, the factor by which it is too small is computed from the move of the output and from
the scales that were drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dpwitness.auditors.bounds.implied import gaussian_delta
from dpwitness.auditors.outputs.arrays import Floats
from dpwitness.auditors.replay.compare import repeatable
from dpwitness.auditors.replay.recorder import Draw, Recording
from dpwitness.auditors.replay.shift_losses import SLACK, Runner, linear_map, vector

RUNS = 6
WIDTHS = (8, 16, 32, 64)
_LAPLACE, _NORMAL = {"laplace"}, {"normal", "gauss", "normalvariate", "norm", "standard_normal", "randn"}


def cause(run: Runner, left: Any, right: Any, epsilon: float | None, delta: float) -> str:
    """A sentence on what the runs have in common; empty where there is nothing to say.

    Examples
    --------
    >>> from dpwitness.auditors.replay.recorder import record
    >>> def noisy(values):
    ...     return sum(values) + np.random.laplace(0, 0.25)
    >>> cause(lambda data, k, draws: record(noisy, data, seed=k, replay=draws), [0], [1], 1.0, 0.0)
    'the noise is 4 times too small: the output moves by 1, and the scale is 0.25'
    """
    lefts = [_try(run, left, k, ()) for k in range(RUNS)]
    rights = [_try(run, right, k, one.draws if isinstance(one, Recording) else ()) for k, one in enumerate(lefts)]
    failed = _raised(lefts, rights)
    if failed or not all(isinstance(r, Recording) for r in (*lefts, *rights)):
        return failed
    one, two = [r for r in lefts if isinstance(r, Recording)], [r for r in rights if isinstance(r, Recording)]
    if not repeatable(run, left, one) or not repeatable(run, right, two):
        return ""  # there is randomness that was not recorded
    return _no_noise(one, two) or _scales(one, two) or _lengths(one, two) or _shift(run, left, one, two, epsilon, delta)


def _try(run: Runner, data: Any, number: int, draws: Sequence[Draw]) -> Recording | str:
    """A run, or the name of the exception that ended it."""
    try:
        found = run(data, number, draws)
    except Exception as error:
        return type(error).__name__
    text = found.output if isinstance(found.output, str) else ""
    return text.removeprefix("raised ").partition(":")[0] if text.startswith("raised ") else found


def _raised(lefts: list[Recording | str], rights: list[Recording | str]) -> str:
    for here, there, side in ((lefts, rights, "left"), (rights, lefts, "right")):
        names = {r for r in here if isinstance(r, str)}
        if len(names) == 1 and all(isinstance(r, str) for r in here) and not any(isinstance(r, str) for r in there):
            return f"raises {names.pop()} on the {side} only"
    return ""


def _no_noise(lefts: list[Recording], rights: list[Recording]) -> str:
    drawn = [{bool(r.draws) for r in side} for side in (lefts, rights)]
    if drawn == [{False}, {False}]:
        return "no noise is drawn on either input"
    if drawn in ([{True}, {False}], [{False}, {True}]):
        return f"no noise is drawn on the {'right' if drawn[0] == {True} else 'left'}, and some on the other side"
    return ""


def _scales(lefts: list[Recording], rights: list[Recording]) -> str:
    for k in range(min(len(r.draws) for r in (*lefts, *rights))):
        one, two = ({(r.draws[k].name, repr(r.draws[k].scale)) for r in side} for side in (lefts, rights))
        if len(one) == len(two) == 1 and one != two:
            (name, scale), (other_name, other_scale) = one.pop(), two.pop()
            if name == other_name and "None" not in (scale, other_scale):
                return f"the scale of the noise depends on the data: {_short(scale)} and {_short(other_scale)}"
    return ""


def _short(text: str) -> str:
    try:
        return f"{float(text):.6g}"
    except ValueError:
        return text if len(text) < 40 else f"{text[:39]}…"


def _lengths(lefts: list[Recording], rights: list[Recording]) -> str:
    one, two = ({_length(r.output) for r in side} for side in (lefts, rights))
    if len(one) == len(two) == 1 and one != two and None not in one | two:
        return f"the number of outputs depends on the data: {one.pop()} on the left, {two.pop()} on the right"
    return ""


def _length(output: Any) -> int | None:
    if isinstance(output, np.ndarray):
        return len(output) if output.ndim else None
    return len(output) if isinstance(output, list | tuple | dict) else None


def _shift(
    run: Runner, left: Any, lefts: list[Recording], rights: list[Recording], epsilon: float | None, delta: float
) -> str:  # fmt: skip
    pairs = [(vector(a.output), vector(b.output)) for a, b in zip(lefts, rights, strict=True)]
    if any(a is None or b is None or a.shape != b.shape for a, b in pairs):
        return _special(lefts, rights)
    shifts = np.array([b - a for a, b in pairs if a is not None and b is not None])
    size = 1.0 + float(np.abs(shifts).max(initial=0.0))
    if not np.isfinite(size) or float(np.ptp(shifts, axis=0).max(initial=0.0)) > SLACK * size:
        return ""
    shift, first = shifts[0], lefts[0]
    names, sizes = {draw.name for draw in first.draws}, [int(np.size(draw.value)) for draw in first.draws]
    if not (names <= _LAPLACE or names <= _NORMAL) or not np.abs(shift).max(initial=0.0) > SLACK:
        return ""
    matrix = linear_map(run, left, first, sizes)
    if matrix is None:
        return ""
    if np.linalg.matrix_rank(matrix) < len(shift):
        if float(np.linalg.norm(shift - matrix @ np.linalg.lstsq(matrix, shift, rcond=None)[0])) > SLACK * size:
            draws = "one draw" if sum(sizes) == 1 else f"{sum(sizes)} draws"
            return f"{draws} of noise for {len(shift)} numbers: a combination of them moves without noise"
        return ""
    if matrix.shape[0] != matrix.shape[1]:
        return ""
    units = np.linalg.solve(matrix, shift)
    start = pairs[0][0]
    values = None if start is None else start - matrix @ np.concatenate([np.ravel(d.value) for d in first.draws])
    wraps = _wraps(values, shift)
    small = _too_small(names <= _LAPLACE, units, shift, matrix, epsilon, delta)
    return "; ".join(text for text in (wraps, small) if text)


def _special(lefts: list[Recording], rights: list[Recording]) -> str:
    nan = [all(isinstance(r.output, float) and np.isnan(r.output) for r in side) for side in (lefts, rights)]
    return f"the output is NaN on the {'left' if nan[0] else 'right'} only" if nan[0] != nan[1] else ""


def _too_small(laplace: bool, units: Floats, shift: Floats, matrix: Floats, epsilon: float | None, delta: float) -> str:
    """By what factor the noise would have to grow, all of it together, for this pair of inputs."""
    if epsilon is None:
        return ""
    if laplace:
        factor = float(np.abs(units).sum()) / epsilon if epsilon > 0 else np.inf
    else:
        factor = _normal_factor(float(np.sqrt((units**2).sum())), epsilon, delta)
    if not 1 + SLACK < factor < np.inf:
        return ""
    scales = np.abs(matrix).max(axis=1)
    scale = f"the scale is {scales[0]:.6g}" if float(np.ptp(scales)) <= SLACK * float(scales[0]) else "its scales vary"
    moved = f"the output moves by {float(np.abs(shift).sum() if laplace else np.sqrt((shift**2).sum())):.6g}"
    return f"the noise is {factor:.3g} times too small: {moved}, and {scale}"


def _normal_factor(mu: float, epsilon: float, delta: float) -> float:
    """The factor on the deviations at which δ(ε) is the δ of the claim, found by halving."""
    if not delta > 0 or gaussian_delta(epsilon, mu) <= delta:
        return np.inf if delta <= 0 else 1.0
    low, high = 1.0, 2.0
    while gaussian_delta(epsilon, mu / high) > delta:
        low, high = high, 2 * high
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if gaussian_delta(epsilon, mu / middle) > delta else (low, middle)
    return high


def _wraps(values: Floats | None, shift: Floats) -> str:
    """A value without its noise that jumps from one end of the k-bit numbers to the other."""
    for a, move in zip(() if values is None else values, shift, strict=False):
        low, high = sorted((float(a), float(a + move)))
        for width in WIDTHS:
            half = 2.0 ** (width - 1)
            near = abs(low + half) <= 0.5 or abs(high - half + 1) <= 0.5  # one end is the last number of the register
            if near and low >= -half - 0.5 and high <= half - 0.5 and high - low >= half:
                jump = f"from {round(float(a))} to {round(float(a + move))}"
                return f"a value jumps {jump}, as a number of {width} bits does that wraps around at 2^{width - 1}"
    return ""
