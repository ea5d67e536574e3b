"""The prover of programs at a fixed number of queries: exact ε, or an exact counterexample."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.errors import BadInput, ImpureProgram, OutsideFragment, ProgramFailed, ProgramTimeout
from dpwitness.core.evidence import IDEAL_REALS, Counterexample, Evidence, Scope, Unsupported, UpperBound
from dpwitness.core.guarantees import PureDP, epsilon_delta
from dpwitness.core.mechanism import Mechanism
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.programs.comparisons import NotAForest
from dpwitness.proofs.programs.counterexamples import Goal, find
from dpwitness.proofs.programs.enumerating import METHOD, checked, enumerate_pairs
from dpwitness.proofs.programs.explain import evidence
from dpwitness.proofs.programs.exploring import TooManyPaths
from dpwitness.proofs.programs.lifting import lift
from dpwitness.proofs.programs.quoting import quoted
from dpwitness.proofs.programs.rays import EVERYWHERE
from dpwitness.proofs.programs.scope import (
    allowed_inputs,
    claimed,
    corner_of,
    exceeds,
    few_inputs,
    has_unit,
    inside_of,
    moves_of,
    neighbours_of,
    unit_of,
    whole_inputs,
)
from dpwitness.proofs.programs.shift import Bounds, bound, certificate
from dpwitness.proofs.programs.tables import read_table
from dpwitness.proofs.sizes import for_each_size


@dataclass(frozen=True)
class ProgramProver:
    """Proves or refutes pure differential privacy of a program on a fixed number of answers.

    Parameters
    ----------
    queries
        How many answers; None takes the number that the claim's space names.
    seconds
        Time limit where the budget names none.
    """

    queries: int | None = None
    seconds: float = 30.0
    name: str = "programs"

    def supports(self, claim: Claim) -> str | None:
        """None where the prover can try, else the reason why it cannot."""
        if not isinstance(claim.mechanism, Mechanism):
            return "a black box has no program to read"
        if claim.numerics != IDEAL_REALS:
            return "the proof is about real-valued noise, not about doubles"
        if epsilon_delta(claim.guarantee) is None:
            return f"no rule for {claim.guarantee.kind} guarantees"
        if moves_of(claim, 1) is not None or few_inputs(claim):
            return None
        return f"no rule for {claim.space.describe()}"

    def run(self, claim: Claim, budget: Any = None) -> Evidence:
        """Evidence about the claim: an upper bound with its certificate, a counterexample, or why neither was found."""
        return for_each_size(lambda part: self._run(part, budget), claim)

    def _run(self, claim: Claim, budget: Any) -> Evidence:
        start = time.monotonic()
        reason = self.supports(claim)
        if reason is not None:
            return Unsupported(reason, method=METHOD)
        given = getattr(budget, "seconds", None)
        limit = self.seconds if given is None else float(given)
        try:
            if moves_of(claim, 1) is None:
                return self._enumerate(claim, start, limit)
            return self._decide(claim, start, limit)
        except (OutsideFragment, TooManyPaths) as error:
            words = f"undecided: {error}" if isinstance(error, TooManyPaths) else error.reason
            reason = quoted(words, claim.mechanism.program, error.line)  # type: ignore[union-attr]
            return Unsupported(reason, error.line, METHOD, time.monotonic() - start)
        except (NotAForest, Rejected) as error:
            return Unsupported(f"undecided: {error}", None, METHOD, time.monotonic() - start)
        except (ImpureProgram, ProgramFailed, ProgramTimeout, BadInput) as error:
            return Unsupported(str(error), None, METHOD, time.monotonic() - start)

    def _decide(self, claim: Claim, start: float, limit: float) -> Evidence:
        n = self.queries or claim.queries
        try:
            bounds = self._bounds(claim, n, None, limit - (time.monotonic() - start))
        except OutsideFragment:
            if not few_inputs(claim):
                raise
            return self._enumerate(claim, start, limit)
        except TooManyPaths as error:
            return self._partly(claim, n, error, start, limit)
        refuted: Counterexample | None = None
        if not self._within(bounds, claim):
            refuted = self._refute(claim, bounds, n, start, limit)
            if refuted is None and few_inputs(claim):
                return self._enumerate(claim, start, limit)
        return refuted if refuted is not None else self._upper(claim, bounds, time.monotonic() - start)

    def _partly(self, claim: Claim, n: int, error: TooManyPaths, start: float, limit: float) -> Evidence:
        """What fewer queries show where there are too many ways through the program with all of them.

        A counterexample refutes the claim where it is one with all queries too, which the judge sees to. A bound names
        its number of queries, and so proves no more.
        """
        covered: Bounds | None = None
        for size in range(1, n):
            left = limit - (time.monotonic() - start)
            here = self._smaller(claim, size, None, left / 2) if left > 0 else None
            if here is None:
                break
            covered = here
            if exceeds(here, claim):
                refuted = self._refute(claim, here, size, start, limit)
                if refuted is not None:
                    return refuted
        if covered is None or covered.upper is None:
            raise error
        found = self._upper(claim, covered, time.monotonic() - start)
        return replace(found, method=f"{found.method}; with {n} queries there are {error}")

    def _enumerate(self, claim: Claim, start: float, limit: float) -> Evidence:
        """All pairs of a finite space; for every ε where the claim asks for it."""
        return enumerate_pairs(claim, self.queries, start, limit)

    def _bounds(self, claim: Claim, n: int, eps: Fraction | None, seconds: float) -> Bounds:
        table = read_table(claim, n, epsilon=eps, seconds=max(seconds, 0.1) / 2)
        moves = moves_of(claim, n)
        assert moves is not None
        if table.tree.discrete and not whole_inputs(claim):
            raise OutsideFragment("integer-valued noise needs inputs that are declared to be whole numbers")
        return bound(table, moves, seconds=max(seconds, 0.1) / 2, inside=inside_of(claim) or EVERYWHERE)

    def _within(self, bounds: Bounds, claim: Claim) -> bool:
        return bounds.upper is not None and bounds.upper * unit_of(bounds, claim) <= claimed(claim)[0]

    def _refute(self, claim: Claim, bounds: Bounds, n: int, start: float, limit: float) -> Counterexample | None:
        """A counterexample at the fewest queries, where the claim is known to fail with all of them as well.

        A program that looks at the number of its queries may fail with few and hold with more.
        """
        eps, delta = claimed(claim)
        at = Fraction(claim.params.get("eps", 1))
        goal = Goal(at, eps, delta, allowed_inputs(claim), claim.space.adjacency.related, corner_of(claim))
        found = None
        for size in range(1 if exceeds(bounds, claim) else n, n + 1):
            left = limit - (time.monotonic() - start)
            if left < 0 and size < n:
                continue
            here = bounds if size == n else self._smaller(claim, size, bounds.table.epsilon, left)
            if here is None or not exceeds(here, claim, strict=size < n):
                continue
            if bounds.table.tree.unit == "eps" and has_unit(here):
                here = self._bounds(claim, size, at, max(left, 1.0))
            found = find(here, goal, seconds=max(0.5, min(left, 10.0)))
            if found is not None:
                break
        if found is None:
            return None
        result = evidence(found, found.table.fingerprint, claim.target, time.monotonic() - start)
        checked(result.certificate or {})
        if len(result.left) == claim.queries or bounds.table.tree.queries != claim.queries:
            return result
        left = limit - (time.monotonic() - start)
        if bounds.table.tree.unit == "eps" and has_unit(bounds):
            bounds = self._bounds(claim, n, at, max(left, 1.0))
        whole = lift(bounds, found, goal, seconds=max(0.5, min(left, 5.0)))
        if whole is None:
            return result
        padded = evidence(whole, whole.table.fingerprint, claim.target)
        return replace(result, whole=padded, seconds=time.monotonic() - start)

    def _smaller(self, claim: Claim, size: int, eps: Fraction | None, seconds: float) -> Bounds | None:
        try:
            return self._bounds(claim, size, eps, seconds)
        except (OutsideFragment, ProgramFailed, BadInput, TooManyPaths):
            return None

    def _upper(self, claim: Claim, bounds: Bounds, seconds: float) -> Evidence:
        if bounds.upper is None:
            words = "undecided: some output has no shift that keeps it, and no counterexample was found"
            return Unsupported(words, None, METHOD, seconds)
        if bounds.upper == 0:
            return self._constant(claim, bounds, seconds)
        proof = checked(certificate(bounds, bounds.table.fingerprint, claim.target, neighbours_of(claim)))
        every = bounds.table.epsilon is None and bounds.table.tree.unit == "eps"
        value = "all" if every else str(bounds.table.epsilon) if bounds.table.epsilon is not None else "all"
        exact = bounds.exact and inside_of(claim) is not None
        return UpperBound(
            guarantee=PureDP(bounds.upper * unit_of(bounds, claim)),
            scope=Scope(queries=bounds.table.tree.queries, epsilon=value),
            certificate=proof,
            exact=exact,
            method=METHOD + (", a supremum over all answers of the space" if exact else ""),
            formula=f"{bounds.upper}·eps" if every else None,
            seconds=seconds,
        )

    def _constant(self, claim: Claim, bounds: Bounds, seconds: float) -> Evidence:
        """The output does not depend on the data: every ε holds; the claimed one is reported."""
        proof = checked(certificate(bounds, bounds.table.fingerprint, claim.target, neighbours_of(claim)))
        scope = Scope(queries=bounds.table.tree.queries, epsilon="all")
        eps = claimed(claim)[0]
        return UpperBound(PureDP(eps), scope, proof, False, METHOD + ": the data have no influence", "0", seconds)


__all__ = ["ProgramProver"]
