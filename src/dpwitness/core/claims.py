"""A claim: a mechanism, its parameters, a guarantee, and the inputs for which it is claimed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
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
    """

    mechanism: Mechanism | BlackBox
    params: Mapping[str, Exact]
    guarantee: Guarantee
    space: Space
    expected_to_hold: bool = True
    index: int = 0
    numerics: Numerics = IDEAL_REALS
    notes: str = field(default="", compare=False)

    @property
    def target(self) -> str:
        """The catalogue name."""
        return self.mechanism.name

    @property
    def queries(self) -> int:
        """The size at which the claim is studied where a number is needed."""
        return self.space.size

    def describe(self) -> str:
        """Guarantee and adjacency in a few words."""
        return f"{self.guarantee}, {self.space.describe()}"

    def run(self, noise: Any, data: Any) -> Any:
        """Run the program once with the given reader of randomness."""
        from dpwitness.core.mechanism import Mechanism

        if not isinstance(self.mechanism, Mechanism):
            raise TypeError(f"{self.target} is a black box: it can be sampled but not run with a reader")
        return self.mechanism.bind(data, self.params)(noise)
