"""Other accountants beside the certified bracket.

A value that another library states as an upper bound is *inside* the bracket, *loose* (above it), or *below* its lower
end: then it is wrong as an upper bound. An accountant with dp-accounting's interface returns the certified upper end.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpwitness.core.errors import BadInput, DPWitnessError
from dpwitness.core.numbers import exact
from dpwitness.proofs.accounting.bracket import Bracket
from dpwitness.proofs.accounting.composition import RELATIONS, Composition, compose
from dpwitness.proofs.accounting.events import account, read_event, to_event


class Absent(Exception):
    """A library that is not installed, or that does not know a step; the text says which."""


@dataclass(frozen=True)
class Peer:
    """What one library says: ε as an upper bound at δ, and where that lies."""

    name: str
    value: float | None
    seconds: float
    place: str  # "inside", "loose", "below", "infinite" or "none"
    note: str = ""

    def __str__(self) -> str:
        shown = self.note if self.value is None else f"{self.value:.10g}  {self.place}  {self.note}"
        return f"{self.name:24} {shown}".rstrip()


@dataclass(frozen=True)
class Comparison:
    """The certified bracket of ε(δ) and the peers' values."""

    delta: Fraction
    bracket: Bracket
    seconds: float
    peers: tuple[Peer, ...]

    def __str__(self) -> str:
        head = f"epsilon at delta {float(self.delta):g}: {self.bracket} (certified, {self.seconds:.2f} s)"
        return "\n".join([head, *map(str, self.peers)])


def compare(event: Any, delta: object, names: tuple[str, ...] | None = None) -> Comparison:
    """The certified bracket of ε(δ) beside dp-accounting, prv-accountant and autodp.

    `event` is a composition or a DpEvent.
    """
    whole = event if isinstance(event, Composition) else account(event)
    size = Fraction(exact(delta, "delta"))
    begun = time.perf_counter()
    bracket = whole.epsilon(size)
    seconds = time.perf_counter() - begun
    peers = [ask(name, whole, float(size), bracket) for name in (names or tuple(PEERS))]
    return Comparison(size, bracket, seconds, tuple(peers))


def ask(name: str, whole: Composition, delta: float, bracket: Bracket) -> Peer:
    """One library's value, judged; an error of it is a note and not ours."""
    begun = time.perf_counter()
    try:
        value = float(PEERS[name](whole, delta))
    except (Absent, ImportError, DPWitnessError) as error:
        return Peer(name, None, 0.0, "none", f"not asked: {error}"[:120])
    except Exception as error:
        return Peer(name, None, time.perf_counter() - begun, "none", f"failed: {type(error).__name__}: {error}"[:120])
    seconds = time.perf_counter() - begun
    if math.isnan(value) or value == math.inf:
        return Peer(name, value, seconds, "infinite")
    if value < bracket.low:
        return Peer(name, value, seconds, "below", f"by {float(bracket.low - Fraction(value)):.2g}")
    if value <= bracket.high:
        return Peer(name, value, seconds, "inside")
    loose = float(Fraction(value) - bracket.high) / max(float(bracket.high), 1e-300)
    return Peer(name, value, seconds, "loose", f"by {loose:.2g} of the bracket's upper end")


def _pld(interval: float) -> Callable[[Composition, float], float]:
    def value(whole: Composition, delta: float) -> float:
        from dp_accounting.pld import common
        from dp_accounting.pld import privacy_loss_distribution as laws

        total = None
        for (kind, *values), count in whole.steps:
            numbers = [float(v) for v in values if isinstance(v, Fraction)]
            fine: dict[str, Any] = {"value_discretization_interval": interval}
            if kind == "gaussian":
                one = laws.from_gaussian_mechanism(numbers[0] ** -0.5, **fine)
            elif kind == "laplace":
                one = laws.from_laplace_mechanism(1 / numbers[0], **fine)
            elif kind == "geometric":
                one = laws.from_discrete_laplace_mechanism(1 / numbers[0], int(numbers[1]), **fine)
            elif kind == "discrete-gaussian":
                one = laws.from_discrete_gaussian_mechanism(numbers[0] ** 0.5, int(numbers[1]), **fine)
            elif kind in ("pure", "response", "approximate"):
                given = common.DifferentialPrivacyParameters(numbers[0], numbers[1] if len(numbers) > 1 else 0.0)
                one = laws.from_privacy_parameters(given, **fine)
            elif kind == "poisson-gaussian":
                one = laws.from_gaussian_mechanism(numbers[1] ** -0.5, sampling_prob=numbers[0], **fine)
            elif kind == "poisson-laplace":
                one = laws.from_laplace_mechanism(1 / numbers[1], sampling_prob=numbers[0], **fine)
            else:
                raise Absent(f"dp-accounting has no loss distribution for {kind}")
            one = one.self_compose(count)
            total = one if total is None else total.compose(one)
        assert total is not None
        return float(total.get_epsilon_for_delta(delta))

    return value


def _rdp(whole: Composition, delta: float) -> float:
    from dp_accounting import rdp

    return float(rdp.RdpAccountant().compose(to_event(whole)).get_epsilon(delta))


