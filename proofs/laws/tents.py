"""The prover of noise that is kept inside an interval: density proportional to e^(−r|y−c|) on [Y₀, Y₁]."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.errors import DPWitnessError, OutsideFragment, ProgramTimeout
from dpwitness.core.evidence import IDEAL_REALS, Counterexample, Event, Evidence, Scope, Unsupported, UpperBound
from dpwitness.core.guarantees import PureDP
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.spaces import Interval, Records
from dpwitness.proofs.kernel.algebra.expsum import ExpSum
from dpwitness.proofs.kernel.arith import Rejected, Undecided, enclose, text
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.kernel.releases.tents import Centre, Tent
from dpwitness.proofs.laws.stamps import about, at_epsilon
from dpwitness.proofs.laws.transforms import branches, linear_part
from dpwitness.proofs.sizes import for_each_size

METHOD = "noise kept in an interval"
RARE = 0.01  # a stronger event is preferred as long as it is not rarer than this


@dataclass(frozen=True)
class Read:
    """What the program releases: a tent around Σ coefficients·records + offset."""

    tent: Tent
    coefficients: tuple[Fraction, ...]
    offset: Fraction

    def to_json(self) -> dict[str, Any]:
        """The centre as certificates state it."""
        return {"coefficients": [text(c) for c in self.coefficients], "offset": text(self.offset)}

    def centre(self, data: tuple[Fraction, ...]) -> Fraction:
        """The centre on a dataset."""
        return self.offset + sum((a * x for a, x in zip(self.coefficients, data, strict=True)), Fraction(0))


@dataclass(frozen=True)
class TentProver:
    """Decides pure claims about a two-sided exponential law that is cut to an interval, around a linear statistic."""

    name: str = "tents"

    def supports(self, claim: Claim) -> str | None:
        """None where the prover can try, else the reason why it cannot."""
        space = claim.space
        if not isinstance(claim.mechanism, Mechanism):
            return "a black box has no program to read"
        if claim.numerics != IDEAL_REALS or not isinstance(claim.guarantee, PureDP):
            return "only pure guarantees of real-valued noise are decided"
        if not isinstance(space, Records) or not isinstance(space.domain, Interval):
            return "the data are not records of an interval"
        return None if space.relation == "substitute" else "records come and go"

    def run(self, claim: Claim, budget: Any = None) -> Evidence:
        """Evidence about the claim: an upper bound with its certificate, a counterexample, or why neither was found."""
        return for_each_size(self._run, claim)

    def _run(self, claim: Claim) -> Evidence:
        start = time.monotonic()
        reason = self.supports(claim)
        if reason is None:
            try:
                return self._decide(claim, start)
            except ProgramTimeout:
                raise
            except (DPWitnessError, Rejected, Undecided) as error:
                reason = str(error)
        return Unsupported(reason, None, METHOD, time.monotonic() - start)

    def _decide(self, claim: Claim, start: float) -> Evidence:
        space, guarantee = claim.space, claim.guarantee
        assert isinstance(space, Records)
        assert isinstance(space.domain, Interval)
        assert isinstance(guarantee, PureDP)
        eps, low, high = Fraction(guarantee.eps), Fraction(space.domain.low), Fraction(space.domain.high)
        read = read_tent(claim, space.most)
        ends = Centre(read.coefficients, read.offset).range(low, high)
        move = max(abs(a) for a in read.coefficients) * (high - low)
        certificate: dict[str, Any] = {
            "type": "tent",
            "rate": text(read.tent.rate),
            "support": [text(read.tent.bottom), text(read.tent.top)],
            **read.to_json(),
            "records": [text(low), text(high)],
            "epsilon": text(eps),
            "about": about(claim),
        }
        scope = Scope(claim.queries, at_epsilon(claim), IDEAL_REALS)
        verdict = examine(certificate)
        if verdict:
            worst = [read.tent.excess(a, b, eps) for a, b in ((ends[0], ends[0] + move), (ends[1], ends[1] - move))]
            exact, seconds = max(worst) == 0, time.monotonic() - start
            return UpperBound(claim.guarantee, scope, certificate, exact, METHOD, None, seconds)
        found = _refute(claim, read, (low, high), eps)
        if found is None:
            return Unsupported(verdict.reason, None, METHOD, time.monotonic() - start)
        return Counterexample(**found, scope=scope, method=METHOD, seconds=time.monotonic() - start)


def read_tent(claim: Claim, size: int) -> Read:
    """The law of the output: two branches that meet at the centre, rise to it and fall from it at one rate."""
    assert isinstance(claim.mechanism, Mechanism)
    found = branches(claim.mechanism.program, size, claim.params)
    if len(found) != 2:
        raise OutsideFragment("the density does not have two branches")
    below, above = sorted(found, key=lambda branch: -branch.rate)
    if below.centre != above.centre or below.rate != -above.rate or below.weight != above.weight:
        raise OutsideFragment("the two branches do not meet")
    coefficients, offset = linear_part(below.centre)
    tent = Tent(below.rate, below.end, above.end)
    if tent.bottom >= tent.top:
        raise OutsideFragment("the branches lie on the wrong sides of the centre")
    return Read(tent, tuple(coefficients.get(i, Fraction(0)) for i in range(size)), offset)


def _refute(claim: Claim, read: Read, domain: tuple[Fraction, Fraction], eps: Fraction) -> dict[str, Any] | None:
    """Two datasets with centres a little inside the worst end, and the outputs beyond the nearer one."""
    low, high = domain
    steep = max(range(len(read.coefficients)), key=lambda i: abs(read.coefficients[i]))
    best: dict[str, Any] | None = None
    for down in (True, False):
        base = [low if (a > 0) == down else high for a in read.coefficients]
        for k in range(1, 16):
            inward, left = (high - low) / 2**k, list(base)
            nudged = next((i for i, a in enumerate(read.coefficients) if a and i != steep), steep)
            left[nudged] += inward if base[nudged] == low else -inward
            right = list(left)
            right[steep] = high if base[steep] == low else low
            here, there = read.centre(tuple(left)), read.centre(tuple(right))
            certificate = {
                "type": "tent-violation",
                "rate": text(read.tent.rate),
                "support": [text(read.tent.bottom), text(read.tent.top)],
                **read.to_json(),
                "inputs": [[text(x) for x in side] for side in (left, right)],
                "epsilon": text(eps),
            }
            if not examine(certificate):
                continue
            found = _found(read.tent, tuple(left), tuple(right), here, there, certificate)
            if best is None or (found["p_left_decimal"] > RARE and found["epsilon_lower"] > best["epsilon_lower"]):
                best = found
    if best is not None:
        best["certificate"]["about"] = about(claim)
    return best


def _found(tent: Tent, left: Any, right: Any, here: Fraction, there: Fraction, certificate: Any) -> dict[str, Any]:
    near = tent.rate * (here - tent.bottom if here < there else tent.top - here)
    far = tent.rate * abs(there - here)
    tops = 1 - ExpSum.exp(-near), ExpSum.exp(-far) - ExpSum.exp(-far - near)
    bottoms = tent.weight(here), tent.weight(there)
    p, q = (enclose(lambda t=t, b=b: t.ball() / b.ball()) for t, b in zip(tops, bottoms, strict=True))  # type: ignore[misc]
    reached = Fraction(math.log(p[0] / q[1]) * (1 - 1e-9)).limit_denominator(10**9)
    words = f"output is at {'most' if here < there else 'least'} {here}"
    return {
        "left": left,
        "right": right,
        "event": Event(words),
        "p_left": f"({tops[0]})/({bottoms[0]})",
        "p_right": f"({tops[1]})/({bottoms[1]})",
        "p_left_decimal": float(p[0]),
        "p_right_decimal": float(q[1]),
        "epsilon_lower": reached,
        "certificate": certificate,
    }
