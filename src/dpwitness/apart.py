"""A program read in a process of its own: where it hangs outside Python, or ends its process, nothing else is lost.

A program is run, by provers and by the judge, with values of their own; `sum(range(10**12))` or a call into C is then
beyond every interruption. So a claim about a program that does not come with the package is decided in a forked
process, which tells how far it has come. Proofs have a share of the time; where their process has to be ended, the
audit is made in another one.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

from dpwitness.core.budget import Budget
from dpwitness.core.claims import Claim
from dpwitness.core.evidence import Unsupported
from dpwitness.core.failures import MACHINE
from dpwitness.core.judging.judge import judge
from dpwitness.core.limits import Deadline
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.processes import ProcessLost, Tell, Unsendable, can_fork, run_apart
from dpwitness.core.readers.where import packaged
from dpwitness.core.verdict import PREFLIGHT, Verdict

GRACE = 5.0  # seconds after a limit for the process to stop by itself
LATEST = 8.0  # the same where an audit, which has such a process of its own, is under way
PROOFS = 0.5  # the share of a claim's time that proofs may take where an audit follows
REASONING = PROOFS + (1 - PROOFS) * PROOFS  # the share after which nothing but the audit may be under way

_PROVING = (
    "dpwitness.core.coexecution",
    "dpwitness.proofs.anyn.probing",
    "dpwitness.proofs.anyn.selection",
    "dpwitness.proofs.laws.floats",
    "dpwitness.proofs.models.registry",
)
_AUDITING = ("dpwitness.auditors.replay.programs",)
_LATER = {"prove": _PROVING, "audit": _AUDITING, "verify": _PROVING + _AUDITING}  # what the routes load on the way

T = TypeVar("T")


class Work(Protocol):
    """Decides a claim; tells the verdict so far when the program has been run, and when the provers have spoken."""

    def __call__(self, budget: Budget, kind: str, tell: Callable[[Verdict], None]) -> Verdict: ...


def separates(claim: Claim) -> bool:
    """Whether the program of a claim is read in a process of its own."""
    return isinstance(claim.mechanism, Mechanism) and can_fork() and not packaged(claim.mechanism)


def read_apart(claim: Claim, seconds: float, work: Callable[[], T], lost: Callable[[str], T]) -> T:
    """What `work` finds of the program of a claim; what `lost` makes of the reason why its process was ended.

    Parameters
    ----------
    seconds
        The time that `work` keeps to by itself wherever Python can be interrupted.
    """
    if not separates(claim):
        return work()
    _load()
    try:
        found: T = run_apart(lambda tell: work(), deadline=Deadline.after(seconds), grace=GRACE)
    except Unsendable:
        return work()
    except ProcessLost as error:
        return work() if error.unsafe else lost(_words(claim, error))
    return found


def decide_apart(claim: Claim, budget: Budget, kind: str, work: Work) -> Verdict:
    """The verdict of `work`, found in a process of its own; after a loss, what was known before it."""
    service = None if kind == "prove" else _service()
    if not separates(claim) or (service is not None and not service.movable):
        return work(budget, kind, lambda verdict: None)
    _load(kind)
    stages = _Stages(claim, budget.seconds, kind)

    def hear(message: tuple[str, Any]) -> None:
        if message[0] == "stage":
            stages.told.append(replace(message[1], claim=claim))
        elif service is not None:
            service.relay(message[1])

    def serve(tell: Tell) -> Verdict:
        through = contextlib.nullcontext() if service is None else service.through(lambda now: tell(("progress", now)))
        with contextlib.redirect_stdout(_Nowhere()), through:  # a program is run hundreds of times
            found = work(budget, kind, lambda verdict: tell(("stage", _bare(verdict))))
        return _bare(found)

    try:
        found: Verdict = run_apart(serve, hear, Deadline.after(budget.seconds), LATEST, stages.overdue)
    except Unsendable:  # inputs of a kind that no pipe takes
        return work(budget, kind, lambda verdict: None)
    except ProcessLost as lost:
        if lost.unsafe:
            return work(budget, kind, lambda verdict: None)
        return stages.after(lost, lambda left: decide_apart(claim, replace(budget, seconds=left), "audit", work))
    return replace(found, claim=claim)


class _Nowhere(io.TextIOBase):
    """What programs print while they are proved or sampled."""

    def write(self, text: str) -> int:
        return len(text)


@dataclass
class _Stages:
    """How far a process has come: it runs the program, then reasons about it, then audits it."""

    claim: Claim
    seconds: float
    kind: str

    def __post_init__(self) -> None:
        self.told: list[Verdict] = []
        self.started = time.monotonic()

    def overdue(self) -> bool:
        """Whether proofs have taken the time of the audit."""
        reasons = self.kind == "verify" and len(self.told) < 2
        return reasons and time.monotonic() > self.started + REASONING * self.seconds + GRACE

    def after(self, lost: ProcessLost, audit: Callable[[float], Verdict]) -> Verdict:
        """What is left when the process is lost: an audit has not been made where the proofs were under way."""
        spent = time.monotonic() - self.started
        words = _words(self.claim, lost)
        if not self.told:
            return judge(self.claim, [Unsupported(words, None, PREFLIGHT, spent)])
        reasons = self.kind != "audit" and len(self.told) == 1
        item = Unsupported(words, None, MACHINE if not lost.hung else "proofs" if reasons else "audit", spent)
        found = self.told[-1]
        if reasons and self.kind == "verify" and spent < self.seconds:
            found = audit(self.seconds - spent)
        return replace(found, silent=(*found.silent, item))


def _words(claim: Claim, lost: ProcessLost) -> str:
    return f"the process that ran the program {claim.target} {lost.reason}"


def _bare(verdict: Verdict) -> Verdict:
    """Without the claim: it holds the program, which cannot be sent, and which the other process has."""
    return replace(verdict, claim=None)  # type: ignore[arg-type]


def _load(kind: str = "prove") -> None:
    """Load here, once, what every such process would have to load."""
    for package in {"prove": ("proofs",), "audit": ("auditors",)}.get(kind, ("proofs", "auditors")):
        importlib.import_module(f"dpwitness.{package}").routes()
    for name in (*_LATER[kind], "dpwitness.proofs.checker", "dpwitness.core.readers.recorder"):
        importlib.import_module(name)
    if kind != "audit":
        importlib.import_module("dpwitness.proofs.kernel.check").checkers()


@dataclass(frozen=True)
class _Service:
    """The workers and the watchers of the audits of this process, for one in another."""

    here: Any
    movable: bool

    def relay(self, progress: Any) -> None:
        if self.here.watch is not None:
            self.here.watch(progress)

    def through(self, tell: Tell) -> contextlib.AbstractContextManager[None]:
        from dpwitness.auditors.running.runner import using

        return using(replace(self.here, watch=None if self.here.watch is None else tell))


def _service() -> _Service:
    from dpwitness.auditors.running.runner import current
    from dpwitness.auditors.running.workers import survives_fork

    return _Service(current(), survives_fork(current().executor))
