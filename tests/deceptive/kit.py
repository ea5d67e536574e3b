"""How a deceptive program is written down: a mechanism, and what is true of it.

The docstring begins with ``not private:`` or ``private:`` and says why in one line. What is true is true of the program
as it runs in Python on plain numbers, at every value of its parameters unless `at` names the ones where it fails.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpwitness import Answers, Interval, PureDP, Records, mechanism
from dpwitness.core.mechanism import Mechanism

INF = math.inf
F = Fraction
ONE, ALL, UP = (Answers(moves, 1, size=3) for moves in ("one", "all", "up"))  # type: ignore[arg-type]
SINGLE = Answers("all", 1, size=1)
TWO, FIVE = Answers("all", 1, size=2), Answers("one", 1, size=5)
BITS, PAIR_OF_BITS = Records((0, 1), 1), Records((0, 1), 2)
UNIT = Interval(0, 1)


@dataclass(frozen=True)
class Case:
    """A program and the truth about it.

    Attributes
    ----------
    private
        Whether the claim holds.
    loss
        The true pure loss at the typical parameters, where it is known.
    at
        A value of ε at which the claim fails, where it holds at the typical one.
    """

    made: Mechanism
    private: bool
    loss: float | None = None
    at: Fraction | None = None

    @property
    def name(self) -> str:
        return self.made.name


CASES: list[Case] = []
COMPOSED: list[Case] = []  # programs made of parts, in the package `composed`


def _keep(private: bool, space: Any, claim: Any, typical: Mapping[str, object] | None, **truth: Any) -> Any:
    def decorate(program: Callable[..., Any]) -> Callable[..., Any]:
        words = (program.__doc__ or "").strip()
        if not words.startswith("private: " if private else "not private: "):
            raise ValueError(f"{program.__name__} does not say what is true of it: {words!r}")
        home = program.__module__.rpartition(".")[2]
        made = mechanism(
            data=space, claim=claim or (lambda eps: PureDP(eps)), typical={"eps": 1} if typical is None else typical,
            name=f"{home}:{program.__name__}",
        )(program)  # fmt: skip
        (COMPOSED if ".composed." in program.__module__ else CASES).append(Case(made, private, **truth))
        return program

    return decorate


def leaks(
    space: Any,
    loss: float | None = None,
    *,
    claim: Any = None,
    typical: Mapping[str, object] | None = None,
    at: Fraction | None = None,
) -> Any:
    """A program of which the claim is false."""
    return _keep(False, space, claim, typical, loss=loss, at=at)


def holds(
    space: Any, loss: float | None = None, *, claim: Any = None, typical: Mapping[str, object] | None = None
) -> Any:
    """A program of which the claim is true."""
    return _keep(True, space, claim, typical, loss=loss)
