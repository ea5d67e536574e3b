"""Failures of the tool itself and of the machine that it runs on: they say nothing about any claim."""

from __future__ import annotations

from dpwitness.core.errors import BadInput, DPWitnessError, ProgramFailed, ProgramTimeout

# the method named by evidence that a process died, that memory or the disk ran out, or that a route has a bug
MACHINE = "machine"
# what a sampler that raises, hangs or returns nonsense ends in
FOREIGN = (ProgramFailed, ProgramTimeout, BadInput)


class ToolFailure(DPWitnessError):
    """The work could not be done or its result not be written; no verdict follows."""


class CannotWrite(ToolFailure, BadInput):
    """A file or a folder cannot be written."""


def why(error: BaseException) -> str:
    """The reason of an error of the machine, in a few words.

    >>> why(PermissionError(13, "Permission denied")), why(MemoryError())
    ('Permission denied', 'memory ran out')
    """
    if isinstance(error, MemoryError):
        return "memory ran out"
    words = getattr(error, "strerror", None)
    return str(words) if words else f"{type(error).__name__}: {error}"
