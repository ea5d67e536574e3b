"""The routes to evidence: which provers and auditors there are, and running them on one claim."""

from __future__ import annotations

import importlib
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Literal, Protocol

from dpwitness.core.budget import Budget
from dpwitness.core.claims import Claim
from dpwitness.core.errors import (
    DPWitnessError,
    ImpureProgram,
    OutsideFragment,
)
from dpwitness.core.evidence import Counterexample, Evidence, Unsupported, UpperBound
from dpwitness.core.failures import FOREIGN, MACHINE, ToolFailure, why
from dpwitness.core.limits import time_limit
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.verdict import PREFLIGHT, Verdict, judge, proves

Kind = Literal["verify", "prove", "audit"]


class Route(Protocol):
    """A prover or an auditor."""

    def supports(self, claim: Claim) -> str | None:
        """None where the route can speak about the claim, else the reason why not."""

    def run(self, claim: Claim, budget: Budget) -> Evidence:
        """Evidence on the claim within the budget."""


def routes(package: Literal["proofs", "auditors"]) -> list[Route]:
    """The routes that a package offers, in the order in which to try them."""
    found: list[Route] = importlib.import_module(f"dpwitness.{package}").routes()
    return found


def decide(claim: Claim, budget: Budget, kind: Kind = "verify") -> Verdict:
    """Run the routes of `kind` on one claim and judge.

    Provers are tried in order until one proves the claim or refutes it exactly. Auditors always run, as an independent
    check of the provers; where the claim is already decided they get a twentieth of the samples and do not search:
    they look at the counterexample's own inputs, or at one typical pair.
    """
    evidence: list[Evidence] = []
    trouble = preflight(claim, budget)
    if trouble is not None:
        return judge(claim, [trouble])
    if kind != "audit":
        for item in proofs(claim, budget):
            evidence.append(item)
            if _settled(claim, evidence):
                break
    if kind != "prove":
        share = _second_opinion(claim, evidence, budget) if _settled(claim, evidence) else budget
        evidence += [attempt(route, claim, share) for route in routes("auditors")]
    return judge(claim, evidence)


def proofs(claim: Claim, budget: Budget) -> Iterator[Evidence]:
    """What the provers say, one after the other; nothing is read that could tell a reader from a real run."""
    if isinstance(claim.mechanism, Mechanism):
        from dpwitness.core.readers.gate import outside_state, refuse_tricks, same_state

        program = claim.mechanism.program
        try:
            refuse_tricks(program)
            before = outside_state(program)
            for route in routes("proofs"):
                found = attempt(route, claim, budget)
                same_state(program, before)  # a program with a memory may do something else next time
                yield found
        except OutsideFragment as error:
            yield Unsupported(error.reason, error.line, "gate")
        except ImpureProgram as error:
            yield Unsupported(str(error), None, "gate")
        return
    for route in routes("proofs"):
        yield attempt(route, claim, budget)


def preflight(claim: Claim, budget: Budget) -> Unsupported | None:
    """Run the program a few times: what fails, hangs or is not a function of its arguments cannot be decided."""
    if not isinstance(claim.mechanism, Mechanism):
        return None
    import numpy as np

    from dpwitness.core.readers.recorder import check_pure
    from dpwitness.core.readers.where import program_code, raised_at

    code = program_code(claim.mechanism.program)
    rng = np.random.default_rng(np.random.SeedSequence(budget.seed, spawn_key=(0,)))
    try:
        with time_limit(budget.seconds, f"the program {claim.target}"):
            for pair in claim.space.typical_pairs()[:3]:
                for data in (pair.left, pair.right):
                    check_pure(claim.mechanism.program, rng, list(data), **claim.params)
    except DPWitnessError as error:
        return Unsupported(str(error), raised_at(error, code), PREFLIGHT)
    except Exception as error:
        words = f"the program raised {type(error).__name__}: {error}"
        return Unsupported(words, raised_at(error, code), PREFLIGHT)
    return None


def attempt(route: Route, claim: Claim, budget: Budget) -> Evidence:
    """One route on one claim. Whatever goes wrong inside becomes `Unsupported` with the reason.

    Its method tells the failures of the machine, and of code that can only be sampled, from a route that cannot speak.
    """
    start = time.monotonic()
    name = type(route).__name__
    try:
        with time_limit(budget.seconds, f"{name} on {claim.target}"):
            reason = route.supports(claim)
            if reason is not None:
                return Unsupported(reason, method=name)
            return route.run(claim, budget)
    except OutsideFragment as error:
        return Unsupported(error.reason, error.line, name, time.monotonic() - start)
    except (OSError, MemoryError, ToolFailure) as error:
        words = str(error) if isinstance(error, ToolFailure) else why(error)
        return Unsupported(f"{name} could not go on: {words}", None, MACHINE, time.monotonic() - start)
    except DPWitnessError as error:
        unsampled = isinstance(error, FOREIGN) and not isinstance(claim.mechanism, Mechanism)
        return Unsupported(str(error), None, PREFLIGHT if unsampled else name, time.monotonic() - start)
    except Exception as error:
        text = f"{name} failed: {type(error).__name__}: {error}"  # a bug, and no reason to call the claim undecidable
        return Unsupported(text, None, MACHINE, time.monotonic() - start)


def _second_opinion(claim: Claim, evidence: Iterable[Evidence], budget: Budget) -> Budget:
    found = next((e for e in evidence if isinstance(e, Counterexample)), None)
    if found is not None:
        pairs = [(found.left, found.right)]
    else:
        pairs = [(p.left, p.right) for p in claim.space.typical_pairs()[:1]]
    return replace(budget, max_pairs=max(1000, budget.max_pairs // 20), pairs=tuple(pairs))


def _settled(claim: Claim, evidence: Iterable[Evidence]) -> bool:
    return any(isinstance(e, Counterexample) or (isinstance(e, UpperBound) and proves(e, claim)) for e in evidence)
