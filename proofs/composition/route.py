"""The prover by composition as a route of the judge."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.errors import OutsideFragment
from dpwitness.core.evidence import IDEAL_REALS, Evidence, Scope, Unsupported, UpperBound
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.readers.door import reading
from dpwitness.proofs.composition.certificate import guarantee_json, make_certificate, open_parameters, with_account
from dpwitness.proofs.composition.paths import Options, read_program
from dpwitness.proofs.composition.worst import TooDear
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.laws.stamps import at_epsilon
from dpwitness.proofs.programs.quoting import quoted

METHOD = "composition"


@dataclass(frozen=True)
class CompositionProver:
    """Proves programs made of releases: what each costs under every way in which neighbours differ, summed.

    For records the proof holds for any number of them. A failure to prove is never a sign of a violation.

    Parameters
    ----------
    seconds
        Time limit; a budget can only lower it.
    """

    seconds: float = 30.0
    name: str = "composition"

    def supports(self, claim: Claim) -> str | None:
        """None where the prover can try, else the reason why it cannot."""
        if not isinstance(claim.mechanism, Mechanism):
            return "a black box has no program text"
        if claim.numerics != IDEAL_REALS:
            return "the proof speaks of real-valued noise"
        return None

    def run(self, claim: Claim, budget: Any = None) -> Evidence:
        """An `UpperBound` with its certificate, or `Unsupported` with the reason."""
        start = time.monotonic()
        reason = self.supports(claim)
        if reason is not None:
            return Unsupported(reason, None, METHOD)
        given = budget if isinstance(budget, int | float) else getattr(budget, "seconds", None)
        limit = self.seconds if given is None else min(self.seconds, float(given))
        assert isinstance(claim.mechanism, Mechanism)
        try:
            with reading(claim.mechanism.program):
                found = self._search(claim, start + limit)
        except OutsideFragment as error:
            found = error
        if isinstance(found, UpperBound):
            return found
        words = quoted(found.reason, claim.mechanism.program, found.line)
        pairs = found.pairs if isinstance(found, TooDear) else ()
        return Unsupported(words, found.line, METHOD, time.monotonic() - start, pairs)

    def _search(self, claim: Claim, deadline: float) -> UpperBound | OutsideFragment:
        """The first proof that some way of reading gives, else why the first way that says most gave none."""
        first: OutsideFragment | None = None
        for opened, options in _attempts(claim):
            found = self._attempt(claim, opened, options, deadline)
            if isinstance(found, UpperBound):
                return found
            better = isinstance(found, TooDear) and not isinstance(first, TooDear)  # that says most
            first = found if first is None or better else first
            if time.monotonic() > deadline:
                break
        assert first is not None
        return first

    def _attempt(
        self, claim: Claim, opened: list[str], options: Options, deadline: float
    ) -> UpperBound | OutsideFragment:
        start = time.monotonic()
        assert isinstance(claim.mechanism, Mechanism)
        try:
            read = read_program(claim.mechanism.program, claim.space, claim.params, opened, options, deadline)
            certificate = make_certificate(claim, read, opened)
        except Rejected as error:
            return OutsideFragment(str(error))
        except OutsideFragment as error:
            return error
        except (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError) as error:
            return OutsideFragment(f"the reader does not follow this program ({type(error).__name__}: {error})")
        verified = examine(certificate)
        if not verified and not opened:
            certificate = with_account(certificate, claim.guarantee)
            verified = examine(certificate) if "account" in certificate else verified
        if not verified:
            return TooDear.of(claim, read, certificate, verified.reason)
        theorem = verified.theorem
        size: Any = "any" if theorem is not None and theorem.sizes == "any" else claim.queries
        scope = Scope(size, "all" if opened else at_epsilon(claim), IDEAL_REALS)
        seconds = time.monotonic() - start
        return UpperBound(claim.guarantee, scope, certificate, False, METHOD, None, seconds)


def _attempts(claim: Claim) -> Iterator[tuple[list[str], Options]]:
    """How to read: parameters as symbols or numbers; selections that use up or release noise; ways joined or not."""
    opened = open_parameters(claim)
    symbolic = bool(opened) and guarantee_json(claim, opened) is not None
    for joining in (True, False):
        for burn in (True, False):
            seen = [Options(burn, joining) for _ in range(2)]
            if symbolic:
                yield opened, seen[0]
            yield [], seen[1]
            if not any(options.burnt for options in seen):
                break
        if not any(options.met for options in seen):
            break


__all__ = ["CompositionProver"]
