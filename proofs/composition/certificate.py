"""From what was read of a program to a certificate that the kernel accepts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.domains import Domain
from dpwitness.core.errors import DPWitnessError
from dpwitness.core.evidence import UpperBound
from dpwitness.core.guarantees import ApproxDP, Guarantee
from dpwitness.core.judging import claimed
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.spaces import Answers
from dpwitness.proofs.composition.observing import form_json
from dpwitness.proofs.composition.paths import Reading
from dpwitness.proofs.composition.values import Refused
from dpwitness.proofs.kernel.accounts.pairs import Sampled
from dpwitness.proofs.kernel.algebra.laurent import Poly
from dpwitness.proofs.kernel.arith import Rejected, ball, lower, precision
from dpwitness.proofs.kernel.check import check
from dpwitness.proofs.kernel.composition.costs import Cost, account_of
from dpwitness.proofs.kernel.composition.transcripts import read_parts, worst_cost
from dpwitness.proofs.kernel.limits import limited
from dpwitness.proofs.kernel.theorem import checking

SECONDS, SINGLE_BITS = 10.0, 256
NAMES = {"eps": "epsilon", "delta": "delta", "rho": "rho", "order": "order", "mu": "mu"}


def guarantee_json(claim: Claim, opened: Sequence[str]) -> dict[str, Any] | None:
    """The claimed guarantee, its numbers as forms in the open parameters; None where they are no such forms."""
    stated: dict[str, Any] = {"kind": claim.guarantee.kind}
    if not opened:
        return {**stated, **{NAMES[n]: str(Fraction(v)) for n, v in claim.guarantee.__dict__.items()}}
    formulas = claimed.claimed_formulas(claim)
    if formulas is None:
        return None
    others = {name: Fraction(value) for name, value in claim.params.items() if name not in opened}
    for name, formula in formulas.items():
        terms = claimed.put_in(formula, others)
        if any(c < 0 for c, _ in terms):
            return None
        stated[NAMES[name]] = form_json(Poly({powers: c for c, powers in terms}))
    return stated


def open_parameters(claim: Claim) -> list[str]:
    """The parameters that a proof can leave open: positive ones, of which the numbers of the guarantee are functions.

    A δ and an order are numbers in every rule, and so is what they depend on.
    """
    formulas = claimed.claimed_formulas(claim)
    if formulas is None or not isinstance(claim.mechanism, Mechanism):
        return []
    found: dict[str, set[str]] = {
        place: {name for _, powers in formula for name, _ in powers} for place, formula in formulas.items()
    }
    fixed = set().union(*(found.get(place, set()) for place in ("delta", "order")))
    wanted = set().union(*found.values()) - fixed
    domains = claim.mechanism.domains
    return [name for name in claim.params if name in wanted and is_positive(domains.get(name, Domain()))]


def is_positive(domain: Domain) -> bool:
    """Whether a parameter is any number above some bound that is not below 0."""
    bounded = (domain.above is not None and domain.above >= 0) or (domain.least is not None and domain.least > 0)
    return bounded and not domain.whole


def make_certificate(claim: Claim, reading: Reading, opened: Sequence[str]) -> dict[str, Any]:
    """The certificate of a reading; whether it shows the claim is for the kernel to say."""
    guarantee = guarantee_json(claim, opened)
    if guarantee is None:
        raise Refused("the claim is no sum of powers of its parameters")
    return {
        "type": "program-composition",
        "inputs": reading.inputs,
        "open": list(opened),
        "guarantee": guarantee,
        "transcript": reading.steps,
        "parts": [proved_part(claim, *part) for part in reading.parts],
        "about": {"target": claim.target},
    }


def proved_part(claim: Claim, path: str, mechanism: Mechanism, values: Mapping[str, Poly], count: int) -> Any:
    """The certificate of a mechanism that is run, at these parameters and on so many answers."""
    from dpwitness.proofs import routes

    numbers = {name: form.evaluate(lambda s: Fraction(claim.params[s])) for name, form in values.items()}
    inner = mechanism.claims(**numbers)[0]
    if not isinstance(inner.space, Answers):
        raise Refused(f"{path} does not read answers: noise.run is for mechanisms of answers")
    inner = replace(inner, space=inner.space.of_size(count))
    needs = {name for name, form in values.items() if form.value() is None}
    reasons = []
    for route in routes():
        if route.supports(inner) is not None:
            continue
        try:
            found = route.run(inner, 10.0 if route.name == "any-n" else None)
        except (DPWitnessError, Rejected) as error:
            reasons.append(str(error))
            continue
        if isinstance(found, UpperBound) and found.guarantee.implies(inner.guarantee) and found.certificate is not None:
            theorem = check(found.certificate, seconds=60.0)
            if needs <= set(theorem.open):
                return dict(found.certificate)
            reasons.append("it is proved at some parameters only")
        else:
            reasons.append(getattr(found, "reason", "a weaker bound"))
    raise Refused(f"{path} is run, and is not proved: {'; '.join(dict.fromkeys(reasons))[:300]}")


def with_account(certificate: dict[str, Any], guarantee: Guarantee) -> dict[str, Any]:
    """The certificate with the account of its samples and Gaussian steps, where there are samples and it suffices."""
    if not isinstance(guarantee, ApproxDP):
        return certificate
    from dpwitness.proofs.accounting.composition import Composition
    from dpwitness.proofs.accounting.engine import PrecisionReached

    try:
        with limited(SECONDS), checking():
            worst = worst_cost(certificate["inputs"], (), certificate["transcript"], read_parts(certificate["parts"]))
        stated = account_of(worst, Fraction(guarantee.eps), Fraction(guarantee.delta)) if worst.groups else None
    except (Rejected, ArithmeticError):  # what the kernel has just said of the transcript, and says again
        return certificate
    if stated is None or _one_is_too_much(worst, Fraction(guarantee.eps), Fraction(guarantee.delta)):
        return certificate
    steps = tuple(((kind, *map(Fraction, numbers)), count) for kind, *numbers, count in stated["steps"])
    try:
        found = Composition(steps, "add-remove").certificate(stated["guarantee"]["epsilon"], guarantee.delta)
    except (DPWitnessError, Rejected, PrecisionReached):  # no such steps, or the digits do not suffice
        return certificate
    return {**certificate, "account": found["orders"]} if found["type"] == "composition" else certificate


def _one_is_too_much(worst: Cost, eps: Fraction, delta: Fraction) -> bool:
    """Whether one sample alone has a larger δ(ε) than is claimed, so that no account of all steps can suffice."""
    for rate, squared, _ in worst.groups:
        with precision(SINGLE_BITS):
            found = lower(Sampled(rate, 1 / squared).curve(ball(eps).exp())[0]) if rate < 1 else Fraction(1)
        if found > delta:
            return True
    return False


__all__ = ["guarantee_json", "make_certificate", "open_parameters", "with_account"]
