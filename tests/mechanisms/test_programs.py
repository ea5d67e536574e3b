"""The programs of the literature: what they release without noise, where they stop, and how much noise they draw."""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pytest
from tests.mechanisms.scripted import Scripted

from dpwitness.catalogue import of_module
from dpwitness.core import Mechanism, Proved
from dpwitness.core.errors import OutsideFragment
from dpwitness.mechanisms.above_threshold import above_threshold, below_threshold
from dpwitness.mechanisms.adaptive_sparse_vector import adaptive_sparse_vector
from dpwitness.mechanisms.gaussian_programs import gaussian_above_threshold, gaussian_noisy_max, mixed_above_threshold
from dpwitness.mechanisms.intervals import k_min_max, leaves_range, m_range
from dpwitness.mechanisms.noisy_max import noisy_max_exponential, report_noisy_max, report_noisy_min, running_noisy_max
from dpwitness.mechanisms.numeric_sparse_vector import numeric_sparse, numeric_sparse_vector
from dpwitness.mechanisms.selection import noisy_max_with_gap, noisy_top_k, permute_and_flip
from dpwitness.mechanisms.sparse_vector import sparse_vector
from dpwitness.mechanisms.sparse_vector_variants import (
    exponential_sparse_vector,
    gap_sparse_vector,
    monotone_sparse_vector,
    refreshed_sparse_vector,
    split_sparse_vector,
)
from dpwitness.mechanisms.sums import parallel_laplace, partial_sum, prefix_sum, smart_sum, tree_sum

MODULES = (
    "above_threshold",
    "adaptive_sparse_vector",
    "gaussian_programs",
    "intervals",
    "noisy_max",
    "numeric_sparse_vector",
    "selection",
    "sparse_vector",
    "sparse_vector_variants",
    "sums",
)
TARGETS = [
    target
    for name in MODULES
    for target in of_module(importlib.import_module(f"dpwitness.mechanisms.{name}"))
    if isinstance(target, Mechanism)
]
CUTOFFS = (
    sparse_vector,
    monotone_sparse_vector,
    refreshed_sparse_vector,
    split_sparse_vector,
    exponential_sparse_vector,
    gap_sparse_vector,
    numeric_sparse_vector,
    numeric_sparse,
)


def run(mechanism: Mechanism, data: Sequence[Any], draws: Iterable[Any] = (), **params: object) -> Any:
    """The output on given draws; zero noise by default."""
    return mechanism.program(Scripted(draws), list(data), **mechanism.params(**params))


def scales(mechanism: Mechanism, data: Sequence[Any], **params: object) -> list[Any]:
    """The scale of every draw of the run without noise."""
    noise = Scripted()
    mechanism.program(noise, list(data), **mechanism.params(**params))
    return noise.scales()


def twin(mechanism: Mechanism, name: str) -> Mechanism:
    return next(t for t in mechanism.twins if t.name == f"{mechanism.name}/{name}")


# without noise every program gives the plain answer


@pytest.mark.parametrize(
    ("mechanism", "data", "params", "answer"),
    [
        (report_noisy_max, [3, 7, 5], {}, 1),
        (report_noisy_max, [7, 7, 5], {}, 0),
        (noisy_max_exponential, [3, 5, 7], {}, 2),
        (report_noisy_min, [3, 7, 1], {}, 2),
        (running_noisy_max, [-3, -7, -1, -2], {}, 2),
        (running_noisy_max, [-3, -3], {}, 0),
        (gaussian_noisy_max, [1, 0, -1], {}, 0),
        (above_threshold, [-2, -1, 0, 5], {}, 2),
        (above_threshold, [-2, -1], {}, None),
        (above_threshold, [4, 5], {"threshold": 5}, 1),
        (below_threshold, [2, 0, -1, -5], {}, 2),
        (below_threshold, [2, 0], {}, None),
        (gaussian_above_threshold, [-1, 0, 1], {}, 1),
        (mixed_above_threshold, [-1, -1, -1], {}, None),
        (sparse_vector, [-1, 2, -3, 4, 5], {}, [False, True, False, True]),
        (sparse_vector, [-1, -2], {}, [False, False]),
        (monotone_sparse_vector, [-1, 2, 3], {}, [False, True]),
        (gap_sparse_vector, [-1, 7, 3], {"threshold": 2}, [False, 5]),
        (numeric_sparse_vector, [-1, 7, 3], {"threshold": 2}, [False, 7]),
        (numeric_sparse, [-1, 7, 3, 9], {"threshold": 2}, [False, 7, 3]),
        (adaptive_sparse_vector, [-1, 7, 3], {}, [("below", 0), ("near", 7)]),
        (adaptive_sparse_vector, [-1, 9, 3], {}, [("below", 0), ("far", 9)]),
        (partial_sum, [1, 2, 3], {}, 6),
        (prefix_sum, [1, 2, 3], {}, [1, 3, 6]),
        (parallel_laplace, [4], {"copies": 3}, [4, 4, 4]),
        (leaves_range, [0, 7, 8, 3], {}, (2, "above")),
        (leaves_range, [0, -1, 8], {}, (1, "below")),
        (leaves_range, [0, 7, 3], {}, None),
        (m_range, [0, 0, 2], {}, (2, "above")),
        (m_range, [0, 0, 0, -1], {}, (3, "below")),
        (k_min_max, [2, 5, 3, 4, 6], {}, (4, "above")),
        (k_min_max, [5, 2, 3, 1], {}, (3, "below")),
        (k_min_max, [5, 2, 9, 9, 2], {"k": 3}, None),
        (noisy_max_with_gap, [3, 9, 5], {}, (1, 4)),
        (noisy_top_k, [3, 9, 5, 1], {}, [1, 2]),
        (noisy_top_k, [3, 9, 5, 1], {"k": 4}, [1, 2, 0, 3]),
    ],
)
def test_zero_noise(mechanism: Mechanism, data: list[Any], params: dict[str, Any], answer: Any) -> None:
    assert run(mechanism, data, **params) == answer


