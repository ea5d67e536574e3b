"""An audit leaves the process that asks for it alone, whatever the sampler does."""

from __future__ import annotations

import decimal
import locale
import logging
import os
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time
import warnings

import numpy as np
import pytest
from tests.faults import samplers
from tests.faults.samplers import BROKEN, RIGHT

from dpwitness.auditors import audit


def rude(data):
    """Changes everything that a process has."""
    os.chdir("/")
    os.environ["DPWITNESS_LEFT_BEHIND"] = "1"
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002
    decimal.getcontext().prec = 3
    locale.setlocale(locale.LC_ALL, "C")
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    sys.setrecursionlimit(7777)
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    np.seterr(all="ignore")
    sys.stdout.write("rude")
    return data + np.random.default_rng().laplace()


def host():
    return (
        os.getcwd(), dict(os.environ), random.getstate(), np.random.get_state()[1].tolist(),  # noqa: NPY002
        decimal.getcontext().prec, locale.setlocale(locale.LC_ALL), list(warnings.filters),
        logging.root.manager.disable, sys.getrecursionlimit(), signal.getsignal(signal.SIGUSR1), np.geterr(),
        sys.stdout, sys.stderr, os._exit, warnings.showwarning,
    )  # fmt: skip


@pytest.mark.parametrize("isolate", [True, False])
def test_everything_is_as_before(isolate, capsys):
    before = host()
    audit(rude, 0.0, 1.0, epsilon=1, max_pairs=200, isolate=isolate)
    assert host() == before
    if isolate:
        assert capsys.readouterr().out == ""


PRINTING = """
    import sys, threading
    import numpy as np
    from dpwitness.auditors import audit

    go_on = True

    def shout():
        while go_on:
            print("x" * 50)

    def loud(data):
        print("sampling")
        return data + np.random.laplace(0, {scale})

    thread = threading.Thread(target=shout)
    thread.start()
    try:
        for seed in range(3):
            result = audit(loud, 0.0, 1.0, epsilon=1, max_pairs=400, seed=seed{more})
            print(result.refuted, file=sys.stderr)
    finally:
        go_on = False
        thread.join()
"""


@pytest.mark.parametrize("scale", [RIGHT, BROKEN])
@pytest.mark.parametrize("more", ["", ", seconds=30.0", ", isolate=False", ", isolate=True"])
def test_another_thread_may_print(scale, more, tmp_path):
    file = tmp_path / "script.py"
    file.write_text(textwrap.dedent(PRINTING.format(scale=scale, more=more)))
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stderr.split() == [str(scale == BROKEN)] * 3


def test_audits_in_several_threads_do_not_disturb_each_other():
    results: dict[int, object] = {}

    def work(number):
        scale = BROKEN if number % 2 else RIGHT
        results[number] = audit(lambda data, size, rng: rng.laplace(data, scale, size), 0.0, 1.0, epsilon=1,
                                max_pairs=2000, seconds=60).refuted  # fmt: skip

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {0: False, 1: True, 2: False, 3: True}


@pytest.mark.parametrize("after", [0, 5])
@pytest.mark.parametrize("scale", [RIGHT, BROKEN])
def test_a_sampler_that_crashes_at_once_is_an_error(after, scale):
    from dpwitness.core.errors import ProgramFailed

    with pytest.raises(ProgramFailed, match="SIGSEGV"):
        audit(samplers.crashes(scale, after), 0.0, 1.0, epsilon=1, isolate=True)


@pytest.fixture
def another_thread():
    """A thread beside the one that asks, as a test worker or a notebook has."""
    over = threading.Event()
    thread = threading.Thread(target=over.wait)
    thread.start()
    yield
    over.set()
    thread.join()


@pytest.mark.parametrize("after", [0, 5, 700])
@pytest.mark.usefixtures("another_thread")
def test_beside_threads_a_crash_ends_the_sampler_alone(after):
    from dpwitness.core.errors import ProgramFailed

    if after == 700:
        assert "SIGSEGV" in audit(samplers.crashes(RIGHT, after), 0.0, 1.0, epsilon=1).details["cut"]
        return
    with pytest.raises(ProgramFailed, match="SIGSEGV"):
        audit(samplers.crashes(RIGHT, after), 0.0, 1.0, epsilon=1)


@pytest.mark.parametrize("executor", [None, 2])
@pytest.mark.usefixtures("another_thread")
def test_beside_threads_a_sampler_that_leaves_ends_itself_alone(executor):
    from dpwitness.core.errors import ProgramFailed

    with pytest.raises(ProgramFailed, match=r"os\._exit\(3\)"):
        audit(samplers.leaves, 0.0, 1.0, epsilon=1, max_pairs=100, executor=executor)


def test_a_lock_that_another_thread_holds_is_waited_for_here(monkeypatch):
    """A forked process would wait for it for ever: nobody in it opens the lock."""
    monkeypatch.setattr("dpwitness.auditors.own_process.STILL", 0.5)
    lock, free = threading.Lock(), threading.Event()

    def hold():
        with lock:
            free.wait()

    def release(data, size, rng):
        with lock:
            return rng.laplace(data, RIGHT, size)

    thread = threading.Thread(target=hold)
    thread.start()
    while not lock.locked():
        time.sleep(0.01)
    threading.Timer(2.0, free.set).start()
    result = audit(release, 0.0, 1.0, epsilon=1, max_pairs=500)
    thread.join()
    assert not result.refuted
    assert result.pairs > 300


def test_a_sampler_that_crashes_later_leaves_its_evidence():
    # chunks double where runs are fast, and the last one is lost: of 2000 runs far more than 60 pairs are left
    result = audit(samplers.crashes(RIGHT, 2000), 0.0, 1.0, epsilon=1, isolate=True)
    assert "was ended by signal SIGSEGV" in result.details["cut"]
    assert not result.refuted
    assert result.pairs >= 60
    assert audit(samplers.crashes(BROKEN, 2000), 0.0, 1.0, epsilon=1, isolate=True).refuted


def test_warnings_of_a_sampler_come_here_once():
    def warns(data):
        warnings.warn("old", FutureWarning, stacklevel=1)
        return data + samplers.noise(RIGHT)

    with pytest.warns(FutureWarning, match="old") as seen:
        audit(warns, 0.0, 1.0, epsilon=1, max_pairs=100, isolate=True)
    assert len(seen) == 1


@pytest.mark.parametrize("isolate", [True, False])
def test_a_patched_function_is_audited_as_patched(monkeypatch, isolate):
    monkeypatch.setattr(samplers, "noise", lambda scale: 0.0)
    assert audit(samplers.slow(RIGHT, 0.0), 0.0, 1.0, epsilon=1, max_pairs=300, isolate=isolate).refuted
