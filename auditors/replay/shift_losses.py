"""The privacy loss of a shift of the output, where the noise is additive and its law can be told from its draws.

Noise from Laplace, normal or pairs of exponential draws is told by moving one draw at a time. Noise that a program
makes of one uniform draw is told by choosing the draw: if the output increases (or decreases) with it, the probability
of "output ≤ t" is the draw at which the output is t, on either input.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from dpwitness.auditors.bounds.implied import gaussian_delta
from dpwitness.auditors.outputs.arrays import Floats
from dpwitness.auditors.outputs.table import Encoder
from dpwitness.auditors.replay.recorder import Draw, Recording

Runner = Callable[[Any, int, Sequence[Draw]], Recording]
Kind = Literal["draws", "count", "form", "noise", "sensitivity"]
SLACK = 1e-6
_LAPLACE = {"laplace"}
_NORMAL = {"normal", "gauss", "normalvariate", "norm", "standard_normal", "randn"}
_EXPONENTIAL = {"exponential", "standard_exponential", "expovariate", "expon"}
_UNIFORM = {"random", "uniform", "rand", "random_sample"}
_TAIL = 24


@dataclass(frozen=True)
class Finding:
    """What the replay showed; `epsilon` is the exact privacy loss where it follows (∞ where outputs separate)."""

    kind: Kind
    words: str
    epsilon: float | None = None

    def __str__(self) -> str:
        return self.words


def vector(output: Any) -> Floats | None:
    """The numbers of an output; None where it holds none, or something else."""
    table = Encoder().encode([output])
    return None if np.isnan(table.columns).any() or not table.width else table.columns[0]


def loss_of_shift(
    run: Runner, left: Any, first: Recording, shift: Floats, epsilon: float, delta: float
) -> Finding | None:  # fmt: skip
    """Whether a shift of the output that is the same for all draws costs more than the claim allows."""
    names = {draw.name.removeprefix("scipy.stats.") for draw in first.draws}
    sizes = [int(np.size(draw.value)) for draw in first.draws]
    largest = float(np.abs(shift).max())
    moved = f"the same noise moves the output by {largest:g}; with"
    if names <= _UNIFORM and sizes == [1] and len(shift) == 1:
        return _of_quantiles(run, left, first, float(shift[0]), epsilon, delta, moved)
    pairs = names <= _EXPONENTIAL
    if not (pairs or names <= _LAPLACE or names <= _NORMAL) or sum(sizes) != len(shift) * (2 if pairs else 1):
        return None
    matrix = linear_map(run, left, first, sizes)
    if matrix is None:
        return None
    if pairs:
        scales = _two_sided(matrix)
        if scales is None:
            return None
        return _of_laplace(float(np.sum(np.abs(shift) / scales)), f"{moved} {_noise(scales)}", epsilon)
    if abs(np.linalg.det(matrix)) < 1e-12:
        return None
    units = np.linalg.solve(matrix, shift)  # shift of the unit-scale draws
    scales = np.concatenate([np.broadcast_to(np.asarray(d.scale, dtype=float), np.shape(d.value)).reshape(-1) if d.scale
                             is not None else np.ones(s) for d, s in zip(first.draws, sizes, strict=True)])  # fmt: skip
    if names <= _LAPLACE:
        return _of_laplace(float(np.abs(units).sum()), f"{moved} {_noise(scales)}", epsilon)
    found = gaussian_delta(epsilon, float(np.sqrt((units**2).sum())))
    if found > delta * (1 + SLACK) + 1e-15:
        at = f"{moved} {_noise(scales)} δ at ε = {epsilon:g}"
        return Finding("sensitivity", f"{at} is {found:.3g}, above {delta:g}", epsilon)
    return None


def _noise(scales: Floats) -> str:
    return f"noise of scale {scales[0]:g}" if float(np.ptp(scales)) <= SLACK * abs(float(scales[0])) else "the noise"


def _of_laplace(loss: float, said: str, epsilon: float) -> Finding | None:
    words = f"{said} the privacy loss is {loss:g}, above {epsilon:g}"
    return Finding("sensitivity", words, loss) if loss > epsilon + SLACK else None


def _two_sided(matrix: Floats) -> Floats | None:
    """The scales of Laplace noise that is made of pairs of exponential draws; None where it is not."""
    scales = []
    for row in matrix:
        own = np.flatnonzero(np.abs(row) > 1e-12)
        if len(own) != 2 or not math.isclose(row[own[0]], -row[own[1]], rel_tol=SLACK):
            return None
        scales.append(abs(float(row[own[0]])))
    used = np.count_nonzero(np.abs(matrix) > 1e-12, axis=0)
    return np.array(scales) if (used == 1).all() else None


def linear_map(run: Runner, left: Any, first: Recording, sizes: Sequence[int]) -> Floats | None:
    """How the output moves with every number drawn; None where it is not linear in them."""
    base = vector(first.output)
    columns = []
    for k in range(len(first.draws)):
        for i in range(sizes[k]):
            steps = [_moved(run, left, first, k, i, by, base) for by in (1.0, -3.7)]
            if steps[0] is None or steps[1] is None or not np.allclose(steps[1], -3.7 * steps[0], rtol=1e-6, atol=1e-9):
                return None
            columns.append(steps[0])
    return np.array(columns).T


def _of_quantiles(
    run: Runner, left: Any, first: Recording, shift: float, epsilon: float, delta: float, moved: str
) -> Finding | None:  # fmt: skip
    """The largest loss of an event "output ≤ t" or "output ≥ t", where the output is monotone in one uniform draw."""
    draw = first.draws[0]

    def at(u: float) -> float:
        value = np.full(np.shape(draw.value), u)[()]
        output = vector(run(left, 0, [Draw(draw.name, draw.scale, value)]).output)
        return math.nan if output is None or len(output) != 1 else float(output[0])

    tail = [2.0**-k for k in range(2, _TAIL)]
    grid = [*reversed(tail), *np.linspace(0.25, 0.75, 33)[1:-1], *(1 - x for x in tail)]
    heights = np.array([at(u) for u in grid])
    steps = np.diff(heights)
    if not np.isfinite(heights).all() or not ((steps > 0).all() or (steps < 0).all()):
        return None
    sign = 1.0 if steps[0] > 0 else -1.0
    best: tuple[float, float, float] | None = None
    for upper in (False, True):  # events at the lower and at the upper end of the draw
        by = abs(shift) if upper else -abs(shift)
        for k in range(2, len(grid) - 2):
            # the other input reaches the same output at a draw that lies farther out
            reached = np.searchsorted(sign * heights, sign * heights[k] + by, side="right" if not upper else "left")
            own = 1 - grid[k] if upper else grid[k]
            far = grid[min(int(reached), len(grid) - 1)] if not upper else grid[max(int(reached) - 1, 0)]
            other = 1 - far if upper else far  # not less than the true probability
            if other <= 0 or own - delta <= 0:
                continue
            loss = math.log((own - delta) / other)
            if best is None or loss > best[0]:
                best = (loss, own, other)
    if best is None or best[0] <= epsilon + SLACK:
        return None
    words = f"{moved} it an event has probability {best[1]:.3g} on one input and at most {best[2]:.3g} on the other"
    return Finding("sensitivity", f"{words}: the privacy loss is above {epsilon:g}", best[0])


def _moved(run: Runner, left: Any, first: Recording, k: int, i: int, by: float, base: Floats | None) -> Floats | None:
    """The change of the output when number i of draw k is moved."""
    draw = first.draws[k]
    moved = np.array(draw.value, dtype=np.float64)
    moved.reshape(-1)[i] += by
    value = moved if np.ndim(draw.value) else float(moved)
    output = vector(run(left, 0, [*first.draws[:k], Draw(draw.name, draw.scale, value), *first.draws[k + 1 :]]).output)
    return None if output is None or base is None or output.shape != base.shape else output - base
