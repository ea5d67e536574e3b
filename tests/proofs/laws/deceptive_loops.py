"""Programs whose loops end by chance, and which carry more from round to round than meets the eye.

`HONEST` ones must get their exact law; of `REFUSED` ones nothing may be said, and the reason must have the words.
"""

from fractions import Fraction as F

from dpwitness import exp

HALF = F(1, 2)
LOG = []
BOX = [[0]]


def rounds_decide(noise, data):
    n = 0
    while True:
        n += 1
        if n == 6:
            return data[0]
        if noise.bernoulli(HALF):
            return 0


def acceptance_by_data(noise, data):
    while True:
        k = noise.choice([1, 2, 1])
        if k == data[0] or noise.bernoulli(F(1, 3)):
            return k


def otherwise(noise, data):
    k = 0
    while noise.bernoulli(HALF):
        k = 1 - k
        if k == data[0] and noise.bernoulli(F(1, 3)):
            break
    else:
        return "else", k
    return "break", k


def out_of_two_loops(noise, data):
    while True:
        for i in range(3):  # noqa: B007
            while noise.bernoulli(F(3, 4)):
                if noise.bernoulli(F(3, 4)):
                    break
            else:
                break
        if i == 2 - data[0]:
            return i


def rounds_of_for(noise, data):
    n = data[0]
    for x in [0, 0, 0]:
        while noise.bernoulli(F(1, 3)):
            n = (n + 1) % 3
        if noise.bernoulli(F(1, 5)):
            return x, n
    return "all", n


def called_twice(noise, data):
    def flip():
        while True:
            if noise.bernoulli(F(1, 3)):
                return 1
            if noise.bernoulli(F(1, 3)):
                return 0

    first = flip()
    return first + 2 * flip() + 4 * data[0]


def called_without_draws(noise, data):
    def drawn(m):
        while m:
            if noise.bernoulli(HALF):
                return 1
        return 0

    return [drawn(m) for m in (0, 0, data[0], 1)]


def inner_counter(noise, data):
    n = 0

    def step():
        nonlocal n
        n = min(n + 1, 4)
        return noise.bernoulli(HALF)

    while step():
        pass
    return data[0] if n == 4 else n


def remembered_by_default(noise, data):
    def step(seen=[]):  # noqa: B006
        if len(seen) < 3:
            seen.append(0)
        return len(seen)

    while noise.bernoulli(HALF):
        step()
    return data[0] if step() == 3 else 0


def made_inside(noise, data):
    def counter():
        n = 0

        def count():
            nonlocal n
            n = (n + 1) % 3
            return n

        return count

    count = counter()
    k = count()
    while noise.bernoulli(HALF):
        k = count()
    return data[0] if count() == 0 else k


def shared_lists(noise, data):
    a = [0]
    b = [0]
    while noise.bernoulli(HALF):
        if noise.bernoulli(HALF):
            a = [0]
            b = a if noise.bernoulli(F(1, 3)) else [0]
    a.append(data[0])
    return len(b), b[-1]


def shared_with_the_caller(noise, data):
    kept = [0]

    def turn(mine):
        while noise.bernoulli(HALF):
            if noise.bernoulli(HALF):
                mine = list(mine)
        mine.append(data[0])

    turn(kept)
    return len(kept), kept[-1]


def shared_with_the_list_of_lists(noise, data):
    parts = [[0], [0]]

    def turn(mine):
        before = noise.bernoulli(HALF)
        if before:
            mine = list(mine)
        while noise.bernoulli(HALF):
            before = False
        mine.append(before)

    turn(parts[1])
    return [len(part) for part in parts], data[0]


def found_in_an_outer_list(noise, data):
    mine = [0]
    while noise.bernoulli(HALF):
        if noise.bernoulli(HALF):
            mine = BOX[0] if noise.bernoulli(HALF) else [0]
    mine.append(1)
    n = len(BOX[0])
    mine.pop()
    return data[0] if n == 2 else 0


def kinds_of_one(noise, data):
    k = 1
    while noise.bernoulli(HALF):
        if noise.bernoulli(F(1, 3)):
            k = (True, 1.0, 1)[noise.choice([1, 1, 1])]
    return k, data[0]


def sign_of_nought(noise, data):
    x = 0.0
    while noise.bernoulli(F(1, 3)):
        x = -x
    return x, data[0]


def order_of_keys(noise, data):
    d = {0: 0, 1: 0}
    while noise.bernoulli(HALF):
        d = {1: 0, 0: 0} if noise.bernoulli(HALF) else {0: 0, 1: 0}
    return [*d], data[0]


