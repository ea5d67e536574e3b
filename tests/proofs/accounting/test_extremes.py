"""Numbers at the ends of what can be written, laws without a finite loss, and arguments that are given twice."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import dpwitness as dpw
from dpwitness.cli import main
from dpwitness.core.errors import BadInput
from dpwitness.proofs.accounting.bracket import Bracket
from dpwitness.proofs.accounting.composition import PrecisionReached
from dpwitness.proofs.accounting.expressions import read_composition

KINDS = ("gaussian", "laplace", "geometric", "discrete_gaussian", "response", "pure")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("value", ["1e-3000", "1e3000", "1e-400", "1e400", "1e-99", "1e99", "1e308"])
def test_a_number_of_any_size_is_used_or_refused(kind: str, value: Any) -> None:
    try:
        found = getattr(dpw, kind)(value).epsilon("1e-5")
    except (BadInput, PrecisionReached):
        return
    assert found.low <= found.high


@pytest.mark.parametrize("eps", ["1e400", "1e14", 1_000_000, 700])
@pytest.mark.parametrize("kind", ["gaussian", "laplace", "geometric"])
def test_delta_at_any_epsilon_is_bounded_or_refused(kind: str, eps: Any) -> None:
    try:
        found = getattr(dpw, kind)(1).delta(eps)
    except (BadInput, PrecisionReached):
        return
    assert 0 <= found.low <= found.high < Fraction(1, 10**100)
    assert not str(found).endswith("..1")


def test_a_tiny_bracket_is_printed_with_its_power() -> None:
    assert str(Bracket(Fraction(1, 10**400), Fraction(2, 10**400))) == "1e-400..2e-400"
    assert str(Bracket(Fraction(1, 10**400), Fraction(1, 10**400))) == "1e-400"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("gaussian(sigma=1, sigma=2)", "twice"),
        ("gaussian(1e4000 * 1e4000)", "between"),
        ("gaussian(-1e4000 * 1e4000)", "above 0"),
        ("gaussian(1) * (1e4000 * 1e4000)", "whole number"),
        ("response(1, 1e6)", "10000"),
        ("geometric(1, 20000)", "10000"),
        ("discrete_gaussian(1, 1e5)", "10000"),
    ],
)
def test_what_the_kernel_does_not_read_is_refused_when_it_is_written(text: str, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        read_composition(text)


def test_a_table_of_too_many_outcomes_is_refused() -> None:
    law = [Fraction(1, 3000)] * 3000
    with pytest.raises(BadInput, match="two laws"):
        dpw.from_table(law, law)


@pytest.mark.parametrize(
    ("p", "q", "delta"),
    [((1, 0), (0, 1), 1), (("1/2", "1/2", 0), ("1/2", 0, "1/2"), Fraction(1, 2)), (("1/2", "1/2"), ("1/2", "1/2"), 0)],
)
def test_a_law_whose_losses_are_zero_or_infinite_has_its_total_variation(p: Any, q: Any, delta: Fraction) -> None:
    step = dpw.from_table(p, q)
    for eps in (0, 1, 20):
        assert step.delta(eps).low <= delta <= step.delta(eps).high
    if delta > 0:
        assert step.certificate(1, delta - Fraction(1, 100))["type"] == "composition-violation"
    if delta < 1:
        assert step.certificate(1, delta + Fraction(1, 100))["type"] == "composition"


def test_a_certificate_of_delta_zero_or_one_is_decided_or_refused() -> None:
    with pytest.raises(PrecisionReached):
        dpw.from_table(["1/2", "1/2"], ["1/2", "1/2"]).certificate(1, 0)
    with pytest.raises(BadInput, match="below 1"):
        dpw.laplace(1).certificate(1, 1)


def test_whole_numbers_of_numpy_count_steps() -> None:
    step = dpw.gaussian(2)
    assert step * np.int64(10) == step * 10
    assert dpw.sample(step, np.int64(1), np.int64(10)) == dpw.sample(step, 1, 10)
    assert dpw.tree(2, np.int64(8)) == dpw.tree(2, 8)
    with pytest.raises(BadInput):
        step * True


def test_a_table_is_named_by_its_probabilities() -> None:
    assert str(dpw.from_table(["1/2", "1/2"], ["1/4", "3/4"])) == "1 × table([1/2, 1/2], [1/4, 3/4])"


@pytest.mark.parametrize("option", ["--compare", "--explain"])
def test_what_is_about_a_delta_asks_for_one(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["account", "gaussian(1)", "--epsilon", "1", option]) == 2
    assert "--delta" in capsys.readouterr().err
