"""The six mechanisms: which noise, and its size as a formula in the stated sensitivity S."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from benchmarks.exam.functions import FUNCTIONS, Function
from dpwitness.proofs.sensitivity.releases import NoisyFunction


@dataclass(frozen=True)
class Mechanism:
    """A mechanism: the size of its noise in units of 1/ε, 1/(2ρ) or 1/μ², and the guarantee that it is to have."""

    name: str
    kind: Literal["release", "selection"]
    noise: str
    size: str
    claim: str


MECHANISMS = (
    Mechanism("Laplace", "release", "laplace", "({S})", "ε-DP"),
    Mechanism("Gaussian", "release", "gaussian-zcdp", "({S})**2", "ρ-zCDP"),
    Mechanism("Gaussian", "release", "gaussian-gdp", "({S})**2", "μ-GDP"),
    Mechanism("Gumbel noisy max", "selection", "gumbel", "2*({S})", "ε-DP"),
    Mechanism("Laplace noisy max", "selection", "laplace", "2*({S})", "ε-DP"),
    Mechanism("permute-and-flip", "selection", "exponential", "2*({S})", "ε-DP"),
)
SHARES = ("1", "1/2")  # of the scale or variance; the benchmark's labels are yes and no


@dataclass(frozen=True)
class Question:
    """One question: is this mechanism, with this share of its noise, what it claims to be?"""

    function: Function
    mechanism: Mechanism
    share: str

    @property
    def label(self) -> str:
        """What the benchmark says; nothing that decides a question reads it."""
        return "yes" if self.share == "1" else "no"

    def claim(self) -> NoisyFunction:
        """The claim to be decided."""
        size = f"{self.share}*({self.mechanism.size.format(S=self.function.stated)})"
        return NoisyFunction(
            self.function.formula, self.mechanism.kind, self.mechanism.noise, size, self.function.params
        )


def questions() -> Iterator[Question]:
    """All 588 questions."""
    for function in FUNCTIONS:
        for mechanism in MECHANISMS:
            for share in SHARES:
                yield Question(function, mechanism, share)
