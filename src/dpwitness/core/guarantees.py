"""What a mechanism may promise: pure, approximate, zero-concentrated, Rényi and Gaussian differential privacy."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from dpwitness.core.errors import BadInput
from dpwitness.core.numbers import Exact, exact, show
from dpwitness.core.rounding_up import RoundedUp, round_up


def _number(value: object, name: str) -> Exact:
    """A number of a claim: exact, or the next one of forty digits above an irrational one."""
    return round_up(value, name) if hasattr(value, "form") else exact(value, name)


def _positive(value: object, name: str) -> Exact:
    number = _number(value, name)
    if number <= 0:
        raise BadInput(f"{name}={number} must be positive")
    return number


def _show(number: Exact) -> str:
    return f"{show(number)} ({number.formula})" if isinstance(number, RoundedUp) else show(number)


def _nonnegative(value: object, name: str) -> Exact:
    number = _number(value, name)
    if number < 0:
        raise BadInput(f"{name}={number} must not be negative")
    return number


@dataclass(frozen=True)
class Guarantee:
    """Base of all guarantees. Numbers are exact; see `dpwitness.core.numbers.exact` for what is accepted."""

    kind: ClassVar[str]

    def to_json(self) -> dict[str, Any]:
        """The guarantee as ``{"kind": ..., "epsilon": "1", ...}`` with numbers as exact text."""
        fields = {name: str(value) for name, value in self.__dict__.items()}
        names = {"eps": "epsilon"}
        return {"kind": self.kind, **{names.get(name, name): value for name, value in fields.items()}}

    def implies(self, other: Guarantee) -> bool:
        """Whether this guarantee contains `other` by comparison of parameters alone (no conversion theorem)."""
        raise NotImplementedError


@dataclass(frozen=True)
class PureDP(Guarantee):
    r"""ε-differential privacy: :math:`P[M(x) \in S] \le e^\varepsilon P[M(x') \in S]` for neighbours x, x'.

    >>> from dpwitness.core import log
    >>> print(PureDP("1/3"), "and", PureDP(2 * log(3)))
    ε = 1/3 and ε = 2.19722 (2·log(3))
    """

    eps: Exact
    kind: ClassVar[str] = "pure"

    def __init__(self, eps: object) -> None:
        object.__setattr__(self, "eps", _positive(eps, "eps"))

    def __str__(self) -> str:
        return f"ε = {_show(self.eps)}"

    def implies(self, other: Guarantee) -> bool:
        return isinstance(other, PureDP | ApproxDP) and self.eps <= other.eps


@dataclass(frozen=True)
class ApproxDP(Guarantee):
    r"""(ε,δ)-differential privacy: :math:`P[M(x) \in S] \le e^\varepsilon P[M(x') \in S] + \delta`.

    >>> print(ApproxDP(1, "1e-5"))
    ε = 1, δ = 1e-05
    """

    eps: Exact
    delta: Exact
    kind: ClassVar[str] = "approximate"

    def __init__(self, eps: object, delta: object) -> None:
        object.__setattr__(self, "eps", _nonnegative(eps, "eps"))
        number = _number(delta, "delta")
        if not 0 <= number < 1:
            raise BadInput(f"delta={number} must lie in [0, 1)")
        if self.eps == 0 and number == 0:
            raise BadInput("eps=0 with delta=0 asks for identical output laws; one of the two must be positive")
        object.__setattr__(self, "delta", number)

    def __str__(self) -> str:
        return f"ε = {_show(self.eps)}, δ = {_show(self.delta)}"

    def implies(self, other: Guarantee) -> bool:
        if isinstance(other, PureDP):
            return self.delta == 0 and self.eps <= other.eps
        return isinstance(other, ApproxDP) and self.eps <= other.eps and self.delta <= other.delta


@dataclass(frozen=True)
class ZCDP(Guarantee):
    r"""ρ-zero-concentrated DP: Rényi divergence of every order α > 1 is at most :math:`\rho\alpha`."""

    rho: Exact
    kind: ClassVar[str] = "zcdp"

    def __init__(self, rho: object) -> None:
        object.__setattr__(self, "rho", _positive(rho, "rho"))

    def __str__(self) -> str:
        return f"ρ-zCDP, ρ = {_show(self.rho)}"

    def implies(self, other: Guarantee) -> bool:
        return (isinstance(other, ZCDP) and self.rho <= other.rho) or (
            isinstance(other, RenyiDP) and self.rho * other.order <= other.eps
        )


@dataclass(frozen=True)
class RenyiDP(Guarantee):
    r"""(α,ε)-Rényi DP: the Rényi divergence of order α between neighbours is at most ε."""

    order: Exact
    eps: Exact
    kind: ClassVar[str] = "renyi"

    def __init__(self, order: object, eps: object) -> None:
        number = exact(order, "order")
        if number <= 1:
            raise BadInput(f"order={number} must exceed 1")
        object.__setattr__(self, "order", number)
        object.__setattr__(self, "eps", _positive(eps, "eps"))

    def __str__(self) -> str:
        return f"Rényi order {_show(self.order)}, ε = {_show(self.eps)}"

    def implies(self, other: Guarantee) -> bool:
        return isinstance(other, RenyiDP) and self.order >= other.order and self.eps <= other.eps


@dataclass(frozen=True)
class GaussianDP(Guarantee):
    r"""μ-Gaussian DP: neighbours are at least as hard to tell apart as N(0,1) and N(μ,1)."""

    mu: Exact
    kind: ClassVar[str] = "gaussian"

    def __init__(self, mu: object) -> None:
        object.__setattr__(self, "mu", _positive(mu, "mu"))

    def __str__(self) -> str:
        return f"μ-GDP, μ = {_show(self.mu)}"

    def implies(self, other: Guarantee) -> bool:
        return isinstance(other, GaussianDP) and self.mu <= other.mu


def epsilon_delta(guarantee: Guarantee) -> tuple[Fraction, Fraction] | None:
    """``(ε, δ)`` of a pure or approximate guarantee, None for the others."""
    if isinstance(guarantee, PureDP):
        return guarantee.eps, Fraction(0)
    if isinstance(guarantee, ApproxDP):
        return guarantee.eps, guarantee.delta
    return None
