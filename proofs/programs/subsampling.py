"""Programs that see their records through one random sample only: the loss on samples, amplified.

The program is run on sealed data: an object that nothing but ``noise.subsample`` or ``noise.sample`` accepts. Whoever
looks at the data in another way, or draws a second sample, or samples at a rate that depends on noise, is refused. What
then remains is a program on the sample, which is proved like any other; see
`dpwitness.proofs.kernel.programs.subsampling` for what its loss says about the whole.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from types import CodeType
from typing import Any, NoReturn

import numpy as np

from dpwitness.core.claims import Claim
from dpwitness.core.errors import DPWitnessError, OutsideFragment
from dpwitness.core.evidence import IDEAL_REALS, Evidence, Scope, Unsupported, UpperBound
from dpwitness.core.guarantees import PureDP
from dpwitness.core.laws import Law
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.noise import Noise
from dpwitness.core.public import Public, public
from dpwitness.core.readers.door import reading
from dpwitness.core.readers.scalar import Scalar
from dpwitness.core.readers.where import current_line, program_code
from dpwitness.core.spaces import Records
from dpwitness.proofs.kernel.arith import Rejected, ball, enclose
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.kernel.programs.subsampling import inner_spaces, one_program
from dpwitness.proofs.kernel.spaces import Space
from dpwitness.proofs.programs.finite_inputs import inputs_and_pairs
from dpwitness.proofs.programs.quoting import quoted
from dpwitness.proofs.programs.route import ProgramProver

METHOD = "amplification by subsampling"
USES = {"subsample", "sample"}


class Sealed:
    """Data that can be sampled and nothing else."""

    def _refuse(self, *_: Any) -> NoReturn:
        raise OutsideFragment("the program looks at its data beside the sample")

    __iter__ = __len__ = __getitem__ = __contains__ = __bool__ = __add__ = __radd__ = __mul__ = __rmul__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __reversed__ = __call__ = __repr__ = __str__ = __format__ = _refuse
    __eq__ = __ne__ = __hash__ = __getattr__ = _refuse


# what runs gets a list or a tuple: ``match data: case [...]`` must take the same way when the program is read
Sequence.register(Sealed)


class _Found(Exception):
    """Ends a first run where the sample is drawn."""


@dataclass
class Sampling:
    """The kind of sample and its rate or size, as first met; every later one must be the same."""

    kind: str = ""
    size: Fraction = field(default=Fraction(0))

    def meet(self, kind: str, size: Any) -> None:
        """Note a sample."""
        size = size.settled() if isinstance(size, Public) else size
        if isinstance(size, bool | float) or not isinstance(size, int | Fraction):
            raise OutsideFragment(f"the rate or size of the sample, {size}, is not an exact number")
        if self.kind and (kind, Fraction(size)) != (self.kind, self.size):
            raise OutsideFragment("the sample is drawn in different ways on different runs")
        self.kind, self.size = kind, Fraction(size)

    def to_json(self) -> dict[str, str]:
        """As it stands in certificates."""
        return {"kind": self.kind, "size": str(self.size)}


class Sampled(Noise):
    """The reader's noise, except that the sample of the sealed data is given (None: the run ends there)."""

    def __init__(self, noise: Noise, records: Sequence[Any] | None, sampling: Sampling, code: Any) -> None:
        self.noise, self.records, self.sampling, self.code = noise, records, sampling, code
        self.done = False

    def draw(self, law: Law) -> Any:
        return self.noise.draw(law)

    def check(self, name: str, value: Any, *, above: int | None, below: int | None = None, closed: bool = False) -> Any:
        return self.noise.check(name, value, above=above, below=below, closed=closed)

    def argmax(self, values: Sequence[Any]) -> Any:
        return self.noise.argmax(values)

    def max(self, values: Sequence[Any]) -> Any:
        return self.noise.max(values)

    def minimiser(self, gradient: Callable[[list[Any]], Sequence[Any]], size: int) -> list[Any]:
        return self.noise.minimiser(gradient, size)

    def subsample(self, data: Any, p: Any) -> list[Any]:
        return self._take("poisson", data, p)

    def sample(self, data: Any, size: int) -> list[Any]:
        return self._take("without-replacement", data, size)

    def _take(self, kind: str, data: Any, size: Any) -> list[Any]:
        if type(data) is not Sealed or self.done:
            raise OutsideFragment("a second sample, or a sample of something else", current_line(self.code))
        self.done = True
        self.sampling.meet(kind, size)
        if self.records is None:
            raise _Found
        return list(self.records)


