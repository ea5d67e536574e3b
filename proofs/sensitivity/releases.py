r"""Is a function of records, released with noise of a stated size, private? Decided for every number of records.

The sensitivity of the function is found first. Where it implies the claim there is a certificate of the release; where
it does not, a pair of datasets (for every n of the case) at which the law of the noise breaks the claim.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any, Literal

from flint import arb

from dpwitness.core.errors import BadInput
from dpwitness.core.guarantees import ZCDP, GaussianDP, Guarantee, PureDP
from dpwitness.core.verdict import Decision
from dpwitness.proofs.kernel.arith import Rejected, precision, text
from dpwitness.proofs.kernel.check import check
from dpwitness.proofs.kernel.sensitivity.releases import ADDED, SELECTED, WINS, guarantee, model
from dpwitness.proofs.kernel.sensitivity.setting import Sizes
from dpwitness.proofs.kernel.theorem import Theorem, evaluate
from dpwitness.proofs.sensitivity.floats import value
from dpwitness.proofs.sensitivity.result import Sensitivity, SensitivityCase
from dpwitness.proofs.sensitivity.searching import sensitivity
from dpwitness.proofs.sensitivity.settings import as_json

EPSILONS = (Fraction(1), Fraction(1, 4), Fraction(4))
MAX_SPLITS = 4
COLUMNS = (*range(2, 17), 24, 32, 64, 128, 512, 2048)
KINDS: dict[str, Callable[[object], Guarantee]] = {"pure": PureDP, "zcdp": ZCDP, "gaussian": GaussianDP}


@dataclass(frozen=True)
class NoisyFunction:
    """A function of records with noise, and its claim: ε-DP, ρ-zCDP or μ-GDP for every ε, ρ or μ.

    Parameters
    ----------
    function
        A formula (see `sensitivity`).
    kind
        ``"release"`` of f(x) plus noise, or ``"selection"`` of the index of the largest of several noisy columns.
    noise
        ``"laplace"``, ``"gaussian-zcdp"`` or ``"gaussian-gdp"``; of a selection ``"gumbel"``, ``"laplace"`` or
        ``"exponential"``.
    scale
        A formula in n and the parameters: the scale in units of 1/ε, or the variance in units of 1/(2ρ) or 1/μ².
    params
        Public parameters with their ranges. The claim is about all of their values.
    fewest
        The claim is about every number of records from this one on, for which the function is defined.
    """

    function: str
    kind: Literal["release", "selection"]
    noise: str
    scale: str
    params: tuple[tuple[str, object, object], ...] = ()
    fewest: int = 1

    def __post_init__(self) -> None:
        known = ADDED if self.kind == "release" else SELECTED
        if self.kind not in ("release", "selection") or self.noise not in known:
            raise BadInput(f"noise={self.noise!r} must be one of {', '.join(known)} for kind={self.kind!r}")

    @property
    def claim(self) -> Guarantee:
        """The guarantee at ε, ρ or μ = 1; it is claimed for every value."""
        return KINDS[guarantee(self.kind, self.noise)[0]["kind"]](1)


@dataclass(frozen=True)
class Decided:
    """One case of a decision: for which n it was proved or refuted, and the certificate."""

    sizes: Sizes
    decision: Decision
    certificate: Mapping[str, Any] | None
    statement: str


@dataclass(frozen=True)
class NoisyVerdict:
    """The decision about a noisy function: PROVED where every case is, REFUTED where one is refuted."""

    question: NoisyFunction
    cases: tuple[Decided, ...]
    seconds: float

    @property
    def decision(self) -> Decision:
        """The decision about the claim for every n."""
        found = {case.decision for case in self.cases if case.sizes.step or case.sizes.first >= self.question.fewest}
        if Decision.REFUTED in found:
            return Decision.REFUTED
        return Decision.PROVED if found == {Decision.PROVED} else Decision.UNDECIDED

    def holds_for(self) -> str:
        """The numbers of records for which the claim is proved."""
        return "; ".join(case.sizes.describe() for case in self.cases if case.decision is Decision.PROVED)

    def fails_for(self) -> str:
        """The numbers of records for which the claim is refuted."""
        return "; ".join(case.sizes.describe() for case in self.cases if case.decision is Decision.REFUTED)

    def describe(self) -> str:
        """One line: the decision, and for which n it is otherwise."""
        proved, refuted = self.holds_for(), self.fails_for()
        if self.decision is Decision.PROVED:
            return f"PROVED for {proved}"
        if self.decision is Decision.REFUTED:
            open_ = "; ".join(c.sizes.describe() for c in self.cases if c.decision is Decision.UNDECIDED)
            parts = ((", PROVED for ", proved), (", open for ", open_))
            return f"REFUTED for {refuted}" + "".join(words + sizes for words, sizes in parts if sizes)
        return "UNDECIDED"


def decide(question: NoisyFunction) -> NoisyVerdict:
    """Decide a claim about a noisy function.

    >>> decide(NoisyFunction("median(x)", "release", "laplace", "1/2")).describe()
    'REFUTED for every n = 1, 3, 5, ..., PROVED for every n = 2, 4, 6, ...'
    """
    begin = time.perf_counter()
    found = found_sensitivity(question.function, question.params)
    cases = tuple(part for number in range(len(found.cases)) for part in _parts(question, found, number))
    return NoisyVerdict(question, cases, time.perf_counter() - begin)


@lru_cache(maxsize=400)
def found_sensitivity(function: str, params: tuple[tuple[str, object, object], ...]) -> Sensitivity:
    """The sensitivity of a formula, found once."""
    return sensitivity(function, params={name: (low, high) for name, low, high in params} or None)


def _parts(question: NoisyFunction, found: Sensitivity, number: int) -> Iterator[Decided]:
    """The decisions of one case; where it is not decided as a whole, its first n are decided alone."""
    sizes = found.cases[number].sizes
    for _ in range(MAX_SPLITS):
        whole = _decided(question, found, number, sizes)
        if (whole.decision is not Decision.UNDECIDED and whole.sizes == sizes) or not sizes.step:
            yield whole
            return
        alone = whole if whole.sizes.first == sizes.first and not whole.sizes.step else None
        alone = alone or _decided(question, found, number, Sizes(sizes.first))
        if alone.decision is Decision.UNDECIDED:
            break
        yield alone
        sizes = Sizes(sizes.first + sizes.step, sizes.step)
    yield Decided(sizes, Decision.UNDECIDED, None, "")


def _decided(question: NoisyFunction, found: Sensitivity, number: int, sizes: Sizes) -> Decided:
    case = replace(found.cases[number], sizes=sizes)
    item = {**found.certificate["cases"][number], "sizes": sizes.to_json(), "witness": None}
    certificate: dict[str, Any] = {
        "type": "function-release",
        "kind": question.kind,
        "noise": question.noise,
        "scale": question.scale,
        "function": {**found.certificate, "cases": [item]},
    }
    accepted = _accepted(question, found, certificate)
    if accepted is not None and not accepted.refutes:
        return Decided(sizes, Decision.PROVED, certificate, accepted.statement)
    for violation in _violations(question, found, case):
        accepted = _accepted(question, found, violation)
        if accepted is not None and accepted.refutes:
            pair = "left" in violation["where"]  # that is one n, and no more
            there = Sizes(min(len(violation["where"][side]) for side in ("left", "right"))) if pair else sizes
            return Decided(there, Decision.REFUTED, violation, accepted.statement)
    return Decided(sizes, Decision.UNDECIDED, None, "")


def _accepted(question: NoisyFunction, found: Sensitivity, certificate: Mapping[str, Any]) -> Theorem | None:
    """The theorem of a certificate, where it speaks of this function, this noise and this claim."""
    try:
        theorem = check(certificate, seconds=10.0)
    except Rejected:
        return None
    asked = guarantee(question.kind, question.noise)
    if theorem.subject != model(as_json(found.setting), question.kind, question.noise, question.scale):
        return None
    held = theorem.guarantee
    field = next(name for name in asked[0] if name != "kind")
    same = held["kind"] == asked[0]["kind"] and evaluate(held[field], {asked[1]: Fraction(3)}) == 3
    every = theorem.open.get(asked[1]) == {"above": "0"} or theorem.refutes
    if not same or not every:
        return None
    if theorem.refutes or theorem.relation == found.setting.stated():
        return theorem
    return None


def _violations(question: NoisyFunction, found: Sensitivity, case: SensitivityCase) -> Iterator[dict[str, Any]]:
    """Certificates of violations to try: at values of the parameters, for every n of the case, or at one pair."""
    base: dict[str, Any] = {"type": "function-release-violation", "kind": question.kind, "noise": question.noise}
    base |= {"scale": question.scale, "function": as_json(found.setting)}
    for values in _parameters(found):
        there = case if not values else _case_at(question, values, case.sizes)
        if there is None or there.witness in (None, "none"):
            continue
        for where, reach in _places(question, there, values):
            ways = [(None, None)] if question.kind == "release" else _columns(question.noise, reach)
            for columns, eps in ways:
                shown = {name: text(v) for name, v in values.items()}
                yield {**base, "params": shown, "where": where, "columns": columns, "eps": eps}


def _parameters(found: Sensitivity) -> Iterator[dict[str, Fraction]]:
    """Values of public parameters: at the ends, in the middle, at quarters."""
    if not found.setting.params:
        yield {}
        return
    tries = []
    for low, high in found.setting.params.values():
        a = low or Fraction(0)
        b = a + 2 if high is None else high
        tries.append([a, b, (a + b) / 2, a + (b - a) / 4, a + 3 * (b - a) / 4])
    for values in product(*tries):
        yield dict(zip(found.setting.params, values, strict=True))


def _case_at(question: NoisyFunction, values: Mapping[str, Fraction], sizes: Sizes) -> SensitivityCase | None:
    """The case of these sizes, with numbers for the parameters."""
    source = question.function
    for name, number in values.items():
        source = _put(source, name, number)
    try:
        found = found_sensitivity(source, ())
    except Exception as error:  # no bound at these values: the next ones are tried
        if not isinstance(error, Rejected | ArithmeticError | ValueError):
            raise
        return None
    fitting = [c for c in found.cases if sizes.first in c.sizes or c.sizes.first in sizes]
    return replace(fitting[-1], sizes=sizes) if fitting else None


def _put(source: str, name: str, number: Fraction) -> str:
    import re

    return re.sub(rf"\b{name}\b", f"({text(number)})", source)


def _places(
    question: NoisyFunction, case: SensitivityCase, values: Mapping[str, Fraction]
) -> Iterator[tuple[dict[str, Any], float]]:
    env = {name: float(v) for name, v in values.items()}

    def ratio(n: int) -> float:
        scale = _float(question.scale, n, env)
        return _float(case.upper, n, env) / scale if scale > 0 else math.inf

    witness = case.witness
    if isinstance(witness, Mapping) and "left" in witness:
        n = min(len(witness["left"]), len(witness["right"]))
        if n not in case.sizes:
            return
        reach = float(Fraction(witness["move"])) / _float(question.scale, n, env)
        yield {"left": witness["left"], "right": witness["right"]}, reach
        return
    first = case.sizes.first
    later = [first, first + case.sizes.step, first + 40 * case.sizes.step] if case.sizes.step else [first]
    reach = min(1e6, *(ratio(n) for n in later))
    for near in dict.fromkeys(
        (Fraction(reach).limit_denominator(64), Fraction(reach * (1 - 1e-6)).limit_denominator(10**7))
    ):
        if near > 0:
            where = {"sizes": case.sizes.to_json(), "bound": case.upper, "witness": witness, "reach": text(near)}
            yield where, float(near)


def _float(source: str, n: int, env: Mapping[str, float]) -> float:
    from dpwitness.proofs.kernel.sensitivity.language import parse_function

    return value(parse_function(source, tuple(sorted(env))), [0.0] * n, {**env, "n": float(n)})


def _columns(noise: str, reach: float) -> list[tuple[int, str]]:
    """The fewest columns, and an ε, at which the selection breaks its claim."""
    found = []
    for eps in EPSILONS:
        for columns in COLUMNS:
            with precision(256):
                low, high = WINS[noise](arb(reach * float(eps)), columns)
                broken = high > arb(float(eps) * (1 + 1e-9)).exp() * low
            if broken:
                found.append((columns, text(eps)))
                break
    return sorted(found, key=lambda f: f[0])


__all__ = ["Decided", "NoisyFunction", "NoisyVerdict", "decide", "found_sensitivity"]
