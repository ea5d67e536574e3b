"""Laws of the output on two neighbouring inputs: exact tables, or histograms of many runs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.evidence import Counterexample
from dpwitness.core.guarantees import epsilon_delta
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.text import line, show_data
from dpwitness.core.verdict import Verdict
from dpwitness.pictures.attempts import attempt
from dpwitness.reports.figures.data import OutputLaws
from dpwitness.reports.figures.events import members

MOST_LABELS = 24
MOST_PAIRS = 12
GLANCE = 500
RUNS = 100_000
SLOW_RUNS = 5_000
CELLS = 60
MIN_COUNT = 100

Table = dict[str, tuple[float, float]]
Pair = tuple[Sequence[Any], Sequence[Any]]


def pair_to_show(verdict: Verdict) -> tuple[Pair | None, Table]:
    """The pair to show, and the exact probabilities of its outputs where these are finitely many.

    The pair is the one that the verdict speaks of where that tells something, else the typical one whose laws differ
    most.
    """
    claim, lower = verdict.claim, verdict.lower
    if lower is not None and (isinstance(lower, Counterexample) or lower.epsilon > 0):
        pair: Pair = (lower.left, lower.right)
        return pair, attempt(lambda: _table(claim, pair)) or {}
    best: tuple[float, Pair | None, Table] = (-1.0, None, {})
    for typical in claim.space.typical_pairs()[:MOST_PAIRS]:
        tried: Pair = (typical.left, typical.right)
        table = attempt(partial(_table, claim, tried)) or {}
        size = max((abs(x) for x in log_ratios(table.values())), default=0.0)
        if not table:
            size = attempt(partial(_move, claim, tried)) or 0.0
        if size > 1.05 * best[0]:  # of pairs that tell the same, the first is the simplest
            best = (size, tried, table)
    return best[1], best[2]


def log_ratios(law: Iterable[tuple[float, float]]) -> list[float]:
    """ln(p/q) of every output that can happen."""
    return [math.inf if min(p, q) <= 0 else math.log(p / q) for p, q in law if max(p, q) > 0]


def _table(claim: Claim, pair: Pair) -> Table:
    from dpwitness.proofs.programs.losses import between
    from dpwitness.proofs.programs.pair_evidence import words_of

    if not isinstance(claim.mechanism, Mechanism):
        return {}
    law = between(claim, *pair).decimals(Fraction(claim.params.get("eps", 1)))
    return {words_of(name): chances for name, chances in law.items()}


def _move(claim: Claim, pair: Pair) -> float:
    """How far the output moves between the inputs, at a glance."""
    import numpy as np

    tables = [_numbers(claim, data, GLANCE, (0, side)) for side, data in enumerate(pair)]
    if tables[0] is None or tables[1] is None or tables[0].shape != tables[1].shape:
        return 0.0
    return float(np.max(np.abs(np.median(tables[0], axis=0) - np.median(tables[1], axis=0))))


def _numbers(claim: Claim, data: Sequence[Any], size: int, seed: Sequence[int]) -> Any:
    """Outputs as a table of numbers with a row for each run; None where they are something else."""
    import numpy as np

    params: dict[str, Any] = dict(claim.params)
    outputs = claim.mechanism.sample(data, size, np.random.default_rng(list(seed)), **params)
    array = outputs.array() if hasattr(outputs, "array") else np.asarray(outputs)
    if array is None or array.ndim > 2 or array.dtype.kind not in "iuf":
        return None
    return np.asarray(array, dtype=float).reshape(size, -1)


def labelled(verdict: Verdict, pair: Pair, table: Table) -> OutputLaws:
    """Finitely many outputs with their probabilities, the likeliest of them where they are many."""
    most = sorted(table, key=lambda name: -max(table[name]))[:MOST_LABELS]
    names = tuple(name for name in table if name in most)
    left, right = (tuple(table[name][side] for name in names) for side in (0, 1))
    made = _laws(verdict, pair, OutputLaws(names, left, right, (), "", ("", ""), None))
    return replace(made, outputs=tuple(line(name, 24) for name in names))


def _laws(verdict: Verdict, pair: Pair, bare: OutputLaws) -> OutputLaws:
    """With the verdict's event where it is about this pair, else the outputs beyond the claim, or likelier on left."""
    lower, goal = verdict.lower, epsilon_delta(verdict.claim.guarantee)
    epsilon = None if goal is None else float(goal[0])
    same = lower is not None and (lower.left, lower.right) == (tuple(pair[0]), tuple(pair[1]))
    words = line(lower.event, 120) if lower is not None and same else ""
    inside = members(words, bare.outputs)
    if inside is None:
        # a sampled ratio counts as beyond the claim where four standard errors do not explain it
        slack = [4 * e for e in bare.errors] or [1e-9] * len(bare.losses)
        far = tuple(abs(x) - s > (epsilon or math.inf) for x, s in zip(bare.losses, slack, strict=True))
        likelier = tuple(p > q for p, q in zip(bare.left, bare.right, strict=True))
        inside = far if any(far) else likelier
        words = f"outputs whose ratio is beyond exp({epsilon:.3g})" if any(far) else "outputs likelier on left"
    return replace(bare, inside=inside, words=words, inputs=(show_data(pair[0]), show_data(pair[1])), epsilon=epsilon)


def sampled(verdict: Verdict, pair: Pair, seed: int) -> OutputLaws | None:
    """Histograms of a number that the program gives out; of a vector, the part that moves most; None for the rest."""
    import numpy as np

    claim = verdict.claim
    size = RUNS if getattr(claim.mechanism, "batched", True) else SLOW_RUNS
    tables = [_numbers(claim, data, size, (seed, side)) for side, data in enumerate(pair)]
    if tables[0] is None or tables[1] is None or tables[0].shape != tables[1].shape:
        return None
    part = int(np.argmax(np.abs(np.median(tables[0], axis=0) - np.median(tables[1], axis=0))))
    name = "output" if tables[0].shape[1] == 1 else f"output[{part}]"
    return _histogram(verdict, pair, [table[:, part] for table in tables], name)


def _histogram(verdict: Verdict, pair: Pair, columns: Sequence[Any], name: str) -> OutputLaws | None:
    import numpy as np

    both = np.concatenate(columns)
    low, high = np.quantile(both[np.isfinite(both)], [0.002, 0.998])
    whole = bool(np.all(both == np.round(both))) and high - low < MOST_LABELS
    width = 1.0 if whole else float(high - low) / CELLS
    if not width > 0:
        return None
    edges = np.arange(low - 0.5, high + 1) if whole else np.linspace(low, high, CELLS + 1)
    counts = [np.histogram(column, edges)[0] for column in columns]
    shown = np.maximum(*counts) >= MIN_COUNT  # a ratio of fewer says little
    values = [np.where(shown, c, 0) / (len(columns[0]) * width) for c in counts]
    errors = np.sqrt(sum(1 / np.maximum(c, 1) for c in counts))
    middles = (edges[1:] + edges[:-1]) / 2
    left, right = (tuple(x.tolist()) for x in values)
    bare = OutputLaws(
        tuple(middles.tolist()), left, right, (), "", ("", ""), None, len(columns[0]), tuple(errors.tolist()), name
    )
    made = _laws(verdict, pair, bare)
    return replace(made, outputs=tuple(f"{x:g}" for x in middles)) if whole else made
