"""Solving for a minimiser in floating point: Newton's method, for one run or for many lanes at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpwitness.core.errors import BadInput
from dpwitness.core.minimising import Term, ordered

Floats = NDArray[np.float64]
MAX_STEPS, MAX_HALVINGS = 200, 50
ENOUGH, WRONG = 1e-26, 1e-18  # squared lengths of the gradient, relative to its start: aim, and sign of failure

_SLOPES: dict[str, tuple[Callable[[Any], Any], Callable[[Any, Any], Any]]] = {  # value, and derivative from x and value
    "exp": (np.exp, lambda x, v: v),
    "log": (np.log, lambda x, v: 1 / x),
    "sqrt": (np.sqrt, lambda x, v: 0.5 / v),
    "logistic": (lambda x: 0.5 + 0.5 * np.tanh(0.5 * x), lambda x, v: v - v * v),  # without overflow
}


class _Equations:
    """Values and derivatives of terms at given points, for many lanes at once (one lane in plain floats)."""

    def __init__(self, terms: Sequence[Term], given: Callable[[Any], Any]) -> None:
        order = ordered(terms)
        place = {id(term): k for k, term in enumerate(order)}
        self.code = [
            (term.op, [place[id(part)] for part in term.args], given(term.value) if term.op == "given" else term.value)
            for term in order
        ]
        self.results = [place[id(term)] for term in terms]
        sizes = [value.size for _, _, value in self.code if isinstance(value, np.ndarray)]
        self.lanes = max(sizes, default=1)
        self.plain = not sizes

    def at(self, points: Floats, lanes: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """The gradient (lane, coordinate) and its derivative (lane, coordinate, coordinate) at points of some lanes."""
        d = points.shape[1]
        axes: list[Any] = points[0].tolist() if self.plain else list(points.T)
        units = np.eye(d).tolist()
        done: list[tuple[Any, list[Any] | None]] = []
        for op, args, value in self.code:
            if op == "given":
                done.append((value[lanes] if isinstance(value, np.ndarray) else value, None))
            elif op == "unknown":
                done.append((axes[value], units[value]))
            elif op in _SLOPES:
                x, dx = done[args[0]]
                function, slope = _SLOPES[op]
                v = function(x)
                done.append((v, _combine(dx, slope(x, v), None, None)))
            else:
                (x, dx), (y, dy) = done[args[0]], done[args[1]]
                if op == "+":
                    done.append((x + y, _combine(dx, 1.0, dy, 1.0)))
                elif op == "-":
                    done.append((x - y, _combine(dx, 1.0, dy, -1.0)))
                elif op == "*":
                    done.append((x * y, _combine(dx, y, dy, x)))
                else:
                    v = x / y
                    done.append((v, _combine(dx, 1 / y, dy, -v / y)))
        values, slopes = np.empty((len(lanes), d)), np.zeros((len(lanes), d, d))
        for j, k in enumerate(self.results):
            values[:, j] = done[k][0]
            for i, part in enumerate(done[k][1] or ()):
                slopes[:, j, i] = part
        return values, slopes


def _combine(dx: list[Any] | None, a: Any, dy: list[Any] | None, b: Any) -> list[Any] | None:
    """a·dx + b·dy, with None for a derivative that is zero."""
    if dx is None:
        return None if dy is None else [b * y for y in dy]
    if dy is None:
        return [a * x for x in dx]
    return [a * x + b * y for x, y in zip(dx, dy, strict=True)]


def solve(terms: Sequence[Term], given: Callable[[Any], Any] = float) -> list[Any]:
    """The point at which all terms vanish, by Newton steps that are halved until the gradient gets shorter.

    Parameters
    ----------
    given
        Makes a float, or an array with one entry for each lane, of a leaf. The result has the same shape.

    >>> from dpwitness.core.minimising import trace
    >>> solve(trace(lambda f: [2 * f[0] - 6 + f[1], f[0] + 3 * f[1]], 2))
    [3.6, -1.2]
    """
    with np.errstate(all="ignore"):  # a step may leap to where an exponential overflows; it is then halved
        equations = _Equations(terms, given)
        todo = np.arange(equations.lanes)
        points = np.zeros((equations.lanes, len(terms)))
        values, slopes = equations.at(points, todo)
        lengths = (values * values).sum(axis=1)
        scale = 1 + lengths
        for _ in range(MAX_STEPS):
            todo = todo[~(lengths[todo] <= ENOUGH * scale[todo])]
            if not todo.size:
                break
            todo = _newton(equations, todo, points, values, slopes, lengths)
    if not (lengths <= WRONG * scale).all():
        raise BadInput("no point was found at which the gradient vanishes: is it the gradient of a convex function?")
    return [float(x) for x in points[0]] if equations.plain else list(points.T)


def _newton(
    equations: _Equations, todo: NDArray[np.int64], points: Floats, values: Floats, slopes: Floats, lengths: Floats
) -> NDArray[np.int64]:
    """One step of every lane of `todo`, in place; returns the lanes that moved."""
    try:
        steps = np.linalg.solve(slopes[todo], values[todo][:, :, None])[:, :, 0]
    except np.linalg.LinAlgError:
        raise BadInput("the gradient does not grow in every direction: its minimiser is not one point") from None
    wait = np.arange(todo.size)
    for halvings in range(MAX_HALVINGS):
        lanes = todo[wait]
        new = points[lanes] - steps[wait] * 0.5**halvings
        new_values, new_slopes = equations.at(new, lanes)
        new_lengths = (new_values * new_values).sum(axis=1)
        better = new_lengths < lengths[lanes]
        moved = lanes[better]
        points[moved], values[moved], slopes[moved] = new[better], new_values[better], new_slopes[better]
        lengths[moved] = new_lengths[better]
        wait = wait[~better]
        if not wait.size:
            break
    return np.delete(todo, wait)  # what cannot get shorter is as good as doubles allow
