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

import numpy as np

from dpwitness.auditors.bounds.count import bounds
from dpwitness.auditors.bounds.evalue import Null, log_factors, tuned
from dpwitness.auditors.bounds.learner import Partition
from dpwitness.auditors.learners.plans import Plan, choose_plan, fit_number
from dpwitness.auditors.learners.smooth_scores import Pooled, Scored, as_numbers, fit_pooled
from dpwitness.auditors.outputs.arrays import Ints
from dpwitness.auditors.outputs.table import Table
from dpwitness.auditors.rules.half_lines import clean_half_lines, half_lines
from dpwitness.auditors.rules.rule import Aim, Rule, tally
from dpwitness.auditors.rules.thresholds import best_threshold, outlooks

__all__ = ["Aim", "Rule", "choose_rules", "clean_half_lines", "expected_bound", "promise", "tally"]

DOUBT = 6.0  # standard errors of the comparison that are taken off: the cautious rule is the largest good event
SAFE, TRUSTING = 0.22, 0.75  # shares of α of the cautious rule and of the one that trusts the best model
CLEAN_SHARES = (0.03, 1.5)  # of a half-line that held few outputs, and of one that held many
MANY = 50
CAUTIONS = (0.5, 5.0)  # when trusting a model, when trusting none
NESTED = (3.0,)  # of end points of half-lines, which have one parameter and so less luck
BOOST_TO_CHOOSE = 2048  # pairs from which the slowest learner takes part in choosing inputs
BOLD = (0.4, 0.5)  # share and caution of an end point on a learnt score that trusts rare outputs


def choose_rules(places: Sequence[str], left: Table, right: Table, aim: Aim) -> list[Rule]:
    """At most four rules with their shares of α (which sum to 1), best first.

    Strategies are compared on halves of the selection part, each half judging what the other has learnt; the best ones
    are then fitted to all of it.
    """
    plan = choose_plan(left, right)
    scores, fits = _scores(plan, places, left, right, aim)
    fitted = {(rule.name, caution): rule for rule, caution in _fitted(plan, places, left, right, aim)}
    model = (max(fits, key=lambda name: fits[name], default=""), CAUTIONS[0])
    safe = sorted(scores, key=lambda key: scores[key][0] - DOUBT * scores[key][1], reverse=True)
    ranked: list[tuple[float, Rule]] = []
    for share, order in ((SAFE, safe), (TRUSTING, [model, *safe])):
        best = next((fitted[key] for key in order if key in fitted), None)
        if best is not None:
            ranked.append((share, best))
    if plan.kind in ("number", "integer"):
        ranked += [(CLEAN_SHARES[held >= MANY], rule) for held, rule in clean_half_lines(left, right)]
    elif (scorer := fit_pooled(places, left, right)) is not None:
        bold = half_lines(as_numbers(scorer, left), as_numbers(scorer, right), aim, BOLD[1:])
        ranked += [(BOLD[0], _of_score(scorer, rule)) for rule, _ in bold]
    return _with_shares(ranked)


def promise(
    places: Sequence[str], left: Table, right: Table, aim: Aim, claim: Sequence[Null] = ()
) -> tuple[float, float, float]:
    """How telling a pair of inputs is; used to compare pairs, never as evidence.

    Returns the growth of the wealth against `claim` on pairs not used for fitting (0 unless it is positive by two
    standard errors), and the bound on ε to be expected if the model is right that explains those pairs best: of an
    event that was seen often enough, and of any event. Counts of rare events in few samples would tell less: the best
    of many pairs would be the luckiest.
    """
    plan = choose_plan(left, right)
    cut = len(left) // 2
    held = (left[cut:], right[cut:])
    partitions: list[Partition] = []
    if claim and plan.kind == "mixed":  # where whole outputs recur, counts show whether the claim is violated
        partitions = plan.fit(places, left[:cut], right[:cut], boosted=False, most=cut)
    if len(partitions) != 1:  # how large a bound will be shows in models long before it shows in counts of rare outputs
        partitions, _ = _partitions(plan, places, left[:cut], right[:cut], boosted=cut >= BOOST_TO_CHOOSE)
    grows, fit, best = 0.0, -math.inf, (-math.inf, -math.inf)
    for partition in partitions:
        x, y = (partition.cells(t) for t in held)
        pairs = min(len(x), len(y))
        a, b = (np.bincount(z, minlength=partition.pi.shape[1]) for z in (x, y))
        seen = [partition.cells(t[:cut]) for t in (left, right)] if claim else [x, y]
        mass = np.bincount(np.concatenate(seen), minlength=len(a)) / max(1, len(seen[0]) + len(seen[1]))
        for pi in partition.pi:
            for null in claim:
                log_f, log_g = log_factors(pi, tuned(null, pi, mass))
                steps = log_f[x[:pairs]] + log_g[y[:pairs]]
                grows = max(grows, float(steps.mean() - 2 * steps.std() / math.sqrt(pairs)))
            explains = float(a @ np.log(pi) + b @ np.log1p(-pi))
            if explains > fit:
                views = [((e - CAUTIONS[0] * error).max(), e.max()) for e, error, _ in outlooks(pi, a, b, aim)]
                if views:
                    fit, best = explains, tuple(np.max(views, axis=0).tolist())
    return grows, *best


