"""The fixture `assert_private_step` in a project of somebody else."""

from __future__ import annotations

import pytest
from tests.plugin.projects import run

pytest_plugins = ["pytester"]

PROJECT = """
import numpy as np
import pytest

rng = np.random.default_rng()

def reseed(seed):
    global rng
    rng = np.random.default_rng(seed)

def step_of(scale, clip=1.0):
    def step(batch):
        rows = [x * min(1, clip / max(np.linalg.norm(x), 1e-12)) for x in batch]
        return np.sum(rows, axis=0) + scale * rng.standard_normal(3)
    return step

BATCH, MORE = [np.ones(3)], [np.array([4.0, 0, 0])]

def test_good(assert_private_step):
    found = assert_private_step(step_of(1.1), BATCH, MORE, noise_multiplier=1.1, reseed=reseed, runs=100)
    assert found.sensitivity == pytest.approx(1)

def test_clipped_at_two(assert_private_step):
    assert_private_step(step_of(1.1, 2.0), BATCH, MORE, noise_multiplier=1.1, reseed=reseed)

def test_quiet(assert_private_step):
    assert_private_step(step_of(0.5), BATCH, MORE, noise_multiplier=1.1, reseed=reseed)

def test_wrong_use(assert_private_step):
    assert_private_step(step_of(0.5), BATCH, [], noise_multiplier=1.1)
"""


def test_steps(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(PROJECT)
    found = run(pytester, inside=True)
    found.assert_outcomes(passed=1, failed=3)
    shown = found.stdout.str()
    assert "adding one example moves the sum by 2.00·C" in shown
    assert "times what is claimed" in shown
    assert "examples is empty" in shown
