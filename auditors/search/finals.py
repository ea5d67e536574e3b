"""The best few pairs of a comparison, compared once more.

Whichever of many pairs looks best has mostly been lucky (the winner's curse), and so has the event on which it looks
best. So the best few are drawn anew: their events are chosen on a part of these samples and counted on the rest, which
has chosen nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dpwitness.auditors.bounds.ledger import Budget
from dpwitness.auditors.outputs.table import Encoder
from dpwitness.auditors.rules.choose import Aim, expected_bound
from dpwitness.auditors.running.threads import one_thread
from dpwitness.auditors.sampling.sampler import Sampler, draw_chunk
from dpwitness.auditors.sampling.seeds import SeedBranch
from dpwitness.auditors.search.screening import Candidate, Screening
from dpwitness.core.errors import LimitReached, ProgramFailed, ProgramTimeout

FINALISTS = 3  # of the given pairs, and of those around the best of them
FEWEST = 1024  # runs of a side on which a slight violation can be told from luck
MOST = 1 << 16
_BRANCH = 2  # the comparisons before this one are 0 and 1
_CHOOSES = 1 / 3  # of the samples


@one_thread()
def settled(
    sampler: Sampler, screened: Screening, finalists: Sequence[Candidate], delta: float, budget: Budget
) -> Screening:
    """The same comparison with the finalists in the order in which fresh samples rank them, before all others.

    Where a limit leaves no room for that, or the sampler fails, the order stays as it is.
    """
    chosen = list({repr((pair.left, pair.right)): pair for pair in finalists}.values())
    meter = sampler.meter
    if meter is None or len(chosen) < 2:
        return screened
    size = int(min(MOST, meter.left // (2 * len(chosen))))
    if size < FEWEST or meter.lasts(2 * len(chosen) * size) > meter.deadline.remaining():
        return screened
    aim = Aim(2 * budget.max_pairs, budget.alpha, delta)
    try:
        values = [_value(sampler, place, pair, size, aim, budget.seed) for place, pair in enumerate(chosen)]
    except (LimitReached, ProgramFailed, ProgramTimeout):
        return screened
    order = sorted(range(len(chosen)), key=lambda place: -values[place])  # stable: the better one before stays first
    others = [pair for pair in screened.ranked if not any(pair is one for one in chosen)]
    return replace(screened, ranked=[*(chosen[place] for place in order), *others])


def _value(sampler: Sampler, place: int, pair: Candidate, size: int, aim: Aim, seed: int) -> float:
    encoder, cut = Encoder(), int(_CHOOSES * size)
    tables = []
    for side, data in ((0, pair.left), (1, pair.right)):
        outputs = draw_chunk(sampler, data, (SeedBranch.SCREENING + _BRANCH, place, side, 0), size, seed)
        tables.append(encoder.encode(outputs, size))
    width = max(table.width for table in tables)
    left, right = (table.widened(width) for table in tables)
    return expected_bound(encoder.places, (left[:cut], right[:cut]), (left[cut:], right[cut:]), aim)
