"""Noise that is used twice, an order that tells, a running time that tells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.core import Answers, PureDP, Records
from dpwitness.core.noise import Noise
from dpwitness.core.stability.columns import choices
from dpwitness.core.stability.rows import Rows
from dpwitness.corpus.entry import bug, deterministic, repaired


@bug(
    "tf-privacy-50673fe",
    "TensorFlow Privacy commit 50673fe; jax_privacy, list of pitfalls",
    "one draw of noise serves two answers",
    "critical",
    "PAG",
    data=Answers("all", 1, size=2),
    claim=PureDP(2),
)
def same_noise_twice(noise: Noise, data: Sequence[Any]) -> Any:
    """The difference of the outputs is that of the answers."""
    drawn = noise.laplace(1)
    return [q + drawn for q in data]


@repaired(same_noise_twice)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """A draw for each."""
    return [q + noise.laplace(1) for q in data]


@bug(
    "reused-seed",
    "jax_privacy, list of pitfalls",
    "a step that is repeated starts from the same seed",
    "critical",
    "PAG",
    data=Answers("all", 1, size=2),
    claim=PureDP(2),
)
def repeated_step(noise: Noise, data: Sequence[Any]) -> Any:
    """Both coordinates of two steps; the second step has the noise of the first, with the sign turned."""
    drawn = [noise.laplace(2) for _ in data]
    return [q + z for q, z in zip(data, drawn, strict=True)] + [q - z for q, z in zip(data, drawn, strict=True)]


@repaired(repeated_step)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Noise of its own for each step."""
    return [q + noise.laplace(2) for q in [*data, *data]]


def in_order_of_rows(rows: Sequence[Any]) -> list[Any]:
    """The keys in the order in which they come, the rest of a public list behind them."""
    return [*dict.fromkeys(rows), *(key for key in ("a", "b") if key not in rows)]


def in_order_of_keys(rows: Sequence[Any]) -> list[Any]:
    """The keys in the order of the public list."""
    return ["a", "b"]


@bug(
    "tumult-0.1",
    "tumult-core change log, 0.1.1",
    "the order of output rows follows the order of input rows",
    "serious",
    "SA",
    data=Records(("a", "b"), 2, "add-remove"),
    claim=PureDP(1),
)
def order_of_rows(noise: Noise, data: Sequence[Any]) -> Any:
    """Noisy counts of public keys, in the order of their first row."""
    return [(key, sum(x == key for x in data) + noise.discrete_laplace(1)) for key in in_order_of_rows(data)]


@repaired(order_of_rows)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Sorted by key."""
    return [(key, sum(x == key for x in data) + noise.discrete_laplace(1)) for key in in_order_of_keys(data)]


deterministic(order_of_rows, Rows(choices("a", "b"), any_order=True), "discrete", 0, in_order_of_rows, in_order_of_keys)


@bug(
    "jin-timing",
    "Jin, McMurtry, Rubinstein and Ohrimenko 2022 (2112.05307)",
    "a discrete sampler runs as long as its noise is large",
    "critical",
    "PAT",
    data=Answers("all", 1, size=1, whole=True),
    claim=PureDP(1),
)
def time_as_output(noise: Noise, data: Sequence[Any]) -> Any:
    """The number of steps of the sampler is an output here, as it is for whoever measures the time."""
    drawn = noise.discrete_laplace(1)
    steps = abs(drawn) + 1
    return data[0] + drawn, steps


@repaired(time_as_output)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """As many steps whatever the noise."""
    return data[0] + noise.discrete_laplace(1), 64
