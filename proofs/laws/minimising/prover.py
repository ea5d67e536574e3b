"""The prover of minimisers with spherical noise: objective perturbation, output perturbation, and their misuse.

What the program states is read once on unknown records (`gradients`, `fields`) and compared with what it states on a
few given datasets. Proof and refutation are those of `dpwitness.proofs.kernel.releases.minimisers`.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.errors import DPWitnessError, OutsideFragment, ProgramTimeout
from dpwitness.core.evidence import IDEAL_REALS, Counterexample, Evidence, Scope, Unsupported, UpperBound
from dpwitness.core.forms import Form
from dpwitness.core.guarantees import PureDP, epsilon_delta
from dpwitness.core.identity import distinct
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.readers.door import reading
from dpwitness.core.spaces import REAL, Records
from dpwitness.proofs.kernel.algebra.slopes import Slope
from dpwitness.proofs.kernel.arith import Rejected, Undecided, text
from dpwitness.proofs.kernel.check import Checked, examine
from dpwitness.proofs.labels import label
from dpwitness.proofs.laws.formulas import formula
from dpwitness.proofs.laws.minimising.events import Statement, largest_bend, violation
from dpwitness.proofs.laws.minimising.fields import read_field
from dpwitness.proofs.laws.minimising.gradients import Equation, entry, read_equation, specialise
from dpwitness.proofs.laws.stamps import about, at_epsilon, guarantee_json
from dpwitness.proofs.sizes import for_each_size

METHOD = "minimiser with spherical noise"
MAX_REPLAYS = 8


@dataclass(frozen=True)
class MinimiserProver:
    """Decides claims about programs that release the minimiser of a sum over records, with spherical noise."""

    name: str = "minimisers"

    def supports(self, claim: Claim) -> str | None:
        """None where the prover can try, else the reason why it cannot."""
        space = claim.space
        if not isinstance(claim.mechanism, Mechanism):
            return "a black box has no program to read"
        if claim.numerics != IDEAL_REALS:
            return "the proof is about real-valued noise, not about doubles"
        if epsilon_delta(claim.guarantee) is None:
            return f"no rule for {claim.guarantee.kind} guarantees of minimisers"
        if not isinstance(space, Records) or isinstance(space.domain, REAL):
            return "the data are not records of a finite domain"
        return None if space.relation == "substitute" else "records come and go"

    def run(self, claim: Claim, budget: Any = None) -> Evidence:
        """An upper bound with its certificate, a counterexample, or why neither was found."""
        return for_each_size(self._run, claim, finite=True)

    def _run(self, claim: Claim) -> Evidence:
        start = time.monotonic()
        reason = self.supports(claim)
        if reason is not None:
            return Unsupported(reason, None, METHOD)
        try:
            found = self._decide(claim, start)
        except ProgramTimeout:
            raise
        except OutsideFragment as error:
            return Unsupported(error.reason, error.line, METHOD, time.monotonic() - start)
        except (DPWitnessError, Rejected, Undecided) as error:
            return Unsupported(str(error), None, METHOD, time.monotonic() - start)
        return found

    def _decide(self, claim: Claim, start: float) -> Evidence:
        stated, stamp = read_statement(claim)
        scope = Scope(claim.queries, at_epsilon(claim), IDEAL_REALS)
        certificate = proof(stated, claim, stamp)
        verdict = Checked("minimiser", None, "φ is not bounded") if certificate is None else examine(certificate)
        if verdict:
            seconds = time.monotonic() - start
            return UpperBound(claim.guarantee, scope, certificate, False, METHOD, None, seconds)
        if isinstance(claim.guarantee, PureDP):
            common = {"guarantee": guarantee_json(claim.guarantee), "about": stamp}
            found = violation(stated, Fraction(claim.guarantee.eps), common)
            if found is not None:
                seconds = time.monotonic() - start
                return Counterexample(**found, scope=scope, method=METHOD, seconds=seconds)
        reason = f"no outputs were found that tell neighbours apart, and {verdict.reason}"
        return Unsupported(reason, None, METHOD, time.monotonic() - start)


def read_statement(claim: Claim) -> tuple[Statement, dict[str, Any]]:
    """What the claim's program states on every dataset, and the stamp of its certificates."""
    space = claim.space
    assert isinstance(claim.mechanism, Mechanism)
    assert isinstance(space, Records)
    assert not isinstance(space.domain, REAL)
    program = claim.mechanism.program
    records = [_numbers(record) for record in space.domain]
    width, plain = len(records[0]), not isinstance(space.domain[0], tuple)
    if any(len(record) != width for record in records) or any(plain == isinstance(r, tuple) for r in space.domain):
        raise OutsideFragment("the records are not lists of equally many numbers")
    with reading(program):
        symbols = [[Form.of_symbol(entry(i, width, k)) for k in range(width)] for i in range(space.most)]
        equation = read_equation(program, [row[0] if plain else tuple(row) for row in symbols], claim.params)
        field = read_field(equation, space.most, width)
        both = distinct(data for pair in space.typical_pairs() for data in (pair.left, pair.right))
        for data in islice(both, MAX_REPLAYS):
            _agrees(equation, read_equation(program, data, claim.params), [_numbers(record) for record in data])
    shown = "\n".join(map(str, (*equation.gradient, equation.scale, equation.outside)))
    stamp = {**about(claim), "program": "equation:" + hashlib.sha256(shown.encode()).hexdigest()}
    known = {label(r): (field.at(numbers), r) for r, numbers in zip(space.domain, records, strict=True)}
    where = "outside" if equation.outside else "inside"
    return Statement(where, field.slope, tuple(known.values()), space.most, field.ridge, equation.scale), stamp


def _numbers(record: Any) -> list[Fraction]:
    values = list(record) if isinstance(record, tuple) else [record]
    if any(isinstance(x, bool) or not isinstance(x, Fraction) for x in values):
        raise OutsideFragment("a record is not made of numbers")
    return values


def _agrees(unknown: Equation, given: Equation, records: list[list[Fraction]]) -> None:
    """Raise unless the equation on given records is the one on unknown records with their numbers put in."""
    width = len(records[0])
    values = {entry(i, width, k): x for i, record in enumerate(records) for k, x in enumerate(record)}
    expected = tuple(specialise(form, values) for form in unknown.gradient)
    if (given.gradient, given.outside, given.scale) != (expected, unknown.outside, unknown.scale):
        raise OutsideFragment("what was read of the program is not what it does on given records")


def proof(stated: Statement, claim: Claim, stamp: dict[str, Any]) -> dict[str, Any] | None:
    """The certificate that the claim holds, to be checked: a rising φ lies between its limits at −∞ and ∞."""
    phi = Slope(stated.slope)
    top, bottom, degree = phi.top, phi.bottom, phi.bottom.degree()
    if top.degree() > degree or bottom(0) == 0:
        return None
    return {
        "type": "minimiser",
        "noise": stated.where,
        "slope": stated.slope,
        "range": [str(top(0) / bottom(0)), str(top[degree] / bottom[degree])],
        "curvature": text(largest_bend(phi)),
        **stated.to_json(),
        "size": stated.size,
        "ridge": formula(stated.ridge),
        "scale": formula(stated.scale),
        "guarantee": guarantee_json(claim.guarantee),
        "about": stamp,
    }
