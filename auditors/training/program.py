r"""The sharp bound on the number of right guesses of one run, as a linear program, and its dual as a certificate.

**Theorem.** m canaries are included by fair coins; from the outcome alone c canaries are picked and a side is guessed
for each; W guesses are right and :math:`p_j = P[W = j]`. If the trainer keeps δ(ε) for every change of one canary, in
both directions, then for every ε ≥ 0 with :math:`E = e^\varepsilon`

.. math:: \sum_{j=1}^c (j p_j - E (c-j+1) p_{j-1})_+ + \sum_{j=1}^c ((c-j+1) p_{j-1} - E j p_j)_+
          \le m\,\delta(\varepsilon).

*Proof.* Fix a canary k and all other coins. For the direction from "in" to "out" the sum over outputs t of
:math:`(P(t|1) - E P(t|0))_+` is at most δ, and so for the other direction. Multiply by :math:`2^{-m}`, sum over the
other coins, both directions and all k: the right side is mδ. On the left keep the t that guess k. Each term compares
the joint probability of t and coins s with that of t and s with coin k turned: right against wrong, or wrong against
right. Group by the number j of right guesses where k is right; the positive part of a sum is at most the sum of the
positive parts. Over all k, an outcome with W = j is counted once for each right guess, j times, and its partner with
W = j − 1 once for each wrong guess, c − j + 1 times. ∎

If only "in" is ever guessed, one direction bounds the first sum and the other the second: each is at most mδ/2.

So :math:`P[W \ge v]` is at most the largest :math:`\sum_{j\ge v} p_j` of a law p with these inequalities, which is
attained by a mechanism that draws j from p and guesses a random set of j canaries right. Weights
:math:`0 \le u_{ij}, d_{ij}` on the terms of finitely many ε_i prove a bound: with λ the largest of them,

.. math:: \mathbf 1\{j \ge v\} \le \beta_0
          + \sum_i \big(u_{ij} j - E_i u_{i,j+1}(c-j) + d_{i,j+1}(c-j) - E_i d_{ij} j\big)
          \;\Rightarrow\; P[W \ge v] \le \beta_0 + m \sum_i \lambda_i \delta(\varepsilon_i).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpwitness.auditors.bounds.curves import ApproxCurve
from dpwitness.auditors.outputs.arrays import Floats

GRID = 24
MOST_GUESSES = 400  # beyond, the program takes longer than the recursion is worse


@dataclass(frozen=True)
class Weights:
    """A bound with the weights that prove it: ε of every point, and u and d for j = 1 … c."""

    bound: float
    eps: Floats
    up: Floats
    down: Floats


def sharp(curve: Any, canaries: int, guesses: int, right: int, sides: int, grid: int = GRID) -> Weights | None:
    """The best bound on P[W ≥ right] from `grid` values of ε; None where the solver gives up.

    >>> from dpwitness.auditors.bounds.curves import GaussianCurve
    >>> found = sharp(GaussianCurve(0.7), 1000, 100, 92, 2)
    >>> 0.055 < found.bound < 0.065
    True
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_matrix, diags

    c = guesses
    eps = _grid(curve, canaries, grid)
    big, budget = np.exp(eps), canaries * np.asarray(curve.deltas(eps), dtype=np.float64)
    k, j = len(eps), np.arange(1, c + 1)
    edge = np.arange(c)
    rows: list[Floats] = []
    cols: list[Floats] = []
    values: list[Floats] = []

    def put(row: Any, col: Any, value: Any) -> None:
        for into, part in ((rows, row), (cols, col), (values, value)):
            into.append(np.broadcast_to(np.asarray(part, dtype=np.float64), edge.shape))

    for i in range(k):
        up, down = c + 1 + 2 * i * c + edge, c + 1 + (2 * i + 1) * c + edge
        for half, (mine, other) in enumerate(((1.0, -big[i]), (-big[i], 1.0))):
            put((2 * i + half) * c + edge, j, mine * j)
            put((2 * i + half) * c + edge, j - 1, other * (c - j + 1))
            put((2 * i + half) * c + edge, up if half == 0 else down, -1.0)
        put(2 * k * c + i, up, 1.0)
        put(2 * k * c + (i if sides == 2 else k + i), down, 1.0)
    size = (2 * k * c + k * (3 - sides), c + 1 + 2 * k * c)
    table = csr_matrix((np.concatenate(values), (np.concatenate(rows), np.concatenate(cols))), shape=size)
    limits = np.concatenate([np.zeros(2 * k * c), *([budget * sides / 2] * (3 - sides))])
    scale = 1 / np.maximum(1.0, np.ravel(abs(table).max(axis=1).toarray()))
    gain, one = np.zeros(size[1]), np.zeros((1, size[1]))
    gain[right : c + 1], one[0, : c + 1] = 1, 1
    found = linprog(
        -gain, A_ub=csr_matrix(diags(scale) @ table), b_ub=limits * scale, A_eq=one, b_eq=[1.0], bounds=(0, None),
        method="highs",
    )  # fmt: skip
    if found.status:
        return None
    dual = np.maximum(0.0, -found.ineqlin.marginals) * scale
    weights = dual[: 2 * k * c].reshape(k, 2, c)
    return proved(eps, weights[:, 0], weights[:, 1], budget, c, right, sides)


