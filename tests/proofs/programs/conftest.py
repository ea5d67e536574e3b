"""Programs for the tests of this folder, written here so that the tests do not move with the catalogue."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from tests.proofs.programs.draws import drawn

from dpwitness.core.guarantees import PureDP
from dpwitness.core.mechanism import Mechanism, mechanism
from dpwitness.core.spaces import Answers


def make(
    program: Any, moves: str = "all", factor: Fraction | int = 1, name: str | None = None, **typical: Any
) -> Mechanism:
    """A mechanism that claims factor·eps."""
    data = typical.pop("data", None) or Answers(moves, 1)  # type: ignore[arg-type]
    return mechanism(
        data=data, claim=lambda eps: PureDP(factor * eps), typical={"eps": 1, **typical}, name=name or program.__name__
    )(program)


def noisy_max(scale: Any = 2, law: str = "laplace") -> Any:
    def program(noise: Any, q: Any, *, eps: Any) -> Any:
        return noise.argmax([x + drawn(noise, law, scale / eps) for x in q])

    return program


def running_max(noise: Any, q: Any, *, eps: Any) -> Any:
    best, place = None, None
    for i, x in enumerate(q):
        v = x + noise.laplace(2 / eps)
        if best is None or v > best:
            best, place = v, i
    return place


def svt(
    threshold_scale: Any = 2,
    query_scale: Any = 4,
    cutoff: int | None = 1,
    release: str = "bit",
    flip: bool = False,
    value_scale: Any = 3,
) -> Any:
    """A sparse vector with knobs: what is right and what is broken differ by one of them."""

    def program(noise: Any, q: Any, *, eps: Any) -> Any:
        t = noise.laplace(threshold_scale / eps) if threshold_scale else 0
        out: list[Any] = []
        count = 0
        for x in q:
            v = x + noise.laplace(query_scale / eps) if query_scale else x
            above = v <= t if flip else v >= t
            if above:
                count += 1
                out.append({"bit": True, "gap": v - t, "noisy": v, "exact": x}.get(release))
                if release == "fresh":
                    out[-1] = x + noise.laplace(value_scale / eps)
                if cutoff is not None and count >= cutoff:
                    break
            else:
                out.append(False)
        return out

    return program


def gap_of_maximum(noise: Any, q: Any, *, eps: Any) -> Any:
    values = [x + noise.laplace(2 / eps) for x in q]
    best = noise.argmax(values)
    return best, values[best] - noise.max(values[:best] + values[best + 1 :])


def histogram(scale: Any = 1, power: int = -1) -> Any:
    def program(noise: Any, q: Any, *, eps: Any) -> Any:
        return [x + noise.laplace(scale / eps if power == -1 else scale * eps) for x in q]

    return program


def partial_sum(scale: Any = 1) -> Any:
    def program(noise: Any, q: Any, *, eps: Any) -> Any:
        return sum(q) + noise.laplace(scale / eps)

    return program


def smart_sum(noisy_blocks: bool = True) -> Any:
    def program(noise: Any, q: Any, *, eps: Any) -> Any:
        out: list[Any] = []
        inside, blocks, running = 0, 0, 0
        for i, x in enumerate(q):
            if (i + 1) % 2 == 0:
                blocks = blocks + inside + x + (noise.laplace(1 / eps) if noisy_blocks else 0)
                running, inside = blocks, 0
            else:
                running, inside = running + x + noise.laplace(1 / eps), inside + x
            out.append(running)
        return out

    return program


class Programs:
    """What the tests build programs from."""

    make = staticmethod(make)
    noisy_max = staticmethod(noisy_max)
    running_max = staticmethod(running_max)
    svt = staticmethod(svt)
    gap_of_maximum = staticmethod(gap_of_maximum)
    histogram = staticmethod(histogram)
    partial_sum = staticmethod(partial_sum)
    smart_sum = staticmethod(smart_sum)


@pytest.fixture
def programs() -> type[Programs]:
    return Programs
