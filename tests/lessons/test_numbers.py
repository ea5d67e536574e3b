"""What labs show agrees with the library: the closed forms here, their translation in `test_browser`."""

from __future__ import annotations

import pytest
from tests.lessons.labs import disagreement, labs, places, point

from dpwitness.lessons import TITLES, load
from dpwitness.lessons.model import Lesson, Predict
from dpwitness.lessons.script import Script


@pytest.fixture(scope="module", params=list(TITLES))
def lesson(request: pytest.FixtureRequest) -> Lesson:
    return load(request.param)


def test_closed_forms_agree_with_the_library(lesson: Lesson) -> None:
    for lab in labs(lesson):
        for place in places(lab):
            here = point(lab, place)
            problem = disagreement(lab, lab.compute(here), lab.library(here))
            assert problem is None, f"{lab.title} at {here}: {problem}"


def test_goals_are_not_met_at_the_start_and_met_by_the_solution(lesson: Lesson) -> None:
    for lab in labs(lesson):
        if lab.done:
            assert not lab.library(lab.start())[lab.done], lab.title
            assert lab.library(lab.solved())[lab.done], lab.title


def test_every_lesson_has_what_a_lesson_needs(lesson: Lesson) -> None:
    assert lesson.title == TITLES[lesson.name][0]
    assert len(lesson.goals) >= 2
    assert 3 <= sum(isinstance(step, Predict) for step in lesson.steps) <= 5
    assert {"break", "repair"} <= {lab.goal for lab in labs(lesson)}
    assert all(lab.done in {o.name for o in lab.outputs} for lab in labs(lesson) if lab.goal != "explore")
    assert lesson.exercises


def test_answers_are_not_always_in_the_same_place(lesson: Lesson) -> None:
    assert len({step.answer for step in lesson.steps if isinstance(step, Predict)}) > 1


def test_charts_and_closed_forms_translate(lesson: Lesson) -> None:
    script = Script()
    for lab in labs(lesson):
        script.add(lab.closed)
        script.add(lab.charts)
    assert "function" in script.text()
