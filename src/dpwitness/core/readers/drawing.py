"""Drawing arrays from a law with a numpy Generator."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpwitness.core import laws
from dpwitness.core.laws import Law
from dpwitness.core.numbers import exact
from dpwitness.core.readers import discrete

Array = NDArray[Any]


def _number(value: Any) -> Any:
    """A parameter as float or float array."""
    return value if isinstance(value, np.ndarray) else float(value)


def _rational(value: Any) -> Fraction:
    return value if isinstance(value, Fraction) else Fraction(repr(float(value)))


def sample(law: Law, rng: np.random.Generator, size: int) -> Array:
    """`size` independent draws. Parameters are numbers, or arrays with one entry for each draw."""
    return np.asarray(_sample(law, rng, size))


def _sample(law: Law, rng: np.random.Generator, size: int) -> Any:
    match law:
        case laws.Laplace(scale):
            return rng.laplace(0.0, _number(scale), size)
        case laws.Exponential(scale):
            return rng.exponential(_number(scale), size)
        case laws.Gaussian(std):
            return rng.normal(0.0, _number(std), size)
        case laws.Uniform(low, high):
            return rng.uniform(_number(low), _number(high), size)
        case laws.Gamma(shape, scale):
            return rng.gamma(_number(shape), _number(scale), size)
        case laws.Admissible(gamma):
            return _admissible(rng, _number(gamma), size)
        case laws.Staircase(eps, sensitivity, split):
            return _staircase(rng, _number(eps), _number(sensitivity), _number(split), size)
        case laws.DiscreteLaplace(scale):
            return _by_value(scale, size, lambda s, n: discrete.discrete_laplace(rng, s, n))
        case laws.DiscreteGaussian(variance):
            return _by_value(variance, size, lambda s, n: discrete.discrete_gaussian(rng, s, n))
        case laws.Bernoulli(p):
            if isinstance(p, Fraction) and p.denominator < 2**62:
                return discrete.bernoulli(rng, p, size)
            return rng.random(size) < _number(p)
        case laws.Logit(log_odds):
            return rng.random(size) < 1.0 / (1.0 + np.exp(-_number(log_odds)))
        case laws.Choice(weights):
            return _choice(rng, weights, size)
        case laws.LogChoice(log_weights):
            return _log_choice(rng, log_weights, size)
    raise TypeError(f"no sampler for {law}")


def _log_choice(rng: np.random.Generator, log_weights: tuple[Any, ...], size: int) -> Any:
    if any(isinstance(w, np.ndarray) for w in log_weights):  # the largest of Gumbel-perturbed scores has this law
        scores = np.array([np.broadcast_to(_number(w), (size,)) for w in log_weights])
        return np.argmax(scores + rng.gumbel(size=scores.shape), axis=0)
    scores = np.array([float(w) for w in log_weights])
    odds = np.exp(scores - scores.max())
    return np.searchsorted(np.cumsum(odds)[:-1], rng.random(size) * odds.sum(), side="right")


def _by_value(parameter: Any, size: int, draw: Any) -> Array:
    """Exact integer laws need one rational parameter: an array is served value by value."""
    if not isinstance(parameter, np.ndarray):
        return np.asarray(draw(_rational(parameter), size))
    result = np.zeros(size, dtype=np.int64)
    for value in np.unique(parameter):
        lanes = np.flatnonzero(parameter == value)
        result[lanes] = draw(_rational(value), lanes.size)
    return result


def _admissible(rng: np.random.Generator, gamma: Any, size: int) -> Any:
    """|Z|^γ is a ratio of independent Gamma(1/γ) and Gamma(1 − 1/γ) variables: the change of variables is exact."""
    ratio = rng.standard_gamma(1.0 / gamma, size) / rng.standard_gamma(1.0 - 1.0 / gamma, size)
    return np.where(rng.random(size) < 0.5, -1.0, 1.0) * ratio ** (1.0 / gamma)


def _staircase(rng: np.random.Generator, eps: Any, width: Any, split: Any, size: int) -> Any:
    """Sign, stair (geometric), side of the step (Bernoulli) and place (uniform) are independent."""
    fall = np.exp(-eps)
    stair = rng.geometric(1.0 - fall, size) - 1
    low_part = rng.random(size) < split / (split + fall * (1.0 - split))
    place = rng.random(size)
    inside = np.where(low_part, split * place, split + (1.0 - split) * place)
    return np.where(rng.random(size) < 0.5, -1.0, 1.0) * (stair + inside) * width


def _choice(rng: np.random.Generator, weights: tuple[Any, ...], size: int) -> Any:
    if any(isinstance(w, np.ndarray) for w in weights):
        table = np.cumsum(np.array([np.broadcast_to(_number(w), (size,)) for w in weights]), axis=0)
        return (rng.random(size) * table[-1] >= table).sum(axis=0)
    rational = [exact(w) for w in weights]
    total = sum(rational, Fraction(0))
    bottom = np.lcm.reduce([w.denominator for w in rational], dtype=object)
    counts = [int(w * bottom) for w in rational]
    if sum(counts) < 2**62:
        edges = np.cumsum(np.array(counts, dtype=np.int64))
        return np.searchsorted(edges, discrete.uniform_below(rng, int(edges[-1]), size), side="right")
    return np.searchsorted(np.cumsum([float(w / total) for w in rational]), rng.random(size), side="right")
