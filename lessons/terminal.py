"""A lesson in the terminal: one step after the other; questions are asked where somebody can answer."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from dpwitness.core.errors import BadInput
from dpwitness.lessons.markup import blocks, plain
from dpwitness.lessons.model import Code, Exercise, Lab, Lesson, Predict, Step, Text
from dpwitness.lessons.run import Reading, output_of, read

if TYPE_CHECKING:
    from rich.console import Console

GOALS = {"explore": "Explore", "break": "Break it", "repair": "Repair it"}
WIDTH = 100


class Terminal:
    """Shows a lesson.

    Parameters
    ----------
    ask
        Reads one line from the learner after a prompt; None where nobody is there, and everything is shown straight.
    out
        A folder for the figures; None: they are not drawn.
    """

    def __init__(self, screen: Console, ask: Callable[[str], str] | None = None, out: Path | None = None) -> None:
        self.screen, self.ask, self.out = screen, ask, out
        self.right = self.asked = 0

    def show(self, lesson: Lesson) -> None:
        """Go through the whole lesson."""
        self.title(lesson.title)
        self.print("You will be able to:")
        for goal in lesson.goals:
            self.print(f"- {goal}")
        for number, step in enumerate(lesson.steps, 1):
            self.pause()
            self.step(lesson, step, number)
        if self.asked:
            self.title(f"{self.right} of {self.asked} predictions were right")
        self.screen.print(f"\nExercises: dpwitness lesson {lesson.name} --starter solution.py")
        self.screen.print(f"           dpwitness lesson {lesson.name} --check solution.py")

    def step(self, lesson: Lesson, step: Step, number: int) -> None:
        """One step."""
        match step:
            case Text():
                self.title(step.title)
                self.print(step.body)
            case Predict():
                self.predict(step)
            case Code():
                self.title(step.title)
                self.print(step.body)
                self.code(step.source)
                self.raw(output_of(step.source))
            case Lab():
                self.lab(step, f"{lesson.name}-{number}")
            case Exercise():
                self.title(f"Exercise: {step.title}")
                self.print(step.body)
                self.code(step.starter)

    def predict(self, step: Predict) -> None:
        from rich.markup import escape

        self.title("Predict")
        self.print(step.question)
        if step.code:
            self.code(step.code)
        for i, text in enumerate(step.choices, 1):
            self.screen.print(escape(f"  {i}. {plain(text)}"))
        if self.ask is not None:
            reply = self.ask(f"Your prediction (1–{len(step.choices)}): ").strip()
            self.asked += 1
            hit = reply == str(step.answer + 1)
            self.right += hit
            self.print("**Right.**" if hit else "Not quite.")
        self.print(f"**Answer: {step.answer + 1}. {step.choices[step.answer]}**")
        self.print(step.why)

    def lab(self, step: Lab, name: str) -> None:
        from rich.markup import escape

        self.title(f"{GOALS[step.goal]}: {step.title}")
        self.print(step.body)
        for slider in step.sliders:
            ends = slider.names or (slider.shown(0), "…", slider.shown(len(slider.values) - 1))
            about = f"{'· ' * bool(slider.names)}{plain(slider.label)} ({(' | ' if slider.names else ' ').join(ends)})"
            self.screen.print(escape(f"    {slider.name} = {slider.shown(slider.start):<6} {about}"))
        self.reading(Reading(step, step.start()), name)
        while self.ask is not None:
            reply = self.ask("Move sliders, as in `name=value name=value` (Enter goes on): ").split()
            if not reply:
                break
            try:
                self.reading(read(step, **dict(_assignment(word) for word in reply)), name)
            except BadInput as error:
                self.print(str(error))
        if step.solution:
            named = {slider.name: slider.names for slider in step.sliders if slider.names}
            shown = {k: named[k][int(v)] if k in named else v for k, v in step.solution.items()}
            self.print("One way: " + ", ".join(f"{k} = {v}" for k, v in shown.items()))
            self.reading(Reading(step, step.solved()), f"{name}-solved")
            self.print(step.lesson_learnt)

    def reading(self, reading: Reading, name: str) -> None:
        from rich.markup import escape

        rows = reading.rows()
        wide = max(len(plain(label)) for label, _ in rows)
        for label, value in rows:
            self.screen.print(f"    {escape(f'{plain(label):<{wide}}')}  [bold]{value}[/]")
        if reading.done is not None:
            self.screen.print(f"    [bold]{'✓ done' if reading.done else '· not yet'}[/]")
        if self.out is not None:
            from dpwitness.lessons.drawing import write

            files = write(reading.charts(), self.out, name)
            self.screen.print(f"    figure: {self.out / files[0]}")

    def title(self, text: str) -> None:
        from rich.markup import escape

        self.screen.print(f"\n[bold]── {escape(plain(text))} ──[/]")

    def print(self, body: str) -> None:
        from rich.markup import escape

        width = min(WIDTH, shutil.get_terminal_size((WIDTH, 24)).columns)
        parts = blocks(body)
        for i, (kind, text) in enumerate(parts):
            if i and "item" not in (kind, parts[i - 1][0]):
                self.screen.print()
            lead = {"item": "  • ", "formula": "      "}.get(kind, "")
            words = textwrap.fill(plain(text), width, initial_indent=lead, subsequent_indent=" " * len(lead))
            self.screen.print(escape(words))

    def code(self, source: str) -> None:
        from rich.syntax import Syntax

        self.screen.print(Syntax(source.strip("\n"), "python", background_color="default"))

    def raw(self, text: str) -> None:
        from rich.markup import escape

        self.screen.print(escape(textwrap.indent(text.rstrip(), "  │ ")))

    def pause(self) -> None:
        if self.ask is not None:
            self.ask("\n[Enter] ")


def _assignment(word: str) -> tuple[str, str]:
    name, sign, value = word.partition("=")
    if not sign or not name or not value:
        raise BadInput(f"{word!r} is not of the form name=value")
    return name, value
