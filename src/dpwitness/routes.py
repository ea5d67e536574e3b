"""Deciding one claim: the one orchestration behind the command line, the Python interface and the pytest plugin.

Which provers and auditors there are is asked of their packages. Whatever they return goes to the judge together with
the kernel's checker, and only the judge decides.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from typing import Any, Literal, Protocol

from dpwitness.apart import PROOFS, decide_apart, read_apart
from dpwitness.core.budget import Budget
from dpwitness.core.claims import Claim
from dpwitness.core.errors import DPWitnessError, ImpureProgram, OutsideFragment
from dpwitness.core.evidence import Counterexample, Evidence, LowerBound, Unsupported, UpperBound
from dpwitness.core.failures import FOREIGN, MACHINE, ToolFailure, why
from dpwitness.core.guarantees import epsilon_delta
from dpwitness.core.judging.judge import Checker, confirm, judge
from dpwitness.core.judging.trying import other_parameters, spread_pairs
from dpwitness.core.limits import time_limit
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.readers.door import reading
from dpwitness.core.spaces import Records
from dpwitness.core.verdict import PREFLIGHT, Decision, Verdict

Kind = Literal["verify", "prove", "audit"]
SHARE = 1 / 2  # of the time left, for one prover
GRACE, AFTER = 1.1, 10.0  # an auditor is ended after so many times its limit and so many seconds
ROUNDING = Fraction(1, 10**12)
ROUNDED = "the excess is what rounding leaves: the double 8 / 3 is a little below the number, write Fraction(8, 3)"


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


@cache
def kernel_checker() -> Checker:
    """The checker that the judge is given: the kernel, and the executable models of its theorems."""
    found: Checker = importlib.import_module("dpwitness.proofs.checker").KernelChecker()
    return found


Audit = Callable[[Claim, Budget], Iterable[Evidence]]


def run_auditors(claim: Claim, budget: Budget) -> Iterable[Evidence]:
    """What the auditors say. They keep their limit and what they have learnt by then; ours ends those that hang."""
    grace = GRACE * budget.seconds + AFTER
    return [attempt(route, claim, budget, grace) for route in routes("auditors")]


def decide(claim: Claim, budget: Budget, kind: Kind = "verify", audit: Audit = run_auditors) -> Verdict:
    """Run the routes of `kind` on one claim and judge.

    Provers are tried in order until one proves the claim or refutes it exactly. A claim that is a function of its
    parameters and was proved at some of their values only is then tried at others. Auditors always run, as an
    independent check of the provers; where the claim is already decided they get a tenth of the samples and do not
    search: they look at the counterexample's own inputs, or at pairs of every kind. The pairs on which a failed proof
    found the most to lose come before all others, for the provers after it and for the auditors. A program that does
    not come with the package is read in a process of its own.
    """
    return decide_apart(claim, budget, kind, partial(_decide, claim, audit))


def _decide(claim: Claim, audit: Audit, budget: Budget, kind: str, tell: Callable[[Verdict], None]) -> Verdict:
    """`decide`, in this process; `tell` is given the verdict so far before the provers begin, and before the audit."""
    clock = _Clock(budget.seconds)
    reasoning = _Clock(budget.seconds * (PROOFS if kind == "verify" else 1))
    trouble = preflight(claim, replace(budget, seconds=reasoning.left()))
    if trouble is not None:
        return judge(claim, [trouble])
    evidence: list[Evidence] = []
    tried: list[tuple[Any, Decision]] = []
    verdict = judge(claim, evidence)
    tell(verdict)
    if kind != "audit":
        evidence = as_asked(prove_claim(claim, replace(budget, seconds=reasoning.left())), budget.numerics)
        verdict = judge(claim, evidence, kernel_checker())
        if verdict.decision is Decision.PROVED:
            tried = tried_elsewhere(claim, verdict, replace(budget, seconds=clock.left()), evidence)
        tell(replace(judge(claim, evidence, kernel_checker()), tried=tuple(tried)))
    if kind != "prove":
        settled = verdict.decision in (Decision.PROVED, Decision.REFUTED)
        share = _second_opinion(claim, verdict, budget) if settled else budget
        evidence += audit(hinted(claim, evidence), replace(share, seconds=clock.left()))
    return replace(judge(claim, evidence, kernel_checker()), tried=tuple(tried), cause=_cause(verdict, evidence))


def as_asked(evidence: Iterable[Evidence], numerics: str) -> list[Evidence]:
    """Proofs and exact counterexamples are about real-valued noise: what they decide where doubles decide as well.

    A proof proves nothing then. A counterexample breaks the claim about real numbers, which is one of the two under
    ``"both"``, and none under ``"doubles"``.
    """
    silenced = {"ideal": (), "both": (UpperBound,), "doubles": (UpperBound, Counterexample)}[numerics]
    found = []
    for item in evidence:
        what = "proof" if isinstance(item, UpperBound) else "counterexample"
        words = f"a {what} was found for real-valued noise, which says nothing of doubles (--numerics ideal)"
        silent = isinstance(item, silenced)
        found.append(Unsupported(words, None, item.method, item.seconds) if silent else item)
    return found


def _cause(verdict: Verdict, evidence: list[Evidence]) -> str:
    """What an audit of the counterexample's own inputs says to look at."""
    if not isinstance(verdict.lower, Counterexample):
        return ""
    shown, claimed = verdict.lower.epsilon_lower, epsilon_delta(verdict.claim.guarantee)
    if _hardly(shown, claimed) and verdict.lower.params is None:
        return ROUNDED
    pair = (verdict.lower.left, verdict.lower.right)
    audits = [e for e in evidence if isinstance(e, LowerBound) and (e.left, e.right) == pair]
    return next((str(e.details["cause"]) for e in audits if e.details.get("cause")), "")


