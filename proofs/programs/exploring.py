"""Following every way through a program, where there are not too many."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dpwitness.core.readers.paths import PathTable, SymbolicRun, symbolic_paths
from dpwitness.proofs.programs.estimate import more_than
from dpwitness.proofs.programs.excluded import refuse_excluded
from dpwitness.proofs.programs.pruning import Pruner
from dpwitness.proofs.programs.quoting import busiest


class TooManyPaths(Exception):
    """The limits were reached; `found` paths were followed, of about `about` where that was estimated first.

    `line` holds the test that the longest of them asked most often: the loop, where there is one.
    """

    def __init__(self, found: int, about: int | None = None, line: int | None = None) -> None:
        many = "more than 10^18" if about is not None and about > 10**18 else f"about {about or 0:.2g}"
        words = f"{found} were followed" if about is None else f"{many}; none was followed"
        super().__init__(f"more ways through the program than the limits allow: {words}")
        self.found, self.line = found, line


def explore(
    program: Any,
    data: Sequence[Any],
    params: Mapping[str, Any],
    symbolic: Sequence[str],
    most: int,
    seconds: float | None,
    look: Callable[[SymbolicRun], None],
) -> tuple[PathTable, Pruner | None]:
    """All paths; where they are many, again with branches cut off that cannot be taken.

    Neither is begun where random walks say that it would not end within the limit.
    """
    start = time.monotonic()
    first = None if seconds is None else seconds / 3
    if more_than(most, program, data, params, symbolic, seconds=first) is None:
        raw = symbolic_paths(program, data, params, symbolic=symbolic, max_paths=most, seconds=first)
        if raw.complete:
            refuse_excluded(path.conditions for path in raw.paths)
            return raw, None
    pruner = Pruner()
    walked: list[int | None] = []

    def see(run: SymbolicRun) -> None:
        walked.extend(condition.line for condition in run.conditions)
        look(run)

    about = more_than(most, program, data, params, symbolic, pruner.feasible, see, first)
    if about is not None:
        raise TooManyPaths(0, about, busiest(walked))
    rest = None if seconds is None else max(0.05, seconds - (time.monotonic() - start))
    raw = symbolic_paths(
        program, data, params, symbolic=symbolic, feasible=pruner.feasible, max_paths=most, seconds=rest
    )
    if not raw.complete:
        longest = max((path.conditions for path in raw.paths), key=len, default=())
        raise TooManyPaths(len(raw.paths), line=busiest(condition.line for condition in longest))
    return raw, pruner
