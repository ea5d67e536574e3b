"""Noise and sums of doubles: the claim holds for real numbers, and the bits of an output break it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dpwitness.core import Answers, ApproxDP, PureDP
from dpwitness.core.stability.columns import reals
from dpwitness.core.stability.rows import Rows
from dpwitness.corpus.entry import black_box, deterministic

if TYPE_CHECKING:
    import numpy as np

NUMBER = Answers("all", 1, size=1)


def logarithm(data: Sequence[Any], size: int, rng: np.random.Generator) -> Any:
    """Laplace noise as the logarithm of a uniform double."""
    import numpy as np

    signs = np.where(rng.random(size) < 0.5, -1.0, 1.0)
    return float(data[0]) + signs * np.log(1 - rng.random(size))


def snapped(data: Sequence[Any], size: int, rng: np.random.Generator) -> Any:
    """Discrete Laplace noise on a grid of 1/64, added to the value rounded to it."""
    import numpy as np

    ratio = 1 - np.exp(-1 / 64)
    steps = rng.geometric(ratio, size) - rng.geometric(ratio, size)
    return (round(float(data[0]) * 64) + steps) / 64


def box_muller(data: Sequence[Any], size: int, rng: np.random.Generator) -> Any:
    """Gaussian noise of two uniform doubles."""
    import numpy as np

    radius = np.sqrt(-2 * np.log(1 - rng.random(size)))
    return float(data[0]) + 4 * radius * np.cos(2 * np.pi * rng.random(size))


def snapped_normal(data: Sequence[Any], size: int, rng: np.random.Generator) -> Any:
    """Gaussian noise rounded to a grid of 1/16 before it is added to the value on that grid."""
    import numpy as np

    return (round(float(data[0]) * 16) + np.rint(rng.normal(0, 64, size))) / 16


def single_precision(data: Sequence[Any], size: int, rng: np.random.Generator) -> Any:
    """Gaussian noise in single precision."""
    import numpy as np

    noise = rng.standard_normal(size, dtype=np.float32) * np.float32(4)
    return (np.float32(float(data[0])) + noise).astype(np.float64)


def staircase(data: Sequence[Any], size: int, rng: np.random.Generator) -> Any:
    """The staircase law, by a uniform double within a stair."""
    import numpy as np

    signs = np.where(rng.random(size) < 0.5, -1.0, 1.0)
    stair = rng.geometric(1 - np.exp(-1.0), size) - 1
    late = rng.random(size) < np.exp(-1.0) / (1 + np.exp(-1.0))
    place = np.where(late, 0.5 + 0.5 * rng.random(size), 0.5 * rng.random(size))
    return float(data[0]) + signs * (stair + place)


black_box(
    "opendp-414",
    "OpenDP issue 414, before 0.5",
    "Laplace noise is a logarithm of a double",
    "serious",
    "D",
    data=NUMBER,
    claim=PureDP(1),
    broken=logarithm,
    fixed=snapped,
    doubles=True,
)
black_box(
    "diffprivlib-19",
    "diffprivlib issues 19 and 94; Haney et al. 2022 (2207.13793)",
    "Gaussian noise is a double",
    "serious",
    "D",
    data=NUMBER,
    claim=ApproxDP(1, "0.001"),
    broken=box_muller,
    fixed=snapped_normal,
    doubles=True,
)
black_box(
    "opacus-260",
    "Opacus issues 260, 538 and 616",
    "Gaussian noise is a number of single precision",
    "serious",
    "D",
    data=NUMBER,
    claim=ApproxDP(1, "0.001"),
    broken=single_precision,
    fixed=snapped_normal,
    doubles=True,
)
black_box(
    "diffprivlib-staircase",
    "diffprivlib, staircase mechanism",
    "staircase noise is a double",
    "serious",
    "D",
    data=NUMBER,
    claim=PureDP(1),
    broken=staircase,
    fixed=snapped,
    doubles=True,
)


def sum_of_doubles(values: Sequence[float]) -> float:
    """A sum in the order of the records."""
    total = 0.0
    for value in values:
        total += value
    return total


def sum_on_a_grid(values: Sequence[float]) -> int:
    """A sum of whole numbers of 1/1024, which is exact in any order."""
    return sum(round(min(1.0, max(-1.0, value)) * 1024) for value in values)


def rounded_sum(data: Sequence[Any], size: int, rng: np.random.Generator) -> Any:
    """The sum of doubles with coarse noise that cannot hide its last bits."""
    import numpy as np

    steps = rng.geometric(1 - np.exp(-1.0), size) - rng.geometric(1 - np.exp(-1.0), size)
    return sum_of_doubles([float(x) / 10 for x in data]) + steps


def exact_sum(data: Sequence[Any], size: int, rng: np.random.Generator) -> Any:
    """The sum of whole numbers with noise of whole numbers."""
    import numpy as np

    steps = rng.geometric(1 - np.exp(-1.0), size) - rng.geometric(1 - np.exp(-1.0), size)
    return float(sum(int(x) for x in data)) + steps


black_box(
    "google-126",
    "Google differential-privacy issues 126 and 127",
    "the rounding of a sum depends on the order of the records",
    "theoretical",
    "SA",
    data=Answers("one", 1, size=3, values=(0, 1, 2)),
    claim=PureDP(1),
    broken=rounded_sum,
    fixed=exact_sum,
)
DOUBLES = Rows(reals(-1, 1), any_order=True)
deterministic("google-126", DOUBLES, "l1", 1, sum_of_doubles, sum_on_a_grid, fixed_bound=1024, numerics="doubles")
