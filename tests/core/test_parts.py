"""The words for parts of programs, in every reader: postprocess, run, clip, present; and boxes of vectors."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dpwitness as dpw
from dpwitness import Answers, Box, Exact, Interval, PureDP, Records, mechanism
from dpwitness.core.errors import BadInput, OutsideFragment
from dpwitness.core.postprocessing import computed, plain_value
from dpwitness.core.public import public
from dpwitness.core.readers.door import reading
from dpwitness.core.readers.finite import finite_law
from dpwitness.core.readers.paths import symbolic_paths, unknown_inputs
from dpwitness.core.readers.recorder import check_pure, record
from dpwitness.core.readers.scalar import Scalar
from dpwitness.mechanisms.noisy_max import report_noisy_max

PLANE = Records(Box((-1, 1), (0, 10)), 3, "add-remove")


def spread(values, power):
    """The largest minus the smallest, to a power."""
    return float((np.max(values) - np.min(values)) ** power)


def both(values):
    """Two numbers."""
    return min(values), max(values)


def processed(noise, answers, *, eps):
    noisy = [a + noise.laplace(1 / eps) for a in answers]
    low, high = noise.postprocess(both, noisy, size=2)
    return noise.postprocess(spread, noisy, 2), high - low


def shown(noise, answers, *, eps):
    return noise.present(answers[0], 1 / eps, 2)


def bounded(noise, answers, *, eps):
    """A result of a function that is compared, and so read again when the lanes split."""
    level = min(max(noise.postprocess(abs, answers[0] + noise.laplace(1 / eps)), 1.0), 3.0)
    return level + noise.laplace(level / eps)


def made(program, data=None):
    return mechanism(data=data or Answers(size=3), claim=lambda eps: PureDP(9 * eps), typical={"eps": 1})(program)


@pytest.mark.parametrize("program", [processed, shown, bounded])
def test_single_runs_and_lanes_have_the_same_law(program) -> None:
    target, data = made(program), (0, 1, 3)
    batched = target.sample(data, 4000, np.random.default_rng(1)).values()
    single = [program(Scalar(np.random.default_rng([2, k])), list(data), eps=1) for k in range(4000)]
    first = [np.array([np.ravel(x)[0] for x in values], dtype=float) for values in (batched, single)]
    cut = np.quantile(first[0], [0.2, 0.5, 0.8])
    for level in cut:
        one, two = (float(np.mean(x <= level)) for x in first)
        assert abs(one - two) < 6 * math.sqrt(0.25 / 4000) * math.sqrt(2)


def test_two_numbers_of_one_function_belong_together() -> None:
    for whole, parts in made(processed).sample((0, 1, 3), 200, np.random.default_rng(0)).values():
        assert whole == pytest.approx(parts**2)


def test_a_run_repeats_itself_and_is_recorded() -> None:
    check_pure(processed, np.random.default_rng(0), [Exact(1), Exact(2)], eps=Exact(1))
    assert len(record(processed, np.random.default_rng(0), [1, 2], eps=1).entries) == 2


def test_symbolic_readers_say_who_can_follow() -> None:
    with pytest.raises(OutsideFragment, match="the composition prover and the samplers follow"):
        symbolic_paths(processed, unknown_inputs(2), {"eps": Exact(1)})


def test_finite_programs_are_enumerated() -> None:
    def coin(noise):
        return noise.postprocess(max, [1 * noise.bernoulli(Exact(1, 3)), 0])

    assert float(finite_law(coin)[1.0]) == pytest.approx(1 / 3)


@pytest.mark.parametrize("value", [math.nan, math.inf, "1", None, [1]])
def test_what_is_no_finite_number_is_refused(value) -> None:
    with pytest.raises(BadInput, match="no finite number"):
        computed(lambda: value, [], None)


def test_another_number_of_results_is_refused() -> None:
    with pytest.raises(BadInput, match="returned 2 numbers where size=3"):
        computed(both, [[1, 2]], 3)


def test_functions_get_copies_of_plain_numbers() -> None:
    mine = [public(Exact(1, 2)), (public(Exact(3)), True)]
    theirs = plain_value(mine)
    assert theirs == [0.5, (3, True)]
    assert type(theirs[0]) is float
    theirs.append(1)
    assert len(mine) == 2


def test_clip_keeps_short_vectors_and_shortens_long_ones() -> None:
    noise = Scalar(np.random.default_rng(0))
    assert noise.clip([0, 0], 1) == [0, 0]
    assert noise.clip([0.3, 0.4], 1) == [0.3, 0.4]
    assert noise.clip([3, 4], 1) == pytest.approx([0.6, 0.8])
    assert noise.clip([3, -1], 2, norm=1) == pytest.approx([1.5, -0.5])
    assert sum(x * x for x in noise.clip([Exact(5), Exact(-7)], 2)) == pytest.approx(4)
    for bad in (0, -1, math.nan):
        with pytest.raises(BadInput, match="bound"):
            noise.clip([1, 2], bad)
    with pytest.raises(BadInput, match="norm=3 must be 1 or 2"):
        noise.clip([1, 2], 1, norm=3)


def test_present_shows_nothing_of_nothing() -> None:
    noise = Scalar(np.random.default_rng(0))
    assert {noise.present(0, 100, 1) for _ in range(200)} == {0.0}
    found = [noise.present(3, 1, 4) for _ in range(4000)]
    assert all(x == 0 or x >= 4 for x in found)
    assert abs(np.mean([x > 0 for x in found]) - math.exp(-1) / 2) < 0.04
    assert all(isinstance(noise.present(5, 1, 2, whole=True), int) for _ in range(20))
    assert str(noise.present(0, 1, 1)) == "0.0"  # and never -0.0, which would show the sign of the noise
    with pytest.raises(BadInput, match="threshold"):
        noise.present(1, 1, 0)


def test_run_is_the_mechanism_itself() -> None:
    def outer(noise, answers, *, eps):
        return noise.run(report_noisy_max, answers, eps=eps)

    one = outer(Scalar(np.random.default_rng(5)), [1, 2, 3], eps=1)
    assert one == report_noisy_max.program(Scalar(np.random.default_rng(5)), [1, 2, 3], eps=1)
    with pytest.raises(BadInput, match="no parameter 'epsilon'"):
        Scalar(np.random.default_rng(0)).run(report_noisy_max, [1], epsilon=1)


# boxes


def test_a_box_holds_vectors() -> None:
    box = Box((-1, 1), Interval(0, 10))
    assert (0, 5) in box
    assert (0, 11) not in box
    assert (0,) not in box
    assert (True, 5) not in box
    assert {(-1, 0), (1, 10), (0, 5)} <= set(box.edges())
    for bad in ((), ((1, 0),), (3,), ((1, 2, 3),)):
        with pytest.raises(BadInput):
            Box(*bad)


def test_records_of_a_box() -> None:
    assert PLANE.validate([(0.5, "1/3")]) == ((Exact(1, 2), Exact(1, 3)),)
    with pytest.raises(BadInput, match="no vector of the box"):
        PLANE.validate([(2, 0)])
    assert not PLANE.finite
    pairs = PLANE.typical_pairs()
    assert pairs
    assert all(PLANE.adjacency.related(p.left, p.right) for p in pairs)


def test_a_box_is_audited_and_proved_by_those_who_can() -> None:
    def first(noise, data, *, eps):
        return sum(r[0] for r in data) + noise.laplace(1 / (2 * eps))

    target = mechanism(data=PLANE, claim=lambda eps: PureDP(eps), typical={"eps": 1})(first)
    result = dpw.verify(target, budget=dpw.Budget(max_pairs=20_000, seconds=30))
    assert result.decision.value == "REFUTED"


# functions that are not read


def uses_files(x):
    """Opens a file."""
    return len(open(x).read())


def uses_frames(x):
    """Looks at its caller."""
    return x.gi_frame


def test_functions_that_reach_around_are_refused() -> None:
    def program(noise, data, *, eps):
        return noise.postprocess(uses_files, 1)

    def other(noise, data, *, eps):
        return noise.postprocess(uses_frames, 1)

    def mine(noise, data, *, eps):
        return noise.postprocess(np.random.default_rng, 1)

    for one, words in ((program, "open"), (other, "gi_frame"), (mine, "random")):
        with pytest.raises(OutsideFragment, match=words), reading(one):
            pass
