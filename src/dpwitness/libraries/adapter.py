"""What an adapter tells of one release: how to make it, what it claims, and on which inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from dpwitness.core import Answers, BlackBox, Guarantee, Proved, PureDP, Records, Refuted
from dpwitness.core.identity import shipped

Release = Callable[[Any], Any]
NUMBER = Answers("all", 1, size=1)
COUNT = Answers("all", 1, size=1, whole=True)
SCORES = Answers("all", 1, size=3)


@dataclass(frozen=True)
class Item:
    """One release of a library.

    Parameters
    ----------
    make
        From the share of the noise (1: as much as the claim needs, 1/2: half of it) to a function of one input.
    space
        The inputs and their neighbours: `Answers` for what is added to numbers, `Records` for datasets.
    single
        Whether the release gets the only number of its input in place of a list.
    has_control
        Whether half of the noise makes a claim that must fail.
    """

    name: str
    make: Callable[[float], Release]
    space: Answers | Records
    guarantee: Guarantee = PureDP(1)  # noqa: RUF009  # frozen, and never changed
    single: bool = False
    has_control: bool = True


@dataclass
class Plain:
    """A release as ``sampler(data, size, rng)``: called once for each output, on inputs as Python numbers."""

    item: Item
    share: float = 1.0
    _release: Release | None = None

    def __call__(self, data: Sequence[Any], size: int, rng: Any) -> list[Any]:
        if self._release is None:
            self._release = self.item.make(self.share)
        values = [_number(x) for x in data]
        given = values[0] if self.item.single else values
        return [_output(self._release(given)) for _ in range(size)]


def _number(value: Any) -> Any:
    plain = shipped(value)
    return plain if isinstance(plain, bool | int | float | str | tuple) or plain is None else float(plain)


def _output(value: Any) -> Any:
    """Numbers and arrays of other libraries as Python's."""
    made = getattr(value, "tolist", None)
    return made() if callable(made) else value


def black_box(library: str, item: Item, *, half: bool = False) -> BlackBox:
    """The release as a target; with `half` of the noise it is a control that must be refuted."""
    name = f"library/{library}/{item.name}" + ("/half" if half else "")
    sampler = Plain(item, 0.5 if half else 1.0)
    return BlackBox(name, sampler, item.space, item.guarantee, Refuted if half else Proved, ("library", library))
