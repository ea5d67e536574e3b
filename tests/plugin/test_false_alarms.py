"""Whole sessions of tight tests: alarms stay within the session's α. Run with ``pytest -m calibration``."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import pytest
from scipy import stats
from tests.plugin.projects import run

from dpwitness.auditors.api import audit

pytest_plugins = ["pytester"]

SESSIONS = 500
ALPHA = 0.2
TIGHT = """
import pytest
def response(data, size, rng):
    p = {p}
    return rng.random(size) < (p if data else 1 - p)
@pytest.mark.dp(checks=1)
@pytest.mark.parametrize("i", range(20))
def test_tight(assert_private, i): assert_private(response, True, False, epsilon=1.0, max_pairs=100)
"""


@pytest.mark.calibration
def test_false_alarms_of_whole_sessions(
    pytester: pytest.Pytester, record_testsuite_property: Callable[[str, object], None]
) -> None:
    """Randomised response at exactly ε = 1: every failure is a false alarm.

    With probability at most `ALPHA` a session fails, so the number of failing sessions is at most binomial.
    """
    audit(lambda data, size, rng: rng.laplace(data, 1, size), 0.0, 1.0, epsilon=1, max_pairs=100)  # loads everything
    pytester.makepyfile(TIGHT.format(p=repr(math.e / (1 + math.e))))
    alarms = 0
    for seed in range(SESSIONS):
        result = run(pytester, f"--dp-alpha={ALPHA}", f"--dp-seed={seed}", "-q", "--dp-json=found.json", inside=True)
        assert result.ret in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
        alarms += result.ret == pytest.ExitCode.TESTS_FAILED
        verdicts = json.loads(Path(pytester.path / "found.json").read_text(encoding="utf-8"))["verdicts"]
        assert len(verdicts) == 20
    record_testsuite_property("sessions with a false alarm", f"{alarms} of {SESSIONS} at alpha {ALPHA}")
    assert stats.binom.sf(alarms - 1, SESSIONS, ALPHA) > 1e-6, f"{alarms} of {SESSIONS} sessions gave a false alarm"


@pytest.mark.calibration
def test_a_broken_mechanism_is_caught_in_every_session(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TIGHT.format(p="0.9").replace("max_pairs=100", "max_pairs=2000"))
    for seed in range(5):
        run(pytester, f"--dp-seed={seed}", "-q").assert_outcomes(failed=20)