@pytest.mark.parametrize("length", range(1, 17))
def test_all_running_totals_agree_without_noise(length: int) -> None:
    data = [(7 * i) % 5 - 1 for i in range(length)]
    totals = list(itertools.accumulate(data))
    assert run(prefix_sum, data) == totals
    assert run(tree_sum, data) == totals
    for block in range(1, length + 2):
        assert run(smart_sum, data, block=block) == totals


@pytest.mark.parametrize("mechanism", [m for m in TARGETS if "cutoff" in m.typical], ids=lambda m: m.name)
def test_no_queries_give_no_answers(mechanism: Mechanism) -> None:
    answer = run(mechanism, [])
    assert answer in ([], (0, []))


# the noise enters where the description says


def test_draws_move_comparisons() -> None:
    assert run(above_threshold, [0, 0, 0], draws=[1, 0, 0.5, 2]) == 2
    assert run(below_threshold, [0, 0, 0], draws=[-1, 0, -0.5, -2]) == 2
    assert run(report_noisy_max, [1, 0], draws=[0, 2]) == 1
    assert run(report_noisy_min, [1, 0], draws=[-2, 0]) == 0


def test_gap_is_relative_to_the_noisy_threshold() -> None:
    assert run(gap_sparse_vector, [0], draws=[1, 4]) == [3]
    assert run(twin(gap_sparse_vector, "releases-the-answer"), [0], draws=[1, 4]) == [4]
    assert run(adaptive_sparse_vector, [0], draws=[1, 10]) == [("far", 9)]
    assert run(twin(adaptive_sparse_vector, "releases-the-answer"), [0], draws=[1, 10]) == [("far", 10)]


def test_numeric_answers_carry_fresh_noise() -> None:
    assert run(numeric_sparse_vector, [0], draws=[0, 5, -3]) == [-3]
    assert run(twin(numeric_sparse_vector, "reuses-the-noise"), [0], draws=[0, 5, -3]) == [5]


def test_threshold_is_renewed_after_a_positive_answer() -> None:
    draws = [0, 1, 9, 5]  # threshold, first answer, new threshold, second answer
    assert run(refreshed_sparse_vector, [0, 0], draws=draws) == [True, False]
    assert run(sparse_vector, [0, 0], draws=[0, 1, 5]) == [True, True]


def test_winner_of_top_k_is_not_chosen_twice() -> None:
    assert run(noisy_top_k, [0, 0, 0], draws=[1, 3, 2]) == [1, 2]


def test_smart_sum_drops_inner_noise_at_the_end_of_a_block() -> None:
    assert run(smart_sum, [0, 0, 0], draws=[5, 1, 10]) == [5, 1, 11]
    assert run(prefix_sum, [0, 0, 0], draws=[5, 1, 10]) == [5, 6, 16]
    assert run(twin(smart_sum, "no-block-noise"), [1, 1, 1], draws=[5, 10]) == [6, 2, 13]


def test_tree_sum_charges_each_answer_at_most_once_a_level() -> None:
    for length in (1, 3, 4, 7, 8):
        used: list[set[int]] = [set() for _ in range(length)]
        for draw in range(length):
            totals = run(tree_sum, [0] * length, draws=[int(i == draw) for i in range(length)])
            for step, total in enumerate(totals):
                if total:
                    used[step].add(draw)
        # a running total is a sum of few blocks: one for each 1 in the binary digits of the step
        assert [len(blocks) for blocks in used] == [(step + 1).bit_count() for step in range(length)]
    assert scales(tree_sum, [0] * 7) == [3] * 7


