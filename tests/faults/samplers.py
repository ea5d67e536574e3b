"""Samplers that misbehave, each as a correct release (Laplace noise of scale 1) and as a broken one (a tenth of it)."""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import os
import random
import signal
import time

import numpy as np

RIGHT, BROKEN = 1.0, 0.1


def noise(scale):
    return float(np.random.laplace(0.0, scale))  # noqa: NPY002 - as third-party code does


def slow(scale, cost):
    """A plain release that takes `cost` seconds."""

    def release(data):
        time.sleep(cost)
        return data + noise(scale)

    return release


def hangs_in_c(scale, after):
    """Hangs outside Python, with the interpreter's lock held, from the run `after` on."""
    library, mutex = ctypes.PyDLL(None), ctypes.create_string_buffer(64)
    runs = [0]

    def release(data):
        runs[0] += 1
        if runs[0] > after:
            library.pthread_mutex_lock(mutex)
            library.pthread_mutex_lock(mutex)
        return data + noise(scale)

    return release


def catches_everything(scale, after):
    """Waits for ever from the run `after` on, and takes every exception for a failure of its own."""
    runs = [0]

    def release(data):
        runs[0] += 1
        while runs[0] > after:
            with contextlib.suppress(BaseException):
                time.sleep(1000)
        return data + noise(scale)

    return release


def crashes(scale, after):
    """Ends its process by a segmentation fault at the run `after`."""
    runs = [0]

    def release(data):
        runs[0] += 1
        if runs[0] > after:
            os.kill(os.getpid(), signal.SIGSEGV)
        return data + noise(scale)

    return release


def runs_out(scale, after):
    """Raises from the run `after` on, whatever its input: a budget of its own is spent."""
    runs = [0]

    def release(data):
        runs[0] += 1
        if runs[0] > after:
            raise PermissionError("the budget is spent")
        return data + noise(scale)

    return release


def system_dice(scale):
    """Draws from the system's own generator, which takes no seed."""
    dice = random.SystemRandom()

    def release(data):
        return data + scale * (dice.expovariate(1.0) - dice.expovariate(1.0))

    return release


class Opaque(np.random.PCG64):
    """A bit generator that refuses every seed and every state, as one in hardware does."""

    @property
    def state(self):
        raise NotImplementedError("no state")

    @state.setter
    def state(self, value):
        raise NotImplementedError("no state")


def hardware_dice(scale):
    """Draws from a generator that refuses to be set."""
    dice = np.random.Generator(Opaque())

    def release(data):
        return data + float(dice.laplace(0.0, scale))

    return release


def wandering(rho, scale=1.0):
    """Outputs with Laplace margins of the given scale, each correlated with the one before it."""
    from scipy.special import ndtr

    def release(data, size, rng):
        steps = rng.normal(size=size) * np.sqrt(1 - rho**2)
        z = np.empty(size)
        now = rng.normal()
        for i in range(size):
            now = rho * now + steps[i] if i else now
            z[i] = now
        u = ndtr(z)
        return data + np.where(u < 0.5, np.log(2 * u), -np.log(2 * (1 - u))) * scale

    return release


def slow_right(data):
    """A slow correct release that can be sent to other processes."""
    time.sleep(0.05)
    return data + noise(RIGHT)


def slow_broken(data):
    """A slow broken release that can be sent to other processes."""
    time.sleep(0.05)
    return data + noise(BROKEN)


def hangs_abroad(data):
    """Hangs wherever it is not at home: in every process that was started for it, after a while."""
    time.sleep(1000 if next(_calls) > 40 else 0.01)
    return data + noise(RIGHT)


_calls = itertools.count()
