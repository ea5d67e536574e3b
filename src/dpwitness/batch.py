"""Deciding many claims, on several processes, with a result that does not depend on their number."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor, as_completed
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpwitness import __version__
from dpwitness.catalogue import Target, find
from dpwitness.core.budget import Budget
from dpwitness.core.claims import Claim
from dpwitness.core.errors import BadInput
from dpwitness.core.evidence import Unsupported
from dpwitness.core.failures import MACHINE, CannotWrite, why
from dpwitness.core.judging.judge import judge
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.verdict import Verdict
from dpwitness.rejudging import rejudge
from dpwitness.routes import Kind, decide

if TYPE_CHECKING:
    import numpy as np

    from dpwitness.auditors.running.runner import Progress

Work = Sequence[tuple["Task", Claim]]
Decided = Iterator[tuple[int, Verdict]]
MOST_KEPT = 64 * 2**20


@dataclass(frozen=True)
class Task:
    """One claim, named so that another process can find it.

    Parameters
    ----------
    selector
        What finds the target from anywhere: files by their full path.
    target, index
        Which of the targets found, and which of its claims.
    overrides
        Parameters that were given.
    given
        The selector as the user wrote it.
    """

    selector: str
    target: str
    index: int
    overrides: Mapping[str, str]
    given: str = field(default="", repr=False)

    def claim(self) -> Claim:
        """The claim itself."""
        targets = find([self.selector] if self.selector else [])
        target = next(t for t in targets if t.name == self.target)
        return _claims(target, self.overrides)[self.index]


def tasks(selectors: Sequence[str], overrides: Mapping[str, str]) -> list[tuple[Task, Claim]]:
    """All claims of the selected targets, with parameters replaced where a target has them."""
    result: list[tuple[Task, Claim]] = []
    seen: set[int] = set()
    used: set[str] = set()
    for selector in selectors or [""]:
        for target in find([selector] if selector else []):
            if id(target) in seen:
                continue
            seen.add(id(target))
            mine = _applicable(target, overrides)
            used |= set(mine)
            place = _absolute(selector)
            result += [
                (Task(place, target.name, i, mine, selector), claim) for i, claim in enumerate(_claims(target, mine))
            ]
    unused = [name for name in overrides if name not in used]
    if unused:
        raise BadInput(f"{unused[0]}={overrides[unused[0]]} was given, but no selected target has that parameter")
    return result


def _absolute(selector: str) -> str:
    """A file by its full path: workers may run elsewhere."""
    path, colons, name = selector.partition("::")
    return f"{Path(path).resolve()}{colons}{name}" if colons or path.endswith(".py") else selector


def _applicable(target: Target, overrides: Mapping[str, str]) -> dict[str, str]:
    names = target.typical if isinstance(target, Mechanism) else {}
    return {name: value for name, value in overrides.items() if name in names}


def _claims(target: Target, overrides: Mapping[str, str]) -> list[Claim]:
    return target.claims(**overrides) if isinstance(target, Mechanism) else target.claims()


@dataclass(frozen=True)
class Workers:
    """Where the work is done, and what is kept of it.

    Parameters
    ----------
    jobs
        Processes; 0: one for each core.
    executor
        ``"processes"`` decides several claims at once (or draws the samples of a single one); ``"threads"``,
        ``"dask=local"`` and ``"dask=ADDRESS"`` decide one claim after the other and draw its samples there.
    folder
        Where unfinished work is kept, so that a killed run can go on; None: nowhere.
    """

    jobs: int = 0
    executor: str = "processes"
    folder: Path | None = None

    @property
    def count(self) -> int:
        """How many processes."""
        return self.jobs or os.cpu_count() or 1


def decide_all(
    work: Work,
    budget: Budget,
    kind: Kind,
    workers: Workers | None = None,
    progress: Callable[[Verdict], None] = lambda verdict: None,
    watch: Callable[[str, Progress], None] | None = None,
) -> list[Verdict]:
    """Decide every claim. The family-wise α of the budget is shared equally among them.

    Claims that an earlier run has left decided in the folder of `workers` are not decided again.
    """
    where = workers or Workers()
    share = replace(budget, alpha=budget.alpha / max(1, len(work)))
    verdicts: dict[int, Verdict] = {}

    def keep(i: int, verdict: Verdict) -> None:
        verdicts[i] = replace(verdict, claim=work[i][1])
        progress(verdicts[i])

    for i, (task, claim) in enumerate(work):
        known = _load(where.folder, task, claim, share, kind) if where.folder is not None else None
        if known is not None:
            keep(i, known)
    todo = [i for i in range(len(work)) if i not in verdicts]
    for i, verdict in _run(work, todo, share, kind, where, watch):
        if where.folder is not None and not _unfit(verdict):
            _save(where.folder, *work[i], share, kind, verdict)
        keep(i, verdict)
    return [verdicts[i] for i in range(len(work))]


def _unfit(verdict: Verdict) -> bool:
    """Whether the tool, the machine or the program failed: no verdict to keep, and a resumed run tries again."""
    return verdict.open and (verdict.failed_to_run or _machine_failed(verdict))


def _machine_failed(verdict: Verdict) -> bool:
    return any(item.method == MACHINE for item in verdict.silent)


def _save(folder: Path, task: Task, claim: Claim, budget: Budget, kind: Kind, verdict: Verdict) -> None:
    # inputs of a kind that no file can hold, and claims that a full disk cannot keep, are decided anew after a restart
    with suppress(TypeError, OSError, CannotWrite):
        _kept(folder, task, claim, budget, kind).save(replace(verdict, claim=None), force=True)  # type: ignore[arg-type]


def _load(folder: Path, task: Task, claim: Claim, budget: Budget, kind: Kind) -> Verdict | None:
    """The verdict of an earlier run, if there is one and it holds; what else may lie there is refused unread."""
    kept = _kept(folder, task, claim, budget, kind)
    try:
        found = os.stat(kept.path)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode) or found.st_size > MOST_KEPT:
        raise BadInput(f"{str(kept.path)!r} is not a verdict that this program has kept; remove it")
    verdict = kept.load()
    if not isinstance(verdict, Verdict):
        raise BadInput(f"{str(kept.path)!r} does not hold a verdict; remove it")
    return rejudge(claim, verdict, budget, kind)


def _kept(folder: Path, task: Task, claim: Claim, budget: Budget, kind: Kind) -> Any:
    """The file that keeps the verdict on a claim; another program, budget or version has another file."""
    from dpwitness.auditors.running.checkpoint import Checkpoint, identity

    code: Any = getattr(claim.mechanism, "program", None) or getattr(claim.mechanism, "sampler", None)
    file = Path(getattr(getattr(code, "__code__", None), "co_filename", ""))
    source = hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else ""
    name = identity(__version__, task, budget, kind, source, claim.describe())
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotWrite(f"out={str(folder.parent)!r} cannot be written: {why(error)}") from error
    return Checkpoint(folder / f"{name[:24]}.verdict", name)


def _run(
    work: Work, todo: Sequence[int], budget: Budget, kind: Kind, where: Workers,
    watch: Callable[[str, Progress], None] | None,
) -> Decided:  # fmt: skip
    if where.executor == "processes" and min(where.count, len(todo)) > 1:
        yield from _at_once(work, todo, budget, kind, where)
    elif todo:
        yield from _one_by_one(work, todo, budget, kind, where, watch)


def _one_by_one(
    work: Work, todo: Sequence[int], budget: Budget, kind: Kind, where: Workers,
    watch: Callable[[str, Progress], None] | None,
) -> Decided:  # fmt: skip
    with ExitStack() as stack:
        pool = None
        if kind != "prove":
            from dpwitness.auditors.running.workers import open_executor

            pool, close = open_executor(where.executor, where.count if where.executor != "dask=local" else where.jobs)
            stack.callback(close)
        for i in todo:
            task, claim = work[i]
            yield i, _decided(task, claim, budget, kind, where.folder, pool, watch)


def _at_once(work: Work, todo: Sequence[int], budget: Budget, kind: Kind, where: Workers) -> Decided:
    """Several claims at a time. What a dead worker leaves behind is tried again, then claim by claim."""
    left = list(todo)
    for attempt in range(2):
        try:
            for i, verdict in _in_pool(work, left, budget, kind, where):
                yield i, verdict
                left = [j for j in left if j != i]
            return
        except BrokenExecutor:
            if attempt:
                break
    for i in left:
        try:
            yield from _in_pool(work, [i], budget, kind, where)
        except BrokenExecutor:
            died = "the process died while it decided this claim: the program ends it, or memory ran out"
            yield i, judge(work[i][1], [Unsupported(died, method=MACHINE)])


def _in_pool(work: Work, todo: Sequence[int], budget: Budget, kind: Kind, where: Workers) -> Decided:
    from dpwitness.auditors.running.workers import settle

    pool = ProcessPoolExecutor(min(where.count, len(todo)), initializer=settle, initargs=(os.getpid(),))
    try:
        waiting = {pool.submit(_decide_task, work[i][0], budget, kind, where.folder): i for i in todo}
        broken: BaseException | None = None
        for future in as_completed(waiting):
            error = future.exception()
            if isinstance(error, BrokenExecutor):
                broken = error  # others may have finished before
                continue
            yield waiting[future], future.result()
        if broken is not None:
            raise broken
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _decide_task(task: Task, budget: Budget, kind: Kind, folder: Path | None) -> Verdict:
    # the claim itself is not sent back: it holds the program, and the other process has it
    return replace(_decided(task, task.claim(), budget, kind, folder, None, None), claim=None)  # type: ignore[arg-type]


def _decided(
    task: Task, claim: Claim, budget: Budget, kind: Kind, folder: Path | None, pool: Any,
    watch: Callable[[str, Progress], None] | None,
) -> Verdict:  # fmt: skip
    if kind == "prove":
        return decide(claim, budget, kind)
    from dpwitness.auditors.running.runner import Service, using

    checkpoint = None if folder is None else _kept(folder, task, claim, budget, kind).path.with_suffix(".audit")
    told = None if watch is None else lambda now: watch(claim.target, now)
    with using(Service(pool, checkpoint, told, StandIn(task))):
        verdict = decide(claim, budget, kind)
    if checkpoint is None or not _machine_failed(verdict):
        return verdict
    with using(Service(pool, None, told, StandIn(task))):  # a disk that is full can still be done without
        return decide(claim, budget, kind)


_found: dict[str, Claim] = {}


@dataclass(frozen=True)
class StandIn:
    """Samples a claim's mechanism in a process that does not have it yet."""

    task: Task

    @property
    def claim(self) -> Claim:
        """The claim, found once in every process."""
        name = repr(self.task)
        if name not in _found:
            _found[name] = self.task.claim()
        return _found[name]

    def __call__(self, data: Sequence[Any], size: int, rng: np.random.Generator) -> Any:
        params: dict[str, Any] = dict(self.claim.params)
        return self.claim.mechanism.sample(data, size, rng, **params)
