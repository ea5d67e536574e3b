"""The staircase mechanism: the noise of least error for pure privacy is piecewise constant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.core import Answers, Exact, PureDP, mechanism, real
from dpwitness.core.noise import Noise


@mechanism(
    data=Answers("one", 1, size=1),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1, "split": "1/2"},
    domains={"split": real(least=0, below=1)},
    tags=("staircase",),
    cites="Geng and Viswanath 2014, theorem 4",
)
def staircase(noise: Noise, counts: Sequence[Any], *, eps: Any, split: Any) -> Any:
    r"""One count with staircase noise: the density falls by :math:`e^{-\varepsilon}` once in every unit of distance."""
    return counts[0] + noise.staircase(eps, 1, split)


@staircase.twin("stairs-too-narrow", tags=("staircase",), notes="a shift by 1 crosses two steps: the loss is 2ε")
def _(noise: Noise, counts: Sequence[Any], *, eps: Any, split: Any) -> Any:
    """Stairs of width 1/2 for counts that move by 1."""
    return counts[0] + noise.staircase(eps, sensitivity=Exact(1, 2), split=split)
