"""The laws that a program may draw from.

A `Law` is a name with parameters. Parameters are exact numbers, symbolic values, or arrays of lanes, depending on the
reader. `sample` draws with numpy; the integer-valued laws are drawn exactly (see `dpwitness.core.readers.discrete`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

Support = Literal["real", "nonnegative", "integers", "finite", "interval"]


@dataclass(frozen=True)
class Law:
    """Base of all laws."""

    name: ClassVar[str]
    support: ClassVar[Support]

    def params(self) -> dict[str, Any]:
        """Parameter names and values."""
        return dict(self.__dict__)

    def __str__(self) -> str:
        return f"{self.name}({', '.join(f'{k}={v}' for k, v in self.params().items())})"


@dataclass(frozen=True)
class Laplace(Law):
    r"""Density :math:`e^{-|z|/b}/(2b)`, b the scale."""

    scale: Any
    name: ClassVar[str] = "laplace"
    support: ClassVar[Support] = "real"


@dataclass(frozen=True)
class Exponential(Law):
    r"""Density :math:`e^{-z/b}/b` for z ≥ 0, b the scale."""

    scale: Any
    name: ClassVar[str] = "exponential"
    support: ClassVar[Support] = "nonnegative"


@dataclass(frozen=True)
class Gaussian(Law):
    """Normal law with mean 0."""

    std: Any
    name: ClassVar[str] = "gaussian"
    support: ClassVar[Support] = "real"


@dataclass(frozen=True)
class Uniform(Law):
    """Uniform between two bounds."""

    low: Any
    high: Any
    name: ClassVar[str] = "uniform"
    support: ClassVar[Support] = "interval"


@dataclass(frozen=True)
class Gamma(Law):
    r"""Density :math:`\propto z^{k-1} e^{-z/b}` for z ≥ 0, k the shape and b the scale."""

    shape: Any
    scale: Any
    name: ClassVar[str] = "gamma"
    support: ClassVar[Support] = "nonnegative"


@dataclass(frozen=True)
class Admissible(Law):
    r"""Density :math:`\propto 1/(1+|z|^\gamma)`, γ > 1 (γ = 2 is the Cauchy law)."""

    gamma: Any
    name: ClassVar[str] = "admissible"
    support: ClassVar[Support] = "real"


@dataclass(frozen=True)
class Staircase(Law):
    r"""The staircase law: constant on stairs of width Δ, falling by :math:`e^{-\varepsilon}` from stair to stair.

    With g the fraction `split`: on :math:`[k\Delta, (k+g)\Delta)` the density of \|z\| is :math:`a e^{-k\varepsilon}`,
    on :math:`[(k+g)\Delta, (k+1)\Delta)` it is :math:`a e^{-(k+1)\varepsilon}`.
    """

    eps: Any
    sensitivity: Any
    split: Any
    name: ClassVar[str] = "staircase"
    support: ClassVar[Support] = "real"


@dataclass(frozen=True)
class DiscreteLaplace(Law):
    r"""The two-sided geometric law :math:`P[k] \propto e^{-|k|/b}` on the integers, b the scale."""

    scale: Any
    name: ClassVar[str] = "discrete_laplace"
    support: ClassVar[Support] = "integers"


@dataclass(frozen=True)
class DiscreteGaussian(Law):
    r"""The law :math:`P[k] \propto e^{-k^2/(2\sigma^2)}` on the integers; `variance` is σ²."""

    variance: Any
    name: ClassVar[str] = "discrete_gaussian"
    support: ClassVar[Support] = "integers"


@dataclass(frozen=True)
class Bernoulli(Law):
    """True with probability `p`."""

    p: Any
    name: ClassVar[str] = "bernoulli"
    support: ClassVar[Support] = "finite"


@dataclass(frozen=True)
class Logit(Law):
    r"""True with probability :math:`e^a/(1+e^a)`, a the log-odds."""

    log_odds: Any
    name: ClassVar[str] = "logit"
    support: ClassVar[Support] = "finite"


@dataclass(frozen=True)
class Choice(Law):
    """Index i with probability proportional to ``weights[i]``."""

    weights: tuple[Any, ...]
    name: ClassVar[str] = "choice"
    support: ClassVar[Support] = "finite"


@dataclass(frozen=True)
class LogChoice(Law):
    r"""Index i with probability proportional to :math:`e^{w_i}`, the exponential mechanism's law."""

    log_weights: tuple[Any, ...]
    name: ClassVar[str] = "log_choice"
    support: ClassVar[Support] = "finite"