def _hardly(shown: Fraction | None, claimed: tuple[Fraction, Fraction] | None) -> bool:
    """Whether an exact loss exceeds the claimed one by no more than rounding does."""
    return shown is not None and claimed is not None and shown <= claimed[0] * (1 + ROUNDING)


class _Clock:
    """The time that one claim may take."""

    def __init__(self, seconds: float) -> None:
        self.start = time.monotonic()
        self.end = self.start + seconds

    def left(self) -> float:
        """What is left, a little at least."""
        return max(0.05, self.end - time.monotonic())

    def shorten(self) -> None:
        """Leave as much time as was used up to now, and a second."""
        now = time.monotonic()
        self.end = min(self.end, now + (now - self.start) + 1)


def prove_claim(claim: Claim, budget: Budget) -> list[Evidence]:
    """What the provers say, in order, until the claim is decided for all values of its parameters.

    Each has half of the time that is left, so that one which does not come to an end leaves time to those after it.
    Once it is proved at some values only, the other provers get as much time again to find a proof for all of them.
    """
    clock = _Clock(budget.seconds)
    found: list[Evidence] = []
    try:
        with ExitStack() as stack:
            if isinstance(claim.mechanism, Mechanism):
                stack.enter_context(reading(claim.mechanism.program))
            provers = routes("proofs")
            for route in provers:
                share = 1 if route is provers[-1] else SHARE
                found.append(attempt(route, hinted(claim, found), replace(budget, seconds=share * clock.left())))
                verdict = judge(claim, found, kernel_checker())
                if verdict.decision is Decision.REFUTED or _proved_everywhere(claim, verdict):
                    break
                if verdict.decision is Decision.PROVED:
                    clock.shorten()
    except (OutsideFragment, ImpureProgram) as error:
        return [Unsupported(getattr(error, "reason", str(error)), getattr(error, "line", None), "gate")]
    return found


def confirmed_proofs(claim: Claim, budget: Budget) -> list[UpperBound | Counterexample]:
    """Everything that any prover can show of a claim, confirmed by the judge."""
    return read_apart(claim, budget.seconds, lambda: _confirmed_proofs(claim, budget), lambda words: [])


def _confirmed_proofs(claim: Claim, budget: Budget) -> list[UpperBound | Counterexample]:
    clock = _Clock(budget.seconds)
    found = []
    for route in routes("proofs"):
        item = confirm(claim, attempt(route, claim, replace(budget, seconds=clock.left())), kernel_checker())
        if isinstance(item, UpperBound | Counterexample):
            found.append(item)
    return found


