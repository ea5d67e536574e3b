"""What samplers change is put back, and only the user's own Ctrl-C stops an audit."""

from __future__ import annotations

import contextlib
import gc
import os
import random
import signal
import sys
import tempfile
import warnings

import numpy as np
import pytest

from dpwitness.auditors import audit
from dpwitness.auditors.surroundings import surroundings, surroundings_kept
from dpwitness.core.errors import ProgramFailed, ProgramTimeout


def warns(data):
    warnings.simplefilter("error")
    return random.gauss(0, 1)


def recurses(data):
    sys.setrecursionlimit(5000)
    return random.gauss(0, 1)


def signals(data):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    return random.gauss(0, 1)


def collects(data):
    gc.disable()
    return random.gauss(0, 1)


def redirects(data):
    sys.stderr = sys.__stdout__
    return random.gauss(0, 1)


def calls_back(data):
    np.seterrcall(lambda *said: None)
    return random.gauss(0, 1)


def stands_nowhere(data):
    place = tempfile.mkdtemp()
    os.chdir(place)
    os.rmdir(place)
    return random.gauss(0, 1)


def sets_an_alarm(data):
    signal.alarm(600)
    return random.gauss(0, 1)


@pytest.mark.parametrize(
    ("sampler", "said"),
    [
        (warns, "the filters of warnings"), (recurses, "the recursion limit"), (signals, "signal handlers"),
        (collects, "the garbage collector"), (redirects, "standard error"), (calls_back, "numpy's error settings"),
        (stands_nowhere, "the working directory"), (sets_an_alarm, None),
    ],
)  # fmt: skip
def test_changes_are_reported_and_undone(sampler, said):
    audit(lambda data: random.gauss(0, 1), [0], [1], epsilon=1, max_pairs=70)  # whatever is imported on first use
    before, place = surroundings(), os.getcwd()
    result = audit(sampler, [0], [1], epsilon=1, max_pairs=70)
    assert surroundings() == before
    assert os.getcwd() == place
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0
    assert said is None or any(said in text for text in result.warnings)


class Strange(BaseException):
    pass


class Wordless(Exception):
    def __str__(self):
        raise RuntimeError("no words")


@pytest.mark.parametrize("error", [KeyboardInterrupt, GeneratorExit, Strange, Wordless])
@pytest.mark.parametrize("batched", [True, False])
def test_no_exception_of_a_sampler_escapes(error, batched):
    def plain(data):
        raise error

    def all_at_once(data, size, rng):
        raise error

    with pytest.raises(ProgramFailed, match=error.__name__):
        audit(all_at_once if batched else plain, [0], [1], epsilon=1, max_pairs=100)


def test_an_exception_that_comes_late_ends_the_run_and_not_the_audit():
    def rarely(data, size, rng):
        if size > 100:
            raise KeyboardInterrupt
        return rng.laplace(data, 1.0, size)

    result = audit(rarely, 0.0, 1.0, epsilon=1, max_pairs=2000)
    assert "KeyboardInterrupt" in result.details["cut"]
    assert not result.refuted


def leaves(data):
    os._exit(3)


def leaves_late(data, size, rng):
    if size > 100:
        os._exit(3)
    return rng.laplace(data, 1.0, size)


def test_a_sampler_that_ends_the_process_is_survived():
    real = os._exit
    with pytest.raises(ProgramFailed, match=r"os\._exit\(3\)"):
        audit(leaves, 0.0, 1.0, epsilon=1, max_pairs=100, isolate=True)
    late = audit(leaves_late, 0.0, 1.0, epsilon=1, max_pairs=2000, isolate=True)
    assert "os._exit(3)" in late.details["cut"]
    assert os._exit is real


def test_children_of_a_sampler_end_where_they_should():
    def forks(data, size, rng):
        child = os.fork()
        if not child:
            os._exit(7)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        return rng.laplace(data, 1.0, size)

    assert not audit(forks, 0.0, 1.0, epsilon=1, max_pairs=100).refuted


def test_the_user_can_stop_an_audit():
    def interrupted(data, size, rng):
        os.kill(os.getpid(), signal.SIGINT)
        return rng.laplace(data, 1.0, size)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    try:
        with pytest.raises(KeyboardInterrupt):
            audit(interrupted, 0.0, 1.0, epsilon=1, max_pairs=100)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_time_limit_cannot_be_swallowed():
    def stubborn(data):
        while True:
            with contextlib.suppress(Exception):
                while True:
                    pass

    with pytest.raises(ProgramTimeout, match=r"timeout=0\.2"):
        audit(stubborn, [0], [1], epsilon=1, max_pairs=100, timeout=0.2)
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_a_sampler_that_is_late_but_ends_is_late():
    def catches_everything(data):
        try:
            while True:
                pass
        except BaseException:
            return 0.0

    with pytest.raises(ProgramTimeout):
        audit(catches_everything, [0], [1], epsilon=1, max_pairs=100, timeout=0.2)


def test_a_directory_that_is_gone_is_no_reason_to_fail():
    with surroundings_kept():
        place = tempfile.mkdtemp()
        os.chdir(place)
        os.rmdir(place)
        with surroundings_kept():
            pass


def test_a_sampler_that_warns_is_heard_and_not_at_every_run():
    def warns_always(data):
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.warn("bounds are missing", UserWarning, stacklevel=1)
        return random.gauss(0, 1)

    shown = warnings.showwarning
    with pytest.warns(UserWarning, match="bounds are missing") as caught:
        audit(warns_always, [0], [1], epsilon=1, max_pairs=1000, isolate=True)
    assert len(caught) < 50
    assert warnings.showwarning is shown
