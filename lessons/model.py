"""What a lesson is made of: steps, each of them one screen.

Text may hold ``*emphasis*``, ``**strong**``, `` `code` ``, ``x_{i}`` and ``e^{ε}``; a line that starts with ``$ `` is a
formula on a line of its own. `dpwitness.lessons.markup` turns it into plain text, Markdown and HTML.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

from dpwitness.lessons.charts import Chart

Point = Mapping[str, Any]
Goal = Literal["explore", "break", "repair"]


@dataclass(frozen=True)
class Text:
    """A screen to read."""

    title: str
    body: str


@dataclass(frozen=True)
class Predict:
    """A question that the learner answers before the answer is shown; `answer` is the place of the true choice."""

    question: str
    choices: tuple[str, ...]
    answer: int
    why: str
    code: str = ""


def predict(question: str, choices: Mapping[str, object], truth: object, why: str, code: str = "") -> Predict:
    """A question whose true choice is found by a computed value: exactly one choice must have it.

    >>> predict("1 + 1?", {"two": 2, "three": 3}, 1 + 1, "It adds up.").answer
    0
    """
    places = [i for i, value in enumerate(choices.values()) if value == truth]
    if len(places) != 1:
        raise ValueError(f"{question!r}: {len(places)} of the choices {list(choices.values())} are {truth!r}")
    return Predict(question, tuple(choices), places[0], why, code)


@dataclass(frozen=True)
class Slider:
    """A knob of a lab: a list of exact values, or of named choices, and where it starts."""

    name: str
    label: str
    values: tuple[Fraction, ...]
    start: int
    names: tuple[str, ...] = ()

    def shown(self, place: int) -> str:
        """A value as text."""
        return self.names[place] if self.names else plain_number(self.values[place])


def plain_number(value: Fraction) -> str:
    """A short decimal, or powers of ten for small numbers.

    >>> plain_number(Fraction(1, 4)), plain_number(Fraction(1, 10**6))
    ('0.25', '1e-6')
    """
    if value.denominator == 1:
        return str(value)
    if value and abs(value) < Fraction(1, 1000):
        digits, _, power = f"{float(value):.3e}".partition("e")
        return f"{float(digits):g}e{int(power)}"
    return f"{float(value):g}"


def steps(name: str, label: str, low: str, high: str, step: str, start: str) -> Slider:
    """A slider over low, low + step, … high.

    >>> steps("b", "scale", "0.5", "2", "0.5", "1").shown(1)
    '1'
    """
    a, b, by, at = (Fraction(x) for x in (low, high, step, start))
    values = tuple(a + i * by for i in range(int((b - a) / by) + 1))
    return Slider(name, label, values, values.index(at))


def listed(name: str, label: str, values: Sequence[str | int], start: str | int) -> Slider:
    """A slider over given values."""
    exact = tuple(Fraction(v) for v in values)
    return Slider(name, label, exact, exact.index(Fraction(start)))


def choice(name: str, label: str, names: Sequence[str], start: int = 0) -> Slider:
    """A slider over named choices, whose values are 0, 1, …"""
    return Slider(name, label, tuple(map(Fraction, range(len(names)))), start, tuple(names))


@dataclass(frozen=True)
class Output:
    """A number that a lab shows. `kind` is how: a number, a count, a yes or no, or a verdict."""

    name: str
    label: str
    kind: Literal["number", "whole", "yesno", "verdict"] = "number"


@dataclass(frozen=True)
class Lab:
    """Sliders, and numbers and figures that follow them.

    Parameters
    ----------
    closed
        From the slider values (doubles, by name) to the outputs, written in the small language of
        `dpwitness.lessons.script`, so that the page computes the very same formulas.
    library
        The same outputs from exact slider values by the library: exact numbers and rigorous enclosures.
    charts
        From the slider values to figures; in the same small language.
    goal
        What the learner is to do; `done` names the yes-or-no output that says so, `solution` is a point where it does.
    """

    title: str
    body: str
    sliders: tuple[Slider, ...]
    outputs: tuple[Output, ...]
    closed: Callable[[Any], dict[str, Any]]
    library: Callable[[Mapping[str, Fraction]], Mapping[str, Any]]
    charts: Callable[[Any, Any], list[Chart]]
    goal: Goal = "explore"
    done: str = ""
    solution: Mapping[str, str | int] = field(default_factory=dict)
    lesson_learnt: str = ""

    def start(self) -> dict[str, Fraction]:
        """Where the sliders start."""
        return {s.name: s.values[s.start] for s in self.sliders}

    def solved(self) -> dict[str, Fraction]:
        """The sliders at the solution."""
        return {**self.start(), **{name: Fraction(value) for name, value in self.solution.items()}}

    def compute(self, point: Mapping[str, Fraction]) -> dict[str, Any]:
        """The outputs by closed forms, as the page has them."""
        return self.closed(Values(point))


class Values:
    """Slider values as attributes, in machine numbers: what the closed forms read."""

    def __init__(self, point: Mapping[str, Fraction]) -> None:
        for name, value in point.items():
            setattr(self, name, int(value) if value.denominator == 1 else float(value))

    def __getattr__(self, name: str) -> float:
        raise AttributeError(f"there is no slider {name!r}")


@dataclass(frozen=True)
class Code:
    """A program that is run; what it prints is shown."""

    title: str
    body: str
    source: str


@dataclass(frozen=True)
class Exercise:
    """Something to write. `check` gets the learner's object and returns what is wrong with it, or nothing.

    Parameters
    ----------
    name
        What ``solution.py`` must define.
    reference, wrong
        A solution that passes and one that fails; both are tested.
    """

    name: str
    title: str
    body: str
    starter: str
    check: Callable[[Any], str | None]
    reference: str
    wrong: str


Step = Text | Predict | Lab | Code | Exercise


@dataclass(frozen=True)
class Lesson:
    """A lesson: goals and steps."""

    name: str
    title: str
    goals: tuple[str, ...]
    steps: tuple[Step, ...]

    @property
    def exercises(self) -> dict[str, Exercise]:
        """The exercises by name."""
        return {step.name: step for step in self.steps if isinstance(step, Exercise)}