def _proved_everywhere(claim: Claim, verdict: Verdict) -> bool:
    """Whether the claim is proved for all values of the parameters of which it is a function."""
    if verdict.decision is not Decision.PROVED or verdict.upper is None or verdict.upper.confirmed is None:
        return False
    return set(claim.free) <= verdict.upper.confirmed.covers


def tried_elsewhere(
    claim: Claim, verdict: Verdict, budget: Budget, evidence: list[Evidence]
) -> list[tuple[Any, Decision]]:
    """Try a claim about a function where its proof does not hold; a counterexample found there joins the evidence.

    Only a refutation counts, so only refutations are confirmed. The prover that proved the claim is asked first.
    """
    upper, clock = verdict.upper, _Clock(budget.seconds)
    assert upper is not None
    place = next(k for k, e in enumerate(evidence) if getattr(e, "certificate", None) is upper.certificate)
    provers = routes("proofs")
    winner = place if place < len(provers) else 0  # what was kept in a file is not in the order of the provers
    ordered = [provers[winner], *provers[:winner], *provers[winner + 1 :]]
    covered = frozenset() if upper.confirmed is None else upper.confirmed.covers
    places = list(other_parameters(claim, covered))
    tried: list[tuple[Any, Decision]] = []
    for k, there in enumerate(places):
        limit = _Clock(clock.left() * PROOFS / (len(places) - k))
        exact = _refute_at(claim, there, ordered, budget, limit)
        moved = {name: value for name, value in there.params.items() if value != claim.params[name]}
        tried.append((moved, Decision.NOT_REFUTED if exact is None else Decision.REFUTED))
        if exact is not None:
            evidence.append(exact)
            break
    return tried


def _refute_at(
    claim: Claim, there: Claim, provers: Iterable[Route], budget: Budget, limit: _Clock
) -> Counterexample | None:
    """A confirmed counterexample to a claim at other parameters."""
    assert isinstance(there.mechanism, Mechanism)
    with reading(there.mechanism.program):
        for route in provers:
            found = attempt(route, there, replace(budget, seconds=limit.left()))
            if isinstance(found, UpperBound) and found.guarantee.implies(there.guarantee):
                return None  # nothing is promised there, and nothing was found against it
            if isinstance(found, Counterexample):
                moved = replace(found, params=there.params)
                if isinstance(confirm(claim, moved, kernel_checker()), Counterexample):
                    return moved
    return None


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


def attempt(route: Route, claim: Claim, budget: Budget, limit: float | None = None) -> Evidence:
    """One route on one claim, ended after `limit` (else the budget's) seconds. What goes wrong becomes `Unsupported`.

    Its method tells the failures of the machine, and of code that can only be sampled, from a route that cannot speak.
    """
    start = time.monotonic()
    name = type(route).__name__
    try:
        with time_limit(budget.seconds if limit is None else limit, f"{name} on {claim.target}"):
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


def hinted(claim: Claim, evidence: Iterable[Evidence]) -> Claim:
    """The claim with the pairs that a failed proof points at among its examples, before all others."""
    pairs = [pair for item in evidence if isinstance(item, Unsupported) for pair in item.pairs]
    space = claim.space
    if not pairs or not isinstance(space, Records):
        return claim
    more = Records(space.domain, (space.fewest, space.most), space.relation, examples=[*pairs, *space.examples])
    return replace(claim, space=more)


def _second_opinion(claim: Claim, verdict: Verdict, budget: Budget) -> Budget:
    """A tenth of the samples, half of them for doubles; on the counterexample's inputs, or on pairs of every kind."""
    if isinstance(verdict.lower, Counterexample):
        pairs = [(verdict.lower.left, verdict.lower.right)]
    else:
        any_size = verdict.upper is not None and verdict.upper.scope.queries == "any"
        pairs = spread_pairs(claim, any_size, budget.seed)
    few = min(budget.max_pairs, max(2000, budget.max_pairs // 10))
    return replace(budget, max_pairs=few, pairs=tuple(pairs))
