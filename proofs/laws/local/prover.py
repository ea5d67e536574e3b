"""The prover of reports of one record of an interval: choices and uniform draws that move with the record."""

from __future__ import annotations

import time
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.errors import DPWitnessError, OutsideFragment, ProgramTimeout
from dpwitness.core.evidence import IDEAL_REALS, Counterexample, Evidence, Scope, Unsupported, UpperBound
from dpwitness.core.guarantees import PureDP
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.spaces import Interval, Records
from dpwitness.proofs.kernel.algebra.field import Number
from dpwitness.proofs.kernel.arith import Rejected, Undecided, text
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.kernel.limits import limited
from dpwitness.proofs.laws.local.cuts import cuts
from dpwitness.proofs.laws.local.reading import Tree, read_tree
from dpwitness.proofs.laws.local.refuting import refute
from dpwitness.proofs.laws.stamps import about, at_epsilon

METHOD = "local report"
SECONDS = 15.0  # of processor time for the search of cuts, or half of the budget


@dataclass(frozen=True)
class LocalProver:
    """Decides pure claims about a report of one record, at every ε (`opened`) or at the ε that was asked for.

    Both are tried: a program may fail, or round, at some ε and not at the one that was asked for.
    """

    opened: bool = False
    name: str = "local"

    def supports(self, claim: Claim) -> str | None:
        """None where the prover can try, else the reason why it cannot."""
        space = claim.space
        if not isinstance(claim.mechanism, Mechanism):
            return "a black box has no program to read"
        if claim.numerics != IDEAL_REALS or not isinstance(claim.guarantee, PureDP):
            return "only pure guarantees of real-valued noise are decided"
        if not isinstance(space, Records) or not isinstance(space.domain, Interval):
            return "the data are not records of an interval"
        one = space.relation == "substitute" and space.most == 1
        return None if one else "the report is not one of a single record"

    def run(self, claim: Claim, budget: Any = None) -> Evidence:
        """Evidence about the claim: an upper bound with its certificate, a counterexample, or why neither was found."""
        start = time.monotonic()
        reason = self.supports(claim)
        if reason is None:
            try:
                return self._decide(claim, start, min(SECONDS, float(getattr(budget, "seconds", SECONDS)) / 2))
            except ProgramTimeout:
                raise
            except OutsideFragment as error:
                return Unsupported(error.reason, error.line, METHOD, time.monotonic() - start)
            except (DPWitnessError, Rejected, Undecided, ArithmeticError) as error:
                reason = str(error)
        return Unsupported(reason, None, METHOD, time.monotonic() - start)

    def _decide(self, claim: Claim, start: float, seconds: float) -> Evidence:
        assert isinstance(claim.guarantee, PureDP)
        tree = read_tree(claim, opened=self.opened)
        scope = Scope(claim.queries, "all" if self.opened else at_epsilon(claim), IDEAL_REALS)
        try:
            certificate, factor = certify(claim, tree, opened=self.opened, seconds=seconds)
        except (DPWitnessError, Rejected, Undecided, ArithmeticError):
            found = None if self.opened else refute(claim, tree, *ends_of(claim), Fraction(claim.guarantee.eps))
            if found is None:
                raise
            return Counterexample(**found, scope=scope, method=METHOD, seconds=time.monotonic() - start)
        formula = f"{factor}·eps" if self.opened else None
        return UpperBound(claim.guarantee, scope, certificate, False, METHOD, formula, time.monotonic() - start)


def ends_of(claim: Claim) -> tuple[Fraction, Fraction]:
    """The interval of the record."""
    assert isinstance(claim.space, Records)
    assert isinstance(claim.space.domain, Interval)
    return Fraction(claim.space.domain.low), Fraction(claim.space.domain.high)


def certify(claim: Claim, tree: Tree, *, opened: bool, seconds: float = SECONDS) -> tuple[dict[str, Any], Fraction]:
    """A certificate that the kernel accepts, and its loss in units of ε or of 1."""
    assert isinstance(claim.guarantee, PureDP)
    loss, eps = Fraction(claim.guarantee.eps), Fraction(claim.params.get("eps", 0))
    if opened and not eps:
        raise OutsideFragment("the program has no parameter eps")
    factor, ends = (loss / eps if opened else loss), ends_of(claim)
    with limited(seconds):
        found = cuts(tree, Number.of(ends[0], opened), Number.of(ends[1], opened), Number.exp(factor, opened))
    certificate = {
        "type": "local-report",
        "records": [text(end) for end in ends],
        "tree": tree,
        "unit": "eps" if opened else "1",
        "cuts": [cut.text() for cut in found],
        "epsilon": text(factor),
        "about": about(claim),
    }
    verdict = examine(certificate, seconds=seconds)
    if not verdict:
        raise OutsideFragment(verdict.reason)
    return certificate, factor


__all__ = ["LocalProver", "certify"]