def exponentials(noise, data):
    k = data[0]
    while noise.bernoulli(exp(F(-1, 2))):
        k = (k + 1) % 3
    while not noise.bernoulli(log_odds=F(1, 3)):
        k = (k + noise.choice(log_weights=[0, F(-1, 2)])) % 3
    return k


def drift_that_ends(noise, data):
    x = 0.0
    while x < 1.0:
        x += 0.1
        if noise.bernoulli(F(1, 8)):
            return "early"
    return x, data[0]


def after_the_list_of_lists(noise, data):
    total = 0
    for part in [[0], [0, 0]]:
        while noise.bernoulli(HALF):
            if noise.bernoulli(HALF):
                part = list(part)  # noqa: PLW2901
        part.append(data[0])
        total += len(part)
    return total


def never_needed(noise, data):
    while True:
        unused = noise.choice([1, 1, 1])
        if noise.bernoulli(HALF):
            return unused if data[0] else 7


def written_over_later(noise, data):
    k = 0
    while noise.bernoulli(HALF):
        if k == 2:
            return "two", data[0]
        if noise.bernoulli(HALF):
            k = noise.choice([1, 1, 1])
    return k


def shared_variable(noise, data):
    n = 0

    def begin():
        nonlocal n
        n = 1

    begin()
    while noise.bernoulli(HALF):
        n = (n + 1) % 3
    return n, data[0]


HONEST = [
    shared_variable,
    rounds_decide, acceptance_by_data, otherwise, out_of_two_loops, rounds_of_for, called_twice, called_without_draws,
    inner_counter, remembered_by_default, made_inside, shared_lists, shared_with_the_caller, kinds_of_one,
    shared_with_the_list_of_lists, found_in_an_outer_list,
    sign_of_nought, order_of_keys, exponentials, drift_that_ends, after_the_list_of_lists, never_needed,
    written_over_later,
]  # fmt: skip


def rounds_released(noise, data):
    n = 0
    while noise.bernoulli(HALF):
        n += 1
    return n + data[0]


def list_grows(noise, data):
    seen = []
    while noise.bernoulli(HALF):
        seen.append(0)
    return data[0] if len(seen) > 1000 else 0


def float_drifts(noise, data):
    x = 1.0
    while x > 0:
        x = x / 2
        if noise.bernoulli(F(1, 3)):
            return 0
    return data[0]


def never_accepts(noise, data):
    while True:
        if noise.bernoulli(0):
            return data[0]


def always_again(noise, data):
    while noise.bernoulli(1):
        pass
    return data[0]


def one_way_is_endless(noise, data):
    if noise.bernoulli(HALF):
        while data[0] < 7:
            pass
    return data[0]


def trap_in_the_loop(noise, data):
    k = 0
    while True:
        k = max(k, noise.choice([1, 1, 1]))
        if k == 0 and noise.bernoulli(HALF):
            return data[0]


def iterator(noise, data):
    coins = iter([0, 0, 1, 1, 1])
    while noise.bernoulli(HALF):
        if next(coins, 2) == 1:
            return data[0]
    return 0


def generator(noise, data):
    ticks = (x for x in (0, 0, 1, 1))
    while noise.bernoulli(HALF):
        if next(ticks, 2) == 1:
            return data[0]
    return 0


def order_of_a_set(noise, data):
    s = {0, 8}
    while noise.bernoulli(HALF):
        k = 8 * noise.choice([1, 1])
        s.discard(k)
        s.add(k)
    return [*s], data[0]


def bound_method(noise, data):
    seen = []
    note = seen.append
    while noise.bernoulli(HALF):
        note(0)
    return data[0]


def not_a_number(noise, data):
    x = float("nan")
    seen = [x]
    while noise.bernoulli(HALF):
        x = float("nan")
    return x in seen, data[0]


def global_notes(noise, data):
    while noise.bernoulli(HALF):
        LOG.append(0)
    n = len(LOG)
    LOG.clear()
    return data[0] if n > 3 else 0


def loop_in_a_generator(noise, data):
    def coins():
        n = 0
        while noise.bernoulli(HALF):
            n += 1
            yield n

    return data[0] if sum(1 for _ in coins()) > 3 else 0


REFUSED = {
    rounds_released: "n takes ever new values",
    list_grows: "seen takes ever new values",
    float_drifts: "x takes ever new values",
    never_accepts: "never ends",
    always_again: "never ends",
    one_way_is_endless: "never ends",
    trap_in_the_loop: "never ends",
    iterator: "coins holds an object of type list_iterator",
    generator: "ticks holds an object of type generator",
    order_of_a_set: "the order of a set",
    bound_method: "note holds an object of type builtin_function_or_method",
    not_a_number: "NaN",
    global_notes: "'LOG', which lives outside it",
    loop_in_a_generator: "in a generator",
}
