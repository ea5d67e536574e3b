# ruff: noqa: B007, SIM108
"""Loops of steps with Gaussian noise on samples, in which something changes from step to step."""

from __future__ import annotations

from dpwitness import ApproxDP, Exact, Interval, Records
from tests.deceptive.kit import leaks

UNIT = Records(Interval(0, 1), 5, "add-remove")
RATE = Exact(1, 100)
FEW = {"claim": lambda: ApproxDP(Exact(1, 2), Exact(1, 100000)), "typical": {}}


@leaks(UNIT, **FEW)
def flag_flips(noise, data):
    """not private: every second step has hardly any noise."""
    flag, out = False, 0
    for _ in range(40):
        s = noise.subsample(data, RATE)
        out = out + sum(s) + noise.gaussian(Exact(1, 50) if flag else 50)
        flag = not flag
    return out


@leaks(UNIT, **FEW)
def flag_once(noise, data):
    """not private: after the first step the flag stays, and steps see everybody."""
    flag, out = False, 0
    for _ in range(40):
        s = noise.subsample(data, RATE)
        if flag:
            out = out + sum(data) + noise.gaussian(1)
        else:
            out = out + sum(s) + noise.gaussian(5)
        flag = True
    return out


@leaks(UNIT, **FEW)
def counter_picks_sigma(noise, data):
    """not private: step 30 of 40 has noise 1/50."""
    k, out = 0, 0
    for _ in range(40):
        s = noise.subsample(data, RATE)
        out = out + sum(s) + noise.gaussian(Exact(1, 50) if k == 30 else 50)
        k = k + 1
    return out


@leaks(UNIT, **FEW)
def popped_sigma(noise, data):
    """not private: the scales stand in a list which gets shorter; the last ones are small."""
    scales, out = [Exact(1, 50)] * 20 + [50] * 20, 0
    for _ in range(40):
        s = noise.subsample(data, RATE)
        out = out + sum(s) + noise.gaussian(scales.pop())
    return out


@leaks(UNIT, **FEW)
def list_swaps(noise, data):
    """not private: two scales are swapped after each turn."""
    a, b, out = 50, Exact(1, 50), 0
    for _ in range(40):
        s = noise.subsample(data, RATE)
        out = out + sum(s) + noise.gaussian(a)
        a, b = b, a
    return out


@leaks(UNIT, **FEW)
def list_in_place(noise, data):
    """not private: a list entry becomes small after the first turn."""
    box, out = [50], 0
    for _ in range(40):
        s = noise.subsample(data, RATE)
        out = out + sum(s) + noise.gaussian(box[0])
        box[0] = Exact(1, 50)
    return out


@leaks(UNIT, **FEW)
def row_alias(noise, data):
    """not private: the target is a list that is one of the scales."""
    rows, out = [[50], [50], [50]], 0
    for row in rows * 10:
        s = noise.subsample(data, RATE)
        out = out + sum(s) + noise.gaussian(rows[0][0])
        row[0] = Exact(1, 50)
    return out


@leaks(UNIT, **FEW)
def target_used_after(noise, data):
    """not private: the target is the factor after the loop."""
    out = 0
    for k in range(40):
        s = noise.subsample(data, RATE)
        out = out + sum(s) + noise.gaussian(10)
    return out, sum(noise.subsample(data, RATE)) * k + noise.gaussian(5)


@leaks(UNIT, **FEW)
def clipped_at_a_growing_level(noise, data):
    """not private: the level of clipping doubles in each step, and the noise does not."""
    level, out = 1, 0
    for _ in range(20):
        s = noise.subsample(data, RATE)
        out = out + sum(min(1000 * x, level) for x in s) + noise.gaussian(5)
        level = 2 * level
    return out


@leaks(UNIT, **FEW)
def factor_falls(noise, data):
    """not private: the gaussian noise is scaled by a factor that falls."""
    f, out = 1, 0
    for _ in range(20):
        s = noise.subsample(data, RATE)
        out = out + sum(s) + f * noise.gaussian(5)
        f = f / 2
    return out


@leaks(UNIT, **FEW)
def other_record_kept(noise, data):
    """not private: records outside of the sample by a comprehension."""
    s = noise.subsample(data, RATE)
    t = [x for x in data if x not in s]
    return sum(t) + noise.gaussian(1)


@leaks(UNIT, **FEW)
def clipped_by_running(noise, data):
    """not private: the clipping level grows by itself from release to release."""
    out, c = 0, 1
    for _ in range(30):
        s = noise.subsample(data, RATE)
        out = sum(min(1000 * x, c) for x in s) + noise.gaussian(2)
        c = max(c, out)
    return out


@leaks(UNIT, **FEW)
def noise_by_running(noise, data):
    """not private: the noise falls where releases are small."""
    out, c = 0, 2
    for _ in range(30):
        s = noise.subsample(data, RATE)
        out = sum(s) + noise.gaussian(c)
        c = max(min(c, abs(out)), Exact(1, 100))
    return out


@leaks(UNIT, **FEW)
def sample_and_argmax(noise, data):
    """not private: a selection on the sample beside Gaussian noise, at little noise."""
    s = noise.subsample(data, RATE)
    k = noise.argmax([sum(s) + noise.gumbel(Exact(1, 100)), Exact(1, 2) + noise.gumbel(Exact(1, 100))])
    return k, sum(data) + noise.gaussian(50)


@leaks(UNIT, **FEW)
def negative_weights(noise, data):
    """not private: the gradient step multiplies records by a hundred, with the noise of ten."""
    w = 1
    for _ in range(20):
        s = noise.subsample(data, RATE)
        w = w - (sum(100 * (w - x) for x in s) + noise.gaussian(10)) / 100
        w = min(max(w, -1), 1)
    return w


@leaks(UNIT, **FEW)
def mapped_before(noise, data):
    """not private: records are multiplied before the sample is drawn."""
    s = noise.subsample([10 * x for x in data], RATE)
    return sum(s) + noise.gaussian(1)
