"""A program and the model of it by hand, for tests of the harness."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpwitness import Answers, PureDP, mechanism
from dpwitness.core import laws
from dpwitness.core.coexecution import Computed, Probe, Trace


def make(program: Callable[..., Any], **options: Any):
    """The claim of a program on two real answers."""
    space = options.pop("data", Answers("one", 1, size=2))
    return mechanism(data=space, claim=lambda eps: PureDP(eps), typical={"eps": 1}, **options)(program).claims()[0]


def signed_sum(noise, q, *, eps):
    """A noisy sum, and whether it is positive."""
    total = q[0] + q[1] + noise.laplace(2 / eps)
    return [total > 0, total]


@dataclass
class ByHand:
    """The model of `signed_sum`; each option is a way in which a model can be wrong."""

    scale: int = 2
    law: Any = laws.Laplace
    strict: bool = True
    offset: Fraction = Fraction(0)
    sign: Callable[[bool], Any] = bool
    form: Callable[[Any], Any] = list
    draws: int = 1
    more: tuple[str, ...] = ()

    def places(self):
        return ["positive", "negative", *self.more]

    def probes(self, claim, rng):
        yield Probe((Fraction(1), Fraction(1)), claim.params, (-2.0,))
        yield Probe((Fraction(1), Fraction(1)), claim.params, (-2.5,))

    def run(self, data, params, source):
        asked = [self.law(Fraction(self.scale) / Fraction(params["eps"])) for _ in range(self.draws)]
        drawn = [Fraction(source(law)) for law in asked]
        total = sum(map(Fraction, data)) + drawn[0]
        positive = total > 0 if self.strict else total >= 0
        doubt = abs(total) < Fraction(1, 10**12) and total.denominator > 64
        output = self.form([self.sign(positive), Computed(total + self.offset)])
        return Trace(tuple(asked), output, ("positive" if positive else "negative",), doubt)
