"""Points of labs at which page, closed forms and library are compared."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from dpwitness.lessons.model import Lab, Lesson

Place = dict[str, int]


def labs(lesson: Lesson) -> list[Lab]:
    return [step for step in lesson.steps if isinstance(step, Lab)]


def places(lab: Lab) -> Iterator[Place]:
    """The start, each slider at its ends and near the middle, and the solution: by place on the slider."""
    start = {s.name: s.start for s in lab.sliders}
    yield start
    for slider in lab.sliders:
        last = len(slider.values) - 1
        for place in sorted({0, last // 3, (2 * last + 1) // 3, last} - {slider.start}):
            yield {**start, slider.name: place}
    if lab.solution:
        solved = lab.solved()
        yield {s.name: s.values.index(solved[s.name]) for s in lab.sliders}


def point(lab: Lab, place: Place) -> dict[str, Fraction]:
    return {s.name: s.values[place[s.name]] for s in lab.sliders}


def disagreement(lab: Lab, seen: Mapping[str, Any], right: Mapping[str, Any]) -> str | None:
    """The first output that differs from the library's by more than 1e-9, relative or absolute below 1e-3."""
    for output in lab.outputs:
        a, b = seen[output.name], right[output.name]
        if output.kind in ("verdict", "yesno"):
            good = bool(a) == bool(b)
        elif math.isinf(float(b)):
            good = float(a) == float(b)
        else:
            good = math.isclose(float(a), float(b), rel_tol=1e-9, abs_tol=1e-12)
        if not good:
            return f"{output.name}: {a!r} on the page's side, {b!r} by the library"
    return None
