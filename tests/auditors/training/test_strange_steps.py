"""Steps that write into their batch, round what they return, end the process or return other shapes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dpwitness as dpw
from dpwitness.auditors.training.freshness import freshness
from dpwitness.core.errors import BadInput, ProgramFailed


class Step:
    """Clip, sum and add noise; `change` makes something of the sum."""

    def __init__(self, change: Callable[[Any], Any] = lambda x: x, clip: bool = True, writes: bool = False) -> None:
        self.change, self.clip, self.writes, self.rng = change, clip, writes, np.random.default_rng(0)

    def reseed(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def __call__(self, batch: Any) -> Any:
        parts = [x / max(1.0, float(np.linalg.norm(x))) if self.clip else x.copy() for x in batch]
        if self.writes:
            for x in batch:
                x[...] = 0
            batch.clear()
        return self.change(np.sum(parts, axis=0) + self.rng.standard_normal(len(parts[0])))


def audit(step: Step, size: int = 5, **options: Any) -> Any:
    batch, examples = [np.full(size, 0.1) for _ in range(4)], [np.full(size, 3.0)]
    return dpw.audit_step(step, batch, examples, noise_multiplier=1.0, reseed=step.reseed, **options)


def test_a_step_that_writes_into_its_batch_is_measured_all_the_same() -> None:
    assert audit(Step(writes=True)).sensitivity == pytest.approx(1, abs=1e-9)


def test_a_step_that_does_not_clip_and_writes_into_its_batch_is_refuted() -> None:
    batch = [np.full(5, 0.1) for _ in range(4)]
    step = Step(clip=False, writes=True)
    assert dpw.audit_step(step, batch, [np.full(5, 3.0)], noise_multiplier=1.0, reseed=step.reseed).refuted
    assert len(batch) == 4
    assert batch[0][0] == 0.1


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("unit", [1 / 2, 1 / 16, 1 / 100])
def test_rounding_behind_the_noise_is_no_violation(size: int, unit: float) -> None:
    found = audit(Step(lambda x: np.rint(x / unit) * unit), size)
    assert all(f.passed for f in found.findings if f.name in ("sensitivity", "fresh noise")), str(found)


def test_half_precision_is_no_violation() -> None:
    found = audit(Step(lambda x: x.astype(np.float16)), 200)
    assert not found.refuted, str(found)


@pytest.mark.parametrize("size", [1, 5])
def test_noise_that_comes_again_after_ten_calls_is_found(size: int) -> None:
    calls = 0

    def step(batch: Any) -> Any:
        nonlocal calls
        calls += 1
        return np.sum(batch, axis=0) + np.random.default_rng(calls % 10).standard_normal(size)

    found = dpw.audit_step(step, [np.zeros(size)], [np.zeros(size)], noise_multiplier=1.0, runs=25)
    assert not found.fresh


def test_rounded_independent_noise_is_seldom_called_old() -> None:
    rng = np.random.default_rng(0)
    for size, unit in ((1, 2.0), (1, 0.3), (2, 0.5), (4, 1.0)):
        told = [freshness(np.rint(rng.standard_normal((40, size)) / unit) * unit, 1.0)[0] for _ in range(400)]
        assert min(told) > 1e-3


@pytest.mark.parametrize(
    ("output", "error", "why"),
    [
        (lambda batch: np.array([]), BadInput, "empty"),
        (lambda batch: np.zeros(len(batch)), BadInput, "on another"),
        (lambda batch: sys.exit(3), ProgramFailed, "SystemExit"),
    ],
)
def test_outputs_that_cannot_be_read_are_refused(output: Any, error: type[Exception], why: str) -> None:
    with pytest.raises(error, match=why):
        dpw.audit_step(output, [1.0], [2.0], noise_multiplier=1.0, reseed=lambda seed: None)


def test_what_the_user_gives_beside_the_step_is_told_by_name() -> None:
    step = Step()
    given: dict[str, Any] = {"noise_multiplier": 1.0}
    with pytest.raises(ProgramFailed, match=r"reseed\(1\)"):
        dpw.audit_step(step, [np.zeros(2)], [np.zeros(2)], reseed=lambda seed: 1 / 0, **given)
    with pytest.raises(ProgramFailed, match="adding an example"):
        dpw.audit_step(step, np.zeros((2, 2)), [np.zeros(3)], **given)
    with pytest.raises(BadInput, match="examples"):
        dpw.audit_step(step, [np.zeros(2)], None, **given)  # type: ignore[arg-type]


def test_scores_without_an_order_or_beyond_doubles_are_refused() -> None:
    for scores in ([1j, 2j], [10**400, 1]):
        with pytest.raises(BadInput, match="must be numbers"):
            dpw.audit_scores(scores, [0.0, 1.0])
