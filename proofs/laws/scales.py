"""The prover of releases whose location and noise scale depend on the data: smooth sensitivity, and its misuse.

Proofs: all neighbouring pairs of a finite space, or all datasets of sorted real records at once. Refutations: two
neighbouring datasets, the exact laws of what is released on them, and an interval of outputs.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.errors import DPWitnessError, OutsideFragment, ProgramTimeout
from dpwitness.core.evidence import IDEAL_REALS, Counterexample, Evidence, Scope, Unsupported, UpperBound
from dpwitness.core.forms import Form
from dpwitness.core.guarantees import epsilon_delta
from dpwitness.core.laws import Law
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.spaces import Interval, Records
from dpwitness.proofs.kernel.arith import Rejected, Undecided
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.laws.formulas import formula
from dpwitness.proofs.laws.layouts import as_json
from dpwitness.proofs.laws.reading import Leaf, leaves_on
from dpwitness.proofs.laws.separation import apart, separated
from dpwitness.proofs.laws.sorted_records.certificates import agrees, sorted_certificate
from dpwitness.proofs.laws.sorted_records.releases import read_sorted
from dpwitness.proofs.laws.stamps import about, at_epsilon, guarantee_json
from dpwitness.proofs.sizes import for_each_size
from dpwitness.proofs.spaces import finite_space, names

METHOD = "location and scale"
MAX_INPUTS, MAX_TRIES, MAX_PATHS, MAX_REPLAYS = 3_000, 40, 16, 12


@dataclass(frozen=True)
class Release:
    """One released number on given data: location + scale·(standard noise), as text for the kernel."""

    noise: tuple[tuple[str, str], ...]
    location: str
    scale: str

    @property
    def law(self) -> list[str]:
        """As certificates carry it."""
        return [self.location, self.scale]


@dataclass(frozen=True)
class ScaleProver:
    """Decides claims about programs that release numbers m(x) + s(x)·noise, with m and s functions of the data."""

    name: str = "scales"

    def supports(self, claim: Claim) -> str | None:
        """None where the prover can try, else the reason why it cannot."""
        if not isinstance(claim.mechanism, Mechanism):
            return "a black box has no program to read"
        if claim.numerics != IDEAL_REALS:
            return "the proof is about real-valued noise, not about doubles"
        if epsilon_delta(claim.guarantee) is None:
            return f"no rule for {claim.guarantee.kind} guarantees of data-dependent scales"
        return None

    def run(self, claim: Claim, budget: Any = None) -> Evidence:
        """Evidence about the claim: an upper bound with its certificate, a counterexample, or why neither was found."""
        return for_each_size(self._run, claim)

    def _run(self, claim: Claim) -> Evidence:
        start = time.monotonic()
        reason = self.supports(claim)
        reasons = [] if reason is None else [reason]
        for attempt in () if reason else (self._prove, self._refute):
            try:
                found = attempt(claim)
            except ProgramTimeout:
                raise
            except (DPWitnessError, Rejected, Undecided) as error:
                reasons.append(str(error))
                continue
            scope = Scope(claim.queries, at_epsilon(claim), IDEAL_REALS)
            seconds = time.monotonic() - start
            if isinstance(found, Counterexample):
                return found
            if found is not None:
                return UpperBound(claim.guarantee, scope, found, False, METHOD, None, seconds)
        return Unsupported(reasons[0] if reasons else "no pair was found that breaks the claim", None, METHOD)

    def _prove(self, claim: Claim) -> dict[str, Any] | None:
        space = claim.space
        if isinstance(space, Records) and isinstance(space.domain, Interval):
            certificate = self._sorted(claim, space, space.domain)
        elif space.finite:
            certificate = self._enumerated(claim)
        else:
            raise OutsideFragment("neither few datasets nor real records that are sorted")
        verdict = examine(certificate)
        if not verdict:
            raise OutsideFragment(verdict.reason)
        return certificate

    def _sorted(self, claim: Claim, space: Records, domain: Interval) -> dict[str, Any]:
        assert isinstance(claim.mechanism, Mechanism)
        if space.relation != "substitute" or space.fewest != space.most:
            raise OutsideFragment("records that come and go")
        low, high = Fraction(domain.low), Fraction(domain.high)
        release = read_sorted(claim.mechanism.program, space.most, claim.params, low, high)
        noise, shift, factor = standard(release.law)
        if shift.terms:
            raise OutsideFragment("the noise is not centred")
        made = sorted_certificate(release, noise, factor, guarantee_json(claim.guarantee), (low, high))
        for data in islice(dict.fromkeys(left for left, _ in _pairs(claim)), MAX_REPLAYS):
            (given,) = releases(claim, data)
            if not agrees(made, data, (low, high), given.law):
                raise OutsideFragment(f"what was read of the program is not what it does on {data}")
        return {**made, "about": about(claim)}

    def _enumerated(self, claim: Claim) -> dict[str, Any]:
        space, inputs = finite_space(claim.space)
        if len(inputs) > MAX_INPUTS:
            raise OutsideFragment(f"more than {MAX_INPUTS} inputs")
        places: dict[Release, int] = {}
        use = []
        for data in inputs:
            (release,) = releases(claim, data)
            use.append(places.setdefault(release, len(places)))
        noises = {release.noise for release in places}
        if len(noises) != 1:
            raise OutsideFragment("the kind of noise depends on the data")
        return {
            "type": "scales",
            "space": space.to_json(),
            "output": ["slot"],
            "noise": dict(noises.pop()),
            "laws": [release.law for release in places],
            "use": use,
            "guarantee": guarantee_json(claim.guarantee),
            "about": about(claim),
        }

    def _refute(self, claim: Claim) -> Counterexample | None:
        start = time.monotonic()
        scope = Scope(claim.queries, at_epsilon(claim), IDEAL_REALS)
        for left, right in islice(_pairs(claim), MAX_TRIES):
            found = self._tell_apart(claim, left, right)
            if found is not None:
                return Counterexample(
                    left, right, **found, scope=scope, method=METHOD, seconds=time.monotonic() - start
                )
        return None

    def _tell_apart(self, claim: Claim, left: Any, right: Any) -> dict[str, Any] | None:
        assert isinstance(claim.mechanism, Mechanism)
        program = claim.mechanism.program
        first, second = (leaves_on(program, data, claim.params, limit=MAX_PATHS) for data in (left, right))
        sides = [names(data, claim.space) for data in (left, right)]
        found = apart(first, second, claim, sides)
        if found is None and len(first) == len(second) == 1 and not (first[0].random or second[0].random):
            here, there = _released(first[0]), _released(second[0])
            if first[0].output != second[0].output and not len(here) == len(there) == 1:
                return None
            same = first[0].output == second[0].output
            output = as_json(first[0].output if same else ("slot",))  # else each is one number
            for slot, (one, two) in enumerate(zip(here, there, strict=True)):
                place = {"inputs": sides, "output": output, "slot": slot}
                found = found or separated(one, two, claim, place)
        return found


def _pairs(claim: Claim) -> Iterator[tuple[Any, Any]]:
    """Typical neighbours in both orders, none twice."""
    seen: set[Any] = set()
    for pair in claim.space.typical_pairs():
        for left, right in ((pair.left, pair.right), (pair.right, pair.left)):
            key = claim.space.key(left), claim.space.key(right)
            if key not in seen:
                seen.add(key)
                yield left, right


def releases(claim: Claim, data: Sequence[Any]) -> list[Release]:
    """The released numbers on given data, each with a draw of its own; `OutsideFragment` where it is not so."""
    assert isinstance(claim.mechanism, Mechanism)
    leaves = leaves_on(claim.mechanism.program, data, claim.params, limit=2)
    if len(leaves) != 1 or leaves[0].random or len(leaves[0].values) != 1 or leaves[0].output != ("slot",):
        raise OutsideFragment("the program does not release one number along one path")
    return _numbers(leaves[0])


def _numbers(leaf: Leaf) -> list[Release]:
    laws = {draw.symbol: draw.law for draw in leaf.draws}
    found = []
    for form in leaf.values:
        parts = form.linear()
        if parts is None or any(symbol not in laws for symbol in parts[0]) or len(parts[0]) > 1:
            raise OutsideFragment("an output is not a public number plus one draw")
        coefficients, rest = parts
        if not coefficients:
            found.append(Release((), formula(rest), "0"))
            continue
        ((symbol, c),) = coefficients.items()
        noise, shift, factor = standard(laws[symbol])
        found.append(Release(tuple(noise.items()), formula(rest + c * shift), formula(c * factor)))
    return found


def _released(leaf: Leaf) -> list[Release]:
    """The released numbers of a leaf; one number without noise is a release of scale 0."""
    if leaf.output[0] == "const" and leaf.output[1] in ("int", "float", "Fraction"):
        return [Release((), str(Fraction(str(leaf.output[2]))), "0")]
    return _numbers(leaf)


def standard(law: Law) -> tuple[dict[str, str], Form, Form]:
    """The standard noise of a law, and what to add to it and multiply it by."""
    params = {n: v if isinstance(v, Form) else Form.constant(Fraction(v)) for n, v in law.params().items()}
    zero, one = Form(), Form.constant(1)
    if law.name in ("laplace", "exponential"):
        return {"name": law.name}, zero, params["scale"]
    if law.name == "gaussian":
        return {"name": law.name}, zero, params["std"]
    if law.name == "uniform":
        return {"name": law.name}, params["low"], params["high"] - params["low"]
    gamma = params["gamma"].value() if law.name == "admissible" else None
    if gamma is None:
        raise OutsideFragment(f"no rule for {law} noise of data-dependent scale")
    return {"name": "admissible", "gamma": str(gamma)}, zero, one