def _prv(whole: Composition, delta: float) -> float:
    import prv_accountant as prv
    from prv_accountant import privacy_random_variables as laws

    variables, counts = [], []
    for (kind, *values), count in whole.steps:
        numbers = [float(v) for v in values if isinstance(v, Fraction)]
        if kind == "gaussian":
            variables.append(laws.GaussianMechanism(noise_multiplier=numbers[0] ** -0.5))
        elif kind == "laplace":
            variables.append(laws.LaplaceMechanism(mu=numbers[0]))
        elif kind in ("pure", "response"):
            variables.append(laws.PureDPMechanism(eps=numbers[0]))
        elif kind == "poisson-gaussian":
            variables.append(
                laws.PoissonSubsampledGaussianMechanism(
                    sampling_probability=numbers[0], noise_multiplier=numbers[1] ** -0.5
                )
            )
        else:
            raise Absent(f"prv-accountant has no law for {kind}")
        counts.append(count)
    accountant = prv.PRVAccountant(
        prvs=variables, max_self_compositions=counts, eps_error=0.01, delta_error=delta / 1000
    )
    return float(accountant.compute_epsilon(delta, counts)[2])


def _autodp(whole: Composition, delta: float) -> float:
    from autodp import mechanism_zoo, transformer_zoo

    found, counts = [], []
    for (kind, *values), count in whole.steps:
        numbers = [float(v) for v in values if isinstance(v, Fraction)]
        if kind == "gaussian":
            one = mechanism_zoo.GaussianMechanism(sigma=numbers[0] ** -0.5)
        elif kind == "laplace":
            one = mechanism_zoo.LaplaceMechanism(b=1 / numbers[0])
        elif kind == "poisson-gaussian":
            base = mechanism_zoo.GaussianMechanism(sigma=numbers[1] ** -0.5)
            one = transformer_zoo.AmplificationBySampling(PoissonSampling=True)(
                base, numbers[0], improved_bound_flag=True
            )
        else:
            raise Absent(f"autodp is not asked about {kind}")
        found.append(one)
        counts.append(count)
    return float(transformer_zoo.Composition()(found, counts).get_approxDP(delta))


def _opacus(whole: Composition, delta: float) -> float:
    from opacus.accountants.analysis import rdp

    orders = [1 + x / 10 for x in range(1, 100)] + list(range(12, 64))
    total: Any = 0.0
    for (kind, *values), count in whole.steps:
        if kind not in ("gaussian", "poisson-gaussian"):
            raise Absent(f"Opacus has no curve for {kind}")
        rate, squared = (1.0, float(values[0])) if kind == "gaussian" else (float(values[0]), float(values[1]))
        total = total + rdp.compute_rdp(q=rate, noise_multiplier=squared**-0.5, steps=count, orders=orders)
    return float(rdp.get_privacy_spent(orders=orders, rdp=total, delta=delta)[0])


PEERS: dict[str, Callable[[Composition, float], float]] = {
    "dp-accounting PLD 1e-4": _pld(1e-4),
    "dp-accounting RDP": _rdp,
    "prv-accountant ±0.01": _prv,
    "autodp RDP": _autodp,
    "Opacus RDP": _opacus,
}

LIBRARIES = dict(zip(PEERS, ("dp_accounting", "dp_accounting", "prv_accountant", "autodp", "opacus"), strict=True))


def peer_accountant(relation: str = "add-remove") -> Any:
    """An accountant with dp-accounting's interface that returns certified upper ends, rounded up to a double.

    ``accountant = dpw.peer_accountant()`` in place of ``PLDAccountant()`` is the one line to change. Needs
    dp-accounting. Events that belong to the other relation between neighbours are not supported.
    """
    from dp_accounting import privacy_accountant

    if relation not in RELATIONS:
        raise BadInput(f"relation={relation!r} must be one of {', '.join(RELATIONS)}")
    base, relations = privacy_accountant.PrivacyAccountant, privacy_accountant.NeighboringRelation
    neighbours = relations.ADD_OR_REMOVE_ONE if relation == "add-remove" else relations.REPLACE_ONE

    class CertifiedAccountant(base):  # type: ignore[misc, valid-type]
        def __init__(self) -> None:
            super().__init__(neighbours)
            self.whole: Composition | None = None

        def _maybe_compose(self, event: Any, count: int, do_compose: bool) -> Any:
            try:
                found = read_event(event)
                if found is None:
                    return None
                part = compose(found, relation=relation)
                if count:
                    part = part * count
                    part = part if self.whole is None else self.whole + part
            except (DPWitnessError, AttributeError) as error:
                return base.CompositionErrorDetails(invalid_event=event, error_message=str(error))
            if do_compose and count:
                self.whole = part
            return None

        def bracket(self, target_delta: float) -> Bracket:
            return (
                Bracket(Fraction(0), Fraction(0)) if self.whole is None else self.whole.epsilon(Fraction(target_delta))
            )

        def get_epsilon(self, target_delta: float) -> float:
            return _up(self.bracket(target_delta).high)

        def get_delta(self, target_epsilon: float) -> float:
            return 0.0 if self.whole is None else _up(self.whole.delta(Fraction(target_epsilon)).high)

    return CertifiedAccountant()


def _up(value: Fraction | float) -> float:
    """The smallest double that is not below."""
    near = float(value)
    return near if near >= value else math.nextafter(near, math.inf)
