r"""A private program on a random sample of the records: most records are not even looked at.

Where every record is kept with probability q, a program that is ε-private when a record is added or removed becomes
:math:`\ln(1 + q(e^\varepsilon - 1))`-private, about qε. Where m of n records are drawn and records may be replaced, the
same holds with q = m/n.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.core import Exact, PureDP, Records, exp, log, mechanism
from dpwitness.core.noise import Noise
from dpwitness.mechanisms.rounding import rounded_up

QUARTER = Exact(1, 4)


def amplified(eps: Any, rate: Any) -> PureDP:
    """ln(1 + rate·(e^eps − 1)), rounded up."""
    return PureDP(rounded_up(log(1 + rate * (exp(eps) - 1))))


@mechanism(
    data=Records((0, 1), 3, "add-remove"),
    claim=amplified,
    typical={"eps": 1, "rate": QUARTER},
    tags=("subsampling", "laplace", "sum"),
    cites="Balle, Barthe and Gaboardi 2018, theorem 8; Li, Qardaji and Su 2012",
)
def subsampled_count(noise: Noise, data: Sequence[Any], *, eps: Any, rate: Any) -> Any:
    r"""How many of the sampled records are 1, plus :math:`\mathrm{Lap}(1/\varepsilon)`."""
    kept = noise.subsample(data, rate)
    return sum(kept) + noise.laplace(1 / eps)


subsampled_count.also(
    data=Records((0, 1), 3), claim=amplified, notes="records of 0 and 1 are replaced: the count moves by 1 as well"
)


@subsampled_count.twin("rate-times-epsilon", claim=lambda eps, rate: PureDP(rate * eps), tags=("subsampling",))
def _(noise: Noise, data: Sequence[Any], *, eps: Any, rate: Any) -> Any:
    """The claim is qε, the first term of the series of ln(1 + q(e^ε − 1)): the truth is larger."""
    kept = noise.subsample(data, rate)
    return sum(kept) + noise.laplace(1 / eps)


@subsampled_count.twin("keeps-every-one", tags=("subsampling",), notes="who is sampled depends on the data")
def _(noise: Noise, data: Sequence[Any], *, eps: Any, rate: Any) -> Any:
    """Records of 1 are always kept, so nothing is gained for them."""
    kept = [x for x in data if x == 1 or noise.bernoulli(rate)]
    return sum(kept) + noise.laplace(1 / eps)


@subsampled_count.twin("releases-the-sample-size", tags=("subsampling",))
def _(noise: Noise, data: Sequence[Any], *, eps: Any, rate: Any) -> Any:
    """The size of the sample is released in clear."""
    kept = noise.subsample(data, rate)
    return len(kept), sum(kept) + noise.laplace(1 / eps)


@mechanism(
    data=Records((0, 1), 4),
    claim=lambda eps: amplified(eps, Exact(1, 2)),
    typical={"eps": 1},
    tags=("subsampling", "laplace", "sum"),
    cites="Balle, Barthe and Gaboardi 2018, theorem 9",
)
def sampled_sum(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    r"""The sum of 2 of 4 records, drawn without replacement, plus :math:`\mathrm{Lap}(1/\varepsilon)`."""
    return sum(noise.sample(data, 2)) + noise.laplace(1 / eps)


@sampled_sum.twin("first-two-records", tags=("subsampling",))
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The first two records, which everyone can name."""
    return sum(data[:2]) + noise.laplace(1 / eps)


@mechanism(
    data=Records(("a", "b"), 3, "add-remove"),
    claim=amplified,
    typical={"eps": 1, "rate": QUARTER},
    tags=("subsampling", "laplace"),
    cites="Balle, Barthe and Gaboardi 2018, theorem 8; Dwork and Roth 2014, section 3.3",
)
def subsampled_noisy_max(noise: Noise, data: Sequence[Any], *, eps: Any, rate: Any) -> Any:
    r"""The more frequent of two values in the sample, with :math:`\mathrm{Lap}(1/\varepsilon)` on each count.

    One record more raises one count by 1, so that noise of scale 1/ε is enough.
    """
    kept = noise.subsample(data, rate)
    return noise.argmax([sum(x == value for x in kept) + noise.laplace(1 / eps) for value in ("a", "b")])


@subsampled_noisy_max.twin(
    "no-noise",
    claim=lambda rate: amplified(1, rate),
    tags=("subsampling",),
    notes="a sample without one value has a sure winner",
)
def _(noise: Noise, data: Sequence[Any], *, rate: Any) -> Any:
    """The random sample is taken for noise enough."""
    kept = noise.subsample(data, rate)
    return noise.argmax([sum(x == value for x in kept) for value in ("a", "b")])
