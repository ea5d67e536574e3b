"""The only source of randomness that a program may use.

A program receives a `Noise` as its first argument and draws from it. Which object it receives decides what the run is
for: sampling, exact enumeration, symbolic paths, or a recording. All draws pass through `Noise.draw`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import comb, hypot
from numbers import Rational
from typing import TYPE_CHECKING, Any

from dpwitness.core import laws
from dpwitness.core.errors import BadInput, OutsideFragment
from dpwitness.core.forms import Form
from dpwitness.core.functions import sqrt
from dpwitness.core.laws import Law
from dpwitness.core.postprocessing import computed, plain_value

if TYPE_CHECKING:
    from dpwitness.core.mechanism import Mechanism

MOST_TRIALS = 1000
SMALLEST, LARGEST = 1e-140, 1e150  # norms of doubles that the sum of their squares gives


class Noise(ABC):
    """Draws of random numbers, for programs."""

    def __repr__(self) -> str:
        return "noise"  # the same for every reader: a program must not see which one it was given

    @abstractmethod
    def draw(self, law: Law) -> Any:
        """One draw from `law`."""

    @abstractmethod
    def check(self, name: str, value: Any, *, above: int | None, below: int | None = None, closed: bool = False) -> Any:
        """Return `value` as this reader wants it, after checking above < value < below (≤ where `closed`)."""

    @abstractmethod
    def argmax(self, values: Sequence[Any]) -> Any:
        """Index of the largest value, the first of several equal ones."""

    @abstractmethod
    def max(self, values: Sequence[Any]) -> Any:
        """The largest value; the same as the builtin, without a branch for every comparison."""

    def minimiser(self, gradient: Callable[[list[Any]], Sequence[Any]], size: int) -> list[Any]:
        """The point of `size` coordinates at which the gradient of a strictly convex function vanishes.

        The gradient is called once. It may add, multiply and divide its argument, and take exp, log, sqrt and logistic.
        """
        raise OutsideFragment(f"{type(self).__name__} does not follow the minimiser of a function")

    # continuous

    def laplace(self, scale: Any) -> Any:
        """A draw with density proportional to e^(−|z|/scale)."""
        return self.draw(laws.Laplace(self.check("scale", scale, above=0)))

    def exponential(self, scale: Any) -> Any:
        """A draw with density proportional to e^(−z/scale), z ≥ 0."""
        return self.draw(laws.Exponential(self.check("scale", scale, above=0)))

    def gaussian(self, std: Any) -> Any:
        """A normal draw with mean 0 and the given standard deviation."""
        return self.draw(laws.Gaussian(self.check("std", std, above=0)))

    def uniform(self, low: Any = 0, high: Any = 1) -> Any:
        """A draw between `low` and `high`."""
        self.check("high - low", high - low, above=0)
        return self.draw(laws.Uniform(self.check("low", low, above=None), self.check("high", high, above=None)))

    def gamma(self, shape: Any, scale: Any) -> Any:
        """A draw with density proportional to z^(shape−1) e^(−z/scale), z ≥ 0."""
        return self.draw(laws.Gamma(self.check("shape", shape, above=0), self.check("scale", scale, above=0)))

    def spherical(self, dimension: int, scale: Any) -> list[Any]:
        """A vector b with density proportional to e^(−‖b‖/scale): a uniform direction and a Gamma length."""
        direction = [self.gaussian(1) for _ in range(dimension)]
        length = self.gamma(dimension, scale) / sqrt(sum(g * g for g in direction))
        return [length * g for g in direction]

    def admissible(self, gamma: Any) -> Any:
        """A draw with density proportional to 1/(1+|z|^gamma), gamma > 1."""
        return self.draw(laws.Admissible(self.check("gamma", gamma, above=1)))

    def gumbel(self, scale: Any) -> Any:
        """A draw with density e^(−z/scale − e^(−z/scale))/scale: the noise of the exponential mechanism."""
        return self.draw(laws.Gumbel(self.check("scale", scale, above=0)))

    def student_t(self, degrees: Any, scale: Any = 1) -> Any:
        """A draw with density proportional to (1 + z²/(degrees·scale²))^(−(degrees+1)/2)."""
        return self.draw(laws.StudentT(self.check("degrees", degrees, above=0), self.check("scale", scale, above=0)))

    def truncated_laplace(self, scale: Any, bound: Any) -> Any:
        """A draw with density proportional to e^(−|z|/scale) between −bound and bound."""
        return self.draw(
            laws.TruncatedLaplace(self.check("scale", scale, above=0), self.check("bound", bound, above=0))
        )

    def clamped_laplace(self, value: Any, scale: Any, low: Any, high: Any) -> Any:
        """`value` with Laplace noise, moved to the nearer end where it leaves [low, high]."""
        noisy = value + self.laplace(scale)
        if noisy < low:
            return low
        return high if noisy > high else noisy

    def staircase(self, eps: Any, sensitivity: Any = 1, split: Any = None) -> Any:
        """A draw from the staircase law; `split` is the fraction of a stair before the density falls (default ½)."""
        from dpwitness.core.numbers import Exact

        part = Exact(1, 2) if split is None else self.check("split", split, above=0, below=1, closed=True)
        eps = self.check("eps", eps, above=0)
        return self.draw(laws.Staircase(eps, self.check("sensitivity", sensitivity, above=0), part))

    # integers

    def discrete_laplace(self, scale: Any) -> Any:
        """An integer draw with probability proportional to e^(−|k|/scale)."""
        return self.draw(laws.DiscreteLaplace(self.check("scale", scale, above=0)))

    def discrete_gaussian(self, std: Any = None, *, variance: Any = None) -> Any:
        """An integer draw with probability proportional to e^(−k²/(2 std²)); give `std` or `variance`."""
        if (std is None) == (variance is None):
            raise BadInput(f"discrete_gaussian needs exactly one of std={std!r} and variance={variance!r}")
        if variance is None:
            self.check("std", std, above=0)
            variance = std * std
        return self.draw(laws.DiscreteGaussian(self.check("variance", variance, above=0)))

    def poisson(self, mean: Any) -> Any:
        """An integer draw k ≥ 0 with probability e^(−mean)·mean^k/k!."""
        return self.draw(laws.Poisson(self.check("mean", mean, above=0)))

    def skellam(self, mean: Any) -> Any:
        """The difference of two Poisson draws of this mean: integer noise of variance 2·mean."""
        return self.poisson(mean) - self.poisson(mean)

    def negative_binomial(self, shape: Any, ratio: Any) -> Any:
        """An integer draw k ≥ 0 with probability proportional to Γ(k+shape)/k!·ratio^k.

        The sum of n independent draws of shape 1/n is geometric: the difference of two such sums is discrete Laplace
        noise, of which n parties may each add a share.
        """
        ratio = self.check("ratio", ratio, above=0, below=1)
        return self.draw(laws.NegativeBinomial(self.check("shape", shape, above=0), ratio))

    # finite

    def binomial(self, trials: int, p: Any = Fraction(1, 2)) -> Any:
        """How many of `trials` coins with probability `p` show True: one draw from a finite law."""
        if isinstance(trials, bool) or not isinstance(trials, int) or not 1 <= trials <= MOST_TRIALS:
            raise BadInput(f"trials={trials!r} must be a whole number from 1 to {MOST_TRIALS}")
        p = self.check("p", p, above=0, below=1, closed=True)
        if isinstance(p, Form):  # refused here and not by a reader, whose own method would have a text that tells
            p = p.value()
            if p is None:
                raise OutsideFragment("noise.binomial with a chance that is not a number: its weights are its powers")
        return self.choice([comb(trials, k) * p**k * (1 - p) ** (trials - k) for k in range(trials + 1)])

    def bernoulli(self, p: Any = None, *, log_odds: Any = None) -> Any:
        """True with probability `p`, or with probability e^a/(1+e^a) for log-odds a."""
        if (p is None) == (log_odds is None):
            raise BadInput(f"bernoulli needs exactly one of p={p!r} and log_odds={log_odds!r}")
        if p is None:
            return self.draw(laws.Logit(self.check("log_odds", log_odds, above=None)))
        return self.draw(laws.Bernoulli(self.check("p", p, above=0, below=1, closed=True)))

    def choice(self, weights: Sequence[Any] | None = None, *, log_weights: Sequence[Any] | None = None) -> Any:
        """An index, with probability proportional to its weight, or to e^(log weight)."""
        if (weights is None) == (log_weights is None):
            raise BadInput(f"choice needs exactly one of weights={weights!r} and log_weights={log_weights!r}")
        if weights is None:
            assert log_weights is not None
            if not log_weights:
                raise BadInput("log_weights is empty: there is nothing to choose from")
            return self.draw(laws.LogChoice(tuple(self.check("log_weights", w, above=None) for w in log_weights)))
        if not weights:
            raise BadInput("weights is empty: there is nothing to choose from")
        if all(isinstance(w, Rational | float) and w == 0 for w in weights):
            raise BadInput(f"weights={list(weights)!r} are all zero")
        return self.draw(laws.Choice(tuple(self.check("weights", w, above=0, closed=True) for w in weights)))

    # parts of larger programs

    def postprocess(self, function: Callable[..., Any], *values: Any, size: int | None = None) -> Any:
        """What `function` computes from values that are public already: a finite number, or a tuple of `size` of them.

        The function is called with copies, as plain numbers, lists and tuples, and its numbers come back as floats. It
        is a function of the module and need not be written for readers: numpy may be used in it. A proof does not look
        inside, since what is computed from released values releases nothing more.

        >>> import numpy as np
        >>> from dpwitness.core.readers.scalar import Scalar
        >>> Scalar(np.random.default_rng(0)).postprocess(np.mean, [1, 2])
        1.5
        """
        return computed(function, [plain_value(value, type(self).__name__) for value in values], size)

    def run(self, mechanism: Mechanism, inputs: Sequence[Any], **params: Any) -> Any:
        """Run another mechanism on these inputs, with its typical parameters where none are given.

        A proof of the whole counts the guarantee that is proved of the mechanism.
        """
        unknown = [name for name in params if name not in mechanism.typical]
        if unknown:
            raise BadInput(f"{mechanism.name} has no parameter {unknown[0]!r}")
        return mechanism.program(self, list(inputs), **{**mechanism.typical, **params})

    def clip(self, vector: Sequence[Any], bound: Any, norm: int = 2) -> list[Any]:
        """The vector, scaled down where its ℓ1 or ℓ2 norm exceeds `bound`; the zero vector stays.

        >>> import numpy as np
        >>> from dpwitness.core.readers.scalar import Scalar
        >>> Scalar(np.random.default_rng(0)).clip([1e-200, 0.0], 1)
        [1e-200, 0.0]
        """
        self.check("bound", bound, above=0)
        if norm not in (1, 2):
            raise BadInput(f"norm={norm!r} must be 1 or 2")
        total = sum(abs(x) for x in vector) if norm == 1 else sqrt(sum(x * x for x in vector))
        if isinstance(total, float):
            total = float(total)  # without the formula that it may carry
            if norm == 2 and not SMALLEST < total < LARGEST:  # the squares of doubles are doubles no more
                total = hypot(*map(float, vector))
        if not any(vector):
            return list(vector)
        factor = -self.max([-1, -bound / total])
        return [x * factor for x in vector]

    def present(self, count: Any, scale: Any, threshold: Any, *, whole: bool = False) -> Any:
        r"""A count with noise where it is above 0 and the noisy count reaches `threshold`, else 0.

        With Laplace noise of scale b (discrete where `whole`) and a threshold T ≥ 1, a count that moves by 1 costs
        ε = 1/b and :math:`\delta = P[Z \ge T - 1]`, :math:`e^{-(T-1)/b}/2` for Laplace noise: a name that nobody has
        is never shown.

        >>> import numpy as np
        >>> from dpwitness.core.readers.scalar import Scalar
        >>> Scalar(np.random.default_rng(0)).present(0, 1, 10)
        0.0
        """
        self.check("threshold", threshold, above=1, closed=True)
        noisy = count + (self.discrete_laplace(scale) if whole else self.laplace(scale))
        return self._where((count > 0) * (noisy >= threshold), noisy, 0 if whole else 0.0)

    def _where(self, test: Any, yes: Any, no: Any) -> Any:
        """``yes if test else no``, without a branch in the readers that run many lanes at once."""
        return yes if test else no

    # samples of the data

    def subsample(self, data: Sequence[Any], p: Any) -> list[Any]:
        """Every record with probability `p`, independently of the others and in the given order."""
        return [record for record in data if self.bernoulli(p)]

    def sample(self, data: Sequence[Any], size: int) -> list[Any]:
        """`size` different records, drawn one after the other: a uniform sample in random order."""
        rest = list(data)
        if not 0 <= size <= len(rest):
            raise BadInput(f"size={size!r} must lie between 0 and the number of records, {len(rest)}")
        return [rest.pop(self.choice(weights=[1] * len(rest))) for _ in range(size)]
