"""Loops that end by chance in functions that are called, and what their callers hold meanwhile.

As in `deceptive_loops`: `HONEST` ones must get their exact law, of `REFUSED` ones nothing may be said. Each has a loop
that changes something, and after it a loop in which no variable leads there any more.
"""

from fractions import Fraction as F

HALF = F(1, 2)


def list_of_the_caller(noise, data):
    kept = []

    def turn(mine):
        while noise.bernoulli(HALF):
            if len(mine) < 5:
                mine.append(0)
        while True:
            if noise.bernoulli(HALF):
                break

    turn(kept)
    return data[0] if len(kept) == 3 else 0


def list_in_a_tuple(noise, data):
    box = ([0], 1)

    def turn(parts):
        mine = parts[0]
        parts = 0
        while noise.bernoulli(HALF):
            mine[0] = min(mine[0] + 1, 5)
        mine = 0
        while True:
            if noise.bernoulli(HALF):
                return mine

    turn(box)
    return data[0] if box[0][0] == 3 else 0


def list_under_another_name(noise, data):
    a = []
    b = a

    def turn():
        nonlocal a
        while noise.bernoulli(HALF):
            if len(a) < 5:
                a.append(0)
        a = None
        while True:
            if noise.bernoulli(HALF):
                return

    turn()
    return data[0] if len(b) == 3 else a


def list_taken_out(noise, data):
    parts = [[0], [0]]
    kept = parts[1]

    def turn(mine):
        last = mine.pop()
        while noise.bernoulli(HALF):
            if len(last) < 5:
                last.append(0)
        last = None
        while True:
            if noise.bernoulli(HALF):
                return last

    turn(parts)
    return len(kept), data[0] if len(kept) == 3 else 0


def variable_of_the_caller(noise, data):
    n = 0

    def up():
        nonlocal n
        n = min(n + 1, 5)

    def turn(f):
        while noise.bernoulli(HALF):
            f()
        while True:
            if noise.bernoulli(HALF):
                return

    turn(up)
    return data[0] if n == 3 else 0


def keys_of_the_caller(noise, data):
    kept = {}

    def turn(mine):
        while noise.bernoulli(HALF):
            if len(mine) < 5:
                mine[len(mine)] = 0
        while True:
            if noise.bernoulli(HALF):
                return

    turn(kept)
    return data[0] if len(kept) == 3 else 0


def default_of_the_function(noise, data):
    def turn(seen=[]):  # noqa: B006
        while noise.bernoulli(HALF):
            if len(seen) < 5:
                seen.append(0)
        k = len(seen)
        seen = 0
        while True:
            if noise.bernoulli(HALF):
                return k + seen

    turn()
    return data[0] if turn() == 3 else 0


def records_of_the_caller(noise, data):
    def turn(records):
        n = 0
        while noise.bernoulli(HALF):
            n = min(n + 1, 5)
        if n == 3:
            records.append(1)
        while True:
            if noise.bernoulli(HALF):
                return

    turn(data)
    return data[0] if len(data) > 1 else 0


def twice_in_a_loop(noise, data):
    mine = [0]
    for part in [mine, mine]:
        if part[0] == 3:
            return data[0]
        while noise.bernoulli(HALF):
            part[0] = min(part[0] + 1, 5)
        part = 0  # noqa: PLW2901
        while True:
            if noise.bernoulli(HALF):
                break
    return part


def long_loop(noise, data):  # Python writes longer jumps
    out = 0
    for i in range(2):
        while noise.bernoulli(HALF):
            out = 1 - out
        out += i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i
        out += i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i
        out += i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i
        out += i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i
        out += i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i
        out %= 3
    return out, data[0]


HONEST = [
    list_of_the_caller, list_in_a_tuple, list_under_another_name, list_taken_out, variable_of_the_caller,
    keys_of_the_caller, default_of_the_function, records_of_the_caller, twice_in_a_loop, long_loop,
]  # fmt: skip


def keys_that_come_back(noise, data):
    d, out = {0: 0, 1: 0}, []
    for k in d:
        out.append(k)
        if len(out) == 2:
            break
        while noise.bernoulli(HALF):
            d[0] = d.pop(0)
            d[1] = d.pop(1)
    return data[0] if out == [0, 0] else 5


def keys_that_the_caller_counts(noise, data):
    d, out = {0: 0, 1: 0}, []

    def turn(mine):
        while noise.bernoulli(HALF):
            del mine[0]
            del mine[1]
            mine[0] = mine[1] = 0

    for k in d:
        out.append(k)
        if len(out) == 2:
            break
        turn(d)
    return data[0] if out == [0, 0] else 5


def keys_that_map_counts(noise, data):
    d, out = {0: 0, 1: 0, 2: 0}, []

    def turn(k):
        out.append(k)
        while noise.bernoulli(HALF):
            d[0] = d.pop(0)
            d[1] = d.pop(1)
            d[2] = d.pop(2)
        return len(out)

    max(zip(map(turn, d), range(2)))  # noqa: B905
    return data[0] if out[1] == 0 else 5


def variables_of_another_call(noise, data):
    def turn(short):
        n = k = 0
        while True:
            show = lambda: n  # noqa: B023, E731
            if short:
                return show
            if noise.bernoulli(HALF):
                k = (k + 1) % 5
                continue
            if k == 3:
                show = turn(True)
            k = 0
            while True:
                if noise.bernoulli(HALF):
                    break
            n = 1
            return show()

    return 0 if turn(False) else data[0]


def list_that_doubles(noise, data):
    many = [0]
    while noise.bernoulli(HALF):
        many = many + many
    return data[0] if len(many) > 7 else 0


def text_that_doubles(noise, data):
    long = "no"
    while noise.bernoulli(HALF):
        long += long
    return data[0] if len(long) > 7 else 0


def number_that_is_squared(noise, data):
    n = 3
    while noise.bernoulli(HALF):
        n *= n
    return data[0] if n > 7 else 0


REFUSED = {
    list_that_doubles: "more than 20000 values",
    text_that_doubles: "more than 100000 characters or bits",
    number_that_is_squared: "more than 100000 characters or bits",
    keys_that_come_back: "keys are taken away",
    keys_that_the_caller_counts: "keys are taken away",
    keys_that_map_counts: "keys are taken away",
    variables_of_another_call: "the variables of which call",
}
