"""Calling a deterministic function of a stranger's: its answer, or what it raised, and whether it repeats itself."""

from __future__ import annotations

import copy
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

from dpwitness.auditors.sampling.sampler import describe_exception
from dpwitness.core.errors import BadInput, LimitReached, ProgramTimeout
from dpwitness.core.limits import Deadline, interrupted
from dpwitness.core.stability.distances import text_key

KEPT = 4096


@dataclass(frozen=True)
class Answer:
    """What a call gave: a value, or the type and words of an exception."""

    value: Any = None
    raised: str | None = None
    words: str = ""

    @property
    def key(self) -> str:
        """What two answers share exactly where they are the same."""
        return f"raised {self.raised}" if self.raised is not None else text_key(self.value)

    def __str__(self) -> str:
        return f"raises {self.words}" if self.raised is not None else shown(self.value)


def shown(value: Any, most: int = 160) -> str:
    """A value in one line."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # a broken __repr__ must not end the search
        text = f"<{type(value).__name__}>"
    return text if len(text) <= most else text[: most - 1] + "…"


@dataclass
class Caller:
    """Calls one function on built inputs, each input once while it is remembered.

    Parameters
    ----------
    build
        From data to what the function gets; it is built anew for every call, so that no call can change another's.
    deadline
        Of the whole search: a call that is still running then is interrupted.
    """

    function: Callable[[Any], Any]
    build: Callable[[Any], Any]
    deadline: Deadline
    calls: int = 0
    running: Any = None
    answered: bool = False
    last_error: str = ""
    _kept: OrderedDict[Hashable, Answer] = field(default_factory=OrderedDict)

    def __call__(self, data: tuple[Any, ...], key: Hashable) -> Answer:
        """The answer on `data`, known by `key`."""
        if key in self._kept:
            return self._kept[key]
        found = self.fresh(data)
        self._kept[key] = found
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return found

    def fresh(self, data: tuple[Any, ...]) -> Answer:
        """The answer, by a new call."""
        if self.deadline.passed:
            raise LimitReached("seconds")
        self.calls += 1
        try:
            given = self.build(data)
        except Exception as error:
            raise BadInput(
                f"the input {shown(list(data), 60)} cannot be built: {describe_exception(error)}; say in the columns "
                "of the space which values there are"
            ) from error
        self.running = data
        try:
            with interrupted(self.deadline):
                found = Answer(_kept_apart(self.function(given)))
            self.answered = True
        except (LimitReached, ProgramTimeout):
            raise
        except (Exception, SystemExit) as error:
            found = Answer(None, type(error).__name__, describe_exception(error))
            self.last_error = found.words
        self.running = None
        return found

    def confirm(self, *known: tuple[tuple[Any, ...], Answer]) -> None:
        """Call again, in this order and back; `BadInput` where an answer is not what it was."""
        for data, before in (*known, *known[::-1]):
            again = self.fresh(data)
            if again.key != before.key:
                raise BadInput(
                    f"the function is not deterministic: on {shown(list(data), 80)} it gave {shown_answer(before)}, "
                    f"then {shown_answer(again)}. Audit it instead (dpw.audit), or fix the seed that it uses"
                )


def shown_answer(answer: Answer) -> str:
    """An answer in a few words."""
    text = str(answer)
    return text if len(text) <= 80 else text[:79] + "…"


def _kept_apart(value: Any) -> Any:
    """A copy of an output that the function may go on to change."""
    if isinstance(value, list | dict | set | bytearray) or hasattr(value, "flags"):
        try:
            return copy.deepcopy(value)
        except Exception:  # whatever a foreign __deepcopy__ raises
            return value
    return value
