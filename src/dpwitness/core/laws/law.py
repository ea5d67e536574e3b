"""What every law knows of itself.

A law is a name with parameters. Parameters are exact numbers, symbolic values, or arrays with one entry for each lane,
depending on who runs the program. Everything that dpwitness needs to know of a law stands in the law's own file:

- which parameters it has, and in which domain (`domains`): `Noise` checks them before a draw;
- where its values lie (`support`);
- how it is drawn with numpy (`sample`), and how large an ordinary draw is (`spread`);
- by which name and parameters the proof kernel knows it (`kernel_form`), where it does.

A new law is a new file here, a line in `__init__.py`, and, where programs should call it by a method of its own, a
method of `dpwitness.core.noise.Noise`; without one, programs write ``noise.draw(MyLaw(scale))``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Literal

if TYPE_CHECKING:
    import numpy as np

Support = Literal["real", "nonnegative", "integers", "finite", "interval"]


@dataclass(frozen=True)
class Domain:
    """Where a parameter must lie: above < value < below, with equality allowed where `closed`."""

    above: int | None = None
    below: int | None = None
    closed: bool = False


ANY = Domain()
POSITIVE = Domain(above=0)
SHARE = Domain(above=0, below=1, closed=True)


@dataclass(frozen=True)
class Law:
    """Base of all laws."""

    name: ClassVar[str]
    support: ClassVar[Support]
    domains: ClassVar[dict[str, Domain]] = {}
    zero_has_density: ClassVar[bool] = True  # whether a draw of exactly 0 is an ordinary value to try

    @property
    def nonnegative(self) -> bool:
        """Whether no draw is below 0."""
        return self.support == "nonnegative"

    def params(self) -> dict[str, Any]:
        """Parameter names and values."""
        return dict(self.__dict__)

    def __str__(self) -> str:
        return f"{self.name}({', '.join(f'{k}={v}' for k, v in self.params().items())})"

    def sample(self, rng: np.random.Generator, size: int) -> Any:
        """`size` independent draws. Parameters are numbers, or arrays with one entry for each draw."""
        raise TypeError(f"no sampler for {self}")

    def spread(self) -> float:
        """The size of an ordinary draw, for laws with infinitely many values."""
        raise TypeError(f"no values for draws from {self}")

    def kernel_form(self, factor: Fraction, number: Callable[[str], Fraction]) -> dict[str, Fraction] | None:
        """Parameters of `factor` > 0 times a draw, as the proof kernel's law of this name takes them.

        None where the kernel has no theorem on it. `number` gives a parameter of this law as an exact number.
        """
        return None


def as_floats(value: Any) -> Any:
    """A parameter as float or float array."""
    import numpy as np

    return value if isinstance(value, np.ndarray) else float(value)


def as_rational(value: Any) -> Fraction:
    """A parameter as the exact number that it stands for."""
    return value if isinstance(value, Fraction) else Fraction(repr(float(value)))


def draw_by_value(parameter: Any, size: int, draw: Callable[[Fraction, int], Any]) -> Any:
    """Exact integer laws need one rational parameter: an array is served value by value."""
    import numpy as np

    if not isinstance(parameter, np.ndarray):
        return np.asarray(draw(as_rational(parameter), size))
    result = np.zeros(size, dtype=np.int64)
    for value in np.unique(parameter):
        lanes = np.flatnonzero(parameter == value)
        result[lanes] = draw(as_rational(value), lanes.size)
    return result
