"""Histograms: how many records fall into each of several disjoint bins.

Adding or removing a record moves one bin by 1, so noise of scale 1/ε on every bin is enough, however many bins there
are. Replacing a record moves two bins by 1, and the scale must be 2/ε.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.core import Answers, ApproxDP, PureDP, Records, log, mechanism, real
from dpwitness.core.noise import Noise

BINS = (0, 1, 2)
NAMES = ("ann", "bob")


@mechanism(
    data=Answers("one", 1, size=5),
    claim=lambda eps: PureDP(eps),
    typical={"eps": "1/2"},
    tags=("sources", "statdp", "histogram", "laplace"),
    cites="Ding, Wang, Wang, Zhang and Kifer 2018, section 6.3; Dwork and Roth 2014, section 3.3",
)
def histogram(noise: Noise, counts: Sequence[Any], *, eps: Any) -> Any:
    r"""The counts of the bins, of which one moves: :math:`c_i + \mathrm{Lap}(1/\varepsilon)`."""
    return [c + noise.laplace(1 / eps) for c in counts]


@histogram.twin(
    "scale-epsilon", domains={"eps": real(above=0, below=1)}, tags=("statdp", "histogram", "laplace"),
    notes="the loss is 1/ε, which is more than ε below 1",
)  # fmt: skip
def _(noise: Noise, counts: Sequence[Any], *, eps: Any) -> Any:
    """The scale is ε in place of 1/ε, as where a library wants the inverse of what it is given."""
    return [c + noise.laplace(eps) for c in counts]


@histogram.twin("last-bin-in-clear", tags=("histogram", "laplace"))
def _(noise: Noise, counts: Sequence[Any], *, eps: Any) -> Any:
    """The last bin, say that of missing values, is not noised."""
    return [c + noise.laplace(1 / eps) for c in counts[:-1]] + [counts[-1]]


@mechanism(
    data=Records(BINS, 3, "add-remove"),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1},
    tags=("sources", "histogram", "laplace"),
    cites="Dwork and Roth 2014, section 3.3",
)
def record_histogram(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    r"""The histogram of a dataset whose records come and go, with :math:`\mathrm{Lap}(1/\varepsilon)` on every bin."""
    return [data.count(b) + noise.laplace(1 / eps) for b in BINS]


record_histogram.also(data=Records(BINS, 3), claim=lambda eps: PureDP(2 * eps), notes="a replacement moves two bins")


@record_histogram.twin("records-are-replaced", data=Records(BINS, 3), tags=("sources", "histogram", "laplace"))
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The same program where neighbours differ by a replaced record: two bins move, and the loss is 2ε."""
    return [data.count(b) + noise.laplace(1 / eps) for b in BINS]


@mechanism(
    data=Records(BINS, 3),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1},
    tags=("sources", "histogram", "laplace"),
    cites="Dwork, McSherry, Nissim and Smith 2006, section 3.2",
)
def replacement_histogram(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    r"""The histogram of a dataset whose records are replaced, with :math:`\mathrm{Lap}(2/\varepsilon)` on every bin."""
    return [data.count(b) + noise.laplace(2 / eps) for b in BINS]


replacement_histogram.also(data=Records(BINS, 3, "add-remove"), claim=lambda eps: PureDP(eps / 2))


@replacement_histogram.twin("one-noise-for-all-bins", tags=("histogram", "laplace"))
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The same draw is added to every bin: differences of bins are exact."""
    shift = noise.laplace(2 / eps)
    return [data.count(b) + shift for b in BINS]


@mechanism(
    data=Records(NAMES, 3, "add-remove"),
    claim=lambda eps, delta: ApproxDP(eps, delta),
    typical={"eps": 1, "delta": "1/100"},
    domains={"delta": real(above=0, below="1/2")},
    tags=("histogram", "laplace", "approximate"),
    cites="Korolova, Kenthapadi, Mishra and Ntoulas 2009; Bun, Nissim and Stemmer 2016",
)
def stability_histogram(noise: Noise, data: Sequence[Any], *, eps: Any, delta: Any) -> Any:
    r"""The non-empty bins of an endless domain, each released where its noisy count passes a threshold.

    The threshold :math:`1 + \ln(1/(2\delta))/\varepsilon` is passed by a bin of one record with probability δ.
    """
    threshold = 1 + log(1 / (2 * delta)) / eps
    released = []
    for name in NAMES:
        if name in data:
            noisy = data.count(name) + noise.laplace(1 / eps)
            if noisy > threshold:
                released.append((name, noisy))
    return released


@stability_histogram.twin("no-threshold", tags=("histogram", "laplace"), notes="a name that appears was in the data")
def _(noise: Noise, data: Sequence[Any], *, eps: Any, delta: Any) -> Any:
    """All non-empty bins are released: that a name appears at all is certain knowledge."""
    return [(name, data.count(name) + noise.laplace(1 / eps)) for name in NAMES if name in data]


@stability_histogram.twin("threshold-of-an-empty-bin", tags=("histogram", "laplace"), notes="δ(ε) is e^ε δ = 0.027")
def _(noise: Noise, data: Sequence[Any], *, eps: Any, delta: Any) -> Any:
    """The threshold forgets the one record that the bin may hold."""
    threshold = log(1 / (2 * delta)) / eps
    released = []
    for name in NAMES:
        if name in data:
            noisy = data.count(name) + noise.laplace(1 / eps)
            if noisy > threshold:
                released.append((name, noisy))
    return released
