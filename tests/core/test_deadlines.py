"""Limits end what they are set for, wherever it runs, and nothing else."""

from __future__ import annotations

import contextlib
import math
import random
import signal
import threading
import time

import pytest

from dpwitness.core.budget import Budget
from dpwitness.core.errors import LimitReached, ProgramTimeout
from dpwitness.core.limits import Deadline, _Signals, interrupted, time_limit
from dpwitness.core.processes import ProcessLost, can_fork, run_apart

LONG = 1000.0


def busy():
    """Runs until it is ended, in pieces that every thread can interrupt."""
    until = time.monotonic() + LONG
    while time.monotonic() < until:
        time.sleep(0.001)


def in_thread(work):
    """What `work` returns, or the exception that it raises, in another thread."""
    found = []

    def run():
        try:
            found.append(work())
        except BaseException as error:
            found.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(60)
    assert found, "the thread hangs"
    return found[0]


def here(work):
    try:
        return work()
    except BaseException as error:
        return error


@pytest.mark.parametrize("where", [here, in_thread])
def test_a_block_that_does_not_end_is_ended(where):
    def work():
        with time_limit(0.2, "the work"):
            busy()

    error = where(work)
    assert isinstance(error, ProgramTimeout)
    assert str(error) == "the work did not finish within 0.2 s"


@pytest.mark.parametrize("where", [here, in_thread])
def test_handlers_of_errors_do_not_catch_it(where):
    def work():
        with time_limit(0.2, "the work"):
            while True:
                try:
                    busy()
                except Exception:
                    continue

    assert isinstance(where(work), ProgramTimeout)


@pytest.mark.parametrize("where", [here, in_thread])
def test_it_rings_again_where_everything_is_caught(where):
    def work():
        caught = 0
        with time_limit(0.2, "the work"):
            for _ in range(3):
                try:
                    busy()
                except BaseException:
                    caught += 1
        return caught

    assert where(work) == 3


@pytest.mark.parametrize("where", [here, in_thread])
@pytest.mark.parametrize(("outer", "inner", "said"), [(0.2, LONG, "outer"), (LONG, 0.2, "inner")])
def test_of_nested_limits_the_earlier_one_ends_its_own_block(where, outer, inner, said):
    def work():
        with time_limit(outer, "outer"), time_limit(inner, "inner"):
            busy()

    error = where(work)
    assert isinstance(error, ProgramTimeout)
    assert str(error).startswith(said)


@pytest.mark.parametrize("where", [here, in_thread])
def test_an_outer_limit_goes_on_after_an_inner_one_has_rung(where):
    def work():
        with time_limit(0.6, "outer"):
            with pytest.raises(ProgramTimeout, match="inner"), time_limit(0.1, "inner"):
                busy()
            busy()

    error = where(work)
    assert str(error).startswith("outer")


@pytest.mark.parametrize("where", [here, in_thread])
def test_nothing_rings_after_the_block(where):
    def work():
        for _ in range(20):
            with time_limit(0.1, "short"):
                pass
        time.sleep(0.3)
        return "quiet"

    assert where(work) == "quiet"


def test_a_timer_of_the_caller_still_rings():
    rang = []
    before = signal.signal(signal.SIGALRM, lambda number, frame: rang.append(number))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with time_limit(LONG, "inside"):
            time.sleep(0.3)
        assert len(rang) == 1
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with time_limit(0.05, "inside"):
            pass
        time.sleep(0.2)
        assert len(rang) == 2
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_the_limit_is_no_error():
    assert not issubclass(LimitReached, Exception)
    with pytest.raises(LimitReached), interrupted(Deadline.after(0.05)):
        busy()


def test_a_claim_shares_its_time():
    budget = Budget(seconds=40.0)
    deadline = budget.deadline()
    assert 0 < budget.within(deadline, 0.25).seconds <= 10
    assert budget.within(Deadline.after(0.0)).seconds > 0
    assert budget.within(Deadline()).seconds == 40.0
    assert Deadline().remaining() == math.inf


needs_fork = pytest.mark.skipif(not can_fork(), reason="no process can be forked")


@needs_fork
def test_what_a_process_of_its_own_finds_and_tells_arrives():
    heard = []
    assert run_apart(lambda tell: [tell(k) for k in range(3)] and "done", heard.append) == "done"
    assert heard == [0, 1, 2]


@needs_fork
def test_what_it_changes_stays_there():
    kept = []
    run_apart(lambda tell: kept.append(1))
    assert kept == []


@needs_fork
def test_its_errors_are_raised_here():
    with pytest.raises(ZeroDivisionError):
        run_apart(lambda tell: 1 / 0)


@needs_fork
def test_one_that_hangs_is_ended():
    with pytest.raises(ProcessLost, match="was ended") as lost:
        run_apart(lambda tell: busy(), deadline=Deadline.after(0.1), grace=0.1)
    assert lost.value.hung


def _leave_at_the_last_moment(rounds: int, seed: int) -> list[str]:
    """Blocks that end within a few microseconds of their limit: what comes out of them, other than a time-out."""
    rng, odd = random.Random(seed), []
    for _ in range(rounds):
        end = time.monotonic() + 2e-3 + rng.uniform(-3e-5, 6e-5)
        try:
            with contextlib.suppress(ProgramTimeout), time_limit(2e-3, "the outer"), time_limit(60, "the inner"):
                while time.monotonic() < end:
                    pass
            for _ in range(300):  # a limit that was left open would ring here
                pass
        except BaseException as error:
            odd.append(type(error).__name__)
    return odd


def test_a_limit_that_comes_while_its_block_is_left_stays_inside() -> None:
    assert _leave_at_the_last_moment(1500, seed=1) == []
    assert _Signals.stack == []


def test_the_same_holds_in_other_threads() -> None:
    found: list[list[str]] = []
    threads = [threading.Thread(target=lambda: found.append(_leave_at_the_last_moment(150, seed=2))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert found == [[], []]
