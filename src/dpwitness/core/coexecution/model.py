"""What a reader must hand over beside its certificate: a model that can be run.

A proof speaks of a model of the program: a decision tree, transitions between loop heads, a table of laws, a list of
releases. That the model is the program is not a matter of mathematics, so it is tested: model and program are run on
the same inputs with the same draws, and every law, every scale and the output must agree.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

from dpwitness.core.claims import Claim
from dpwitness.core.errors import DPWitnessError
from dpwitness.core.laws import Law

# hands out the value of the next draw: a number, a truth value or an index; a second argument says by how much the ends
# of a uniform draw may differ because of rounding
Source = Callable[..., Any]


class Unfaithful(DPWitnessError):
    """The model of a proof is not the program: the message shows a run on which they differ."""


class UnknownInput(DPWitnessError):
    """A model does not speak of an input: it was never read."""


class NoWay(DPWitnessError):
    """A run of a model came to a branch that the model calls impossible; `doubt` as in `Trace`."""

    def __init__(self, reason: str, *, doubt: bool = False) -> None:
        super().__init__(reason)
        self.doubt = doubt


@dataclass(frozen=True)
class Probe:
    """One run that is to be made by the model and by the program.

    Attributes
    ----------
    data, params
        The input, and the value of every parameter of the program.
    draws
        Values of the first draws in order; further ones are drawn at random.
    aim
        The place of the model that this probe was chosen to reach; empty where it was chosen at random.
    plain
        Whether the program gets the ints and doubles that a caller passes, in place of exact numbers.
    nearby
        Other inputs for which the program would get the same doubles: the model may agree with it on any of them.
    """

    data: tuple[Any, ...]
    params: Mapping[str, Any]
    draws: tuple[Any, ...] = ()
    aim: str = ""
    plain: bool = False
    nearby: tuple[tuple[Any, ...], ...] = ()


@dataclass(frozen=True)
class Computed:
    """A number in a model's output that the program computes from draws and data: compared up to rounding.

    Everything else in an output is a constant, and is compared by type and value.
    """

    value: Fraction | float


@dataclass(frozen=True)
class Fixed:
    """A constant of a model's output by its type and value, as `dpwitness.core.identity` keeps them.

    A plain Python constant may stand in an output as well.
    """

    kind: str
    value: Any


class Array(tuple[Any, ...]):
    """A numpy array in a model's output."""


@dataclass(frozen=True)
class Trace:
    """What a model did in one run: the laws that it drew from, its output, and the places that it passed.

    `doubt` says that a test on the way was so near to its boundary that rounding may decide it otherwise in a run with
    floating-point numbers: there a difference says nothing. `shown` are places that follow from what was released, so
    that whoever sees the output may know them.
    """

    laws: tuple[Law, ...]
    output: Any
    places: tuple[str, ...] = ()
    doubt: bool = False
    shown: tuple[str, ...] = ()


class Model(Protocol):
    """A program as a proof sees it, executable."""

    def places(self) -> Collection[str]:
        """The leaves or transitions that runs must reach; those that were shown to be empty are left out.

        Asked for after the probes: what these could not reach may have been shown to be empty meanwhile.
        """

    def probes(self, claim: Claim, rng: random.Random) -> Iterator[Probe]:
        """Runs that together reach every place, and points beside every boundary between two places.

        A model may leave out a probe for what earlier runs have reached.
        """

    def run(self, data: Sequence[Any], params: Mapping[str, Any], source: Source) -> Trace:
        """Run the model on one input; every draw is asked of `source`, with its law at these parameters.

        Raises `UnknownInput` where the model does not speak of the input, and `NoWay` where it calls the branch
        impossible that these draws lead to.
        """


@dataclass(frozen=True)
class Scoped:
    """A model that speaks of some inputs or some parameters only, as that of a counterexample does.

    Attributes
    ----------
    inputs
        The only inputs; None: all inputs of the claim's space.
    params
        The values of the parameters at which the model holds; None: those of the claim.
    """

    model: Model
    inputs: tuple[tuple[Any, ...], ...] | None = None
    params: tuple[Mapping[str, Any], ...] | None = None

    def places(self) -> Collection[str]:
        """Those of the model."""
        return self.model.places()

    def probes(self, claim: Claim, rng: random.Random) -> Iterator[Probe]:
        """Those of the model."""
        return self.model.probes(claim, rng)

    def run(self, data: Sequence[Any], params: Mapping[str, Any], source: Source) -> Trace:
        """A run of the model."""
        return self.model.run(data, params, source)
