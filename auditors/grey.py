"""The recorder auditor for the project's own programs: the same noise on two neighbouring inputs.

It runs the program of a claim with the recording reader of the core and compares as `dpwitness.auditors.replay` does.
A finding whose privacy loss is exact refutes without statistics; the others are reported as warnings.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpwitness.auditors.recorder import Draw, Recording
from dpwitness.auditors.replay import Finding, compare
from dpwitness.auditors.route import Limits
from dpwitness.core.claims import Claim
from dpwitness.core.evidence import IDEAL_REALS, Event, Evidence, LowerBound, Scope, Unsupported
from dpwitness.core.guarantees import epsilon_delta
from dpwitness.core.laws import Law
from dpwitness.core.readers.recorder import Entry, record

_NAMES = {"gaussian": "normal"}
_SCALES = ("scale", "std")
MOST_PAIRS = 24
RUNS = 5


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

    def __call__(self, data: Sequence[Any], number: int, draws: Sequence[Draw]) -> Recording:
        program: Any = self.claim.mechanism.program  # type: ignore[union-attr]
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(4000, number)))
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
        """A refutation by an exact loss; otherwise `Unsupported`, with what was noticed."""
        started = time.monotonic()
        reason = self.supports(claim)
        if reason is not None:
            return Unsupported(reason, method=self.name)
        pair = epsilon_delta(claim.guarantee)
        assert pair is not None
        eps, delta = float(pair[0]), float(pair[1])
        warnings: list[str] = []
        for left, right, _ in claim.space.typical_pairs()[:MOST_PAIRS]:
            runner = ClaimRunner(claim, budget.seed)
            found = compare(runner, left, right, epsilon=eps, delta=delta, sensitivity=None, runs=RUNS)
            for finding in found:
                if finding.epsilon is not None and finding.kind == "sensitivity":
                    return self._evidence(claim, left, right, finding, budget, time.monotonic() - started)
                warnings.append(str(finding))
        text = "nothing was noticed" if not warnings else "noticed: " + warnings[0]
        return Unsupported(text, method=self.name, seconds=time.monotonic() - started)

    def _evidence(
        self, claim: Claim, left: Any, right: Any, finding: Finding, budget: Limits, seconds: float
    ) -> LowerBound:
        size = max(len(left), len(right))
        pair = epsilon_delta(claim.guarantee)
        loss = finding.epsilon if finding.epsilon is not None and math.isfinite(finding.epsilon) else 1e6
        return LowerBound(
            epsilon=loss * (1 - 1e-9), alpha=0.0, pairs=RUNS, seed=budget.seed, refutes=True, left=tuple(left),
            right=tuple(right), direction="left", event=Event(finding.words),
            scope=Scope(size, str(pair[0]) if pair else "", IDEAL_REALS), method=self.name, seconds=seconds,
            details={"kind": finding.kind},
        )  # fmt: skip
