"""One of finitely many indices, by weights or by log-weights."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from dpwitness.core.laws.law import ANY, Domain, Law, Support, as_floats

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Choice(Law):
    """Index i with probability proportional to ``weights[i]``."""

    weights: tuple[Any, ...]
    name: ClassVar[str] = "choice"
    support: ClassVar[Support] = "finite"
    domains: ClassVar[dict[str, Domain]] = {"weights": Domain(above=0, closed=True)}

    def sample(self, rng: np.random.Generator, size: int) -> Any:
        import numpy as np

        from dpwitness.core.numbers import exact
        from dpwitness.core.readers import discrete

        if any(isinstance(w, np.ndarray) for w in self.weights):
            table = np.cumsum(np.array([np.broadcast_to(as_floats(w), (size,)) for w in self.weights]), axis=0)
            return (rng.random(size) * table[-1] >= table).sum(axis=0)
        if any(isinstance(w, float) and hasattr(w, "form") for w in self.weights):  # e^ε has no exact double
            shares = np.cumsum(as_floats(np.array([float(w) for w in self.weights])))
            return np.searchsorted(shares / shares[-1], rng.random(size), side="right")
        rational = [exact(w) for w in self.weights]
        total = sum(rational, Fraction(0))
        bottom = np.lcm.reduce([w.denominator for w in rational], dtype=object)
        counts = [int(w * bottom) for w in rational]
        if sum(counts) < 2**62:
            edges = np.cumsum(np.array(counts, dtype=np.int64))
            return np.searchsorted(edges, discrete.uniform_below(rng, int(edges[-1]), size), side="right")
        return np.searchsorted(np.cumsum([float(w / total) for w in rational]), rng.random(size), side="right")


@dataclass(frozen=True)
class LogChoice(Law):
    r"""Index i with probability proportional to :math:`e^{w_i}`, the exponential mechanism's law."""

    log_weights: tuple[Any, ...]
    name: ClassVar[str] = "log_choice"
    support: ClassVar[Support] = "finite"
    domains: ClassVar[dict[str, Domain]] = {"log_weights": ANY}

    def sample(self, rng: np.random.Generator, size: int) -> Any:
        import numpy as np

        if any(isinstance(w, np.ndarray) for w in self.log_weights):  # the largest of Gumbel-perturbed scores
            scores = np.array([np.broadcast_to(as_floats(w), (size,)) for w in self.log_weights])
            return np.argmax(scores + rng.gumbel(size=scores.shape), axis=0)
        scores = np.array([float(w) for w in self.log_weights])
        odds = np.exp(scores - scores.max())
        return np.searchsorted(np.cumsum(odds)[:-1], rng.random(size) * odds.sum(), side="right")