def proved(eps: Floats, up: Floats, down: Floats, budget: Floats, guesses: int, right: int, sides: int) -> Weights:
    """What nonnegative weights prove, whoever found them."""
    c = guesses
    j = np.arange(c + 1)
    big = np.exp(eps)[:, None]
    none = np.zeros((len(eps), 1))
    at, beyond = np.concatenate([none, up], axis=1), np.concatenate([up, none], axis=1)
    at_down, beyond_down = np.concatenate([none, down], axis=1), np.concatenate([down, none], axis=1)
    total = (at * j - big * beyond * (c - j) + beyond_down * (c - j) - big * at_down * j).sum(axis=0)
    rest = float(np.max((j >= right) - total))
    highest = np.max(up, axis=1, initial=0.0), np.max(down, axis=1, initial=0.0)
    price = np.maximum(*highest) if sides == 2 else (highest[0] + highest[1]) / 2
    return Weights(min(1.0, max(0.0, rest + float(price @ budget))), eps, up, down)


def closed_form(curve: ApproxCurve, canaries: int, guesses: int, right: int, sides: int) -> Weights:
    r"""A closed form for one (ε,δ), nearly always the optimum.

    With :math:`b_j` the Binomial(c, E/(1+E)) probabilities, :math:`B(i) = \sum_{j\ge i} b_j`, β = B(v) and
    κ_i = β(1 − B(i)) for i ≤ v, (1 − β)B(i) beyond,

    .. math:: P[W \ge v] \le \beta + m\delta \max_i \kappa_i / (i b_i),

    half of the second term where one side is guessed. *Proof.* Write :math:`p_j = b_j h_j`; as
    :math:`j b_j = E(c-j+1) b_{j-1}`, the first sum of the theorem is :math:`\sum i b_i d_i` with
    :math:`d_i = (h_i - h_{i-1})_+`. For k < v ≤ j, :math:`h_j \le h_k + \sum_{k<i\le j} d_i`; averaging over k with
    weights b_k and summing over j with weights b_j gives :math:`P \le \beta + \sum \kappa_i d_i`. ∎ The weights
    :math:`u_i = \kappa_i/(i b_i)` are its certificate.

    >>> round(closed_form(ApproxCurve(2.4, 1e-5), 100_000, 1000, 950, 2).bound, 4)
    0.0024
    """
    from scipy.special import gammaln

    c, eps = guesses, curve.eps
    i = np.arange(c + 1)
    high = 1 / (1 + math.exp(-eps))
    # everything in logarithms: of thousands of guesses the masses and the tails are far below the smallest double
    log_b = gammaln(c + 1) - gammaln(i + 1) - gammaln(c - i + 1) + i * math.log(high) + (c - i) * math.log1p(-high)
    log_b -= np.logaddexp.reduce(log_b)
    beyond = np.logaddexp.accumulate(log_b[::-1])[::-1]  # ln B(i)
    before = np.concatenate([[-np.inf], np.logaddexp.accumulate(log_b)[:-1]])  # ln (1 − B(i))
    if right <= 0 or beyond[right] >= 0:
        return Weights(1.0, np.array([eps]), np.zeros((1, c)), np.zeros((1, c)))
    log_kappa = np.where(i <= right, beyond[right] + before, before[right] + beyond)
    up = np.exp((log_kappa - log_b)[1:]) / i[1:]
    beta = math.exp(beyond[right])
    worth = beta + canaries * sides / 2 * curve.delta * float(np.max(up)) if curve.delta else beta
    return Weights(min(1.0, worth), np.array([eps]), up[None], np.zeros((1, c)))


def _grid(curve: Any, canaries: int, size: int) -> Floats:
    """Values of ε from 0 to where the budget is gone; multiples of 2⁻²⁰, so that certificates can name them."""
    if isinstance(curve, ApproxCurve):
        return np.array([curve.eps])
    points = getattr(curve, "points", None)
    if points:
        return np.array([eps for eps, _ in points])
    top = 0.5
    while top < 60 and canaries * float(curve.deltas(np.array([top]))[0]) > 1e-7:
        top *= 1.1
    found: Floats = np.unique(np.round(np.linspace(0.0, top, size) * 2**20) / 2**20)
    return found
