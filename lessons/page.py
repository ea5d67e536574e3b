"""Lessons as self-contained pages: styles, scripts and figures inside, no network, works from a file."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from dpwitness.lessons import TITLES, load
from dpwitness.lessons.markup import inline, to_html
from dpwitness.lessons.model import Code, Lab, Lesson
from dpwitness.lessons.run import output_of
from dpwitness.lessons.script import Script

if TYPE_CHECKING:
    from jinja2 import Environment

GOALS = {"explore": "Explore", "break": "Break it", "repair": "Repair it"}


def write(folder: Path, names: Sequence[str] | None = None) -> Path:
    """Write the pages of these lessons, or of all with an ``index.html``; returns the page to open."""
    chosen = list(TITLES) if names is None else list(names)
    pages = {} if names is not None else {"index.html": index_page()}
    for name, after in zip(chosen, [*chosen[1:], "index" if names is None else ""], strict=True):
        pages[f"{name}.html"] = lesson_page(load(name), f"{after}.html" if after else "", index=names is None)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder / next(iter(pages))


def index_page() -> str:
    """The page that links all lessons."""
    return _render(
        "index.html.j2", "const LABS = [];", after="", lessons=[(name, *about) for name, about in TITLES.items()]
    )


def lesson_page(lesson: Lesson, after: str = "", *, index: bool = False) -> str:
    """One lesson as a page; `after` is the page that follows it, `index` whether there is an index to link."""
    return _render(
        "lesson.html.j2",
        labs_script(lesson),
        lesson=lesson,
        after=after,
        index=index,
        number=list(TITLES).index(lesson.name) + 1,
        goals=GOALS,
        printed=[output_of(step.source).rstrip() if isinstance(step, Code) else "" for step in lesson.steps],
    )


def labs_script(lesson: Lesson) -> str:
    """The closed forms and figures of all labs, translated, and what the page needs to know of each lab."""
    script = Script()
    labs = []
    for lab in lesson.steps:
        if isinstance(lab, Lab):
            about = {
                "sliders": [
                    {
                        "name": s.name,
                        "values": [float(v) for v in s.values],
                        "shown": [s.shown(i) for i in range(len(s.values))],
                    }
                    for s in lab.sliders
                ],
                "outputs": [{"name": o.name, "kind": o.kind} for o in lab.outputs],
                "done": lab.done,
            }
            functions = f"closed: {script.add(lab.closed)}, charts: {script.add(lab.charts)}"
            labs.append(f"{{{json.dumps(about, ensure_ascii=False)[1:-1]}, {functions}}}")
    listed = ",\n".join(labs)
    return f"{script.text()}\nconst LABS = [\n{listed}\n];"


def _render(template: str, labs: str, **values: object) -> str:
    style = _text("page.css")
    theme = (files("dpwitness.reports") / "theme.js").read_text(encoding="utf-8")
    parts = [theme, _text("primitives.js"), _text("figures.js"), labs, _text("page.js")]
    script = "\n".join(parts).replace("</", "<\\/")
    return (
        _environment()
        .get_template(template)
        .render(style=style, script=script, policy=_policy(style, script), **values)
    )


def _policy(style: str, script: str) -> str:
    """Only this page's own style and script may run; nothing may be fetched."""

    def digest(text: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    return (
        f"default-src 'none'; style-src {digest(style)}; script-src {digest(script)}; "
        "base-uri 'none'; form-action 'none'"
    )


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    made = Environment(
        loader=FunctionLoader(_text), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made.filters.update(inline=inline, body=to_html, kind=lambda step: type(step).__name__)
    return made


@cache
def _text(name: str) -> str:
    return (files("dpwitness.lessons") / name).read_text(encoding="utf-8")
