"""The Gaussian mechanism with three calibrations, and what it promises exactly.

With standard deviation σ and ℓ2 sensitivity 1 the mechanism is 1/σ-GDP and 1/(2σ²)-zCDP, and with μ = 1/σ

.. math:: \\delta(\\varepsilon) = \\Phi(\\mu/2 - \\varepsilon/\\mu) - e^\\varepsilon \\Phi(-\\mu/2 - \\varepsilon/\\mu).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.core import (
    ZCDP,
    Answers,
    ApproxDP,
    Exact,
    GaussianDP,
    PureDP,
    Records,
    RenyiDP,
    log,
    mechanism,
    real,
    sqrt,
)
from dpwitness.core.noise import Noise

SIGMA = real(above=0)


@mechanism(
    data=Answers("l2", 1, size=4),
    claim=lambda sigma: [GaussianDP(1 / sigma), ZCDP(1 / (2 * sigma**2)), RenyiDP(2, 1 / sigma**2)],
    typical={"sigma": 2},
    domains={"sigma": SIGMA},
    tags=("gaussian", "vector"),
    cites="Bun and Steinke 2016, proposition 1.6; Dong, Roth and Su 2022, theorem 1",
)
def gaussian(noise: Noise, answers: Sequence[Any], *, sigma: Any) -> Any:
    r"""A vector of ℓ2 sensitivity 1, with normal noise: :math:`f(x) + N(0, \sigma^2 I)`."""
    return [a + noise.gaussian(sigma) for a in answers]


@gaussian.twin("every-answer-moves", data=Answers("all", 1, size=4), tags=("gaussian", "vector"))
def _(noise: Noise, answers: Sequence[Any], *, sigma: Any) -> Any:
    """Four answers each move by 1: the ℓ2 sensitivity is 2, not 1."""
    return [a + noise.gaussian(sigma) for a in answers]


@gaussian.twin("half-the-deviation", data=Answers("l2", 1, size=1), tags=("gaussian",))
def _(noise: Noise, answers: Sequence[Any], *, sigma: Any) -> Any:
    """Half of the deviation: μ doubles and ρ grows fourfold."""
    return answers[0] + noise.gaussian(sigma / 2)


@gaussian.twin(
    "claimed-pure", data=Answers("l2", 1, size=1), claim=lambda sigma: PureDP(10 / sigma), tags=("sources", "gaussian"),
    notes="the loss grows linearly in the output and has no bound",
)  # fmt: skip
def _(noise: Noise, answers: Sequence[Any], *, sigma: Any) -> Any:
    """Normal noise with a pure claim: far enough out every ε is exceeded."""
    return answers[0] + noise.gaussian(sigma)


@mechanism(
    data=Answers("l2", 1, size=4),
    claim=lambda eps, delta: ApproxDP(eps, delta),
    typical={"eps": "1/2", "delta": "1e-5"},
    domains={"eps": real(above=0, below=1)},
    tags=("sources", "gaussian", "vector"),
    cites="Dwork and Roth 2014, theorem A.1",
)
def gaussian_classical(noise: Noise, answers: Sequence[Any], *, eps: Any, delta: Any) -> Any:
    r"""The classical calibration, for ε < 1: :math:`\sigma = \sqrt{2\ln(1.25/\delta)}/\varepsilon`."""
    sigma = sqrt(2 * log(Exact(5, 4) / delta)) / eps
    return [a + noise.gaussian(sigma) for a in answers]


@gaussian_classical.twin(
    "variance-of-the-notes", data=Answers("l2", 1, size=1), tags=("sources", "gaussian"),
    domains={"eps": real(least="1/2", below=1), "delta": real(above=0, below="2e-5")},
    notes="a factor 2 is missing under the root; δ(1/2) = 1.68e-5 for δ = 1e-5; below ε ≈ 1/3 the claim is true",
)  # fmt: skip
def _(noise: Noise, answers: Sequence[Any], *, eps: Any, delta: Any) -> Any:
    r"""The variance of the lecture notes, :math:`\sigma^2 = (1/\varepsilon)^2 \ln(1/\delta)`."""
    return answers[0] + noise.gaussian(sqrt(log(1 / delta)) / eps)


@gaussian_classical.twin(
    "beyond-epsilon-one", data=Answers("l2", 1, size=1), tags=("gaussian",), typical={"eps": 10},
    domains={"eps": real(least=10), "delta": real(above=0, below="2e-5")},
    notes="the proof needs ε < 1; δ(10) = 2.27e-5 for δ = 1e-5",
)  # fmt: skip
def _(noise: Noise, answers: Sequence[Any], *, eps: Any, delta: Any) -> Any:
    """The classical calibration used for a large ε."""
    return answers[0] + noise.gaussian(sqrt(2 * log(Exact(5, 4) / delta)) / eps)


@mechanism(
    data=Answers("l2", 1, size=1),
    claim=lambda sigma: ApproxDP(1, "1e-5"),
    typical={"sigma": "3.7307"},
    domains={"sigma": real(least="3.7307")},
    tags=("gaussian", "audit"),
    cites="Balle and Wang 2018, theorem 8",
)
def gaussian_analytic(noise: Noise, answers: Sequence[Any], *, sigma: Any) -> Any:
    r"""The exact calibration: the smallest σ for (1, 1e-5) is 3.73063..., rounded up."""
    return answers[0] + noise.gaussian(sigma)


@gaussian_analytic.twin("rounded-down", typical={"sigma": "3.7306"}, domains={"sigma": SIGMA}, tags=("gaussian",))
def _(noise: Noise, answers: Sequence[Any], *, sigma: Any) -> Any:
    """The deviation rounded to the nearest digit, which is down: δ(1) is just above 1e-5."""
    return answers[0] + noise.gaussian(sigma)


@gaussian_analytic.twin("half-the-deviation", tags=("gaussian", "audit"), notes="ε(1e-5) is 2.155 in place of 1")
def _(noise: Noise, answers: Sequence[Any], *, sigma: Any) -> Any:
    """Half of the deviation that (1, 1e-5) needs."""
    return answers[0] + noise.gaussian(sigma / 2)


@mechanism(
    data=Records((0, 1), 5),
    claim=lambda sigma: ZCDP(1 / (2 * sigma**2)),
    typical={"sigma": 2},
    domains={"sigma": SIGMA},
    tags=("gaussian", "sum"),
    cites="Canonne, Kamath and Steinke 2020, theorem 4",
)
def discrete_gaussian(noise: Noise, data: Sequence[Any], *, sigma: Any) -> Any:
    r"""How many records are 1, with integer normal noise: :math:`P[k] \propto e^{-k^2/(2\sigma^2)}`."""
    return sum(data) + noise.discrete_gaussian(variance=sigma**2)


@discrete_gaussian.twin("half-the-deviation", tags=("gaussian",), notes="at integer orders the divergence is α/(2σ²)")
def _(noise: Noise, data: Sequence[Any], *, sigma: Any) -> Any:
    """Half of the deviation: four times the divergence."""
    return sum(data) + noise.discrete_gaussian(variance=(sigma / 2) ** 2)


@discrete_gaussian.twin("fractional-records", data=Records((0, Exact(1, 2), 1), 3), tags=("gaussian",))
def _(noise: Noise, data: Sequence[Any], *, sigma: Any) -> Any:
    """Integer noise on half-integers: the fractional part of the sum passes through."""
    return sum(data) + noise.discrete_gaussian(variance=sigma**2)