def expected_bound(places: Sequence[str], fit: tuple[Table, Table], held: tuple[Table, Table], aim: Aim) -> float:
    """The bound that an audit may be expected to show, less its error, by rules chosen on `fit` and counted on `held`.

    Used to compare pairs, never as evidence.
    """
    rules = choose_rules(places, *fit, aim)
    runs = len(held[0]) + len(held[1])
    found = [
        _expected(right, wrong, runs, aim, rule.sides)
        for rule, (right, wrong) in zip(rules, tally(rules, *held), strict=True)
    ]
    return max((bound - CAUTIONS[0] * error for bound, error in found), default=-math.inf)


def _fitted(
    plan: Plan, places: Sequence[str], left: Table, right: Table, aim: Aim, *, boosted: bool = True
) -> list[tuple[Rule, float]]:
    """The rule of every strategy at every degree of caution."""
    rules: list[tuple[Rule, float]] = []
    partitions, scorer = _partitions(plan, places, left, right, boosted=boosted)
    if scorer is not None:
        numbers = as_numbers(scorer, left), as_numbers(scorer, right)
        rules += [(_of_score(scorer, rule), caution) for rule, caution in half_lines(*numbers, aim, NESTED)]
    for partition in partitions:
        counts = _tallies(partition, left, right)
        for name, pi in zip(partition.names, partition.pi, strict=True):
            for caution in CAUTIONS:
                guess = best_threshold(pi, *counts, aim, caution, getattr(partition, "ordered", 0))
                if guess is not None:
                    rules.append((Rule(partition, guess, name), caution))
    if plan.kind in ("number", "integer"):
        rules += half_lines(left, right, aim, NESTED)
    return rules


def _partitions(
    plan: Plan, places: Sequence[str], left: Table, right: Table, *, boosted: bool
) -> tuple[list[Partition], Pooled | None]:
    """What every learner makes of the outputs; and the pooled score, where they are not single numbers."""
    partitions = plan.fit(places, left, right, boosted=boosted)
    scorer = None if plan.kind in ("number", "integer") else fit_pooled(places, left, right)
    if scorer is None:
        return partitions, None
    line = fit_number(as_numbers(scorer, left), as_numbers(scorer, right))
    return [*partitions, Scored(scorer, line, tuple(f"pooled {name}" for name in line.names))], scorer


def _scores(
    plan: Plan, places: Sequence[str], left: Table, right: Table, aim: Aim
) -> tuple[dict[tuple[str, float], tuple[float, float]], dict[str, float]]:
    """What every strategy may be expected to give, from right and wrong guesses on the half it has not seen.

    Also the log-probability that each strategy gave to the sides of that half.
    """
    cut = max(1, len(left) // 2)
    halves = [(left[:cut], right[:cut]), (left[cut:], right[cut:])]
    totals: dict[tuple[str, float], list[int]] = {}
    fits: dict[str, float] = {}
    for fit, held in (halves, halves[::-1]):
        rules = _fitted(plan, places, *fit, aim)
        for (rule, caution), (v, w) in zip(rules, tally([r for r, _ in rules], *held), strict=True):
            total = totals.setdefault((rule.name, caution), [0, 0, 0, 1])
            total[0] += v
            total[1] += w
            total[2] += len(held[0]) + len(held[1])
            total[3] = max(total[3], rule.sides)
        learnt = {id(rule.partition): rule.partition for rule, _ in rules if not rule.name.endswith("half-lines")}
        for partition in learnt.values():
            a, b = _tallies(partition, *held)
            for name, pi in zip(partition.names, partition.pi, strict=True):
                fits[name] = fits.get(name, 0.0) + float(a @ np.log(pi) + b @ np.log1p(-pi))
    return {key: _expected(v, w, runs, aim, sides) for key, (v, w, runs, sides) in totals.items()}, fits


def _expected(v: int, w: int, runs: int, aim: Aim, sides: int) -> tuple[float, float]:
    """The bound to be expected from `aim.runs` runs where `runs` gave v right and w wrong guesses, and its error."""
    scale = aim.runs / max(runs, 1)
    right, wrong = np.array([v * scale]), np.array([(w + 0.5) * scale])
    found = bounds(right, wrong, aim.runs + scale + 1, aim.alpha, aim.delta, sides)
    return float(found[0]), math.sqrt(1 / (v + 0.5) + 1 / (w + 0.5))


def _of_score(scorer: Pooled, rule: Rule) -> Rule:
    """A rule for numbers, applied to a score."""
    name = f"pooled {rule.name}"
    return Rule(Scored(scorer, rule.partition, (name,)), rule.guess, name, rule.share)


def _tallies(partition: Partition, left: Table, right: Table) -> tuple[Ints, Ints]:
    size = partition.pi.shape[1]
    return (
        np.bincount(partition.cells(left), minlength=size).astype(np.int64),
        np.bincount(partition.cells(right), minlength=size).astype(np.int64),
    )


def _same(rule: Rule, other: Rule) -> bool:
    return rule.partition is other.partition and bool(np.array_equal(rule.guess, other.guess))


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