@dataclass(frozen=True)
class SubsamplingProver:
    """Proves pure privacy of programs that draw one sample of their records and see nothing else of them.

    Parameters
    ----------
    seconds
        Time limit where the budget names none.
    """

    seconds: float = 30.0
    name: str = "subsampling"

    def supports(self, claim: Claim) -> str | None:
        """None where the prover can try, else the reason why it cannot."""
        if not isinstance(claim.mechanism, Mechanism):
            return "a black box has no program to read"
        if not isinstance(claim.guarantee, PureDP) or claim.numerics != IDEAL_REALS:
            return "amplification is proved for pure privacy and real-valued noise"
        if not isinstance(claim.space, Records) or not claim.space.finite:
            return "samples are drawn from records of a finite domain"
        code = program_code(claim.mechanism.program)
        return None if code is not None and USES & _names(code) else "the program draws no sample of its data"

    def run(self, claim: Claim, budget: Any = None) -> Evidence:
        """An `UpperBound` at the claimed ε, or `Unsupported` with the reason. It never refutes."""
        start = time.monotonic()
        reason = self.supports(claim)
        given = getattr(budget, "seconds", None)
        limit = self.seconds if given is None else float(given)
        if reason is None:
            try:
                return self._decide(claim, start, limit)
            except OutsideFragment as error:
                assert isinstance(claim.mechanism, Mechanism)
                words = quoted(error.reason, claim.mechanism.program, error.line)
                return Unsupported(words, error.line, METHOD, time.monotonic() - start)
            except (DPWitnessError, Rejected) as error:
                reason = str(error)
        return Unsupported(reason, None, METHOD, time.monotonic() - start)

    def _decide(self, claim: Claim, start: float, limit: float) -> Evidence:
        assert isinstance(claim.mechanism, Mechanism)
        assert isinstance(claim.guarantee, PureDP)
        with reading(claim.mechanism.program):
            sampling = first_sample(claim)
        outer, _, _ = inputs_and_pairs(claim)
        spaces = inner_spaces(sampling.to_json(), outer)
        at = Fraction(claim.params.get("eps", 1))
        inner: dict[str, Any] = {}
        wanted = _wanted(sampling, outer, Fraction(claim.guarantee.eps))
        for relation, space in spaces.items():
            part = _on_samples(claim, sampling, space, wanted)
            left = max(1.0, limit - (time.monotonic() - start))
            found = ProgramProver(seconds=left).run(part)
            if isinstance(found, UpperBound) and found.guarantee.implies(part.guarantee):
                inner[relation] = dict(found.certificate or {})
            elif relation == next(iter(spaces)):
                words = f"undecided: the loss on samples is not known to be {float(wanted):.6g} ({relation})"
                why = found if isinstance(found, Unsupported) else Unsupported(words)
                return replace(why, method=METHOD, seconds=time.monotonic() - start)
        if not one_program(inner):  # the first alone bounds the loss as well
            inner = {next(iter(spaces)): inner[next(iter(spaces))]}
        certificate = {
            "type": "subsampled",
            "target": claim.target,
            "sampling": sampling.to_json(),
            "space": outer.to_json(),
            "eps": str(at),
            "epsilon": str(claim.guarantee.eps),
            "inner": inner,
        }
        verified = examine(certificate)
        if not verified:
            return Unsupported(f"undecided: {verified.reason}", None, METHOD, time.monotonic() - start)
        scope = Scope(claim.queries, str(at), IDEAL_REALS)
        return UpperBound(claim.guarantee, scope, certificate, False, METHOD, None, time.monotonic() - start)


def _names(code: CodeType) -> set[str]:
    """Attributes and globals that a function and the functions inside it name."""
    return {*code.co_names, *(n for inner in code.co_consts if isinstance(inner, CodeType) for n in _names(inner))}


def first_sample(claim: Claim) -> Sampling:
    """How the program draws its sample, from a run that ends there."""
    assert isinstance(claim.mechanism, Mechanism)
    sampling, program = Sampling(), claim.mechanism.program
    noise = Sampled(Scalar(np.random.default_rng(0), max_draws=1000), None, sampling, program_code(program))
    try:
        program(noise, Sealed(), **{name: public(value) for name, value in claim.params.items()})
    except _Found:
        return sampling
    raise OutsideFragment("no sample is drawn on a first run")


def _on_samples(claim: Claim, sampling: Sampling, space: Space, epsilon: Fraction) -> Claim:
    """The claim that the rest of the program is ε-private on samples."""
    assert isinstance(claim.mechanism, Mechanism)
    assert isinstance(claim.space, Records)
    program = claim.mechanism.program

    @functools.wraps(program)
    def rest(noise: Noise, records: Sequence[Any], **params: Any) -> Any:
        return program(Sampled(noise, records, sampling, program_code(program)), Sealed(), **params)

    inside = Records(claim.space.domain, (space.fewest, space.most), space.relation)  # type: ignore[arg-type]
    made = replace(claim.mechanism, program=rest, twins=[], more=[])
    return Claim(made, claim.params, PureDP(epsilon), inside, claim.expected_to_hold, 0, claim.numerics)


def _wanted(sampling: Sampling, outer: Space, epsilon: Fraction) -> Fraction:
    """The loss on samples that the claim leaves room for, rounded down: ln(1 + (e^ε − 1)/q)."""
    rate = sampling.size if sampling.kind == "poisson" else sampling.size / outer.fewest
    low, _ = enclose(lambda: (1 + (ball(epsilon).exp() - 1) / ball(rate)).log(), Fraction(1, 10**12))
    return Fraction(int(low * 10**9), 10**9)


__all__ = ["SubsamplingProver"]
