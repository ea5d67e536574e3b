"""Compositions from and to the event trees of dp-accounting.

Events are known by the names of their classes, so that library is needed only for writing events. Floats of an event
are taken as the exact doubles that they are.
"""

from __future__ import annotations

from fractions import Fraction
from math import exp
from typing import Any

from dpwitness.core.errors import BadInput
from dpwitness.proofs.accounting import steps
from dpwitness.proofs.accounting.composition import Composition, compose
from dpwitness.proofs.accounting.steps import NoProvedPair

MAX_DEPTH = 200


def account(event: Any) -> Composition:
    """The composition that a DpEvent describes; `NoProvedPair` where no pair is proved for a part of it."""
    found = read_event(event)
    if found is None:
        raise BadInput("the event releases nothing")
    return found


def _number(value: Any, name: str) -> Fraction:
    try:
        return Fraction(value)
    except (TypeError, ValueError, OverflowError):
        raise BadInput(f"{name}={value!r} is not a finite number") from None


def read_event(event: Any, depth: int = 0) -> Composition | None:
    """As `account`, and None for an event that releases nothing."""
    if depth > MAX_DEPTH:
        raise BadInput(f"the event is nested more than {MAX_DEPTH} deep")
    kind = type(event).__name__
    if kind == "NoOpDpEvent":
        return None
    if kind == "ComposedDpEvent":
        parts = [part for part in (read_event(item, depth + 1) for item in event.events) if part is not None]
        return compose(*parts) if parts else None
    if kind == "SelfComposedDpEvent":
        inner = read_event(event.event, depth + 1)
        return None if inner is None or event.count == 0 else inner * event.count
    if kind == "GaussianDpEvent":
        return steps.gaussian(_number(event.noise_multiplier, "noise_multiplier"))
    if kind == "LaplaceDpEvent":
        return steps.laplace(_number(event.noise_multiplier, "noise_multiplier"))
    if kind == "DiscreteLaplaceDpEvent":
        return steps.geometric(1 / _number(event.noise_parameter, "noise_parameter"), event.sensitivity)
    if kind == "RandomizedResponseDpEvent":
        return _response(_number(event.noise_parameter, "noise_parameter"), int(event.num_buckets))
    if kind == "EpsilonDeltaDpEvent":
        eps, delta = _number(event.epsilon, "epsilon"), _number(event.delta, "delta")
        return steps.approximate(eps, delta) if delta else steps.pure(eps)
    if kind in ("PoissonSampledDpEvent", "SampledWithoutReplacementDpEvent"):
        inner = read_event(event.event, depth + 1)
        if inner is None:
            return None
        if kind == "PoissonSampledDpEvent":
            return steps.poisson(inner, _number(event.sampling_probability, "sampling_probability"))
        return steps.sample(inner, event.sample_size, event.source_dataset_size)
    if kind == "SingleEpochTreeAggregationDpEvent":
        counts = event.step_counts if isinstance(event.step_counts, (list, tuple)) else [event.step_counts]
        return steps.tree(_number(event.noise_multiplier, "noise_multiplier"), max(counts))
    if kind == "NonPrivateDpEvent":
        raise NoProvedPair("the event is not private: no epsilon is large enough")
    raise NoProvedPair(f"no pair of laws is proved here for a {kind}")


def _response(noise: Fraction, buckets: int) -> Composition:
    """The true answer with probability 1 − p + p/k, each other with p/k."""
    other = noise / buckets
    rest = other * (buckets - 2)
    more = [rest] if rest else []
    return steps.from_table([1 - other - rest, other, *more], [other, 1 - other - rest, *more])


def to_event(composition: Composition) -> Any:
    """The DpEvent of a composition, for dp-accounting itself; its numbers become floats."""
    import dp_accounting as dp
    from dp_accounting import dp_event

    parts = []
    for (kind, *values), count in composition.steps:
        numbers = [float(v) for v in values if isinstance(v, Fraction)]
        if kind == "gaussian":
            event = dp.GaussianDpEvent(numbers[0] ** -0.5)
        elif kind == "laplace":
            event = dp.LaplaceDpEvent(1 / numbers[0])
        elif kind == "response":
            event = dp.RandomizedResponseDpEvent(2 / (1 + exp(numbers[0])), 2)
        elif kind == "geometric":
            event = dp_event.DiscreteLaplaceDpEvent(1 / numbers[0], int(numbers[1]))
        elif kind == "poisson-gaussian":
            event = dp.PoissonSampledDpEvent(numbers[0], dp.GaussianDpEvent(numbers[1] ** -0.5))
        elif kind == "poisson-laplace":
            event = dp.PoissonSampledDpEvent(numbers[0], dp.LaplaceDpEvent(1 / numbers[1]))
        else:
            raise NoProvedPair(f"dp-accounting has no event for a step of kind {kind}")
        parts.append(dp.SelfComposedDpEvent(event, count) if count > 1 else event)
    return dp.ComposedDpEvent(parts) if len(parts) > 1 else parts[0]
