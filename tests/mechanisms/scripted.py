"""Draws that are given beforehand, and finding a twin by its name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from dpwitness.core import Mechanism
from dpwitness.core.laws import Law
from dpwitness.core.minimising import trace
from dpwitness.core.noise import Noise
from dpwitness.core.readers.solving import solve


class Scripted(Noise):
    """Draws that are given beforehand, then zeros; keeps the law of every draw."""

    def __init__(self, values: Iterable[Any] = ()) -> None:
        self.values = iter(values)
        self.laws: list[Law] = []

    def draw(self, law: Law) -> Any:
        self.laws.append(law)
        return next(self.values, 0)

    def check(self, name: str, value: Any, *, above: int | None, below: int | None = None, closed: bool = False) -> Any:
        return value

    def argmax(self, values: Sequence[Any]) -> Any:
        return max(range(len(values)), key=lambda i: (values[i], -i))

    def max(self, values: Sequence[Any]) -> Any:
        return max(values)

    def minimiser(self, gradient: Any, size: int) -> list[Any]:
        return solve(trace(gradient, size))

    def scales(self) -> list[Any]:
        return [next(iter(law.params().values())) for law in self.laws if law.name != "choice"]


def twin(mechanism: Mechanism, name: str) -> Mechanism:
    return next(t for t in mechanism.twins if t.name == f"{mechanism.name}/{name}")
