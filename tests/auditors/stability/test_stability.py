"""What a search reports is exact, was computed again, is small, and belongs to the space."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpwitness import Answers, Rows, choices, reals, stability, stable, wholes
from dpwitness.core.errors import BadInput, ProgramFailed

DIGITS = Rows(wholes(0, 9))


def test_the_smallest_pair_is_found():
    found = stability(lambda d: len(d) if len(d) < 3 else 3 * len(d), DIGITS, "l1", 1)
    assert (found.left, found.right) == ((0, 0), (0, 0, 0))
    assert found.before == "2"
    assert found.after == "9"
    assert "7 times as far as claimed" in str(found)


def test_a_pair_is_of_the_space_and_at_the_distance_that_is_told():
    space = Rows(wholes(3, 5), (2, 4), "substitute")
    found = stability(sum, space, "l1", 1)
    assert space.holds(found.left)
    assert space.holds(found.right)
    assert space.steps_between(found.left, found.right) == found.apart == 1


def test_a_bound_that_grows_with_the_distance():
    assert not stability(sum, DIGITS, "l1", lambda k: 9 * k, max_pairs=2000).refuted
    found = stability(lambda d: sum(d) ** 2, DIGITS, "l1", lambda k: 100 * k)
    assert found.refuted


@pytest.mark.parametrize("place", [0, 1, 2, 3])
def test_an_insertion_is_tried_at_every_place(place):
    """One record does harm at one place of a dataset of three others."""

    def f(data):
        return (
            100 if len(data) == 4 and data[place] == 7 and all(x == 0 for i, x in enumerate(data) if i != place) else 0
        )

    assert stability(f, DIGITS, "l1", 1).refuted


def test_the_order_of_records_decides_where_it_should_not():
    last = lambda d: d[-1] if d else 0  # noqa: E731
    assert not stability(last, DIGITS, "l1", 9, max_pairs=3000).refuted
    found = stability(last, Rows(wholes(0, 9), any_order=True), "l1", 9)
    assert found.apart == 0
    assert "the order of the records decides" in found.cause


def test_new_branches_lead_deeper():
    """Nested conditions on a dataset of seven: listed inputs do not meet them, and each opens the next."""

    def f(data):
        if len(data) == 7 and data[3] == 57:
            if data[1] == 91:
                return 100
            return 0
        return 0

    space = Rows(wholes(0, 99), (0, 8))
    assert stability(f, space, "l1", 1, isolate=False).refuted


def test_a_constant_of_the_program_is_a_length_worth_trying():
    found = stability(lambda d: 0 if len(d) != 1492 else 50, Rows(wholes(0, 1), (0, 3000)), "l1", 1)
    assert {len(found.left), len(found.right)} in ({1491, 1492}, {1492, 1493})


def test_a_step_along_a_path_is_found_by_halving():
    """Nothing in the program names the length; the jump is larger than all steps up to it together."""
    found = stability(lambda d: len(d) + (10_000 if len(d) ** 3 > 10**9 else 0), Rows(wholes(0, 1), (0, 4000)), "l1", 1)
    assert (len(found.left), len(found.right)) == (1000, 1001)


def test_the_domain_is_checked():
    found = stability(lambda d: [x / 2 for x in d], Rows(reals(0, 1)), bound=None, domain=reals(0, 0.4))
    assert found.kind == "domain"
    kept = stability(lambda d: [x / 2 for x in d], Rows(reals(0, 1)), bound=None, domain=reals(0, 1), max_pairs=800)
    assert not kept.refuted
    assert stability(lambda d: d, Rows(choices("a", "b")), bound=None, domain=choices("a")).refuted


def test_rounding_is_noted_and_is_a_violation_for_doubles_alone():
    space = Rows(reals(0, 1), any_order=True)
    noted = stability(sum, space, "l1", 1, max_pairs=1000)
    assert noted.kind == "rounding"
    assert not noted.refuted
    assert stability(sum, space, "l1", 1, numerics="doubles").refuted


def test_a_random_function_is_sent_to_an_audit():
    with pytest.raises(BadInput, match=r"not deterministic.*Audit it"):
        stability(lambda d: random.random(), DIGITS, "l1", 1)


def test_a_function_with_a_memory_is_not_reported():
    seen = []

    def f(data):
        seen.append(0)
        return len(seen)

    with pytest.raises(BadInput, match="not deterministic"):
        stability(f, DIGITS, "l1", 1, isolate=False)


def test_a_function_that_hangs_ends_with_the_limit():
    def f(data):
        while len(data) > 2:
            pass
        return len(data)

    started = time.monotonic()
    found = stability(f, DIGITS, "l1", 1, seconds=1.0)
    assert time.monotonic() - started < 15
    assert not found.refuted
    assert "while the function ran on" in found.stopped


def test_a_function_that_always_raises_is_an_error():
    with pytest.raises(ProgramFailed, match="raised on every input"):
        stability(lambda d: d.nothing, DIGITS, "l1", 1, max_pairs=100)


def test_a_function_that_changes_its_input_or_prints_does_no_harm(capsys):
    def f(data):
        print("hello")
        size = len(data)
        data.clear()
        return size

    assert not stability(f, DIGITS, "l1", 1, max_pairs=500).refuted
    assert capsys.readouterr().out == ""


def test_a_process_that_ends_itself_does_not_end_this_one():
    def f(data):
        import ctypes

        if len(data) > 2:
            ctypes.string_at(0)
        return len(data)

    with pytest.raises(ProgramFailed, match="was ended by signal"):
        stability(f, DIGITS, "l1", 1)


def test_the_same_seed_gives_the_same_pair():
    f = lambda d: sum(x * (i % 3 == 1) for i, x in enumerate(d)) if len(d) > 5 else 0  # noqa: E731
    one, two = (stability(f, DIGITS, "l1", 9, seed=3) for _ in range(2))
    assert (one.left, one.right, one.pairs, one.calls) == (two.left, two.right, two.pairs, two.calls)


def test_the_decorator_says_it_all():
    @stable(DIGITS, "l1", 8)
    def total(data):
        return sum(data)

    assert stability(total).right == (9,)


def test_vectors_move_in_every_direction_of_their_ball():
    assert stability(lambda v: v[0] - v[1] + v[2] - v[3], Answers("all", 1, size=4, whole=True), "l1", 3).refuted
    assert not stability(lambda v: v[0] - v[1], Answers("l1", 1, size=4, whole=True), "l1", 1, max_pairs=800).refuted


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"distance": "l3"}, "distance='l3'"),
        ({"bound": -1}, "bound=-1"),
        ({"bound": None}, "claim nothing"),
        ({"numerics": "both"}, "numerics='both'"),
        ({"max_pairs": 0}, "max_pairs=0"),
        ({"space": [1, 2]}, "space="),
        ({"space": None}, "space=None"),
    ],
)
def test_a_wrong_argument_is_named(arguments, words):
    given = {"space": DIGITS, **arguments}
    with pytest.raises(BadInput, match=words):
        stability(len, **given)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(-3, 3), min_size=1, max_size=4), st.integers(1, 12))
def test_a_report_is_never_wrong(weights, bound):
    """For a weighted count of digits the largest move is known exactly: a report must agree with it."""

    def f(data):
        return sum(weights[x % len(weights)] for x in data)

    truth = max(map(abs, weights[: min(len(weights), 10)]))
    found = stability(f, DIGITS, "l1", bound, max_pairs=400, isolate=False)
    assert found.refuted == (truth > bound)
