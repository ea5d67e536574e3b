"""Above threshold and noisy max with Gaussian noise, on finitely many inputs.

No ε alone holds for these programs on all real answers; on three answers of -1, 0 or 1 the pair (ε, δ) can be
computed to any precision. The claims here hold for every threshold, for ε below 3/5 (2 with both kinds of noise) and
δ from 1/100 on; the twins fail at the typical ε = 1/2 and δ = 1/100.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.core import ZCDP, Answers, ApproxDP, GaussianDP, PureDP, Refuted, mechanism, real
from dpwitness.core.noise import Noise

TERNARY = Answers(moves="all", by=1, values=(-1, 0, 1), size=3)


@mechanism(
    data=TERNARY,
    claim=lambda eps, delta: ApproxDP(eps, delta),
    typical={"eps": "1/2", "delta": "1/100", "threshold": 0},
    domains={"eps": real(above=0, below="3/5"), "delta": real(least="1/100", below=1)},
    tags=("programs", "dipc"),
    cites="Bhusal et al. 2025, above threshold with Gaussian noise",
)
def gaussian_above_threshold(noise: Noise, queries: Sequence[Any], *, eps: Any, delta: Any, threshold: Any) -> Any:
    r"""Index of the first :math:`q_i + N(0, (2/\varepsilon)^2) \ge T + N(0, (4/\varepsilon)^2)`, or None."""
    t = threshold + noise.gaussian(4 / eps)
    for i, q in enumerate(queries):
        if q + noise.gaussian(2 / eps) >= t:
            return i
    return None


# The output is a function of four answers with Gaussian noise of deviation 2/ε, which move by at most 2 in Euclidean
# distance, and of noise that has nothing to do with the data.
gaussian_above_threshold.also(
    data=Answers(moves="all", size=4), claim=lambda eps: GaussianDP(eps), notes="a function of four noisy answers"
)


@gaussian_above_threshold.twin("no-threshold-noise", tags=("programs", "dipc"))
def _(noise: Noise, queries: Sequence[Any], *, eps: Any, delta: Any, threshold: Any) -> Any:
    """Noisy answers against the exact threshold: every answer before the crossing is charged."""
    for i, q in enumerate(queries):
        if q + noise.gaussian(2 / eps) >= threshold:
            return i
    return None


@gaussian_above_threshold.twin("no-query-noise", tags=("programs", "dipc"))
def _(noise: Noise, queries: Sequence[Any], *, eps: Any, delta: Any, threshold: Any) -> Any:
    """Exact answers against a noisy threshold: the order of the answers shows."""
    t = threshold + noise.gaussian(4 / eps)
    for i, q in enumerate(queries):
        if q >= t:
            return i
    return None


@mechanism(
    data=TERNARY,
    claim=lambda eps, delta: ApproxDP(eps, delta),
    typical={"eps": "1/2", "delta": "1/100", "threshold": 0},
    domains={"eps": real(above=0, below=2), "delta": real(least="1/100", below=1)},
    tags=("programs", "dipc"),
    cites="Bhusal et al. 2025, above threshold with both kinds of noise",
)
def mixed_above_threshold(noise: Noise, queries: Sequence[Any], *, eps: Any, delta: Any, threshold: Any) -> Any:
    r"""Index of the first :math:`q_i + N(0, (4/\varepsilon)^2) \ge T + \mathrm{Lap}(2/\varepsilon)`, or None."""
    t = threshold + noise.laplace(2 / eps)
    for i, q in enumerate(queries):
        if q + noise.gaussian(4 / eps) >= t:
            return i
    return None


@mixed_above_threshold.twin("half-scale", tags=("programs",))
def _(noise: Noise, queries: Sequence[Any], *, eps: Any, delta: Any, threshold: Any) -> Any:
    r"""Threshold noise :math:`\mathrm{Lap}(1/\varepsilon)`, query noise :math:`N(0, (2/\varepsilon)^2)`."""
    t = threshold + noise.laplace(1 / eps)
    for i, q in enumerate(queries):
        if q + noise.gaussian(2 / eps) >= t:
            return i
    return None


@mechanism(
    data=TERNARY,
    claim=lambda eps, delta: ApproxDP(eps, delta),
    typical={"eps": "1/2", "delta": "1/100"},
    domains={"eps": real(above=0, below="3/5"), "delta": real(least="1/100", below=1)},
    tags=("programs", "dipc"),
    cites="Bhusal et al. 2025, noisy max with Gaussian noise",
)
def gaussian_noisy_max(noise: Noise, counts: Sequence[Any], *, eps: Any, delta: Any) -> Any:
    r"""Index of the largest :math:`c_i + N(0, (2/\varepsilon)^2)`."""
    return noise.argmax([c + noise.gaussian(2 / eps) for c in counts])


gaussian_noisy_max.also(
    data=Answers(moves="all", size=4), claim=lambda eps: GaussianDP(eps), notes="a function of four noisy counts"
)
gaussian_noisy_max.also(
    data=Answers(moves="all", size=4), claim=lambda eps: ZCDP(eps * eps / 2), notes="a function of four noisy counts"
)
gaussian_noisy_max.also(
    data=Answers(moves="all", size=2),
    claim=lambda eps: PureDP(eps),
    expected=Refuted,
    notes="for counts far apart the loss of a normal tail has no bound",
)


@gaussian_noisy_max.twin("half-deviation", tags=("programs",))
def _(noise: Noise, counts: Sequence[Any], *, eps: Any, delta: Any) -> Any:
    r"""Noise :math:`N(0, (1/\varepsilon)^2)`."""
    return noise.argmax([c + noise.gaussian(1 / eps) for c in counts])
