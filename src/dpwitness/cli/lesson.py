"""``dpwitness lesson``: a course in fifteen lessons, in the terminal, as notebooks and as pages."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dpwitness.cli.common import console
from dpwitness.core.errors import BadInput
from dpwitness.core.failures import CannotWrite, why


def add(commands: Any) -> None:
    """Declare the command."""
    command = commands.add_parser("lesson", help="a course on differential privacy in fifteen lessons")
    command.add_argument("name", nargs="?", metavar="NAME", help="the lesson; none lists them")
    command.add_argument("--out", metavar="DIR", help="save the figures of the lesson there")
    command.add_argument("--notebook", metavar="FILE", help="write the lesson as a Jupyter notebook")
    command.add_argument("--html", metavar="DIR", help="write interactive pages: the lesson, or all and an index.html")
    command.add_argument("--starter", metavar="FILE", help="write the exercises of the lesson to begin with")
    command.add_argument("--check", metavar="FILE", help="check solutions of the exercises")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """List the lessons, show one, or write or check files."""
    if options.html:
        return _pages(options.name, options.html)
    if options.name is None:
        for option in ("out", "notebook", "starter", "check"):
            if getattr(options, option):
                raise BadInput(f"--{option} needs the name of a lesson; `dpwitness lesson` lists them")
        return _list()
    if options.check:
        return _check(options.name, options.check)
    from dpwitness.lessons import load

    lesson = load(options.name)
    if options.notebook or options.starter:
        if options.notebook:
            from dpwitness.lessons.notebook import to_json

            _write(options.notebook, to_json(lesson), "notebook")
        if options.starter:
            parts = [step.starter.strip("\n") for step in lesson.exercises.values()]
            check = f"dpwitness lesson {lesson.name} --check FILE"
            head = f'"""Exercises of the lesson {lesson.name}: fill them in, then `{check}`."""'
            _write(options.starter, "\n\n\n".join([head, *parts]) + "\n", "starter", fresh=True)
        return 0
    from dpwitness.lessons.terminal import Terminal

    Terminal(console(), _asker(), Path(options.out) if options.out else None).show(lesson)
    return 0


def _list() -> int:
    from dpwitness.lessons import TITLES

    width = max(map(len, TITLES))
    for number, (name, (title, about)) in enumerate(TITLES.items(), 1):
        print(f"{number:>3}  {name:<{width}}  {title}: {about}")
    print("\ndpwitness lesson NAME         in the terminal (--out DIR saves the figures)")
    print("dpwitness lesson --html DIR   all lessons as interactive pages; open DIR/index.html")
    print("dpwitness lesson NAME --notebook FILE.ipynb")
    return 0


def _asker() -> Callable[[str], str] | None:
    """How to ask the learner; None where nobody is at a terminal."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return None

    def ask(prompt: str) -> str:
        try:
            return input(prompt)
        except EOFError:
            return ""

    return ask


def _pages(name: str | None, folder: str) -> int:
    from dpwitness.lessons.page import write

    try:
        place = write(Path(folder), None if name is None else [name])
    except OSError as error:
        raise CannotWrite(f"html={folder!r} cannot be written: {why(error)}") from error
    print(f"open {place}")
    return 0


def _check(name: str, path: str) -> int:
    from dpwitness.lessons.solutions import check_file

    marks = check_file(name, path)
    for mark in marks:
        print(f"{'✓' if mark.solved else '✗'} {mark}")
    return 0 if all(mark.solved for mark in marks) else 1


def _write(place: str, text: str, option: str, *, fresh: bool = False) -> None:
    """Write a file; a `fresh` one must not exist yet, since it may hold a learner's work."""
    try:
        with open(place, "x" if fresh else "w", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise BadInput(f"{option}={place!r} exists already and is left as it is") from None
    except OSError as error:
        raise CannotWrite(f"{option}={place!r} cannot be written: {why(error)}") from error
    print(f"wrote {place}")
