"""Loops that end by chance, with a state that looks the same and is not, or that grows without an end.

As in `deceptive_loops`: of `REFUSED` ones nothing may be said, and the reason must have the words.
"""

from fractions import Fraction as F

from dpwitness import exp

HALF = F(1, 2)
KEYS = {0: 0, 1: 0}
ORDER = {0, 8}
NAMES = frozenset(["a", "b", "c"])
TEXT = [str]


def keys_outside(noise, data):
    out = []
    for k in KEYS:
        out.append(k)
        if len(out) == 2:
            break
        while noise.bernoulli(HALF):
            KEYS[0] = KEYS.pop(0)
            KEYS[1] = KEYS.pop(1)
    return data[0] if out == [0, 0] else 5


def places_of_lost_keys(noise, data):
    d, out = {0: 0, 1: 0}, 0
    while noise.bernoulli(HALF):
        d[0] = d.pop(0)
        d[1] = d.pop(1)
    for _ in reversed(d):
        out += 1
        d[0] = d.pop(0)
        if out > 9:
            break
    return data[0] if out != 1 else 5


def order_of_a_set_outside(noise, data):
    while noise.bernoulli(HALF):
        ORDER.clear()
        ORDER.add(8)
        ORDER.add(0)
    seen = [*ORDER]
    ORDER.clear()
    ORDER.add(0)
    ORDER.add(8)
    return data[0] if seen == [8, 0] else 5


def list_being_sorted(noise, data):
    mine = [0]

    def key(_):
        while noise.bernoulli(HALF):
            if data[0]:
                mine.append(0)
                mine.pop()
        return 0

    mine.sort(key=key)
    return mine


def list_in_a_list(noise, data):
    x = []
    for _ in range(3_000):
        x = [x]
    while noise.bernoulli(HALF):
        pass
    return data[0] if x else 0


def fraction_that_is_squared(noise, data):
    x = F(3, 2)
    while noise.bernoulli(HALF):
        x *= x
    return data[0] if x > 7 else 0


def formula_that_is_squared(noise, data):
    x = (1 + exp(F(-1, 2))) / 2
    while noise.bernoulli(HALF):
        x *= x
    return data[0] if x < F(1, 100) else 0


def order_of_a_set_of_text(noise, data):
    while noise.bernoulli(HALF):
        pass
    return data[0] if next(iter({"a", "b", "c"})) == "a" else 0


def order_of_constants(noise, data):
    while noise.bernoulli(HALF):
        pass
    for x in {"a", "b", "c"}:  # noqa: PLC0208
        return data[0] if x == "a" else 0
    return 0


def order_of_names_outside(noise, data):
    while noise.bernoulli(HALF):
        pass
    return data[0] if next(iter(NAMES)) == "a" else 0


def order_of_keys_in_common(noise, data):
    d = {"a": 0, "b": 0, "c": 0}
    while noise.bernoulli(HALF):
        pass
    return data[0] if next(iter(d.keys() & d.keys())) == "a" else 0


def place_in_memory(noise, data):
    f = lambda: 0  # noqa: E731
    while noise.bernoulli(HALF):
        f = lambda: 0  # noqa: E731
    return data[0] if str(f)[-4] == "7" else 0


def place_in_memory_by_format(noise, data):
    f = lambda: 0  # noqa: E731
    while noise.bernoulli(HALF):
        f = lambda: 0  # noqa: E731
    return data[0] if f"{f}"[-4] == "7" else 0


def place_in_memory_by_map(noise, data):
    while noise.bernoulli(HALF):
        pass
    return data[0] if next(map(TEXT[0], [iter([0])]))[-4] == "7" else 0


REFUSED = {
    order_of_a_set_of_text: "the order of a set",
    order_of_constants: "the order of a set",
    order_of_names_outside: "the order of a set",
    order_of_keys_in_common: "the order of a set",
    place_in_memory: "text of values",
    place_in_memory_by_format: "text of values",
    place_in_memory_by_map: "text of values",
    keys_outside: "a dictionary outside the program",
    places_of_lost_keys: "keys are taken away",
    order_of_a_set_outside: "the order of a set",
    list_being_sorted: "sorted in place",
    list_in_a_list: "nested more than 60 times",
    fraction_that_is_squared: "more than 100000 characters or bits",
    formula_that_is_squared: "more than 500 terms",
}
