"""A lesson as a Jupyter notebook, written as plain JSON."""

from __future__ import annotations

import json
from typing import Any

from dpwitness.lessons import load
from dpwitness.lessons.markup import plain, to_markdown
from dpwitness.lessons.model import Code, Exercise, Lab, Lesson, Predict, Text
from dpwitness.lessons.run import Reading, read
from dpwitness.lessons.solutions import Mark, grade

GOALS = {"explore": "Explore", "break": "Break it", "repair": "Repair it"}


class Notebook:
    """What the cells of a notebook call.

    >>> notebook = Notebook("definition")
    >>> notebook.lesson.title
    'The definition'
    """

    def __init__(self, name: str) -> None:
        self.lesson = load(name)

    def predict(self, number: int, guess: int | None = None) -> None:
        """Compare a guess (1, 2, …) with the answer to question `number`; None says nothing yet."""
        asked = [s for s in self.lesson.steps if isinstance(s, Predict)][number - 1]
        if guess is None:
            print("Put your prediction (1, 2, …) in place of None and run the cell again.")
            return
        print("Right." if guess == asked.answer + 1 else "Not quite.")
        print(f"Answer: {asked.answer + 1}. {plain(asked.choices[asked.answer])}")
        print(plain(asked.why))

    def lab(self, number: int, **sliders: object) -> Reading:
        """Lab `number` with these sliders."""
        return read([s for s in self.lesson.steps if isinstance(s, Lab)][number - 1], **sliders)

    def check(self, **objects: Any) -> list[Mark]:
        """Check exercises; unwritten ones are left for later."""
        marks = [mark for mark in grade(self.lesson, objects) if mark.exercise in objects]
        for mark in marks:
            print(mark)
        return marks


def cells(lesson: Lesson) -> list[dict[str, Any]]:
    """The cells of a lesson."""
    made: list[dict[str, Any]] = []

    def markdown(text: str) -> None:
        made.append({"cell_type": "markdown", "metadata": {}, "source": text.strip()})

    def code(text: str) -> None:
        made.append(
            {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": [], "source": text.strip("\n")}
        )

    goals = "\n".join(f"- {goal}" for goal in lesson.goals)
    markdown(f"# {lesson.title}\n\nYou will be able to:\n\n{to_markdown(goals)}")
    code(f'from dpwitness.lessons.notebook import Notebook\n\nlesson = Notebook("{lesson.name}")')
    asked = labs = 0
    for step in lesson.steps:
        match step:
            case Text():
                markdown(f"## {step.title}\n\n{to_markdown(step.body)}")
            case Predict():
                asked += 1
                listed = "\n".join(f"{i}. {to_markdown(text)}" for i, text in enumerate(step.choices, 1))
                program = f"\n\n```python\n{step.code.strip()}\n```" if step.code else ""
                markdown(f"## Predict\n\n{to_markdown(step.question)}{program}\n\n{listed}")
                code(f"lesson.predict({asked}, guess=None)")
            case Lab():
                labs += 1
                markdown(f"## {GOALS[step.goal]}: {step.title}\n\n{to_markdown(step.body)}\n\n{_sliders(step)}")
                code(f"lesson.lab({labs}, {_arguments(step)})")
            case Code():
                markdown(f"## {step.title}\n\n{to_markdown(step.body)}")
                code(step.source)
            case Exercise():
                markdown(f"## Exercise: {step.title}\n\n{to_markdown(step.body)}")
                code(f"{step.starter.strip()}\n\n\nlesson.check({step.name}={step.name})")
    return made


def _sliders(lab: Lab) -> str:
    rows = []
    for s in lab.sliders:
        span = ", ".join(s.names) if s.names else f"{s.shown(0)} … {s.shown(len(s.values) - 1)}"
        rows.append(f"- `{s.name}`: {to_markdown(s.label)} ({span})")
    return "\n".join(rows)


def _arguments(lab: Lab) -> str:
    return ", ".join(
        f'{s.name}="{s.shown(s.start)}"' if s.names else f"{s.name}={s.shown(s.start)}" for s in lab.sliders
    )


def to_json(lesson: Lesson) -> str:
    """The notebook as the text of an ``.ipynb`` file."""
    numbered = [{**cell, "id": f"{lesson.name}-{i}"} for i, cell in enumerate(cells(lesson))]
    whole = {
        "cells": numbered,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"
