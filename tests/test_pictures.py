"""The numbers behind the pictures: they agree with closed forms, and no program makes them fail."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from dpwitness.cli import main
from dpwitness.core import Answers, ApproxDP, PureDP, Records, mechanism
from dpwitness.core.budget import Budget
from dpwitness.core.evidence import LowerBound
from dpwitness.core.mechanism import BlackBox, Mechanism
from dpwitness.pictures import chosen, of_verdict
from dpwitness.pictures.curves import implied_curve
from dpwitness.reports.figures.book import figures_of
from dpwitness.reports.figures.data import CurvePicture, LossPicture, OutputLaws, Picture, WealthPicture
from dpwitness.reports.figures.style import save
from dpwitness.reports.model import Report
from dpwitness.routes import decide
from tests.reports.samples import HOSTILE, hostile, verdicts


@mechanism(data=Answers(size=1), claim=lambda eps: PureDP(eps), typical={"eps": 1})
def noisy(noise: Any, answers: Any, *, eps: Any) -> Any:
    return answers[0] + noise.laplace(1 / eps)


@noisy.twin("half")
def _(noise: Any, answers: Any, *, eps: Any) -> Any:
    return answers[0] + noise.laplace(1 / (2 * eps))


@mechanism(data=Records([0, 1], 1), claim=lambda eps: PureDP(eps), typical={"eps": 1})
def coin(noise: Any, records: Any, *, eps: Any) -> Any:
    return records[0] + (1 - 2 * records[0]) * noise.bernoulli(log_odds=-eps)


@mechanism(data=Answers(size=2), claim=lambda eps: PureDP(eps), typical={"eps": 1})
def breaks(noise: Any, answers: Any, *, eps: Any) -> Any:
    raise ZeroDivisionError("x")


def kinds(made: tuple[Picture, ...]) -> dict[type, Any]:
    return {type(picture): picture for picture in made}


def shown(target: Mechanism | BlackBox) -> dict[type, Any]:
    return kinds(of_verdict(decide(target.claims()[0], Budget(max_pairs=4000), "prove")))


def test_finitely_many_outputs_are_exact() -> None:
    found = shown(coin)
    laws = found[OutputLaws]
    p = math.e / (1 + math.e)
    assert laws.samples == 0
    assert sorted(laws.left) == pytest.approx([1 - p, p], abs=1e-12)
    assert sorted(laws.losses) == pytest.approx([-1, 1], abs=1e-12)
    assert sum(laws.inside) == 1
    curve = found[CurvePicture]
    said = implied_curve(PureDP(1), curve.epsilons)
    assert curve.deltas == pytest.approx(said, abs=1e-12), "randomised response is the worst of its kind"
    loss = found[LossPicture]
    assert loss.losses == pytest.approx(loss.epsilons, abs=1e-9)
    assert "the claim holds" in loss.alt()


def test_a_number_is_sampled_and_its_curve_is_exact() -> None:
    found = shown(noisy)
    laws, curve = found[OutputLaws], found[CurvePicture]
    assert laws.samples > 10_000
    width = laws.outputs[1] - laws.outputs[0]
    assert sum(laws.left) * width == pytest.approx(1, abs=0.02)
    seen = [
        (x, loss, e) for x, loss, e in zip(laws.outputs, laws.losses, laws.errors, strict=True) if math.isfinite(loss)
    ]
    assert all(abs(loss) < 1 + 6 * e for _, loss, e in seen)
    assert curve.deltas == pytest.approx([max(0, 1 - math.exp((e - 1) / 2)) for e in curve.epsilons], abs=1e-9)
    levels = [0.1, 0.5, 0.9]
    exact = [max(0, 1 - math.e * a, math.exp(-1) / (4 * a) if math.exp(-1) / 2 <= a <= 0.5 else 0, (1 - a) / math.e)
             for a in levels]  # fmt: skip
    assert curve.trade_off(levels) == pytest.approx(exact, abs=0.02)


def test_a_broken_twin_is_seen_to_be_broken() -> None:
    found = shown(noisy.twins[0])
    laws = found[OutputLaws]
    assert max(x for x in laws.losses if math.isfinite(x)) > 1.8
    assert any(laws.inside)
    assert re.search(r"up to about (2|2\.1|1\.9);", laws.loss_alt())
    assert found[CurvePicture].found == (2.0, 0.0)
    assert found[CurvePicture].by == "counterexample"


@given(st.floats(0.01, 5), st.floats(0, 0.5))
def test_the_curve_of_a_guarantee_passes_through_it(eps: float, delta: float) -> None:
    goal = ApproxDP(str(round(eps, 3)), str(round(delta, 3)))
    at, rest = float(goal.eps), float(goal.delta)
    values = implied_curve(goal, [0.0, at / 2, at, 2 * at])
    assert values is not None
    assert values[2] == values[3] == rest
    assert 1 > values[0] >= values[1] >= values[2]


def test_black_boxes_are_sampled_and_broken_programs_left_out() -> None:
    box = BlackBox("box", lambda data, size, rng: rng.normal(data[0], 1, size), Answers(size=1), PureDP(1))
    assert OutputLaws in shown(box)
    words = BlackBox("text", lambda data, size, rng: np.array(["a"] * size), Answers(size=1), PureDP(1))
    assert shown(words) == {}
    assert shown(breaks) == {}


def test_wealth_is_drawn_where_it_was_written_down() -> None:
    verdict = verdicts()[0]
    assert isinstance(verdict.lower, LowerBound)
    told = replace(verdict.lower, details={"wealth": [[0, 0.0], [10, 3.0], [20, 9.5]]})
    wealth = kinds(of_verdict(replace(verdict, lower=told)))[WealthPicture]
    assert wealth.pairs == (0, 10, 20)
    assert wealth.log_wealth == (0, 3, 9.5)


def test_a_long_report_shows_what_is_not_as_expected() -> None:
    long = Report.of(verdicts() * 3, {})
    assert chosen(Report.of(verdicts()[:3], {})) == [0, 1, 2]
    assert chosen(long) == [6, 7, 14, 15, 22, 23]
    assert len(chosen(long, "all")) == 24
    assert chosen(long, "none") == []


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_is_only_drawn(text: str, tmp_path: Path) -> None:
    laws = OutputLaws((text, "b"), (0.5, 0.5), (0.5, 0.5), (True, False), text, (text, text), 1.0)
    line = OutputLaws((0.0, 1.0), (0.5, 0.5), (0.5, 0.5), (True, False), text, (text, text), 1.0, name=text)
    curve = CurvePicture((0.0, 1.0), (0.1, 0.0), (1.0, 0.0), about=text, by=text, found=(0.5, 0.0))
    loss = LossPicture((0.5, 1.0), (0.5, 1.0), (0.5, 1.0), about=text)
    for picture in (laws, line, curve, loss, *of_verdict(hostile(text).rows[0].verdict)):
        for name, made, alt in figures_of(picture):
            assert isinstance(made, Figure)
            save(made, tmp_path, name)
            written = (tmp_path / f"{name}.svg").read_text(encoding="utf-8")
            assert "<script" not in written
            assert len(written) < 400_000
            assert len(alt) < 2000
            assert not set(alt) & set("\x1b\x07\n")


def test_the_command_draws_and_the_option_says_how_much(tmp_path: Path) -> None:
    for which, expected in (("few", True), ("none", False)):
        out = tmp_path / which
        assert main(["prove", "randomized-response", "--quiet", "--figures", which, "--out", str(out)]) == 0
        assert any((out / "figures").glob("claim-*")) == expected
        json.loads((out / "results.json").read_text(encoding="utf-8"))
