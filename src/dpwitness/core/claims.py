"""A claim: a mechanism, its parameters, a guarantee, and the inputs for which it is claimed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from dpwitness.core.evidence import IDEAL_REALS, Numerics
from dpwitness.core.guarantees import Guarantee
from dpwitness.core.numbers import Exact
from dpwitness.core.spaces import Space

if TYPE_CHECKING:
    from dpwitness.core.mechanism import BlackBox, Mechanism


@dataclass(frozen=True)
class Claim:
    """`mechanism` with `params` satisfies `guarantee` on `space` (which names the adjacency).

    Parameters
    ----------
    index
        Which of the mechanism's claims this is.
    expected_to_hold
        What the catalogue expects: True for correct mechanisms, False for broken twins.
    numerics
        ``"ideal-reals"`` (noise is a real number) or ``"doubles"``.
    given
        The parameters whose values were asked for. The claim is made at these values alone; in the parameters of
        `varies` that are not given it is a claim about all values of their domains.
    varies
        The parameters of which the claimed guarantee is a function.
    """

    mechanism: Mechanism | BlackBox
    params: Mapping[str, Exact]
    guarantee: Guarantee
    space: Space
    expected_to_hold: bool = True
    index: int = 0
    numerics: Numerics = IDEAL_REALS
    notes: str = field(default="", compare=False)
    given: frozenset[str] = frozenset()
    varies: tuple[str, ...] = ()

    @property
    def target(self) -> str:
        """The catalogue name."""
        return self.mechanism.name

    @property
    def queries(self) -> int:
        """The size at which the claim is studied where a number is needed."""
        return self.space.size

    @property
    def free(self) -> tuple[str, ...]:
        """The parameters in which this is a claim about a function: it must hold at every value of their domains."""
        return tuple(name for name in self.varies if name not in self.given)

    def elsewhere(self, params: Mapping[str, Exact]) -> Claim:
        """The same claim at other values of its free parameters."""
        from dpwitness.core.errors import BadInput
        from dpwitness.core.mechanism import Mechanism

        moved = sorted(name for name, value in params.items() if self.params.get(name) != value)
        for name in moved:
            if name not in self.free:
                raise BadInput(f"the claim is made at {name}={self.params.get(name)} alone")
        if not isinstance(self.mechanism, Mechanism):
            raise BadInput(f"{self.target} is a black box: it has no parameters")
        made = self.mechanism.claims(**{**self.params, **params})[self.index]
        return replace(self, params=made.params, guarantee=made.guarantee, given=frozenset(self.params))

    def describe(self) -> str:
        """Guarantee and adjacency in a few words."""
        return f"{self.guarantee}, {self.space.describe()}"

    def run(self, noise: Any, data: Any) -> Any:
        """Run the program once with the given reader of randomness."""
        from dpwitness.core.mechanism import Mechanism

        if not isinstance(self.mechanism, Mechanism):
            raise TypeError(f"{self.target} is a black box: it can be sampled but not run with a reader")
        return self.mechanism.bind(data, self.params)(noise)
