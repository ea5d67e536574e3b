"""Arguments of `audit` that cannot be used are one clear sentence each: the name, the value, what would be right."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest

from dpwitness.auditors import audit
from dpwitness.core.adjacency import Substitution
from dpwitness.core.errors import BadInput
from dpwitness.core.spaces import Answers, Records


def good(data, size, rng):
    return rng.laplace(np.sum(data), 1.0, size)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"alpha": 0.0}, "alpha=0.0 must lie strictly between 0 and 1"), ({"alpha": 1.0}, "alpha=1.0"),
        ({"alpha": math.nan}, "alpha=nan"), ({"max_pairs": 0}, "max_pairs=0"), ({"epsilon": 0}, "epsilon=0"),
        ({"epsilon": math.inf}, "epsilon=inf"), ({"delta": 1}, "delta=1"), ({"seconds": 0}, "seconds=0"),
        ({"timeout": 0}, "timeout=0"), ({"seed": -1}, "seed=-1"), ({"right": [0]}, "the same input"),
        ({"right": [5], "adjacency": Answers("one", 1, size=1)}, "not neighbours"),
        ({"right": [0, 1], "adjacency": Substitution()}, "not neighbours"),
        ({"right": [7], "adjacency": Records([0, 1], size=1)}, "not neighbours"),
        ({"adjacency": "l1"}, "adjacency='l1'"),
    ],
)  # fmt: skip
def test_bad_arguments_are_one_clear_sentence(options, said):
    with pytest.raises(BadInput, match=said):
        audit(good, [0], **{"right": [1], "epsilon": 1, "max_pairs": 100, **options})


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"epsilon": "1"}, "epsilon='1'"), ({"delta": "0.1"}, "delta='0.1'"), ({"seconds": "3"}, "seconds='3'"),
        ({"timeout": "3"}, "timeout='3'"), ({"timeout": math.inf}, "timeout=inf"), ({"watch": 5}, "watch=5"),
        ({"checkpoint": 5}, "checkpoint=5"), ({"checkpoint": ""}, "checkpoint=''"), ({"hooks": 5}, "hooks=5"),
        ({"hooks": [("numpy", "nope")]}, "no attribute 'nope'"), ({"hooks": [("nomodule", "x")]}, "nomodule"),
        ({"hooks": ["x"]}, "hooks holds 'x'"), ({"hooks": [(int, "bit_length")]}, "cannot be replaced"),
        ({"hooks": [("math", "pi")]}, "not a function"), ({"right": None}, "right=None"),
    ],
)  # fmt: skip
def test_arguments_of_the_wrong_type_are_one_clear_sentence(options, said):
    with pytest.raises(BadInput, match=said):
        audit(good, [0], **{"right": [1], "epsilon": 1, "max_pairs": 100, **options})


@pytest.mark.parametrize(
    "neighbours",
    [5, "ab", {"a": 1}, [5], [None], [()], [([0],)], [([0], [1], [2])], [([0], [1], "why", 4)], ["ab"], [{0, 1}]],
)
def test_neighbours_must_be_pairs(neighbours):
    with pytest.raises(BadInput, match=r"neighbours.* pairs"):
        audit(good, epsilon=1, max_pairs=100, neighbours=neighbours)


def test_whole_numbers_of_numpy_are_whole_numbers():
    assert audit(good, [0], [1], epsilon=1, max_pairs=np.int64(100), seed=np.int32(3)).runs <= 200


def test_neighbours_of_a_space_are_accepted():
    result = audit(good, [0], [1], epsilon=1, max_pairs=100, adjacency=Records([0, 1], size=1))
    assert result.pairs


def test_a_limit_for_the_whole_leaves_no_time_for_more():
    """A slow sampler that is refuted at once: neither a simpler pair nor a replay is begun beyond the limit."""

    def slow(data):
        time.sleep(0.01)
        return float(len(data))

    limited = audit(slow, epsilon=1, neighbours=[([0, 0], [0]), ([0, 0, 0], [0, 0])], max_pairs=400, seconds=4.0)
    assert limited.refuted
    assert limited.shrunk is None