def test_intervals_are_used_in_turn() -> None:
    # ends: bottoms 0 and -9, tops 1 and 9
    assert run(m_range, [0, 5, 0, 5], draws=[0, -9, 0, 8]) is None
    assert run(m_range, [5, 0], draws=[0, -9, 0, 8]) == (0, "above")


def test_range_grows_with_the_noise_of_the_first_answers() -> None:
    assert run(k_min_max, [0, 0, 3], draws=[-1, 4]) is None
    assert run(twin(k_min_max, "exact-range"), [0, 0, 3], draws=[0]) == (2, "above")
    assert run(twin(k_min_max, "releases-the-range"), [0, 0, 5], draws=[-1, 4]) == (2, "above", -1, 4)


def test_permute_and_flip_accepts_when_the_draw_covers_the_gap() -> None:
    assert run(permute_and_flip, [2, 0, 1], draws=[1, 3]) == 1  # candidate 1 first, a draw of 3 against a gap of 2
    assert run(permute_and_flip, [2, 0, 1], draws=[1, 1, 1, 1]) == 2  # 1 is rejected, then 2: 1 covers its gap of 1
    assert run(permute_and_flip, [2, 0, 1], draws=[1, 0, 1, 0]) == 0  # both rejected: the best is left
    assert run(permute_and_flip, [2, 2, 0], draws=[1]) == 1


# cutoffs and budgets


@pytest.mark.parametrize("mechanism", CUTOFFS, ids=lambda m: m.name)
@pytest.mark.parametrize("cutoff", [1, 2, 3])
def test_stops_after_the_cutoff(mechanism: Mechanism, cutoff: int) -> None:
    answers = run(mechanism, [1, -1, 1, 1, -1, 1, 1, 1], cutoff=cutoff)
    assert sum(answer is not False for answer in answers) == cutoff
    assert answers[-1] is not False


@pytest.mark.parametrize("mechanism", [*CUTOFFS, adaptive_sparse_vector], ids=lambda m: m.name)
def test_cutoff_holds_on_random_draws(mechanism: Mechanism) -> None:
    cutoff = 2
    draws = np.random.default_rng(3).laplace(scale=10, size=(300, 40)).tolist()
    outputs = [run(mechanism, [0] * 6, draws=line, cutoff=cutoff) for line in draws]
    positives = [sum(a is not False and a != ("below", 0) for a in answers) for answers in outputs]
    assert max(positives) == (2 * cutoff - 1 if mechanism is adaptive_sparse_vector else cutoff)
    assert all(len(answers) <= 6 for answers in outputs)


def test_late_stop_gives_one_more() -> None:
    assert run(twin(sparse_vector, "stops-one-late"), [1, 1, 1, 1], cutoff=2) == [True] * 3


def test_programs_without_cutoff_answer_everything() -> None:
    for name in ("no-cutoff", "no-query-noise"):
        assert run(twin(sparse_vector, name), [1] * 9) == [True] * 9


def test_adaptive_budget_buys_more_far_answers_than_near_ones() -> None:
    far, near = [20] * 6, [1] * 6
    assert len(run(adaptive_sparse_vector, far, cutoff=2)) == 3
    assert len(run(adaptive_sparse_vector, near, cutoff=2)) == 2
    assert len(run(adaptive_sparse_vector, [-1, 1, -1, 20, -1], cutoff=2)) == 4
    assert len(run(twin(adaptive_sparse_vector, "forgets-the-threshold"), near, cutoff=2)) == 4
    assert len(run(twin(adaptive_sparse_vector, "counts-precise-tests-as-cheap"), near, cutoff=2)) == 4


# scales


