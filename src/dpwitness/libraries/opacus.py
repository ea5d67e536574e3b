"""Opacus: the noise of the optimizer, and clipping with noise, of which a gradient is added or removed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from opacus.optimizers import DPOptimizer
from opacus.optimizers.optimizer import _generate_noise

from dpwitness.core import ApproxDP, Interval, Records
from dpwitness.core.stability.claim import Stable
from dpwitness.core.stability.columns import reals
from dpwitness.core.stability.rows import Rows
from dpwitness.libraries.adapter import NUMBER, Item, Release

torch.set_num_threads(1)  # threads of linear algebra do not survive the fork of a process
DEVIATION = 1.9  # (1, 0.01)-private for a move by 1
GRADIENTS = Records(Interval(-3, 3), (1, 3), "add-remove")


def items() -> Iterator[Item]:
    """Noise at ε = 1, δ = 0.01."""
    _step(1.0)([0.5])  # loads here, once, what every process of an audit would have to load
    yield Item("noise", _noise, NUMBER, ApproxDP(1, "0.01"), single=True)
    yield Item("DPOptimizer.step", _step, GRADIENTS, ApproxDP(1, "0.01"))


def maps() -> Iterator[Stable]:
    """Clipping: the summed gradient moves by the clipping norm."""
    _clipped([0.5])
    yield Stable.of(_clipped, Rows(reals(-9, 9), (1, 6)), "l1", "1.00001", name="DPOptimizer.clip_and_accumulate")


def _noise(share: float) -> Release:
    zero = torch.zeros(1)
    return lambda x: x + float(_generate_noise(DEVIATION * share, zero)[0])


def _optimizer(values: Any, share: float) -> Any:
    weight: Any = torch.nn.Parameter(torch.zeros(1))  # Opacus adds an attribute
    noisy = DPOptimizer(torch.optim.SGD([weight], lr=1.0), noise_multiplier=DEVIATION * share, max_grad_norm=1.0,
                        expected_batch_size=1, loss_reduction="sum")  # fmt: skip
    weight.grad_sample = torch.tensor([[float(x)] for x in values])
    return weight, noisy


def _step(share: float) -> Release:
    def release(values: Any) -> float:
        weight, noisy = _optimizer(values, share)
        noisy.step()
        return float(weight.detach()[0])

    return release


def _clipped(values: Any) -> float:
    weight, noisy = _optimizer(values, 1.0)
    noisy.clip_and_accumulate()
    return float(weight.summed_grad[0])
