"""A biased coin, by its probability or its log-odds."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from dpwitness.core.laws.law import ANY, SHARE, Domain, Law, Support, as_floats

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Bernoulli(Law):
    """True with probability `p`."""

    p: Any
    name: ClassVar[str] = "bernoulli"
    support: ClassVar[Support] = "finite"
    domains: ClassVar[dict[str, Domain]] = {"p": SHARE}

    def sample(self, rng: np.random.Generator, size: int) -> Any:
        from dpwitness.core.readers import discrete

        if isinstance(self.p, Fraction) and self.p.denominator < 2**62:
            return discrete.bernoulli(rng, self.p, size)
        return rng.random(size) < as_floats(self.p)


@dataclass(frozen=True)
class Logit(Law):
    r"""True with probability :math:`e^a/(1+e^a)`, a the log-odds."""

    log_odds: Any
    name: ClassVar[str] = "logit"
    support: ClassVar[Support] = "finite"
    domains: ClassVar[dict[str, Domain]] = {"log_odds": ANY}

    def sample(self, rng: np.random.Generator, size: int) -> Any:
        import numpy as np

        return rng.random(size) < 1.0 / (1.0 + np.exp(-as_floats(self.log_odds)))
