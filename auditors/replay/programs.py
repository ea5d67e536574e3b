"""The recorder auditor for the project's own programs: the same noise on two neighbouring inputs.

It runs the program of a claim with the recording reader of the core and compares as
`dpwitness.auditors.replay.compare` does. What it sees holds for the runs that it has made: it
explains a refutation and warns of one, and leaves refuting to the audit of samples, which states its
probability of error, and to the exact provers.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpwitness.auditors.bounds.ledger import Limits
from dpwitness.auditors.replay.causes import cause
from dpwitness.auditors.replay.compare import compare
from dpwitness.auditors.replay.recorder import Draw, Recording
from dpwitness.auditors.sampling.isolation import silenced
from dpwitness.auditors.sampling.meter import Meter
from dpwitness.auditors.sampling.seeds import SeedBranch
from dpwitness.core.claims import Claim
from dpwitness.core.errors import DPWitnessError, LimitReached
from dpwitness.core.evidence import Evidence, Unsupported
from dpwitness.core.guarantees import epsilon_delta
from dpwitness.core.laws import Law
from dpwitness.core.limits import Deadline, interrupted
from dpwitness.core.readers.recorder import Entry, record

_NAMES = {"gaussian": "normal"}
_SCALES = ("scale", "std")
MOST_PAIRS = 12
RUNS = 5
_ERRORS = (DPWitnessError, ArithmeticError, LookupError, TypeError, ValueError, AttributeError)


def _draw(entry: Entry) -> Draw:
    """A draw of the core's recorder as one of this package: without its scale."""
    scale = next((float(getattr(entry.law, name)) for name in _SCALES if hasattr(entry.law, name)), None)
    located = entry.law.name in ("laplace", "gaussian", "exponential")
    value = float(entry.value) / scale if located and scale else entry.value
    return Draw(_NAMES.get(entry.law.name, entry.law.name), scale, value)


@dataclass(frozen=True)
class ClaimRunner:
    """Runs the program of a claim with given draws."""

    claim: Claim
    seed: int = 0
    meter: Meter | None = None

    def __call__(self, data: Sequence[Any], number: int, draws: Sequence[Draw]) -> Recording:
        if self.meter is not None:
            self.meter.take(1)
        program: Any = self.claim.mechanism.program  # type: ignore[union-attr]
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(SeedBranch.REPLAY, number)))
        with silenced():
            found = record(program, rng, list(data), replay=[_entry(draw) for draw in draws], **self.claim.params)
        return Recording(tuple(_draw(entry) for entry in found.entries), found.output)


class _Replayed(Law):
    """A law known by its name alone, as far as replaying needs."""

    def __init__(self, name: str) -> None:
        object.__setattr__(self, "name", name)


def _entry(draw: Draw) -> Entry:
    name = {v: k for k, v in _NAMES.items()}.get(draw.name, draw.name)
    scaled = draw.scale is not None and draw.name in ("laplace", "normal", "exponential")
    return Entry(_Replayed(name), float(draw.value) * draw.scale if scaled else draw.value, None)


@dataclass(frozen=True)
class RecorderAuditor:
    """Replays the noise of a program on its neighbouring inputs."""

    name: str = "record and replay"

    def supports(self, claim: Claim) -> str | None:
        """None where the claim is about a program with an (ε,δ) guarantee."""
        if not hasattr(claim.mechanism, "program"):
            return f"{claim.target} is a black box: use replay_audit on the function itself"
        if epsilon_delta(claim.guarantee) is None:
            return f"{claim.guarantee}: a shift of the noise is compared with (ε,δ) claims only"
        return None

    def run(self, claim: Claim, budget: Limits) -> Evidence:
        """`Unsupported`, with what was noticed: a replay bounds nothing."""
        started = time.monotonic()
        reason = self.supports(claim)
        if reason is not None:
            return Unsupported(reason, method=self.name)
        found = notice(claim, seed=budget.seed)
        text = f"noticed: {found[0]}" if found else "nothing was noticed"
        return Unsupported(text, method=self.name, seconds=time.monotonic() - started)


def notice(
    claim: Claim, pairs: Sequence[tuple[Any, Any]] = (), seed: int = 0, meter: Meter | None = None
) -> tuple[str, ...]:  # fmt: skip
    """What replaying shows on the given pairs and on a few typical ones, each kind of finding once, with its inputs."""
    if RecorderAuditor().supports(claim) is not None:
        return ()
    guarantee = epsilon_delta(claim.guarantee)
    assert guarantee is not None
    typical = [(p.left, p.right) for p in claim.space.typical_pairs()]
    step = max(1, len(typical) // MOST_PAIRS)
    seen: dict[str, str] = {}
    for left, right in [*pairs, *typical[::step][:MOST_PAIRS]]:
        try:
            with interrupted(Deadline() if meter is None else meter.deadline):
                found = compare(
                    ClaimRunner(claim, seed, meter), left, right,
                    epsilon=float(guarantee[0]), delta=float(guarantee[1]), sensitivity=None, runs=RUNS,
                )  # fmt: skip
        except LimitReached:
            if meter is None:
                raise
            break
        except _ERRORS:  # the program fails on this input: the audit of samples reports it
            continue
        for finding in found:
            seen.setdefault(finding.kind, f"{finding} (inputs {_shown(left)} and {_shown(right)})")
    return tuple(seen.values())


def cause_of_claim(claim: Claim, pair: tuple[Any, Any], seed: int, meter: Meter | None) -> str:
    """What to look at in the program of a claim that was refuted on a pair."""
    if not hasattr(claim.mechanism, "program"):
        return ""
    eps, delta = (None, 0.0) if (found := epsilon_delta(claim.guarantee)) is None else map(float, found)
    try:
        with interrupted(Deadline() if meter is None else meter.deadline):
            return cause(ClaimRunner(claim, seed, meter), *pair, eps, delta or 0.0)
    except (LimitReached, *_ERRORS):  # it explains and decides nothing
        return ""


def _shown(data: Sequence[Any]) -> str:
    return "(" + ", ".join(str(x) for x in list(data)[:8]) + (", …)" if len(data) > 8 else ")")
