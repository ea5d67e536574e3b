r"""Does a trainer do what was accounted for? Warnings of their own: a rejection does not say "not private".

An accountant is told a noise multiplier, a sampling rate and a number of steps. Along directions of examples that are
absent the noisy sums of all steps are independent N(0, σ²C²), and under Poisson sampling the sizes of batches are
independent Binomial(n, q). Both can be tested from logs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpwitness.auditors.outputs.arrays import Floats
from dpwitness.core.errors import BadInput


@dataclass(frozen=True)
class Specification:
    """Whether logs look like what was accounted for.

    Parameters
    ----------
    warning
        What does not fit, in words; None where everything does.
    p_values
        By test.
    """

    warning: str | None
    p_values: dict[str, float]
    alpha: float

    @property
    def passed(self) -> bool:
        """Whether nothing stood out."""
        return self.warning is None

    def __str__(self) -> str:
        tests = ", ".join(f"{name}: p = {p:.2g}" for name, p in self.p_values.items())
        return f"{'as specified' if self.passed else f'NOT AS SPECIFIED: {self.warning}'} ({tests}; α = {self.alpha:g})"


def check_batch_sizes(sizes: Any, *, records: int, rate: float, alpha: float = 1e-3) -> Specification:
    """Whether logged batch sizes look like those of Poisson sampling.

    A shuffled trainer that is accounted for as Poisson has batches of one size. It is about as private as nobody knows,
    and no attack sees it; its log shows it at once.

    Examples
    --------
    >>> check_batch_sizes([60] * 100, records=600, rate=0.1).warning
    'the sizes of batches vary by 0, not by 7.35 as under Poisson sampling: fixed sizes, or shuffling'
    >>> rng = np.random.default_rng(0)
    >>> check_batch_sizes(rng.binomial(600, 0.1, 200), records=600, rate=0.1).passed
    True
    """
    from scipy.special import chdtr, chdtrc, ndtr

    found = _numbers(sizes, "sizes", 10)
    if not isinstance(records, int) or records < 1 or not 0 < rate < 1:
        raise BadInput(f"records={records!r} must be a positive whole number and rate={rate!r} lie in (0, 1)")
    if np.any(found < 0) or np.any(found > records) or np.any(found != np.rint(found)):
        raise BadInput(f"sizes must be whole numbers from 0 to records={records}")
    mean, variance, n = records * rate, records * rate * (1 - rate), len(found)
    level = 2 * float(ndtr(-abs(found.mean() - mean) / math.sqrt(variance / n)))
    spread = float(((found - found.mean()) ** 2).sum()) / variance
    low, high = float(chdtr(n - 1, spread)), float(chdtrc(n - 1, spread))
    p_values = {"mean": level, "spread": min(1.0, 2 * min(low, high))}
    share, warning = alpha / 2, None
    if p_values["spread"] <= share:
        usual = f"{math.sqrt(variance):.3g} as under Poisson sampling"
        shown = f"the sizes of batches vary by {found.std():.3g}, not by {usual}"
        warning = (
            f"{shown}: fixed sizes, or shuffling" if low < high else f"{shown}: the rate is not the same in all steps"
        )
    elif level <= share:
        warning = f"batches hold {found.mean():.4g} records in the mean, not {mean:.4g}: the rate is not {rate:g}"
    return Specification(warning, p_values, alpha)


def check_noise(sums: Any, *, deviation: float, alpha: float = 1e-3) -> Specification:
    """Whether noisy sums along directions of absent examples look like fresh Gaussian noise.

    Parameters
    ----------
    sums
        Steps × directions: each step's noisy sum along directions that no example of the data has.
    deviation
        σC.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> check_noise(rng.normal(0, 1.5, (200, 500)), deviation=1.5).passed
    True
    >>> check_noise(rng.normal(0, 1.2, (200, 500)), deviation=1.5).warning
    'the noise is 0.802 times what is claimed'
    """
    from scipy.special import chdtr, chdtrc, ndtr

    given = np.asarray(sums, dtype=np.float64)
    if given.ndim != 2 or given.shape[0] < 2 or not np.all(np.isfinite(given)):
        raise BadInput("sums must be a table of finite numbers, steps × directions, of at least two steps")
    if not deviation > 0:
        raise BadInput(f"deviation={deviation!r} must be positive")
    scaled = given / deviation
    squares, degrees = float((scaled**2).sum()), scaled.size
    size = min(1.0, 2 * min(float(chdtr(degrees, squares)), float(chdtrc(degrees, squares))))
    products = scaled[1:] * scaled[:-1]
    lag = float(products.sum()) / math.sqrt(products.size)
    p_values = {"size": size, "fresh in every step": 2 * float(ndtr(-abs(lag)))}
    warning = None
    if p_values["fresh in every step"] <= alpha / 2:
        warning = "the noise of one step is like that of the step before: it is not drawn anew"
    elif size <= alpha / 2:
        warning = f"the noise is {math.sqrt(squares / degrees):.3g} times what is claimed"
    return Specification(warning, p_values, alpha)


def _numbers(values: Any, name: str, fewest: int) -> Floats:
    found = np.asarray(values, dtype=np.float64)
    if found.ndim != 1 or len(found) < fewest or not np.all(np.isfinite(found)):
        raise BadInput(f"{name} must be at least {fewest} finite numbers, one for each step")
    return found
