"""Audits of real libraries: the right scale is not refuted, half of the noise is, and every audit keeps its limit."""

from __future__ import annotations

import importlib.util
import time

import pytest
from tests.libraries.controls import CONTROLS, DELTA, DEVIATION

from dpwitness.auditors import audit
from dpwitness.auditors.bounds.implied import gaussian_delta

pytestmark = pytest.mark.libraries
ALPHA = 1e-4
PAIRS = 6000
SECONDS, ROOM = 60.0, 30.0


def installed(library):
    try:
        return importlib.util.find_spec(library) is not None
    except ModuleNotFoundError:  # of the package that it is in
        return False


def release_of(control, scale):
    if not installed(control.library):
        pytest.skip(f"{control.library} is not installed")
    try:
        return control.make(scale)
    except ImportError as error:
        pytest.skip(f"{control.library} cannot be imported: {error}")


@pytest.mark.parametrize("control", CONTROLS, ids=str)
@pytest.mark.parametrize("scale", [1.0, 0.5], ids=["enough", "half"])
def test_half_of_the_noise_is_refuted_and_all_of_it_is_not(control, scale):
    release, started = release_of(control, scale), time.monotonic()
    result = audit(release, control.left, control.right, epsilon=1, delta=control.delta, alpha=ALPHA, max_pairs=PAIRS,
                   seconds=SECONDS)  # fmt: skip
    assert time.monotonic() - started < SECONDS + ROOM
    assert result.refuted == (scale < 1), result
    assert result.pairs >= 20


def test_there_are_enough_controls():
    assert len(CONTROLS) >= 20
    assert len({control.library for control in CONTROLS}) == 6


def test_the_normal_noise_is_as_large_as_it_is_said_to_be():
    assert gaussian_delta(1.0, 1 / DEVIATION) <= DELTA < gaussian_delta(1.0, 2 / DEVIATION)
