"""Drawing arrays from a law with a numpy Generator."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpwitness.core.laws import Law


def sample(law: Law, rng: np.random.Generator, size: int) -> NDArray[Any]:
    """`size` independent draws. Parameters are numbers, or arrays with one entry for each draw."""
    return np.asarray(law.sample(rng, size))
