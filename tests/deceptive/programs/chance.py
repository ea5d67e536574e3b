"""Loops that end by chance, in functions whose callers hold what the loops change.

What leaks does so after one number of rounds only, so that few runs show it.
"""

from __future__ import annotations

from tests.deceptive.kit import BITS, INF, F, holds, leaks

HALF = F(1, 2)
KEYS = {0: 0, 1: 0}
ORDER = {0, 8}


@leaks(BITS, INF)
def after_thirteen_rounds(noise, data, *, eps):
    """not private: thirteen entries in the caller's list show the record, and the second loop has no name for it."""
    kept = []

    def turn(mine):
        while noise.bernoulli(HALF):
            if len(mine) < 30:
                mine.append(0)
        while True:
            if noise.bernoulli(HALF):
                break

    turn(kept)
    return data[0] if len(kept) == 13 else 0


@leaks(BITS, INF)
def after_five_coins(noise, data, *, eps):
    """not private: one pattern of five coins shows the record."""
    kept = [0, 0, 0, 0, 0]

    def turn(mine):
        while noise.bernoulli(HALF):
            mine.append(noise.choice([1, 1]))
            mine.pop(0)
        while True:
            if noise.bernoulli(HALF):
                break

    turn(kept)
    return data[0] if kept == [1, 0, 1, 1, 0] else 0


@leaks(BITS, INF)
def after_thirteen_calls(noise, data, *, eps):
    """not private: a function counts its calls in a variable of the caller."""
    n = 0

    def up():
        nonlocal n
        n = min(n + 1, 30)

    def turn(f):
        while noise.bernoulli(HALF):
            f()
        while True:
            if noise.bernoulli(HALF):
                break

    turn(up)
    return data[0] if n == 13 else 0


@leaks(BITS, INF)
def records_grow(noise, data, *, eps):
    """not private: after thirteen rounds a record is added to the list that the caller gave."""

    def turn(records):
        n = 0
        while noise.bernoulli(HALF):
            n = min(n + 1, 30)
        if n == 13:
            records.append(0)
        while True:
            if noise.bernoulli(HALF):
                break

    turn(data)
    return data[0] if len(data) > 1 else 0


@leaks(BITS, INF)
def list_in_a_tuple(noise, data, *, eps):
    """not private: the list in the caller's tuple counts to thirteen."""
    box = ([0], 1)

    def turn(parts):
        mine = parts[0]
        parts = 0
        while noise.bernoulli(HALF):
            mine[0] = min(mine[0] + 1, 30)
        mine = 0
        while True:
            if noise.bernoulli(HALF):
                return mine

    turn(box)
    return data[0] if box[0][0] == 13 else 0


@leaks(BITS, INF)
def keys_that_come_back(noise, data, *, eps):
    """not private: a dictionary whose keys were taken out and put back is gone through once more."""
    d, out = {0: 0, 1: 0}, []
    for k in d:
        out.append(k)
        if len(out) == 2:
            break
        n = 0
        while True:
            n = (n + 1) % 13
            if noise.bernoulli(HALF):
                if n == 5:
                    d[0] = d.pop(0)
                    d[1] = d.pop(1)
                break
        n = 0
        while True:
            if noise.bernoulli(HALF):
                break
    return data[0] if out == [0, 0] else 0


@leaks(BITS, INF)
def variables_of_another_call(noise, data, *, eps):
    """not private: after twelve rounds the function shows a variable of another call, which stays 0."""

    def turn(short):
        n = k = 0
        while True:
            show = lambda: n  # noqa: E731
            if short:
                return show
            if noise.bernoulli(HALF):
                k = (k + 1) % 14
                continue
            if k == 12:
                show = turn(True)
            k = 0
            while True:
                if noise.bernoulli(HALF):
                    break
            n = 1
            return show()

    return 0 if turn(False) else data[0]


@leaks(BITS, INF)
def keys_of_a_dictionary_outside(noise, data, *, eps):
    """not private: a dictionary of the module looks as before, and the loop that goes through it comes upon 0 again."""
    out = []
    for k in KEYS:
        out.append(k)
        if len(out) == 2:
            break
        n = 0
        while True:
            n = (n + 1) % 13
            if noise.bernoulli(HALF):
                if n == 5:
                    KEYS[0] = KEYS.pop(0)
                    KEYS[1] = KEYS.pop(1)
                break
        n = 0
        while n < 12:
            n += 1
            if noise.bernoulli(HALF):
                return 0
    return data[0] if out == [0, 0] else 0


@leaks(BITS, INF)
def places_of_lost_keys(noise, data, *, eps):
    """not private: a dictionary that lost keys has less room, and a later loop that changes it is longer or shorter."""
    d, n = {0: 0, 1: 0}, 0
    while True:
        n = (n + 1) % 13
        if noise.bernoulli(HALF):
            for _ in range(6 if n == 5 else 0):
                d[0] = d.pop(0)
                d[1] = d.pop(1)
            break
    n = 0
    while n < 12:
        n += 1
        if noise.bernoulli(HALF):
            return 0
    out = 0
    for _ in reversed(d):
        out += 1
        d[0] = d.pop(0)
        if out > 9:
            break
    return data[0] if out != 1 else 0


@leaks(BITS, INF)
def order_of_a_set_outside(noise, data, *, eps):
    """not private: the order of a set of the module tells what happened, and is put back at the end."""
    n = 0
    while True:
        n = (n + 1) % 13
        if noise.bernoulli(HALF):
            if n == 5:
                ORDER.clear()
                ORDER.add(8)
                ORDER.add(0)
            break
    n = 0
    while n < 12:
        n += 1
        if noise.bernoulli(HALF):
            return 0
    seen = [*ORDER]
    ORDER.clear()
    ORDER.add(0)
    ORDER.add(8)
    return data[0] if seen == [8, 0] else 0


@holds(BITS, 0)
def list_that_nobody_reads(noise, data, *, eps):
    """private: the caller's list grows, and only its first entry is read."""
    kept = [0]

    def turn(mine):
        while noise.bernoulli(HALF):
            if len(mine) < 4:
                mine.append(data[0])
        while True:
            if noise.bernoulli(HALF):
                break

    turn(kept)
    return kept[0]