@pytest.mark.parametrize(
    ("mechanism", "data", "params", "wanted"),
    [
        (report_noisy_max, [0, 0], {"eps": "1/2"}, [4, 4]),
        (noisy_max_exponential, [0, 0], {"eps": "1/2"}, [4, 4]),
        (running_noisy_max, [0, 0], {"eps": "1/2"}, [4, 4]),
        (above_threshold, [-1, 0], {"eps": "1/2"}, [4, 8, 8]),
        (sparse_vector, [-1, 0], {"eps": "1/2", "cutoff": 3}, [4, 24, 24]),
        (monotone_sparse_vector, [-1, 0], {"eps": "1/2", "cutoff": 3}, [4, 12, 12]),
        (refreshed_sparse_vector, [0, -1], {"eps": "1/2", "cutoff": 3}, [12, 24, 12, 24]),
        (split_sparse_vector, [-1], {"eps": "1/2", "cutoff": 3, "share": "1/4"}, [8, 16]),
        (exponential_sparse_vector, [-1], {"eps": "1/2", "cutoff": 3}, [4, 24]),
        (numeric_sparse_vector, [0, -1], {"eps": "1/2", "cutoff": 2}, [6, 24, 12, 24]),
        (numeric_sparse, [0, -1], {"eps": "1/2", "cutoff": 2}, [9, 18, 36, 9, 18]),
        (adaptive_sparse_vector, [-1], {"eps": "1/2", "cutoff": 3}, [4, 48, 24]),
        (smart_sum, [0, 0, 0], {"eps": "1/2"}, [2, 2, 2]),
        (parallel_laplace, [0], {"eps": "1/2", "copies": 2}, [4, 4]),
        (m_range, [0], {"eps": "1/2", "ranges": 2}, [16, 16, 16, 16, 8]),
        (k_min_max, [0, 0, 0], {"eps": "1/2"}, [16, 16, 8]),
        (noisy_top_k, [0, 0, 0], {"eps": "1/2"}, [8, 8, 8]),
        (gaussian_above_threshold, [-1], {}, [8, 4]),
        (mixed_above_threshold, [-1], {}, [4, 8]),
    ],
)
def test_scales(mechanism: Mechanism, data: list[Any], params: dict[str, Any], wanted: list[int]) -> None:
    assert scales(mechanism, data, **params) == wanted


# outputs that one neighbour can give and the other cannot


def reachable(mechanism: Mechanism, data: Sequence[Any], grid: Sequence[Any], count: int) -> list[Any]:
    return [run(mechanism, data, draws=draws) for draws in itertools.product(grid, repeat=count)]


def test_exact_answers_reveal_their_order() -> None:
    grid = [k / 4 for k in range(-20, 21)]
    broken = twin(sparse_vector, "no-query-noise")
    assert [False, True] in reachable(broken, [0, 1], grid, 1)
    assert [False, True] not in reachable(broken, [1, 0], grid, 1)
    index = twin(above_threshold, "no-query-noise")
    assert 1 in reachable(index, [0, 1], grid, 1)
    assert 1 not in reachable(index, [1, 0], grid, 1)


def test_one_sided_noise_on_the_wrong_side_forbids_an_answer() -> None:
    grid = [k / 4 for k in range(21)]
    right, wrong = exponential_sparse_vector, twin(exponential_sparse_vector, "noise-of-the-wrong-sign")
    assert [True] in reachable(right, [-1], grid, 2)
    assert [True] in reachable(wrong, [1], grid, 2)
    assert [True] not in reachable(wrong, [-1], grid, 2)


def test_released_maximum_of_one_sided_noise_has_a_floor() -> None:
    broken = twin(noisy_max_exponential, "releases-the-value")
    assert min(reachable(broken, [1, 0], [0, 1, 2], 2)) == 1
    assert min(reachable(broken, [0, 0], [0, 1, 2], 2)) == 0


def test_given_order_hides_candidates_behind_the_best() -> None:
    broken = twin(permute_and_flip, "no-permutation")
    grid = [k / 2 for k in range(6)]
    assert 1 in reachable(broken, [0, 1], grid, 2)
    assert 1 not in reachable(broken, [1, 1], grid, 2)


# the catalogue


def test_benchmark_sets_are_complete() -> None:
    def tagged(tag: str) -> list[str]:
        return [t.name for t in TARGETS if tag in t.tags]

    # 17 programs of CheckDP: the increasing and the decreasing sparse vector are two claims of one program here
    assert len(tagged("checkdp")) == 16
    assert sum(t.promises[0].expected is Proved for t in TARGETS if "checkdp" in t.tags) == 8
    assert len(tagged("statdp")) == 9  # and two histograms
    lyu = {"sparse-vector", "refreshed-sparse-vector", "split-sparse-vector"}
    wrong = {"releases-the-value", "unscaled-query-noise", "no-query-noise", "no-cutoff"}
    assert set(tagged("lyu")) == lyu | {f"sparse-vector/{name}" for name in wrong}


@pytest.mark.parametrize("mechanism", TARGETS, ids=lambda m: m.name)
def test_every_target_is_documented_and_symbolic(mechanism: Mechanism) -> None:
    assert mechanism.summary.endswith((".", "None."))
    assert "programs" in mechanism.tags
    assert mechanism.cites
    try:
        table = mechanism.paths(seconds=5)
    except OutsideFragment as error:  # a budget that Python rounds at some ε is read at one ε
        assert "rounds" in str(error)  # noqa: PT017
        table = mechanism.paths(seconds=5, symbolic=())
    assert table.complete
    assert len(table.paths) <= 60
    if mechanism.parent is None:
        assert mechanism.promises[0].expected is Proved
        assert mechanism.twins
