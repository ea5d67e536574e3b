"""Errors and warnings: each names the argument, shows its value and says what would be right."""

from __future__ import annotations

import contextlib
import warnings


class DPWitnessError(Exception):
    """Base of every error that this package raises on purpose."""


class BadInput(DPWitnessError, ValueError):
    """An argument is outside what the function accepts."""


class UnknownTarget(DPWitnessError, LookupError):
    """A target names nothing that can be found or imported."""


class OutsideFragment(DPWitnessError):
    """A reader cannot follow the program; `line` is the program's line that is the reason."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason if line is None else f"line {line}: {reason}")
        self.reason = reason
        self.line = line


class ImpureProgram(DPWitnessError):
    """The program did not repeat itself on replay: it uses something other than its arguments and its noise."""


class ProgramFailed(DPWitnessError):
    """The program under study raised an exception of its own."""


class ProgramTimeout(DPWitnessError):
    """The program did not stop within its budget of draws or seconds."""


class LimitReached(BaseException):
    """The time, or the samples, of whoever asked are used up.

    No `Exception`, so that neither a program under study nor a search that passes over its failures takes it for one of
    them: it ends everything inside the limit, and the limit's own block turns it into a result or an error.
    """


class DPWitnessWarning(UserWarning):
    """Base of every warning of this package."""


class FloatRead(DPWitnessWarning):
    """A float was read by its decimal text."""


class LanesExploded(DPWitnessWarning):
    """A batch split into so many control-flow paths that the rest was run one by one."""


_ADVISED: set[tuple[str, type[DPWitnessWarning]]] = set()


def advise(about: str, text: str, category: type[DPWitnessWarning], stacklevel: int = 3) -> None:
    """Warn of what is only slow or wide, once in a process for each thing that it is `about`.

    Where warnings are errors it is left out: advice must not take a verdict away.
    """
    if (about, category) not in _ADVISED:
        _ADVISED.add((about, category))
        with contextlib.suppress(category):
            warnings.warn(text, category, stacklevel=stacklevel)
