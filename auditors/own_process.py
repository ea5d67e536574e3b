"""An audit in a process of its own: what a sampler does, and how it ends, is then its own affair.

The process is forked, so the sampler audited there is the one that this process has, with all that was patched, loaded
or configured. It tells what it finds as it goes on; where it crashes, or hangs in code that nothing interrupts, it is
ended, and the audit stands at what was told last.

A fork beside other threads may find a lock closed for ever that one of them held. Where no time limit ends it, a
process that stands still before it has told anything is therefore ended, and the audit is made here.
"""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

from dpwitness.auditors.pipeline import Findings, Question, perform, salvage
from dpwitness.auditors.running.runner import Service
from dpwitness.auditors.running.threads import load
from dpwitness.auditors.running.workers import survives_fork
from dpwitness.auditors.sampling.isolation import listen
from dpwitness.auditors.sampling.sampler import CallEnds, watched_by
from dpwitness.core.errors import ProgramFailed
from dpwitness.core.processes import ProcessLost, Tell, alone, can_fork, run_apart

GRACE = 5.0  # seconds after a limit for the process to stop by itself
STILL = 20.0  # seconds without work, after which a process is taken to wait for a lock of another thread


def isolates(ask: Question, service: Service, isolate: bool | None) -> bool:
    """Whether an audit gets a process of its own: not where an executor of the caller's lives in this one."""
    return isolate is not False and can_fork() and survives_fork(ask.executor) and survives_fork(service.executor)


def perform_apart(ask: Question, service: Service | None = None, isolate: bool | None = None) -> Findings:
    """`perform`, in a process of its own where possible."""
    base = service or Service()
    if not isolates(ask, base, isolate):
        return _as_sent(perform(ask, base))
    last: list[bytes] = []
    ends = CallEnds(shared=ask.sampler.timeout is not None)
    limited = ask.budget.seconds is not None or ask.sampler.timeout is not None
    still = None if isolate or limited or alone() else STILL

    def hear(message: tuple[str, Any]) -> None:
        if message[0] == "found":
            last[:] = [message[1]]
        elif base.watch is not None:
            base.watch(message[1])

    def work(tell: Tell) -> Findings:
        listen()
        watched_by(ends)
        told = None if base.watch is None else lambda progress: tell(("progress", progress))
        return perform(ask, replace(base, watch=told), lambda packed: tell(("found", packed)))

    load()
    try:
        found: Findings = run_apart(work, hear, ask.deadline, GRACE, lambda: ends.overdue(GRACE), still)
    except ProcessLost as lost:
        if lost.unsafe:
            return _as_sent(perform(ask, base))
        return salvage(ask, last[0] if last else None, lost)
    except ProgramFailed as error:
        if "fork" not in str(error):
            raise
        return _as_sent(perform(ask, base))  # some devices cannot be used from a forked process, and say so
    return found


def _as_sent(found: Findings) -> Findings:
    """What was found here, as it would come from another process: the same down to which parts of it are one object."""
    try:
        same: Findings = pickle.loads(pickle.dumps(found, protocol=pickle.HIGHEST_PROTOCOL))
    except Exception:  # inputs of a search that cannot be sent
        return found
    return same
