"""Running what a lesson shows: snippets of code, labs at a point, and verdicts on mechanisms."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from dpwitness.core.errors import BadInput
from dpwitness.lessons.closed import show
from dpwitness.lessons.model import Lab, Output

SECONDS = 300.0  # a lesson must not say something else on a busy machine


def value_text(output: Output, value: Any) -> str:
    """An output for people.

    >>> value_text(Output("p", "P", "verdict"), True), value_text(Output("p", "P"), 0.25)
    ('holds', '0.25')
    """
    if output.kind == "verdict":
        return "holds" if value else "broken"
    if output.kind == "yesno":
        return "yes" if value else "no"
    return show(float(value), 12 if output.kind == "whole" else 6)


@dataclass(frozen=True)
class Reading:
    """A lab at a point: what notebooks and the terminal show."""

    lab: Lab
    point: Mapping[str, Fraction]

    def rows(self) -> list[tuple[str, str]]:
        """Label and value of every output."""
        values = self.lab.compute(self.point)
        return [(o.label, value_text(o, values[o.name])) for o in self.lab.outputs if o.name != self.lab.done]

    @property
    def done(self) -> bool | None:
        """Whether the goal of the lab is reached; None where there is no goal."""
        return bool(self.lab.compute(self.point)[self.lab.done]) if self.lab.done else None

    def charts(self) -> list[dict[str, Any]]:
        """The figures at this point."""
        from dpwitness.lessons.model import Values

        return self.lab.charts(Values(self.point), self.lab.compute(self.point))

    def __repr__(self) -> str:
        lines = [f"{label}: {value}" for label, value in self.rows()]
        if self.done is not None:
            lines.append(f"{self.lab.goal}: {'done' if self.done else 'not yet'}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from html import escape

        from dpwitness.lessons.drawing import svg
        from dpwitness.lessons.markup import inline

        cells = "".join(
            f'<tr><td style="text-align:left">{inline(label)}</td><td><b>{escape(value)}</b></td></tr>'
            for label, value in self.rows()
        )
        done = "" if self.done is None else f"<p><b>{self.lab.goal}: {'done' if self.done else 'not yet'}</b></p>"
        picture = svg(self.charts()).partition("<svg")
        return f"<div><table>{cells}</table>{done}<svg{picture[2]}</div>"


def read(lab: Lab, **values: object) -> Reading:
    """A lab with some sliders moved; the others stay where they start."""
    point = lab.start()
    for name, value in values.items():
        slider = next((s for s in lab.sliders if s.name == name), None)
        if slider is None:
            raise BadInput(f"{name}={value!r}: the sliders are {', '.join(s.name for s in lab.sliders)}")
        try:
            wanted = Fraction(slider.names.index(value) if value in slider.names else str(value))
        except ValueError:
            choices = f"one of {', '.join(slider.names)}" if slider.names else "a number"
            raise BadInput(f"{name}={value!r} must be {choices}") from None
        point[name] = min(slider.values, key=lambda v: abs(v - wanted))
    return Reading(lab, point)


@cache
def output_of(source: str) -> str:
    """What a snippet of a lesson prints. The snippets are the lessons' own: nothing from outside is run here."""
    import runpy
    import tempfile
    from pathlib import Path

    printed = io.StringIO()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(printed):
        file = Path(folder) / "snippet.py"
        file.write_text(source, encoding="utf-8")
        runpy.run_path(str(file), run_name="__main__")
    return printed.getvalue()


def verdict(mechanism: Any, **params: Any) -> Any:
    """The verdict on the first claim of a mechanism by proof alone.

    >>> from dpwitness.catalogue import catalogue
    >>> verdict(catalogue()["laplace-count"]).decision.value
    'PROVED'
    """
    from dpwitness.core.budget import Budget
    from dpwitness.routes import decide

    return decide(mechanism.claims(**params)[0], Budget(seconds=SECONDS), "prove")


def decided(name: str, **params: Any) -> str:
    """The verdict on a mechanism of the catalogue, as a word: PROVED, REFUTED, …

    >>> decided("laplace-count/half-the-scale")
    'REFUTED'
    """
    from dpwitness.catalogue import catalogue

    return str(verdict(catalogue()[name], **params).decision.value)
