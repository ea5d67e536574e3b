"""Ways that real numbers do not take, and that Python's rounding may."""

from __future__ import annotations

from typing import Any

import pytest

from dpwitness.core.errors import OutsideFragment
from dpwitness.core.numbers import Exact
from dpwitness.core.readers.paths import symbolic_paths, unknown_inputs
from dpwitness.proofs.programs.excluded import refuse_excluded


def ways(tests: Any) -> Any:
    def program(noise: Any, q: Any, *, eps: Any) -> Any:
        return [bool(test) for test in tests(noise, q)]

    return [path.conditions for path in symbolic_paths(program, unknown_inputs(2), {"eps": Exact(1)}).paths]


@pytest.mark.parametrize(
    "tests",
    [
        lambda noise, q: (q[0] >= 0.7, q[1] >= 0.1, q[0] + q[1] < 0.8),
        lambda noise, q: (noise.argmax([q[0] * 3, q[1]]) == 0, q[0] < q[1] / 3),
        lambda noise, q: (noise.argmax([q[0] * 0.1, 0.07]) == 1, q[0] >= 0.7),
    ],
)
def test_ways_that_rounding_may_lead_to_are_refused(tests: Any) -> None:
    with pytest.raises(OutsideFragment, match="of which no real numbers pass all"):
        refuse_excluded(ways(tests))


@pytest.mark.parametrize(
    "tests",
    [
        lambda noise, q: (q[0] >= 0.7, q[1] >= 0.1, q[0] < q[1]),  # nothing is rounded
        lambda noise, q: (q[0] + q[1] >= 2, q[0] + q[1] < 1),  # far apart
        lambda noise, q: (q[0] + noise.laplace(1) > 0, 3 * q[0] > 1),
    ],
)
def test_other_ways_are_not(tests: Any) -> None:
    refuse_excluded(ways(tests))
