"""No way in gives a wrong verdict on a deceptive program: what leaks is not proved, what is private is not refuted.

Every program goes through `prove`, or in turn through `verify` or `assert_private`, with audits too small to matter:
the point is proofs, with which all begin. A third goes through `delta` and `epsilon` too. ``-m slow`` sends each
of them through all five, and adds the programs that stand beside the provers which they were written for.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import partial

import pytest

from tests.deceptive import programs
from tests.deceptive.kit import CASES, Case
from tests.deceptive.older import ALL_THE_SAME, all_older
from tests.deceptive.truth import true_loss
from tests.deceptive.ways import VERDICTS, wrong_curve, wrong_verdict

for _module in pkgutil.iter_modules(programs.__path__):
    importlib.import_module(f"{programs.__name__}.{_module.name}")
OLDER = all_older()


def named(case: Case) -> str:
    return case.name


def test_there_are_many_and_each_has_a_name() -> None:
    assert len({case.name for case in CASES}) == len(CASES) >= 300
    assert sum(case.private for case in CASES) >= 80
    assert len(OLDER) >= 250


@pytest.mark.parametrize("case", CASES, ids=named)
def test_a_proof_tells_the_truth(case: Case) -> None:
    """By ways in turn: the first two begin with the proofs that `prove` gives, and cost twice as much for audits."""
    turn = CASES.index(case) % 6
    way = {0: "verify", 1: "assert_private"}.get(turn, "prove")
    assert wrong_verdict(case, way) is None
    if turn in (2, 5):
        assert wrong_curve(case) is None


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=named)
def test_every_way_tells_the_truth(case: Case) -> None:
    for way in VERDICTS:
        assert wrong_verdict(case, way) is None
    assert wrong_curve(case) is None


@pytest.mark.slow
@pytest.mark.parametrize("way", VERDICTS)
@pytest.mark.parametrize("case", OLDER, ids=named)
def test_every_way_tells_the_truth_of_older_programs(case: Case, way: str) -> None:
    assert wrong_verdict(case, way) is None


@pytest.mark.slow
@pytest.mark.parametrize("case", OLDER, ids=named)
def test_curves_of_older_programs(case: Case) -> None:
    assert wrong_curve(case) is None


@pytest.mark.parametrize("case", [c for c in OLDER if c.made.program.__name__ in ALL_THE_SAME], ids=named)
def test_older_programs_that_are_private_have_this_loss(case: Case) -> None:
    """Computed by runs on plain numbers, without a reader."""
    others = {name: 1 for name in case.made.typical if name != "eps"}
    assert all(case.made.typical[name] == 1 for name in others)
    truth = true_loss("linear", partial(case.made.program, **others), case.made.space)
    assert truth.loss == ALL_THE_SAME[case.made.program.__name__]


def test_the_programs_have_power() -> None:
    """Most programs are decided: a prover that says nothing would be right about all of them."""
    some = CASES[::18]
    said = [VERDICTS["prove"](case) for case in some]
    decided = [case for case, word in zip(some, said, strict=True) if word != "UNDECIDED"]
    assert len(decided) >= len(some) // 2, list(zip([case.name for case in some], said, strict=True))
