"""The any-N prover as a route of the judge."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.errors import OutsideFragment
from dpwitness.core.evidence import IDEAL_REALS, Evidence, Scope, Unsupported, UpperBound
from dpwitness.core.guarantees import PureDP
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.spaces import Answers
from dpwitness.proofs.anyn.budget import claimed
from dpwitness.proofs.anyn.prover import Proved, Task
from dpwitness.proofs.anyn.reading.source import read
from dpwitness.proofs.anyn.shifts import Budget
from dpwitness.proofs.kernel.algebra.laurent import Monomial, Poly, times
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.check import check
from dpwitness.proofs.programs.quoting import quoted
from dpwitness.proofs.programs.scope import whole_inputs

METHOD = "one-iteration shift"
NO_DEPENDENCE = "the output does not depend on the data, so that the smallest ε is 0"


@dataclass(frozen=True)
class AnyNProver:
    """Proves pure differential privacy of programs with loops for every number of queries and every parameter.

    A failure to prove is never a sign of a violation.

    Parameters
    ----------
    seconds
        Time limit; a budget can only lower it.
    """

    seconds: float = 20.0
    name: str = "any-n"

    def supports(self, claim: Claim) -> str | None:
        """None where the claim is of a kind that this route speaks about, else the reason why not."""
        if not isinstance(claim.mechanism, Mechanism):
            return "a black box has no program text"
        if not isinstance(claim.guarantee, PureDP):
            return "only pure differential privacy is proved for any number of queries"
        if not isinstance(claim.space, Answers):
            return "only programs that read query answers are proved for any number of queries"
        if claim.numerics != IDEAL_REALS:
            return "the proof speaks of real-valued noise"
        return None

    def run(self, claim: Claim, budget: Any = None) -> Evidence:
        """An `UpperBound` with its certificate, or `Unsupported` with the reason.

        The bound may be weaker than the claim. It is a formula in the parameters that holds for all their values; the
        evidence's guarantee is its value at the claim's parameters.

        Parameters
        ----------
        budget
            An object with `seconds`, a number of seconds, or None.
        """
        start = time.monotonic()
        reason = self.supports(claim)
        if reason is not None:
            return Unsupported(reason, method=METHOD)
        try:
            found, uniform = _search(claim, self._limit(budget))
        except OutsideFragment as error:
            assert isinstance(claim.mechanism, Mechanism)
            reason = quoted(error.reason, claim.mechanism.program, error.line)
            return Unsupported(reason, error.line, METHOD, time.monotonic() - start)
        except Rejected as error:
            return Unsupported(str(error), None, METHOD, time.monotonic() - start)
        seconds = time.monotonic() - start
        if found is None:
            return Unsupported("no shift with a linear potential was found", None, METHOD, seconds)
        if _whole_noise(found.certificate) and not whole_inputs(claim):
            return Unsupported("integer-valued noise needs answers that are declared whole", None, METHOD, seconds)
        value = found.bound.evaluate(claim.params)
        if value <= 0:
            return Unsupported(NO_DEPENDENCE, None, METHOD, seconds)
        given = claim.params.get("eps")
        scope = Scope("any", "all" if uniform or given is None else str(given), IDEAL_REALS)
        return UpperBound(PureDP(value), scope, found.certificate, False, METHOD, str(found.bound), seconds)

    def _limit(self, budget: Any) -> float:
        given = budget if isinstance(budget, int | float) else getattr(budget, "seconds", None)
        return self.seconds if given is None else min(self.seconds, float(given))


def _whole_noise(certificate: Mapping[str, Any]) -> bool:
    """Whether the proof speaks of integer-valued noise."""
    return bool(check(certificate).relation["whole"])


def _search(claim: Claim, seconds: float) -> tuple[Proved | None, bool]:
    """A proof, and whether it compares with the claim for all parameters rather than at the claim's numbers alone."""
    assert isinstance(claim.mechanism, Mechanism)
    assert isinstance(claim.space, Answers)
    source = read(claim.mechanism.program)
    domains = {**claim.mechanism.domains}
    limit = time.monotonic() + seconds

    def attempt(budget: Budget) -> Proved | None:
        left = max(0.5, limit - time.monotonic())
        assert isinstance(claim.space, Answers)
        return Task(source, domains, claim.space.moves, Fraction(claim.space.by), budget, left).run()

    promised = claimed(claim)
    if promised is not None:
        found = attempt(Budget((promised,)))
        if found is not None:
            return found, True
    budget = _open_budget(claim, promised)
    if budget is None:
        return None, False
    return attempt(budget), False


def _open_budget(claim: Claim, promised: Poly | None) -> Budget | None:
    """Any combination of privacy parameters and their products with whole ones, priced at the claim's numbers."""
    assert isinstance(claim.mechanism, Mechanism)
    assert isinstance(claim.guarantee, PureDP)
    domains = claim.mechanism.domains
    positive = [n for n in claim.params if (d := domains.get(n)) is not None and d.above is not None and d.above >= 0]
    whole = [n for n in claim.params if (d := domains.get(n)) is not None and d.whole and (d.least or 0) > 0]
    monos: set[Monomial] = {((n, 1),) for n in positive if n not in whole}
    if promised is not None:
        monos |= {m for m in promised.terms if m}
    monos |= {times(m, ((w, 1),)) for m in list(monos) for w in whole}
    if not monos:
        return None
    parts = tuple(Poly.term(m) for m in sorted(monos))
    prices = tuple(p.evaluate(claim.params) for p in parts)
    return Budget(parts, prices, Fraction(claim.guarantee.eps))
