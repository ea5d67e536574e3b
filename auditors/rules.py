"""Rules that guess the side of an output, chosen on a part of the samples that is not counted afterwards.

Every strategy of the learners offers its best rule: guess on the cells where π is farthest from ½, as many of them as
maximise the bound that the count is expected to give. A further rule is for unbounded losses: a half-line on which the
other side was never seen, pulled in to half of what it held. The rules are compared on pairs that were not used to fit
them, twice: once cautiously, for ratios that are flat, where the largest event wins, and once boldly, for ratios that
rise, where the rarest event wins. α is shared between the winners. All of this looks at the selection part alone, so
every share and every rule is frozen when the counting starts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpwitness.auditors.arrays import AnyArray, Floats, Ints
from dpwitness.auditors.evalue import Null, log_factors
from dpwitness.auditors.fixed import bounds
from dpwitness.auditors.learners import NumberPartition, Partition, Plan, choose_plan, fit_number
from dpwitness.auditors.line import LinePartition
from dpwitness.auditors.table import Table

# share of α, and how many standard errors of the comparison are taken off: a cautious choice, and a bold one
SHARES = ((0.6, 6.0), (0.37, 0.4))
CLEAN_SHARES = (0.03, 0.6)  # of a half-line that held few outputs, and of one that held many
MANY = 50
CAUTIONS = (0.0, 1.0, 5.0)


@dataclass(frozen=True)
class Rule:
    """Guess +1 (left), −1 (right) or 0 (abstain) for every cell of a partition."""

    partition: Partition
    guess: Ints
    name: str
    share: float = 1.0

    @property
    def sides(self) -> int:
        """How many sides are ever guessed."""
        return max(1, int((self.guess > 0).any()) + int((self.guess < 0).any()))


def tally(rules: Sequence[Rule], left: Table, right: Table) -> list[tuple[int, int]]:
    """Right and wrong guesses of every rule on outputs whose side is known; shared partitions are used once."""
    cells: dict[int, tuple[Ints, Ints]] = {}
    result = []
    for rule in rules:
        size = rule.partition.pi.shape[1]
        if id(rule.partition) not in cells:
            x, y = (np.bincount(rule.partition.cells(t), minlength=size) for t in (left, right))
            cells[id(rule.partition)] = (x.astype(np.int64), y.astype(np.int64))
        x, y = cells[id(rule.partition)]
        says_left, says_right = rule.guess > 0, rule.guess < 0
        right_guesses = int(x[says_left].sum()) + int(y[says_right].sum())
        wrong_guesses = int(x[says_right].sum()) + int(y[says_left].sum())
        result.append((right_guesses, wrong_guesses))
    return result


@dataclass(frozen=True)
class Aim:
    """What the count will be: how many coin flips, at which level and δ."""

    runs: int
    alpha: float
    delta: float = 0.0


def choose_rules(places: Sequence[str], left: Table, right: Table, aim: Aim, seed: int = 0) -> list[Rule]:
    """At most four rules with their shares of α (which sum to 1), best first.

    Strategies are compared on halves of the selection part, each half judging what the other has learnt; the best ones
    are then fitted to all of it.
    """
    plan = choose_plan(left, right)
    scores = _scores(plan, places, left, right, aim, seed)
    fitted = {(rule.name, caution): rule for rule, caution in _fitted(plan, places, left, right, aim, seed)}
    ranked: list[tuple[float, Rule]] = []
    for share, doubt in SHARES:
        order = sorted(scores, key=lambda key: scores[key][0] - doubt * scores[key][1], reverse=True)
        best = next((fitted[key] for key in order if key in fitted), None)
        if best is not None:
            ranked.append((share, best))
    if plan.kind in ("number", "integer"):
        ranked += [(CLEAN_SHARES[held >= MANY], rule) for held, rule in clean_half_lines(left, right)]
    return _with_shares(ranked)


def promise(
    places: Sequence[str], left: Table, right: Table, aim: Aim, claim: Sequence[Null] = (), seed: int = 0
) -> tuple[float, float]:
    """How telling a pair of inputs is; used to compare pairs, never as evidence.

    Returns the growth of the wealth against `claim` on pairs not used for fitting (0 unless it is positive by two
    standard errors), and the bound on ε that the best rule may be expected to give.
    """
    plan = choose_plan(left, right)
    cut = len(left) // 2
    held = (left[cut:], right[cut:])
    rules = _fitted(plan, places, left[:cut], right[:cut], aim, seed)
    judged = _judged([rule for rule, _ in rules], *held, aim)
    grows = 0.0
    partitions = {id(rule.partition): rule.partition for rule, _ in rules}
    for partition in partitions.values() if claim else ():
        x, y = (partition.cells(t) for t in held)
        pairs = min(len(x), len(y))
        for pi in partition.pi:
            for null in claim:
                log_f, log_g = log_factors(pi, null)
                steps = log_f[x[:pairs]] + log_g[y[:pairs]]
                grows = max(grows, float(steps.mean() - 2 * steps.std() / math.sqrt(pairs)))
    return grows, max((value - sd for value, sd in judged), default=-math.inf)


def _fitted(
    plan: Plan, places: Sequence[str], left: Table, right: Table, aim: Aim, seed: int
) -> list[tuple[Rule, float]]:
    """The rule of every strategy at every degree of caution."""
    rules: list[tuple[Rule, float]] = []
    for partition in plan.fit(places, left, right, seed):
        counts = _tallies(partition, left, right)
        for name, pi in zip(partition.names, partition.pi, strict=True):
            for caution in CAUTIONS:
                guess = best_threshold(pi, *counts, aim, caution)
                if guess is not None:
                    rules.append((Rule(partition, guess, name), caution))
    return rules


def _scores(
    plan: Plan, places: Sequence[str], left: Table, right: Table, aim: Aim, seed: int
) -> dict[tuple[str, float], tuple[float, float]]:
    """What every strategy may be expected to give, from right and wrong guesses on the half it has not seen."""
    cut = max(1, len(left) // 2)
    halves = [(left[:cut], right[:cut]), (left[cut:], right[cut:])]
    totals: dict[tuple[str, float], list[int]] = {}
    for fit, held in (halves, halves[::-1]):
        rules = _fitted(plan, places, *fit, aim, seed)
        for (rule, caution), (v, w) in zip(rules, tally([r for r, _ in rules], *held), strict=True):
            total = totals.setdefault((rule.name, caution), [0, 0, 0, 1])
            total[0] += v
            total[1] += w
            total[2] += len(held[0]) + len(held[1])
            total[3] = max(total[3], rule.sides)
    return {key: _expected(v, w, runs, aim, sides) for key, (v, w, runs, sides) in totals.items()}


def _judged(rules: Sequence[Rule], left: Table, right: Table, aim: Aim) -> list[tuple[float, float]]:
    runs = len(left) + len(right)
    counts = tally(rules, left, right)
    return [_expected(v, w, runs, aim, rule.sides) for rule, (v, w) in zip(rules, counts, strict=True)]


def _expected(v: int, w: int, runs: int, aim: Aim, sides: int) -> tuple[float, float]:
    """The bound to be expected from `aim.runs` runs where `runs` gave v right and w wrong guesses, and its error."""
    scale = aim.runs / max(runs, 1)
    right, wrong = np.array([v * scale]), np.array([(w + 0.5) * scale])
    found = bounds(right, wrong, aim.runs + scale + 1, aim.alpha, aim.delta, sides)
    return float(found[0]), math.sqrt(1 / (v + 0.5) + 1 / (w + 0.5))


def _tallies(partition: Partition, left: Table, right: Table) -> tuple[Ints, Ints]:
    size = partition.pi.shape[1]
    return (
        np.bincount(partition.cells(left), minlength=size).astype(np.int64),
        np.bincount(partition.cells(right), minlength=size).astype(np.int64),
    )


def _same(rule: Rule, other: Rule) -> bool:
    return rule.partition is other.partition and bool(np.array_equal(rule.guess, other.guess))


def best_threshold(pi: Floats, a: AnyArray, b: AnyArray, aim: Aim, caution: float = 1.0) -> Ints | None:
    """Guess where π is far from ½: the cells, in order of certainty, up to the best expected bound.

    The expected numbers of right and wrong guesses come from the learnt π (shrunk towards ½ where few samples were
    seen), not from the counts themselves, which would favour cells that were lucky; `caution` times the standard error
    of the log-odds in the selection part is taken off, since the best of many noisy cells is worse than it looks.
    """
    total = (a + b).astype(np.float64)
    mass = total / max(total.sum(), 1.0) * aim.runs
    certain = np.abs(np.log(pi) - np.log1p(-pi))
    order = np.lexsort((np.arange(len(pi)), -certain))
    order = order[total[order] > 0]
    if not len(order):
        return None
    sure = np.maximum(pi, 1 - pi)[order]
    right, wrong = np.cumsum(mass[order] * sure), np.cumsum(mass[order] * (1 - sure))
    expected = bounds(right, wrong, aim.runs + 1.0, aim.alpha, aim.delta)
    shrink = total.sum() / aim.runs
    expected = expected - caution * np.sqrt(1 / (right * shrink + 0.5) + 1 / (wrong * shrink + 0.5))
    best = int(np.argmax(expected))
    if not math.isfinite(expected[best]):
        return None
    guess = np.zeros(len(pi), dtype=np.int64)
    chosen = order[: best + 1]
    guess[chosen] = np.where(pi[chosen] >= 0.5, 1, -1)
    return guess


def clean_half_lines(left: Table, right: Table) -> list[tuple[int, Rule]]:
    """The half-line on which only one side was ever seen, pulled in to half of what it held, and what it held."""
    partition = fit_number(left, right)
    x, y = (t.columns[:, partition.column] if t.width > partition.column else np.zeros(0) for t in (left, right))
    x, y = x[~np.isnan(x)], y[~np.isnan(y)]
    if min(len(x), len(y)) == 0:
        return []
    best: tuple[int, int, bool, float] | None = None
    for side, inside, outside in ((1, x, y), (-1, y, x)):
        for low in (True, False):
            u, v = (inside, outside) if low else (-inside, -outside)
            clean = u[u < v.min()]
            if len(clean) >= 4 and (best is None or len(clean) > best[0]):
                edge = float(np.partition(clean, len(clean) // 2)[len(clean) // 2])
                best = (len(clean), side, low, edge if low else float(np.nextafter(-edge, -np.inf)))
    if best is None:
        return []
    held, side, low, edge = best
    line = LinePartition(np.array([edge]), np.full((1, 3), 0.5))
    guess = np.zeros(3 + 1, dtype=np.int64)
    guess[0 if low else 1] = side
    cells = NumberPartition(line, np.full((1, 4), 0.5), partition.column, ("clean",))
    return [(held, Rule(cells, guess, "clean"))]


def _with_shares(chosen: list[tuple[float, Rule]]) -> list[Rule]:
    """Rules with their shares of α scaled to 1; a rule chosen twice has both shares."""
    merged: list[tuple[float, Rule]] = []
    for share, rule in chosen:
        at = next((i for i, (_, other) in enumerate(merged) if _same(rule, other)), None)
        if at is None:
            merged.append((share, rule))
        else:
            merged[at] = (merged[at][0] + share, rule)
    total = sum(share for share, _ in merged)
    return [Rule(rule.partition, rule.guess, rule.name, share / total) for share, rule in merged]
