"""The median with noise scaled to its smooth sensitivity.

The median of values in [0, Λ] has global sensitivity Λ, but on most data one record hardly moves it. Noise in
proportion to this local sensitivity is a leak; noise in proportion to a smooth upper bound is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.core import ApproxDP, Guarantee, Interval, PureDP, Records, exp, log, mechanism, real
from dpwitness.core.noise import Noise
from dpwitness.mechanisms.rounding import rounded_up
from dpwitness.mechanisms.smooth_sensitivity import local_sensitivity, median, smooth_sensitivity

TOP = 1  # values lie in [0, TOP]
ODD = Records(Interval(0, TOP), 5, examples=[((0, 0, 0, 0, 1), (0, 0, 0, 1, 1)), ((0, 0, 0, 1, 1), (0, 0, 1, 1, 1))])
EVEN = Records(Interval(0, TOP), 4, examples=[((0, 0, 0, 1), (0, 0, 1, 1)), ((0, 0, 0, 0), (0, 0, 0, 1))])
CITES = "Nissim, Raskhodnikova and Smith 2007, sections 2 and 3.1"


@mechanism(
    data=ODD,
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1, "gamma": 2},
    domains={"gamma": real(above=1)},
    tags=("sources", "median", "smooth-sensitivity"),
    cites=CITES,
)
def smooth_median(noise: Noise, data: Sequence[Any], *, eps: Any, gamma: Any) -> Any:
    r"""The median with heavy-tailed noise of density :math:`\propto 1/(1+|z|^\gamma)`.

    .. math:: \mathrm{med}(x) + \frac{2(\gamma+1)}{\varepsilon} S^*_\beta(x)\, \eta, \qquad
              \beta = \frac{\varepsilon}{2(\gamma+1)}
    """
    share = eps / (2 * (gamma + 1))
    scale = smooth_sensitivity(data, share, TOP) / share
    return median(data) + scale * noise.admissible(gamma)


smooth_median.also(data=EVEN, claim=lambda eps: PureDP(eps))


@smooth_median.twin("local-sensitivity", tags=("sources", "median"), notes="where it is 0 there is no noise")
def _(noise: Noise, data: Sequence[Any], *, eps: Any, gamma: Any) -> Any:
    """Noise in proportion to the local sensitivity, which jumps from 0 to Λ between neighbours."""
    share = eps / (2 * (gamma + 1))
    return median(data) + local_sensitivity(data, TOP) / share * noise.admissible(gamma)


@smooth_median.twin("beta-too-large", tags=("sources", "median"), notes="scales of neighbours differ by e^(2ε)")
def _(noise: Noise, data: Sequence[Any], *, eps: Any, gamma: Any) -> Any:
    """The smooth bound may change by e^(2ε) from one dataset to the next, and the tails show it."""
    share = eps / (2 * (gamma + 1))
    scale = smooth_sensitivity(data, 2 * eps, TOP) / share
    return median(data) + scale * noise.admissible(gamma)


def _with_delta(eps: Any, delta: Any) -> list[Guarantee]:
    """As the slides state it, and with δ itself."""
    return [ApproxDP(eps, rounded_up(delta / 2 * (exp(eps / 2) + 1), 12)), ApproxDP(eps, delta)]


@mechanism(
    data=ODD,
    claim=_with_delta,
    typical={"eps": 1, "delta": "1e-5"},
    domains={"eps": real(above=0, below=2)},
    tags=("sources", "median", "smooth-sensitivity", "laplace", "approximate"),
    cites=CITES,
)
def smooth_median_laplace(noise: Noise, data: Sequence[Any], *, eps: Any, delta: Any) -> Any:
    r"""The median with Laplace noise, for (ε,δ).

    .. math:: \mathrm{med}(x) + \frac{2}{\varepsilon} S^*_\beta(x)\, \mathrm{Lap}(1), \qquad
              \beta = \frac{\varepsilon}{2\ln(2/\delta)}
    """
    beta = eps / (2 * log(2 / delta))
    return median(data) + 2 * smooth_sensitivity(data, beta, TOP) / eps * noise.laplace(1)


smooth_median_laplace.also(data=EVEN, claim=_with_delta)


@smooth_median_laplace.twin(
    "claimed-pure", claim=lambda eps: PureDP(eps), tags=("median", "laplace"), notes="scales of neighbours differ"
)
def _(noise: Noise, data: Sequence[Any], *, eps: Any, delta: Any) -> Any:
    """The same program without the δ: two Laplace laws of different scales have an unbounded loss."""
    beta = eps / (2 * log(2 / delta))
    return median(data) + 2 * smooth_sensitivity(data, beta, TOP) / eps * noise.laplace(1)


@smooth_median_laplace.twin(
    "beta-without-logarithm", claim=lambda eps, delta: ApproxDP(eps, delta), tags=("median",),
    domains={"delta": real(above=0, below="1/1000")}, notes="δ(1) is 0.197 where one value is far from all others",
)  # fmt: skip
def _(noise: Noise, data: Sequence[Any], *, eps: Any, delta: Any) -> Any:
    """The smoothness is ε in place of ε/(2 ln(2/δ)): the scales of neighbours are too far apart."""
    return median(data) + 2 * smooth_sensitivity(data, eps, TOP) / eps * noise.laplace(1)


@smooth_median_laplace.twin("local-sensitivity", claim=lambda eps, delta: ApproxDP(eps, delta), tags=("median",))
def _(noise: Noise, data: Sequence[Any], *, eps: Any, delta: Any) -> Any:
    """Laplace noise in proportion to the local sensitivity."""
    return median(data) + 2 * local_sensitivity(data, TOP) / eps * noise.laplace(1)
