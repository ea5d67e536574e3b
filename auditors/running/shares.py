"""Who may use how much of the runs and of the time of an audit: shared out before anything is drawn.

Runs that a part does not use go to the parts after it, and so does time.
"""

from __future__ import annotations

from dataclasses import dataclass

from dpwitness.auditors.running.failures import AGAIN
from dpwitness.auditors.sampling.sampler import Sampler

COMPARE, SECOND = 3 / 8, 1 / 8  # of the pairs: to compare pairs of inputs, and to audit the runner-up
DOUBLES = 1 / 8  # of the pairs: for the look at bit patterns, beside an audit of numbers
OPINION = 1 / 4  # the same, in a second opinion, so that as many are left for the audit itself
EXPLAIN, MOST_EXPLAIN = 1 / 12, 96
FEWEST_DOUBLES = 512
FEWEST_RUNS = 18  # that a replay makes on one pair of inputs
_FEW = 5 * AGAIN


@dataclass(frozen=True)
class Until:
    """The share of the time limit at which each part ends."""

    compare: float = 0.2
    around: float = 0.3
    final: float = 0.4
    main: float = 0.85
    second: float = 0.85
    doubles: float = 0.92
    simpler: float = 0.96
    explain: float = 0.96


ALONE = Until()
SEARCH = Until(main=0.75)
BOTH = Until(main=0.5, second=0.55)


@dataclass(frozen=True)
class Shares:
    """Pairs of runs set aside for the parts beside the audit itself, and when each part ends."""

    compare: int
    second: int
    doubles: int
    explain: int
    spare: int
    until: Until

    def aside(self, *, second: bool) -> int:
        """What the audit of the best pair leaves to others."""
        return self.doubles + self.explain + self.spare + (self.second if second else 0)


def share_out(
    sampler: Sampler, pairs: int, *, searches: bool, numerics: str, fractional: bool | None, quick: int,
    opinion: bool = False,
) -> Shares:  # fmt: skip
    """The shares of an audit of `pairs` pairs.

    Parameters
    ----------
    fractional
        Whether outputs hold numbers that are not whole, as far as is known: others need no look at bit patterns.
    quick
        Pairs that a quick look at bit patterns takes at most.
    opinion
        Whether this is a second opinion on a claim that is decided: it has few pairs, and a finding about doubles is
        what it is most likely to add.

    Examples
    --------
    >>> known = {"searches": False, "numerics": "ideal", "fractional": True, "quick": 1 << 17}
    >>> found = share_out(Sampler(min, True), 1_000_000, **known)
    >>> found.doubles, found.explain, found.compare
    (125000, 96, 0)
    """
    doubles = 0
    if fractional is not False:
        least = min(2 * FEWEST_DOUBLES, pairs // 4)
        share = max(least, int(pairs * (OPINION if opinion else DOUBLES / 2 if searches else DOUBLES)))
        doubles = pairs // 2 if numerics == "both" else min(quick, share)
    return Shares(
        compare=int(COMPARE * pairs) if searches else 0,
        second=int(SECOND * pairs) if searches else 0,
        doubles=doubles if doubles >= FEWEST_DOUBLES else 0,
        explain=min(MOST_EXPLAIN, explain) if (explain := int(EXPLAIN * pairs)) >= FEWEST_RUNS // 2 else 0,
        spare=0 if sampler.batched or pairs < _FEW else AGAIN,  # for `dpwitness.auditors.running.failures`
        until=BOTH if numerics == "both" else SEARCH if searches else ALONE,
    )
