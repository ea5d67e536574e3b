r"""A claim that a deterministic function is stable: :math:`d_{out}(f(x), f(y)) \le b(d_{in}(x, y))`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar

from dpwitness.core.errors import BadInput
from dpwitness.core.numbers import exact
from dpwitness.core.records import Records
from dpwitness.core.spaces import Answers
from dpwitness.core.stability.columns import Column
from dpwitness.core.stability.distances import Distance
from dpwitness.core.stability.rows import Rows, of_records

Bound = Any  # a number, or a function from d_in to one; None: the claim is about the domain alone
Function = Callable[..., Any]
F = TypeVar("F", bound=Function)
STEPS = (1, 2, 3)


@dataclass(frozen=True)
class Stable:
    """What is claimed of a function.

    Parameters
    ----------
    space
        `Rows`, `Records` or `Answers`: the inputs and their neighbours.
    distance
        Between outputs: a name of `dpwitness.core.stability.distances`, or a function of two outputs.
    bound
        How far apart outputs of neighbours may be: a number, or a function of the number of steps between the inputs
        (of the distance of two vectors); None where only the domain is claimed.
    domain
        What every output must be: a `Column` (of every number in it), or a function that returns whether it is.
    numerics
        ``"ideal"``: what rounding can explain is noted and no violation; ``"doubles"``: every excess is one.
    """

    function: Function
    space: Rows | Answers
    distance: Distance
    bound: Bound
    domain: Column | Callable[[Any], bool] | None = None
    numerics: str = "ideal"
    name: str = ""

    @classmethod
    def of(
        cls, function: Function, space: Any, distance: Any = "l1", bound: Bound = 1, domain: Any = None,
        numerics: str = "ideal", name: str = "",
    ) -> Stable:  # fmt: skip
        """The claim from what a user writes, checked."""
        if not callable(function):
            raise BadInput(f"f={function!r} is not callable; give a function of one dataset")
        if isinstance(space, Records):
            space = of_records(space)
        if not isinstance(space, Rows | Answers):
            raise BadInput(f"space={space!r} must be Rows(...), Records(...) or Answers(...)")
        if numerics not in ("ideal", "doubles"):
            raise BadInput(f"numerics={numerics!r} must be 'ideal' or 'doubles'")
        if bound is None and domain is None:
            raise BadInput("bound=None and domain=None claim nothing; give a bound on the distance, or a domain")
        if domain is not None and not (callable(domain) or isinstance(domain, Column)):
            raise BadInput(f"domain={domain!r} must be a column such as reals(0, 1), or a function of an output")
        if bound is not None and not callable(bound) and exact(bound, "bound") < 0:
            raise BadInput(f"bound={bound!r} must not be negative")
        text = name or getattr(function, "__name__", type(function).__name__)
        return cls(function, space, Distance.of(distance), bound, domain, numerics, text)

    @property
    def steps(self) -> Sequence[int]:
        """The distances of inputs to try: 1, and more where the bound is a function of it."""
        return STEPS if callable(self.bound) else (1,)

    def allowed(self, apart: Any) -> Fraction | None:
        """The bound at a distance of inputs; outputs of inputs that count as the same must be the same."""
        if self.bound is None:
            return None
        if callable(self.bound):
            try:
                found = Fraction(exact(self.bound(apart), "bound"))
            except BadInput:
                raise
            except Exception as error:
                raise BadInput(f"the bound failed at {apart}: {type(error).__name__}: {error}") from error
            if found < 0:
                raise BadInput(f"the bound is {found} at {apart}: it must not be negative")
            return found
        return Fraction(0) if apart == 0 else Fraction(exact(self.bound, "bound"))

    def describe(self) -> str:
        """The claim in a few words."""
        said = []
        if self.bound is not None:
            limit = "b(d)" if callable(self.bound) else str(exact(self.bound, "bound"))
            said.append(f"{self.distance.name} ≤ {limit}")
        if self.domain is not None:
            shown = self.domain.describe() if isinstance(self.domain, Column) else self.domain.__name__
            said.append(f"outputs are {shown}")
        return f"{'; '.join(said)}, {self.space.describe()}"


def stable(
    space: Any, distance: Any = "l1", bound: Bound = 1, *, domain: Any = None, numerics: str = "ideal"
) -> Callable[[F], F]:
    """Note on a function what is claimed of it, for ``dpwitness stability module:function``.

    Examples
    --------
    >>> from dpwitness.core.stability.columns import reals
    >>> @stable(Rows(reals(0, 1)), "l1", 1)
    ... def total(data):
    ...     return sum(data)
    >>> total.stability.describe()
    'l1 ≤ 1, a record is added or removed'
    """

    def decorate(function: F) -> F:
        function.stability = Stable.of(function, space, distance, bound, domain, numerics)  # type: ignore[attr-defined]
        return function

    return decorate
