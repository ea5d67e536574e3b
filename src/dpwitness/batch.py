"""Deciding many claims, on several processes, with a result that does not depend on their number."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace

from dpwitness.catalogue import Target, find
from dpwitness.core.budget import Budget
from dpwitness.core.claims import Claim
from dpwitness.core.errors import BadInput
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.verdict import Verdict
from dpwitness.routes import Kind, decide


@dataclass(frozen=True)
class Task:
    """One claim, named so that another process can find it."""

    selector: str
    target: str
    index: int
    overrides: Mapping[str, str]


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
            result += [(Task(selector, target.name, i, mine), claim) for i, claim in enumerate(_claims(target, mine))]
    unused = [name for name in overrides if name not in used]
    if unused:
        raise BadInput(f"{unused[0]}={overrides[unused[0]]} was given, but no selected target has that parameter")
    return result


def _applicable(target: Target, overrides: Mapping[str, str]) -> dict[str, str]:
    names = target.typical if isinstance(target, Mechanism) else {}
    return {name: value for name, value in overrides.items() if name in names}


def _claims(target: Target, overrides: Mapping[str, str]) -> list[Claim]:
    return target.claims(**overrides) if isinstance(target, Mechanism) else target.claims()


def decide_all(
    work: Sequence[tuple[Task, Claim]],
    budget: Budget,
    kind: Kind,
    *,
    jobs: int = 0,
    executor: Executor | None = None,
    progress: Callable[[Verdict], None] = lambda verdict: None,
) -> list[Verdict]:
    """Decide every claim. The family-wise α of the budget is shared equally among them."""
    share = replace(budget, alpha=budget.alpha / max(1, len(work)))
    verdicts: dict[int, Verdict] = {}
    for i, verdict in _run(work, share, kind, jobs or os.cpu_count() or 1, executor):
        verdicts[i] = verdict
        progress(verdict)
    return [verdicts[i] for i in range(len(work))]


def _run(
    work: Sequence[tuple[Task, Claim]], budget: Budget, kind: Kind, jobs: int, executor: Executor | None
) -> Iterator[tuple[int, Verdict]]:
    if executor is None and (jobs <= 1 or len(work) <= 1):
        for i, (_, claim) in enumerate(work):
            yield i, decide(claim, budget, kind)
        return
    pool = executor or ProcessPoolExecutor(max_workers=min(jobs, len(work)))
    try:
        waiting = {pool.submit(_decide_task, task, budget, kind): i for i, (task, _) in enumerate(work)}
        for future in as_completed(waiting):
            i = waiting[future]
            # the claim itself is not sent back: it holds the program, and this process has it
            yield i, replace(future.result(), claim=work[i][1])
    finally:
        if executor is None:
            pool.shutdown(cancel_futures=True)


def _decide_task(task: Task, budget: Budget, kind: Kind) -> Verdict:
    targets = find([task.selector] if task.selector else [])
    target = next(t for t in targets if t.name == task.target)
    verdict = decide(_claims(target, task.overrides)[task.index], budget, kind)
    return replace(verdict, claim=None)  # type: ignore[arg-type]
