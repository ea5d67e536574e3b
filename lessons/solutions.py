"""Checking exercises: the learner's file is run in a process of its own, with limits, and cannot harm this one.

``python -m dpwitness.lessons.solutions LESSON FILE DESCRIPTOR`` is that process; it writes its findings as JSON to the
given file descriptor, so that whatever the learner prints does not get in the way.
"""

from __future__ import annotations

import ast
import contextlib
import inspect
import json
import os
import signal
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpwitness.core.errors import BadInput
from dpwitness.lessons import load
from dpwitness.lessons.model import Lesson

SECONDS = 60.0
MEMORY = 4 << 30  # bytes of address space
NOT_YET = "not written yet"


@dataclass(frozen=True)
class Mark:
    """What became of one exercise: `problem` is empty where it was solved."""

    exercise: str
    problem: str = ""

    @property
    def solved(self) -> bool:
        """Whether the exercise was solved."""
        return not self.problem

    def __str__(self) -> str:
        return f"{self.exercise}: {'solved' if self.solved else self.problem}"


def grade(lesson: Lesson, objects: dict[str, Any]) -> list[Mark]:
    """Check the exercises of a lesson against what the learner wrote, by name."""
    marks = []
    for name, exercise in lesson.exercises.items():
        if objects.get(name) is None or unwritten(objects[name]):
            marks.append(Mark(name, f"{NOT_YET}: define {name} as the starter shows"))
            continue
        try:
            problem = exercise.check(objects[name])
        except Exception as error:  # the learner's code may fail in any way
            problem = f"raised {type(error).__name__}: {error}"
        marks.append(Mark(name, problem or ""))
    return marks


def unwritten(value: Any) -> bool:
    """Whether a program is still the starter: some statement or part of it is three dots."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(getattr(value, "program", value))))
    except (OSError, TypeError, SyntaxError):  # no source to look at, such as a built-in function
        return False
    return any(isinstance(node, ast.Constant) and node.value is Ellipsis for node in ast.walk(tree))


def check_file(name: str, path: str, seconds: float = SECONDS) -> list[Mark]:
    """Check a file of solutions in a process of its own.

    Raises `BadInput` where the file is missing, does not import, or takes too long.
    """
    lesson = load(name)
    if not Path(path).is_file():
        raise BadInput(
            f"there is no file {path!r}; `dpwitness lesson {name} --starter {path}` writes one to begin with"
        )
    read, write = os.pipe()
    command = [sys.executable, "-m", "dpwitness.lessons.solutions", lesson.name, path, str(write)]
    child = subprocess.Popen(command, pass_fds=(write,), stdin=subprocess.DEVNULL, stdout=2,
                             start_new_session=True)  # fmt: skip
    os.close(write)
    try:
        child.wait(seconds)
    except subprocess.TimeoutExpired:
        raise BadInput(f"{path!r} took more than {seconds:g} s; is there a loop that never ends?") from None
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)  # whatever the learner's code may have started
        child.wait()
        with os.fdopen(read, "rb") as pipe:
            answer = pipe.read(1 << 20)
    return _marks(answer, path, child.returncode)


def _marks(answer: bytes, path: str, status: int) -> list[Mark]:
    try:
        found = json.loads(answer)
        marks = [Mark(str(m["exercise"]), str(m["problem"])) for m in found["marks"]]
        error = found["error"]
    except (ValueError, KeyError, TypeError):
        raise BadInput(f"{path!r} ended its process before it could be checked (status {status})") from None
    if error:
        raise BadInput(str(error))
    return marks


def main(name: str, path: str, descriptor: str) -> None:
    """Load the learner's file as any target is loaded, check it, and report."""
    import resource

    from dpwitness.importing import load_file

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    found: dict[str, Any] = {"marks": [], "error": ""}
    try:
        marks = grade(load(name), vars(load_file(path)))
        found["marks"] = [{"exercise": m.exercise, "problem": m.problem} for m in marks]
    except Exception as error:
        found["error"] = str(error)
    with os.fdopen(int(descriptor), "w", encoding="utf-8") as pipe:
        json.dump(found, pipe)


if __name__ == "__main__":
    main(*sys.argv[1:])
