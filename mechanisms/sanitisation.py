"""What is and what is not sanitised: a random record, a constant, a number that has nothing to do with the data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.core import ApproxDP, Exact, Interval, PureDP, Records, mechanism
from dpwitness.core.noise import Noise

SIZE = 4
BITS = Records((0, 1), SIZE)


@mechanism(
    data=BITS,
    claim=lambda: ApproxDP(0, Exact(1, SIZE)),
    typical={},
    tags=("sources", "finite", "approximate"),
    cites="Dwork, McSherry, Nissim and Smith 2006, section 1",
)
def random_record(noise: Noise, data: Sequence[Any]) -> Any:
    """The candidate sanitisation (i, x_i) for a random i: neighbours are 1/n apart in statistical difference."""
    i = noise.choice(weights=[1] * len(data))
    return i, data[i]


@random_record.twin("claimed-pure", claim=lambda: PureDP(10), tags=("sources", "finite"), notes="no ε is large enough")
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """The same program with a pure claim: (i, x_i) has probability 0 on the neighbour that differs at i."""
    i = noise.choice(weights=[1] * len(data))
    return i, data[i]


@random_record.twin("two-records", tags=("finite",), notes="the statistical difference is 2/n")
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Two neighbouring records are published in place of one."""
    i = noise.choice(weights=[1] * len(data))
    return i, data[i], data[(i + 1) % len(data)]


@mechanism(
    data=BITS,
    claim=lambda eps: PureDP(eps),
    typical={"eps": "1/1000"},
    tags=("sources", "finite", "independent"),
    cites="Blum, A brief tour of differential privacy",
)
def constant_output(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """Always 0, whatever the data are: private for every ε."""
    return 0


@constant_output.twin("unless-unanimous", tags=("finite",), notes="one dataset gives another output")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """Always 0, except where all records are 1."""
    return int(all(x == 1 for x in data))


@mechanism(
    data=Records(Interval(0, 1), 3),
    claim=lambda eps: PureDP(eps),
    typical={"eps": "1/1000"},
    tags=("sources", "independent"),
    cites="Blum, A brief tour of differential privacy",
)
def uniform_output(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """A uniform number of [0, 1], whatever the data are: private for every ε."""
    return noise.uniform(0, 1)


@uniform_output.twin("range-of-the-data", notes="outputs above the smaller range")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """A uniform number between 0 and one more than the largest record."""
    return noise.uniform(0, 1 + max(data))
