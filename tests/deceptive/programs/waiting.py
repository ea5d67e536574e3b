"""Loops that end by chance and keep what happened where it is not seen at once."""

from __future__ import annotations

from typing import Any

from tests.deceptive.kit import BITS, F, leaks

HALF = F(1, 2)


@leaks(BITS)
def function_that_is_called_later(noise: Any, data: Any, *, eps: Any) -> Any:
    """not private: the counter is read by a function after the loop"""
    c = 0

    def tell() -> Any:
        return data[0] if c == 3 else 7

    while noise.bernoulli(HALF):
        c = (c + 1) % 4
    return tell()


@leaks(BITS)
def list_of_a_default_argument(noise: Any, data: Any, *, eps: Any) -> Any:
    """not private: the counter lies in a list that a default argument keeps"""
    box = [0]

    def tell(kept: Any = box) -> Any:
        return data[0] if kept[0] == 3 else 7

    while noise.bernoulli(HALF):
        box[0] = (box[0] + 1) % 4
    return tell()


@leaks(BITS)
def counter_of_an_inner_function(noise: Any, data: Any, *, eps: Any) -> Any:
    """not private: an inner function counts"""
    n = 0

    def step() -> None:
        nonlocal n
        n += 1

    while noise.bernoulli(HALF):
        if n < 5:
            step()
    return data[0] if n == 5 else 7


@leaks(BITS)
def place_in_a_text(noise: Any, data: Any, *, eps: Any) -> Any:
    """not private: the third letter shows the record"""
    for letter in "aab":
        while noise.bernoulli(HALF):
            if letter == "b":
                return data[0]
    return 7


@leaks(BITS)
def place_in_a_dictionary(noise: Any, data: Any, *, eps: Any) -> Any:
    """not private: the second entry is the record"""
    for _, value in {"a": 7, "b": data[0]}.items():
        while noise.bernoulli(HALF):
            if noise.bernoulli(HALF):
                return value
    return 7


@leaks(BITS)
def sums_on_the_stack(noise: Any, data: Any, *, eps: Any) -> Any:
    """not private: earlier results wait on the stack while the loop runs again"""

    def wait() -> int:
        n = 0
        while noise.bernoulli(HALF):
            n = 1 - n
        return n

    return data[0] if wait() + 2 * wait() + 4 * wait() == 7 else 7


@leaks(BITS)
def depth_of_calls(noise: Any, data: Any, *, eps: Any) -> Any:
    """not private: the third call within a call shows the record"""

    def go(n: int) -> Any:
        while noise.bernoulli(F(1, 4)):
            pass
        if n == 3:
            return data[0]
        return 7 if noise.bernoulli(HALF) else go(n + 1)

    return go(0)


@leaks(BITS)
def number_that_halves_to_nothing(noise: Any, data: Any, *, eps: Any) -> Any:
    """not private: after 27 rounds the float is 0.0"""
    c = 1.0
    while noise.bernoulli(F(9, 10)):
        c = c / 2**40
        if c == 0:
            return data[0]
    return 5


@leaks(BITS)
def list_inside_a_list(noise: Any, data: Any, *, eps: Any) -> Any:
    """not private: two inner lists are one after some round"""
    a = [[0], [0]]
    while noise.bernoulli(HALF):
        a[1] = a[0]
    a[0][0] = data[0]
    return a[1][0]
