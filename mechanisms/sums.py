"""Sums of a stream of answers: one total, all running totals, and the same with less noise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.core import Answers, PureDP, Refuted, mechanism, whole
from dpwitness.core.noise import Noise


@mechanism(
    data=Answers(moves="one", by=1),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1},
    tags=("programs", "checkdp"),
    cites="Wang et al. 2020 (CheckDP), partial sum",
)
def partial_sum(noise: Noise, queries: Sequence[Any], *, eps: Any) -> Any:
    r"""The sum of the answers plus :math:`\mathrm{Lap}(1/\varepsilon)`."""
    total = 0
    for q in queries:
        total = total + q
    return total + noise.laplace(1 / eps)


partial_sum.also(data=Answers(moves="l1"), claim=lambda eps: PureDP(eps), notes="answers move by 1 in all")
partial_sum.also(
    data=Answers(moves="all"),
    claim=lambda eps: PureDP(eps),
    expected=Refuted,
    notes="the sum moves by the number of answers",
)


@partial_sum.twin("half-scale", tags=("programs", "checkdp"))
def _(noise: Noise, queries: Sequence[Any], *, eps: Any) -> Any:
    r"""Noise :math:`\mathrm{Lap}(1/(2\varepsilon))`."""
    total = 0
    for q in queries:
        total = total + q
    return total + noise.laplace(1 / (2 * eps))


@mechanism(
    data=Answers(moves="one", by=1),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1},
    tags=("programs", "sniper"),
    cites="Wang et al. 2019 (ShadowDP), prefix sum; Bichsel et al. 2021 (DP-Sniper)",
)
def prefix_sum(noise: Noise, queries: Sequence[Any], *, eps: Any) -> Any:
    r"""All running totals of the noisy answers :math:`q_i + \mathrm{Lap}(1/\varepsilon)`."""
    out = []
    total = 0
    for q in queries:
        total = total + q + noise.laplace(1 / eps)
        out.append(total)
    return out


prefix_sum.also(
    data=Answers(moves="all", size=10), claim=lambda eps: PureDP(10 * eps), notes="ten answers that may all move"
)
prefix_sum.also(
    data=Answers(moves="all", size=10),
    claim=lambda eps: PureDP(eps),
    expected=Refuted,
    notes="the claim for one answer",
)


@prefix_sum.twin("noise-on-each-total", tags=("programs",))
def _(noise: Noise, queries: Sequence[Any], *, eps: Any) -> Any:
    r"""Exact running totals, each with its own :math:`\mathrm{Lap}(1/\varepsilon)`: the first answer is in all."""
    out = []
    total = 0
    for q in queries:
        total = total + q
        out.append(total + noise.laplace(1 / eps))
    return out


@mechanism(
    data=Answers(moves="one", by=1),
    claim=lambda eps: PureDP(2 * eps),
    typical={"eps": 1, "block": 2},
    domains={"block": whole(1)},
    tags=("programs", "checkdp"),
    cites="Chan, Shi and Song 2011, two-level counter; Wang et al. 2020 (CheckDP), smart sum",
)
def smart_sum(noise: Noise, queries: Sequence[Any], *, eps: Any, block: Any) -> Any:
    r"""Running totals in which every full block of M answers enters with a single :math:`\mathrm{Lap}(1/\varepsilon)`.

    Inside a block each answer carries noise of its own; at the end of a block these are dropped.
    """
    out = []
    finished = 0
    running = 0
    inside = 0
    for i, q in enumerate(queries):
        if (i + 1) % block == 0:
            finished = finished + inside + q + noise.laplace(1 / eps)
            running = finished
            inside = 0
        else:
            running = running + q + noise.laplace(1 / eps)
            inside = inside + q
        out.append(running)
    return out


smart_sum.also(
    data=Answers(moves="one"),
    claim=lambda eps: PureDP(eps),
    expected=Refuted,
    notes="an answer is counted twice: on its own and in the total of its block",
)


@smart_sum.twin("no-block-noise", tags=("programs", "checkdp"))
def _(noise: Noise, queries: Sequence[Any], *, eps: Any, block: Any) -> Any:
    """The totals of full blocks are exact."""
    out = []
    finished = 0
    running = 0
    inside = 0
    for i, q in enumerate(queries):
        if (i + 1) % block == 0:
            finished = finished + inside + q
            running = finished
            inside = 0
        else:
            running = running + q + noise.laplace(1 / eps)
            inside = inside + q
        out.append(running)
    return out


@mechanism(
    data=Answers(moves="one", by=1),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1},
    tags=("programs",),
    cites="Chan, Shi and Song 2011, binary mechanism; Dwork et al. 2010",
)
def tree_sum(noise: Noise, queries: Sequence[Any], *, eps: Any) -> Any:
    r"""Running totals from a binary tree of noisy partial sums, with :math:`\mathrm{Lap}(L/\varepsilon)` for L levels.

    At step t each one in the binary digits of t stands for a block of answers; an answer is in one block of each size.
    """
    levels = len(queries).bit_length()
    exact_sums = [0] * levels
    noisy_sums = [0] * levels
    out = []
    for i, q in enumerate(queries):
        level = ((i + 1) & -(i + 1)).bit_length() - 1  # trailing zeros of the step: the blocks below it are full
        exact_sums[level] = q + sum(exact_sums[:level])
        noisy_sums[level] = exact_sums[level] + noise.laplace(levels / eps)
        for below in range(level):
            exact_sums[below] = 0
            noisy_sums[below] = 0
        out.append(sum(noisy_sums))
    return out


@tree_sum.twin("noise-ignores-the-levels", tags=("programs",))
def _(noise: Noise, queries: Sequence[Any], *, eps: Any) -> Any:
    r"""Noise :math:`\mathrm{Lap}(1/\varepsilon)` for every block, as if an answer were in one block only."""
    levels = len(queries).bit_length()
    exact_sums = [0] * levels
    noisy_sums = [0] * levels
    out = []
    for i, q in enumerate(queries):
        level = ((i + 1) & -(i + 1)).bit_length() - 1
        exact_sums[level] = q + sum(exact_sums[:level])
        noisy_sums[level] = exact_sums[level] + noise.laplace(1 / eps)
        for below in range(level):
            exact_sums[below] = 0
            noisy_sums[below] = 0
        out.append(sum(noisy_sums))
    return out


@mechanism(
    data=Answers(moves="all", by=1, size=1),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1, "copies": 20},
    domains={"copies": whole(1)},
    tags=("programs", "sniper"),
    cites="Bichsel et al. 2021 (DP-Sniper), Laplace in parallel",
)
def parallel_laplace(noise: Noise, queries: Sequence[Any], *, eps: Any, copies: Any) -> Any:
    r"""The first answer k times over, each time with its own :math:`\mathrm{Lap}(k/\varepsilon)`."""
    return [queries[0] + noise.laplace(copies / eps) for _ in range(copies)]


@parallel_laplace.twin("noise-ignores-the-copies", typical={"copies": 3}, tags=("programs",))
def _(noise: Noise, queries: Sequence[Any], *, eps: Any, copies: Any) -> Any:
    r"""Noise :math:`\mathrm{Lap}(1/\varepsilon)`, right for a single copy."""
    return [queries[0] + noise.laplace(1 / eps) for _ in range(copies)]
