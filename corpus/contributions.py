"""A person contributes more than was bounded: several rows, keys, or values of a key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.core import PureDP, Records
from dpwitness.core.noise import Noise
from dpwitness.core.stability.columns import choices
from dpwitness.core.stability.rows import Rows
from dpwitness.corpus.entry import bug, deterministic, repaired

PEOPLE = ((), (1,), (1, 1, 1))
VISITS = ((), (("a", 1),), (("a", 1), ("a", 2), ("a", 3)))
DEVICES = ((), ("phone",), ("phone", "tablet", "watch"))


def all_rows(people: Sequence[Any]) -> int:
    """Rows of all people."""
    return sum(len(person) for person in people)


def one_row_each(people: Sequence[Any]) -> int:
    """At most one row of each."""
    return sum(min(1, len(person)) for person in people)


@bug(
    "google-cpp-ae9c6b6",
    "Google differential-privacy, C++, commit ae9c6b6",
    "bounds are found from a histogram that ignores multiple contributions",
    "serious",
    "SA",
    data=Records(PEOPLE, 2, "add-remove"),
    claim=PureDP(1),
)
def rows_of_a_person(noise: Noise, data: Sequence[Any]) -> Any:
    """The histogram of magnitudes counts three rows of one person."""
    return all_rows(data) + noise.laplace(1)


@repaired(rows_of_a_person)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """One row of each."""
    return one_row_each(data) + noise.laplace(1)


deterministic(rows_of_a_person, Rows(choices(*PEOPLE)), "l1", 1, all_rows, one_row_each)


def distinct_values(people: Sequence[Any]) -> int:
    """Different values of key a, of whomever."""
    return len({value for person in people for key, value in person if key == "a"})


def distinct_bounded(people: Sequence[Any]) -> int:
    """Different values of key a among the first of each person."""
    return len({value for person in people for key, value in person[:1] if key == "a"})


@bug(
    "beam-e149618",
    "Privacy on Beam commit e149618 (pull request 84)",
    "DistinctPerKey bounds contributions to keys and not within a key",
    "serious",
    "SA",
    data=Records(VISITS, 2, "add-remove"),
    claim=PureDP(1),
)
def distinct_per_key(noise: Noise, data: Sequence[Any]) -> Any:
    """One person brings three values of a key."""
    return distinct_values(data) + noise.laplace(1)


@repaired(distinct_per_key)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """One value of each person for a key."""
    return distinct_bounded(data) + noise.laplace(1)


deterministic(distinct_per_key, Rows(choices(*VISITS)), "l1", 1, distinct_values, distinct_bounded)


def per_device(people: Sequence[Any]) -> list[int]:
    """Rows of each device, at most one of a device of a person."""
    return [sum(name in person for person in people) for name in ("phone", "tablet", "watch")]


def per_person(people: Sequence[Any]) -> list[int]:
    """Rows of each device, at most one of a person."""
    return [sum(name in person[:1] for person in people) for name in ("phone", "tablet", "watch")]


@bug(
    "opendp-2949",
    "OpenDP issue 2949",
    "a redefined column keeps the truncation bounds of the old one",
    "serious",
    "SA",
    data=Records(DEVICES, 2, "add-remove"),
    claim=PureDP(1),
)
def redefined_column(noise: Noise, data: Sequence[Any]) -> Any:
    """Rows were truncated per person; the identifier then became person and device."""
    return [count + noise.laplace(1) for count in per_device(data)]


@repaired(redefined_column)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Truncated by the identifier whose privacy is claimed."""
    return [count + noise.laplace(1) for count in per_person(data)]


deterministic(redefined_column, Rows(choices(*DEVICES)), "l1", 1, per_device, per_person)
