"""Private logistic regression: noise on the objective, or noise on the minimiser.

Records are (x, y) with ‖x‖ ≤ 1 and y = ±1. The regularised logistic loss

.. math:: J(f) = \\frac1n \\sum_i \\ln(1 + e^{-y_i f\\cdot x_i}) + \\frac\\Lambda2 \\|f\\|^2

has one minimiser, which a Newton iteration finds to machine precision.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.core import Exact, PureDP, Records, exp, log, mechanism, real, sqrt
from dpwitness.core.noise import Noise

POINTS = ((1, 0), (0, 1), (Exact(3, 5), Exact(4, 5)), (Exact(-3, 5), Exact(4, 5)))
LABELLED = Records([(*x, y) for x in POINTS for y in (1, -1)], 3)
CITES = "Chaudhuri, Monteleoni and Sarwate 2011"
CURVATURE = 0.25  # the largest second derivative of the logistic loss


def gradient(f: Any, records: Sequence[Any], ridge: float, tilt: Any) -> Any:
    """The gradient of J(f) + tilt·f at f, with `ridge` in the place of Λ."""
    return _derivatives(f, records, ridge, tilt)[0]


def _derivatives(f: Any, records: Sequence[Any], ridge: float, tilt: Any) -> tuple[Any, Any]:
    import numpy as np

    rows = np.array([[float(y) * float(v) for v in x] for *x, y in records])
    miss = 0.5 * (1.0 - np.tanh(rows @ f / 2))  # 1/(1 + e^margin), without overflow
    slope = -rows.T @ miss / len(rows) + ridge * f + tilt
    bend = (rows.T * (miss * (1 - miss))) @ rows / len(rows) + ridge * np.eye(len(f))
    return slope, bend


def minimiser(records: Sequence[Any], ridge: float, tilt: Sequence[float]) -> list[float]:
    """The f that minimises J(f) + tilt·f, by Newton steps that are halved until the gradient gets shorter."""
    import numpy as np

    f, push = np.zeros(len(tilt)), np.asarray(tilt, dtype=float)
    slope, bend = _derivatives(f, records, ridge, push)
    for _ in range(200):
        length = float(np.linalg.norm(slope))
        if length < 1e-13 * (1 + float(np.linalg.norm(push))):
            break
        step, size = np.linalg.solve(bend, slope), 1.0
        while size > 1e-12:
            new = _derivatives(f - size * step, records, ridge, push)
            if float(np.linalg.norm(new[0])) < length:
                break
            size /= 2
        else:
            break  # as good as doubles allow
        f, (slope, bend) = f - size * step, new
    return [float(v) for v in f]


def _spherical(noise: Noise, dimension: int, scale: Any) -> list[Any]:
    """A vector of density proportional to e^(−‖b‖/scale): a uniform direction and a Gamma length."""
    direction = [noise.gaussian(1) for _ in range(dimension)]
    length = noise.gamma(dimension, scale) / sqrt(sum(g * g for g in direction))
    return [length * g for g in direction]


@mechanism(
    data=LABELLED,
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1, "ridge": 1},
    domains={"ridge": real(above=0)},
    tags=("sources", "regression", "objective-perturbation"),
    cites=f"{CITES}, algorithm 2 and theorem 9",
    batched=False,
)
def objective_perturbation(noise: Noise, data: Sequence[Any], *, eps: Any, ridge: Any) -> Any:
    r"""The minimiser of :math:`J(f) + \frac1n b\cdot f`, b of density :math:`\propto e^{-\varepsilon'\|b\|/2}`.

    The change of variables from b to f costs :math:`2\ln(1 + c/(n\Lambda))` of the budget, c = 1/4. Where less than
    that is available Λ is raised until it costs ε/2.
    """
    n, ridge = len(data), float(ridge)
    left = eps - 2 * log(1 + CURVATURE / (n * ridge))
    if left <= 0:
        ridge, left = CURVATURE / (n * (exp(eps / 4) - 1)), eps / 2
    return minimiser(data, ridge, [b / n for b in _spherical(noise, 2, 2 / left)])


@objective_perturbation.twin(
    "no-regularisation-condition", typical={"ridge": "1/100"}, domains={"ridge": real(above=0, below="1/50")},
    tags=("regression",), notes="at f = 0, three equal points against two and an orthogonal one lose 1.5",
)  # fmt: skip
def _(noise: Noise, data: Sequence[Any], *, eps: Any, ridge: Any) -> Any:
    """The cost of the change of variables is forgotten, with hardly any regularisation."""
    return minimiser(data, float(ridge), [b / len(data) for b in _spherical(noise, 2, 2 / eps)])


@mechanism(
    data=LABELLED,
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1, "ridge": "1/10"},
    domains={"ridge": real(above=0)},
    tags=("regression", "vector"),
    cites=f"{CITES}, algorithm 1 and theorem 6",
    batched=False,
)
def noisy_minimiser(noise: Noise, data: Sequence[Any], *, eps: Any, ridge: Any) -> Any:
    r"""The minimiser plus a vector of density :math:`\propto e^{-\varepsilon n\Lambda\|b\|/2}`; it moves by 2/(nΛ)."""
    best = minimiser(data, float(ridge), [0.0, 0.0])
    return [v + b for v, b in zip(best, _spherical(noise, 2, 2 / (len(data) * ridge * eps)), strict=True)]


@noisy_minimiser.twin("regularisation-forgotten", tags=("regression",), notes="the minimiser moves by more")
def _(noise: Noise, data: Sequence[Any], *, eps: Any, ridge: Any) -> Any:
    """The scale is 2/(nε), without the Λ that the sensitivity of the minimiser has in its denominator."""
    best = minimiser(data, float(ridge), [0.0, 0.0])
    return [v + b for v, b in zip(best, _spherical(noise, 2, 2 / (len(data) * eps)), strict=True)]
