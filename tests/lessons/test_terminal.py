"""Lessons in the terminal: straight where nobody answers, with questions where somebody does."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console
from tests.lessons.labs import labs, places, point

from dpwitness.cli import main
from dpwitness.lessons import TITLES, load
from dpwitness.lessons.model import Predict
from dpwitness.lessons.run import Reading
from dpwitness.lessons.terminal import Terminal


@pytest.mark.parametrize("name", TITLES)
def test_every_lesson_runs_to_its_end(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lesson", name]) == 0
    text = capsys.readouterr().out
    lesson = load(name)
    assert lesson.title in text
    assert text.count("Answer: ") == sum(isinstance(step, Predict) for step in lesson.steps)
    assert text.count("✓ done") == sum(bool(lab.done) for lab in labs(lesson))
    for mark in ("**", "_{", "^{", "{p", "Fraction(", "Exact("):
        assert mark not in re.sub(r"[\w)]\*\*", "", text), mark  # powers in programs are no marks


@pytest.mark.parametrize("name", ["definition", "sets", "doubles"])
def test_figures_are_saved(name: str, tmp_path: Path) -> None:
    assert main(["lesson", name, "--out", str(tmp_path)]) == 0
    solved = sum(bool(lab.solution) for lab in labs(load(name)))
    for kind in ("svg", "png"):
        assert len(list(tmp_path.glob(f"*.{kind}"))) == len(labs(load(name))) + solved


@pytest.mark.parametrize("name", TITLES)
def test_figures_can_be_drawn_wherever_the_sliders_are(name: str) -> None:
    for lab in labs(load(name)):
        for place in places(lab):
            for chart in Reading(lab, point(lab, place)).charts():
                assert chart["xlim"][0] < chart["xlim"][1]
                assert chart["ylim"][0] < chart["ylim"][1]
                assert chart["items"]


def test_questions_are_asked_where_somebody_answers() -> None:
    asked: list[str] = []
    replies = iter(["", "", "", "2"])
    out = io.StringIO()

    def ask(prompt: str) -> str:
        asked.append(prompt)
        if "Move sliders" in prompt and not any("scale=" in a for a in asked):
            asked.append("scale=")
            return "scale=0.5 shift=2"
        return next(replies, "")

    terminal = Terminal(Console(file=out, width=120), ask)
    terminal.show(load("definition"))
    text = out.getvalue()
    assert any("Your prediction" in prompt for prompt in asked)
    assert "Right." in text
    assert "of 3 predictions were right" in text
    assert "largest loss s/b       4" in text, "the slider was moved"


def test_a_wrong_slider_is_explained() -> None:
    out = io.StringIO()
    replies = iter(["nonsense", "volume=3", "scale=much", ""])

    def ask(prompt: str) -> str:
        return next(replies, "") if "Move sliders" in prompt else ""

    Terminal(Console(file=out, width=200), ask).show(load("definition"))
    for words in ("name=value", "the sliders are shift, scale, t, eps", "must be a number"):
        assert words in out.getvalue()


def test_the_list_is_quick_and_names_every_lesson(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lesson"]) == 0
    text = capsys.readouterr().out
    assert all(name in text and title in text for name, (title, _) in TITLES.items())
    heavy = "('numpy', 'sympy', 'flint')"
    code = (
        f"from dpwitness.cli import main; import sys; main(['lesson']); print([m for m in {heavy} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("[]")


def test_wrong_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lesson", "definitoin"]) == 2
    assert "did you mean definition?" in capsys.readouterr().err
    assert main(["lesson", "--check", "x.py"]) == 2
    assert main(["lesson", "definition", "--notebook", str(tmp_path / "no" / "x.ipynb")]) == 5
