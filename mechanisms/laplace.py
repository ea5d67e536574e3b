"""The Laplace mechanism: sums, counts, vectors and averages with noise scaled to their sensitivity.

A statistic that moves by at most S in the ℓ1 norm between neighbours is released with Laplace noise of scale S/ε on
every coordinate.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.core import Answers, Interval, PureDP, Records, mechanism
from dpwitness.core.noise import Noise

BOUND = 10  # the values that are averaged lie in [0, BOUND]


@mechanism(
    data=Records((0, 1), 5),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1},
    tags=("sources", "laplace", "sum"),
    cites="Dwork, McSherry, Nissim and Smith 2006, section 1",
)
def noisy_sum(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    r"""How many records are 1, with Laplace noise.

    .. math:: \sum_i x_i + \mathrm{Lap}(1/\varepsilon)

    Replacing, adding or removing one bit moves the sum by at most 1.
    """
    return sum(data) + noise.laplace(1 / eps)


noisy_sum.also(data=Records((0, 1), 5, "add-remove"), claim=lambda eps: PureDP(eps))


@noisy_sum.twin("signed-records", data=Records((-1, 1), 5), notes="one record moves the sum by 2", tags=("laplace",))
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The records are ±1 instead of bits, and the scale was not doubled."""
    return sum(data) + noise.laplace(1 / eps)


@noisy_sum.twin("uniform-noise", notes="outputs that only one of the neighbours can give", tags=("laplace",))
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """Noise of the same spread that is uniform: it ends, and its end moves with the data."""
    return sum(data) + noise.uniform(-1 / eps, 1 / eps)


@mechanism(
    data=Answers("one", 1, size=1),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1},
    tags=("laplace", "audit"),
    cites="Dwork and Roth 2014, section 3.3",
)
def laplace_count(noise: Noise, counts: Sequence[Any], *, eps: Any) -> Any:
    r"""One count, with Laplace noise: :math:`c + \mathrm{Lap}(1/\varepsilon)`."""
    return counts[0] + noise.laplace(1 / eps)


@laplace_count.twin("half-the-scale", tags=("laplace", "audit"))
def _(noise: Noise, counts: Sequence[Any], *, eps: Any) -> Any:
    """Half of the noise: the loss is 2ε."""
    return counts[0] + noise.laplace(1 / (2 * eps))


@mechanism(
    data=Answers("l1", 1, size=4),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1},
    tags=("sources", "laplace", "vector"),
    cites="Dwork, McSherry, Nissim and Smith 2006, proposition 1; Dwork and Roth 2014, theorem 3.6",
)
def output_perturbation(noise: Noise, answers: Sequence[Any], *, eps: Any) -> Any:
    r"""A vector of ℓ1 sensitivity 1, with Laplace noise on every coordinate.

    .. math:: f(x) + (Y_1, \dots, Y_d), \qquad Y_i \sim \mathrm{Lap}(1/\varepsilon)
    """
    return [a + noise.laplace(1 / eps) for a in answers]


output_perturbation.also(data=Answers("all", 1, size=4), claim=lambda eps: PureDP(4 * eps))


@output_perturbation.twin(
    "sensitivity-in-the-wrong-norm", data=Answers("l2", 1, size=4), notes="ℓ1 is up to √d times ℓ2", tags=("laplace",)
)
def _(noise: Noise, answers: Sequence[Any], *, eps: Any) -> Any:
    """The scale is the ℓ2 sensitivity: four coordinates of 1/2 lose 2ε."""
    return [a + noise.laplace(1 / eps) for a in answers]


@mechanism(
    data=Records(Interval(0, BOUND), 5),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1},
    tags=("sources", "laplace", "mean"),
    cites="Blum, A brief tour of differential privacy",
)
def noisy_average(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    r"""The average of n values in [0, b] with n public.

    .. math:: \frac1n \sum_i x_i + \mathrm{Lap}\Bigl(\frac{b}{n\varepsilon}\Bigr)

    Replacing one value moves the average by at most b/n.
    """
    n = len(data)
    return sum(data) / n + noise.laplace(BOUND / (n * eps))


@noisy_average.twin(
    "size-is-private", data=Records(Interval(0, BOUND), (1, 5), "add-remove"), tags=("laplace", "mean"),
    notes="the scale tells the number of records",
)  # fmt: skip
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The same program where records come and go: the scale of the noise is itself a leak."""
    n = len(data)
    return sum(data) / n + noise.laplace(BOUND / (n * eps))


@noisy_average.twin("divides-by-one-more", tags=("laplace", "mean"), notes="the loss is ε(n+1)/n")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The scale uses n + 1 in place of n."""
    n = len(data)
    return sum(data) / n + noise.laplace(BOUND / ((n + 1) * eps))


@noisy_average.twin(
    "leaving-the-room", data=Records(Interval(0, BOUND), (1, 5), "add-remove"), tags=("sources", "mean"),
    notes="n times the first average minus n − 1 times the second is the value of who left",
)  # fmt: skip
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The exact average, before and after one person leaves."""
    return sum(data) / len(data)
