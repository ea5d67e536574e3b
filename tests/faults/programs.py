"""Programs that misbehave outside Python, where nothing interrupts them; each would be private if it returned."""

from __future__ import annotations

import ctypes
import os
import time

from dpwitness import Answers, BlackBox, PureDP, mechanism

TYPICAL = {"data": Answers(moves="one", by=1, size=1), "claim": lambda eps: PureDP(eps), "typical": {"eps": 1}}


@mechanism(**TYPICAL)
def fine(noise, answers, *, eps):
    """Returns."""
    return answers[0] + noise.laplace(1 / eps)


@mechanism(**TYPICAL)
def hangs(noise, answers, *, eps):
    """Waits in C for a lock that it holds itself, and keeps that of the interpreter."""
    library, mutex = ctypes.PyDLL(None), ctypes.create_string_buffer(64)
    library.pthread_mutex_lock(mutex)
    library.pthread_mutex_lock(mutex)
    return answers[0] + noise.laplace(1 / eps)


@mechanism(**TYPICAL)
def counts(noise, answers, *, eps):
    """Computes a sum in C that takes hours where noise is enormous: never, but a reader follows every path."""
    noisy = answers[0] + noise.laplace(1 / eps)
    if noisy > 10**9:
        return sum(range(10**12))
    return noisy


def _hangs_later(data, size, rng):
    """Hangs as `hangs` does when so many are asked for that an audit is under way."""
    if size > 1000:
        library, mutex = ctypes.PyDLL(None), ctypes.create_string_buffer(64)
        library.pthread_mutex_lock(mutex)
        library.pthread_mutex_lock(mutex)
    return rng.laplace(float(data[0]), 1.0, size)


box = BlackBox("box", _hangs_later, TYPICAL["data"], PureDP(1))


@mechanism(**TYPICAL)
def sleeps(noise, answers, *, eps):
    """Waits in Python."""
    time.sleep(1000)
    return answers[0] + noise.laplace(1 / eps)


@mechanism(**TYPICAL)
def crashes(noise, answers, *, eps):
    """Ends its process by a segmentation fault."""
    ctypes.string_at(0)
    return answers[0] + noise.laplace(1 / eps)


@mechanism(**TYPICAL)
def leaves(noise, answers, *, eps):
    """Ends its process and says that all is well."""
    os._exit(0)
    return answers[0] + noise.laplace(1 / eps)
