"""Bounds from samples that hold less often than they say; their control is an audit of equal laws.

A lower bound on ε at level α must be 0 on two equal laws in all but a share α of runs. No audit of a mechanism finds
such a bug; a control does, which runs the bound itself again and again on scores that mean nothing.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from dpwitness.corpus.entry import Bug, add

if TYPE_CHECKING:
    import numpy as np

WHY = "it is a bound from an audit, not a mechanism: the control is a run of it on equal laws"


def from_gdp(scores: np.ndarray[Any, Any], others: np.ndarray[Any, Any]) -> float:
    """The best separation over all thresholds, as if the threshold had been fixed beforehand."""
    import numpy as np

    best = 0.0
    for cut in np.sort(scores)[:20]:
        hits, alarms = np.mean(scores <= cut), np.mean(others <= cut)
        if hits > 0:
            best = max(best, math.log(hits / max(alarms, 0.5 / len(others))))
    return best


def from_fixed_threshold(scores: np.ndarray[Any, Any], others: np.ndarray[Any, Any]) -> float:
    """Clopper-Pearson bounds at one threshold that is given; α = 0.001."""
    import numpy as np
    from scipy.stats import beta

    n, hits, alarms = len(scores), int(np.sum(scores <= 0)), int(np.sum(others <= 0))
    low = float(beta.ppf(0.0005, hits, n - hits + 1)) if hits else 0.0
    high = float(beta.ppf(0.9995, alarms + 1, n - alarms)) if alarms < n else 1.0
    return max(0.0, math.log(low / high)) if low > 0 else 0.0


def sum_of_estimates(scores: np.ndarray[Any, Any], others: np.ndarray[Any, Any]) -> float:
    """Estimates of ten rounds are added, chance and all."""
    import numpy as np

    total = 0.0
    for one, two in zip(np.array_split(scores, 10), np.array_split(others, 10), strict=True):
        total += abs(math.log((1 + np.sum(one <= 0)) / (1 + np.sum(two <= 0))))
    return total


add(
    Bug(
        "jax-privacy-270",
        "invalid_audits",
        "jax_privacy issue 270, before 8967688",
        "ε = 3.5 is reported for scores that mean nothing",
        "serious",
        "K",
        None,
        hidden=WHY,
        control=(from_gdp, from_fixed_threshold),
    )
)
add(
    Bug(
        "canife-2",
        "invalid_audits",
        "canife pull request 2",
        "empirical ε of rounds are added up",
        "serious",
        "K",
        None,
        hidden=WHY,
        control=(sum_of_estimates, from_fixed_threshold),
    )
)


def false_alarms(bound: Any, runs: int = 20, size: int = 1000, seed: int = 0) -> int:
    """How many of the runs on equal laws claim ε > 0; of a bound at level 0.001 hardly any should."""
    import numpy as np

    rng = np.random.default_rng(seed)
    return sum(bound(rng.normal(size=size), rng.normal(size=size)) > 0.0 for _ in range(runs))
