"""Every documented bug of a deterministic part is found; its repair is not reported."""

from __future__ import annotations

import pytest

from dpwitness.auditors.stability.api import check_claim
from dpwitness.corpus import bugs

WITH_MAPS = [bug for bug in bugs().values() if bug.stable is not None]


def test_there_are_twenty_five() -> None:
    assert len(WITH_MAPS) >= 25


@pytest.mark.parametrize("bug", WITH_MAPS, ids=lambda bug: bug.name)
def test_the_bug_is_found_and_the_repair_is_not_reported(bug):
    assert bug.stable is not None
    assert bug.stable_repaired is not None
    found = check_claim(bug.stable, seconds=60, isolate=False)
    assert found.refuted, found
    repair = check_claim(bug.stable_repaired, max_pairs=600, seconds=60, isolate=False)
    assert not repair.refuted, repair


@pytest.mark.slow
@pytest.mark.parametrize("bug", WITH_MAPS, ids=lambda bug: bug.name)
def test_no_repair_is_reported_in_a_long_search(bug):
    assert bug.stable_repaired is not None
    assert not check_claim(bug.stable_repaired, seconds=60, seed=5).refuted


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("smartnoise-sql-int32", "as a number of 32 bits does that wraps around at 2^31"),
        ("casacuberta-count", "from 127 to -128, as a number of 8 bits"),
        ("diffprivlib-unique", "the number of outputs depends on the data: 0 on the left, 1 on the right"),
        ("google-go-405", "the output is NaN on the right only"),
        ("diffprivlib-43", "raises ZeroDivisionError on the left only"),
        ("jax-privacy-338", "2 times as far as claimed"),
    ],
)
def test_the_cause_is_told(name, said):
    assert said in check_claim(bugs()[name].stable, seconds=60, isolate=False).cause
