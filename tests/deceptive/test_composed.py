"""No program made of parts that leaks is proved: every one goes through the prover by composition and the judge.

``-m slow`` sends all of them through every way in.
"""

from __future__ import annotations

import importlib
import pkgutil
import warnings

import pytest

from dpwitness.core.judging.judge import judge
from dpwitness.proofs.composition.route import CompositionProver
from dpwitness.routes import kernel_checker
from tests.deceptive import composed
from tests.deceptive.kit import COMPOSED, Case
from tests.deceptive.ways import VERDICTS, wrong_verdict

for _module in pkgutil.iter_modules(composed.__path__):
    importlib.import_module(f"{composed.__name__}.{_module.name}")


def named(case: Case) -> str:
    return case.name


def test_there_are_many_and_each_has_a_name() -> None:
    assert len({case.name for case in COMPOSED}) == len(COMPOSED) >= 130
    assert sum(case.private for case in COMPOSED) >= 2


@pytest.mark.parametrize("case", COMPOSED, ids=named)
def test_the_prover_is_not_deceived(case: Case) -> None:
    (claim,) = case.made.claims()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        verdict = judge(claim, [CompositionProver(seconds=5).run(claim)], kernel_checker())
    assert verdict.decision.value == ("PROVED" if case.private else "UNDECIDED"), case.made.summary


@pytest.mark.slow
@pytest.mark.parametrize("way", VERDICTS)
@pytest.mark.parametrize("case", COMPOSED, ids=named)
def test_no_way_is_deceived(case: Case, way: str) -> None:
    assert wrong_verdict(case, way) is None
