"""Derivations in lessons: a program that prints the steps, and exercises that break a wrong one."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from dpwitness.lessons.model import Code, Exercise

Check = Callable[[Any], str | None]


def steps_of(law: str, title: str, body: str) -> Code:
    """A screen with the derivation of a noise law, run live: `law` is the call of `dpw.noise_law`."""
    source = f"import dpwitness as dpw\n\nlaw = {law}\nfor line in law.derivation.lines():\n    print(line)\n"
    return Code(title, body, source)


def breaks(name: str, title: str, body: str, check: Check, reference: str, wrong: str) -> Exercise:
    """An exercise: one step of a derivation is wrong, and a point is wanted where it fails."""
    head = reference.partition("\n")[0]
    return Exercise(name, title, body, f"{head}\n    ...\n", check, reference, wrong)


def laplace_ratio(z: float, shift: float, scale: float) -> float:
    """ln h(z) − ln h(z + Δ) of Laplace noise."""
    return (abs(z + shift) - abs(z)) / scale


def wrong_branch(answer: Any) -> str | None:
    """A z where the log-ratio is not −Δ/b."""
    for shift, scale in ((1.0, 1.0), (0.5, 2.0), (3.0, 0.25)):
        z = answer(shift, scale)
        if not isinstance(z, int | float) or not math.isfinite(z):
            return f"for ({shift}, {scale}) it gives {z}, and a number is wanted"
        if abs(laplace_ratio(z, shift, scale) + shift / scale) < 1e-9:
            return f"at z = {z:g}, with Δ = {shift:g} and b = {scale:g}, the step is right"
    return None


def wrong_slope(answer: Any) -> str | None:
    """γ and z where the slope of ln(1/(1+|z|^γ)) is steeper than 1."""
    found = answer()
    if not isinstance(found, tuple | list) or len(found) != 2:
        return "it must give γ and z"
    gamma, z = map(float, found)
    if not gamma > 1:
        return f"γ = {gamma:g} is outside the conditions: γ > 1"
    x = abs(z)
    slope = gamma * x ** (gamma - 1) / (1 + x**gamma)
    return (
        None
        if slope > 1 + 1e-9
        else f"at γ = {gamma:g} and z = {z:g} the slope is {slope:.6g}: the step is right there"
    )


def wrong_limit(answer: Any) -> str | None:
    """A z where the loss of Gaussian noise exceeds a bound."""
    for shift, sigma, bound in ((1.0, 1.0, 5.0), (2.0, 0.5, 100.0), (0.1, 3.0, 1.0)):
        z = answer(shift, sigma, bound)
        if not isinstance(z, int | float) or not math.isfinite(z):
            return f"for ({shift}, {sigma}, {bound}) it gives {z}, and a number is wanted"
        loss = abs(shift * (2 * z + shift) / (2 * sigma**2))
        if loss <= bound:
            return f"at z = {z:g} the loss is {loss:.6g}, within the bound {bound:g}"
    return None


def lost_condition(answer: Any) -> str | None:
    """A δ at which three outcomes break what was derived for two."""
    for m in (3, 4, 10):
        delta = answer(m)
        if not isinstance(delta, int | float) or not 0 < delta < 1 / m:
            return f"for m = {m} it gives {delta}: δ must lie between 0 and 1/m"
        growth = (1 - delta) / (1 - 2 * delta)
        if growth * (1 - m * delta) + delta >= 1:
            return f"for m = {m} and δ = {delta:g} every single outcome is fine: the step is right there"
    return None
