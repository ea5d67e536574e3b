"""`audit_one_run`: what one run shows, by how many canaries are guessed right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpwitness.auditors.bounds.curves import ApproxCurve, GaussianCurve
from dpwitness.auditors.bounds.ledger import Ledger
from dpwitness.auditors.outputs.arrays import Bools, Floats
from dpwitness.auditors.training.certificate import bound_of, certified
from dpwitness.auditors.training.program import MOST_GUESSES, Weights, closed_form, sharp
from dpwitness.auditors.training.reading import read_alpha, read_claim, read_coins, read_delta, read_scores
from dpwitness.auditors.training.recursion import impossible, recursion_p
from dpwitness.auditors.training.result import TrainingAudit
from dpwitness.auditors.training.scores import BESIDE, weigh_scores
from dpwitness.core.errors import BadInput

ASSUMPTION = "independent canaries"
COINS = "fair coins only"
_NEAR = 2.0  # times α: the program is asked where the recursion comes this close
_HALVINGS = 40


@dataclass(frozen=True)
class Count:
    """So many guesses about so many canaries, and how many were right."""

    canaries: int
    guesses: int
    right: int
    sides: int

    def p_value(self, curve: Any, alpha: float) -> tuple[float, Weights | None]:
        """A valid p-value of the claim, and the weights that prove it where the program was solved."""
        m, c, v, sides = self.canaries, self.guesses, self.right, self.sides
        if isinstance(curve, ApproxCurve):
            closed = closed_form(curve, m, c, v, sides)
            return closed.bound, closed
        quick = recursion_p(curve, m, c, v, sides)
        if c > MOST_GUESSES or quick > _NEAR * alpha:
            return quick, None
        found = sharp(curve, m, c, v, sides)
        return (quick, None) if found is None else (min(quick, found.bound), found)

    def quick(self, curve: Any) -> float:
        """A valid p-value without the program."""
        if isinstance(curve, ApproxCurve):
            return closed_form(curve, self.canaries, self.guesses, self.right, self.sides).bound
        return recursion_p(curve, self.canaries, self.guesses, self.right, self.sides)

    def rejects(self, curve: Any, alpha: float) -> bool:
        """Whether the count rejects a claim at one level, without the program."""
        if isinstance(curve, ApproxCurve):
            return self.quick(curve) <= alpha
        return self.right > 0 and impossible(curve, self.canaries * self.sides / 2, self.guesses, self.right, alpha)

    def level(self, family: Any, alpha: float, top: float) -> float:
        """The largest level of a family of claims that the count rejects, to three digits; claims are nested."""
        low, high = 0.0, top
        if not self.rejects(family(1e-6), alpha):
            return 0.0
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if self.rejects(family(middle), alpha) else (low, middle)
            if high - low < 1e-4 * max(1.0, high):
                break
        return low


def guess(scores: Floats, coins: Bools, guesses: int, sides: int, rng: np.random.Generator) -> tuple[int, Bools]:
    """How many of the surest guesses are right. Which they are depends on the scores alone, and ties on coins."""
    middle = float(np.median(scores))
    sure = np.abs(scores - middle) if sides == 2 else scores
    chosen = np.lexsort((rng.random(len(scores)), -sure))[:guesses]
    side = scores > middle if sides == 2 else np.ones(len(scores), dtype=bool)
    tied = (scores == middle) & (sides == 2)
    side = np.where(tied, rng.random(len(scores)) < 0.5, side)
    right: Bools = (side == coins)[chosen]
    return int(right.sum()), right


def audit_one_run(
    scores: Any,
    included: Any,
    *,
    claim: Any,
    guesses: int | Sequence[int] | None = None,
    sides: int = 2,
    assume: str | None = None,
    delta: float | None = None,
    alpha: float = 0.05,
    seed: int = 0,
) -> TrainingAudit:
    """Test a claim by one run with many canaries, each included by a fair coin of its own.

    Parameters
    ----------
    scores
        One number for each canary, from the outcome of the run alone; a larger one should look more like "in".
    included
        The coins: whether each canary was in the run.
    claim
        As in `audit_scores`, about one canary more or less.
    guesses
        How many canaries to guess: a number fixed before the coins were seen, or several that share α. By default the
        one that `plan_one_run` names, which depends on the claim, the number of canaries, α and the sides alone.
    sides
        2 guesses "in" and "out", 1 only "in" (better where absence leaves no trace, as under Poisson sampling).
    assume
        ``"independent canaries"`` treats each canary as a run of its own. That sees far more, and is false for a
        trainer that leaks many canaries at once: by shared noise, adaptive clipping, a public threshold, an early stop.
        It is never assumed unless you say so, and then stands in the verdict.
    delta, alpha, seed
        As in `audit_scores`.

    Examples
    --------
    >>> from dpwitness.core.guarantees import GaussianDP
    >>> rng = np.random.default_rng(0)
    >>> coins = rng.random(2000) < 0.5
    >>> result = audit_one_run(rng.normal(coins * 4.0), coins, claim=GaussianDP("1/2"))
    >>> result.refuted, result.assumes
    (True, 'fair coins only')
    """
    alpha, seed = read_alpha(alpha, seed)
    if claim is None:
        raise BadInput("claim=None: one run is tested against a claim, which also says how many guesses to make")
    curve = read_claim(claim)
    found = read_scores(scores, "scores")
    coins = read_coins(included, len(found))
    at = read_delta(delta, curve)
    if sides not in (1, 2):
        raise BadInput(f"sides={sides!r} must be 2 (guess in and out) or 1 (guess in alone)")
    if found.min() == found.max():
        raise BadInput(f"all scores are {found[0]:g}: they tell no canary from another")
    if assume == ASSUMPTION:
        return _independent(found, coins, curve, at, alpha, seed)
    if assume is not None:
        raise BadInput(f"assume={assume!r} must be None or {ASSUMPTION!r}")
    registered = _registered(guesses, curve, len(found), alpha, sides, seed)
    return _weigh(found, coins, curve, claim, at, alpha, seed, sides, registered)


def _weigh(
    scores: Floats, coins: Bools, curve: Any, claim: Any, delta: float, alpha: float, seed: int, sides: int,
    registered: tuple[int, ...],
) -> TrainingAudit:  # fmt: skip
    ledger = Ledger(alpha)
    same = isinstance(curve, ApproxCurve) and curve.delta <= delta
    share = alpha if same else (1 - BESIDE) * alpha
    each = [ledger.spend(f"{c} guesses, test of the claim", share / len(registered)) for c in registered]
    beside = 0.0 if same else ledger.spend("bound on ε at one δ, by the best count", ledger.left) / len(registered)
    m, best = len(scores), None
    for c, level in zip(registered, each, strict=True):
        right, marks = guess(scores, coins, c, sides, np.random.default_rng([seed, 40]))
        count = Count(m, c, right, sides)
        p, weights = count.p_value(curve, level)
        if best is None or p * len(registered) < best[0]:
            best = p * len(registered), count, weights, marks, level, p
    assert best is not None
    p, count, weights, marks, level, alone = best
    certificate = None if weights is None else certified(weights, claim, curve, (m, count.guesses, count.right, sides))
    refuted = alone <= level
    eps = count.level(lambda x: ApproxCurve(x, delta), beside or level, 40.0)
    name, lowest = None, None
    if same:
        name, lowest = "ε", eps
    elif isinstance(curve, GaussianCurve):
        name, lowest = "μ", count.level(lambda x: GaussianCurve(max(x, 1e-6)), level, 20.0)
    details: dict[str, Any] = {
        "registered": list(registered),
        "critical": critical(curve, m, count.guesses, sides, level),
    }
    if certificate is not None:
        details["certified p"] = bound_of(certificate)
    return TrainingAudit(
        "one run", refuted, min(1.0, p), eps, delta, alpha, seed, curve.words, COINS, (m,), name, lowest, count.guesses,
        count.right, certificate, points=tuple(getattr(curve, "points", ())),
        ledger=ledger.entries, warnings=_warnings(coins), details=details,
        figure={"right": np.cumsum(marks).tolist(), "critical": critical_line(curve, m, sides, level, len(marks)),
                "guesses": count.guesses},
    )  # fmt: skip


def _independent(scores: Floats, coins: Bools, curve: Any, delta: float, alpha: float, seed: int) -> TrainingAudit:
    if coins.sum() < 2 or (~coins).sum() < 2:
        raise BadInput("too few canaries are in, or out, to compare the two sides")
    found = weigh_scores(scores[coins], scores[~coins], curve, delta, alpha, seed, "both", ASSUMPTION)
    return replace(found, kind="canaries", warnings=_warnings(coins))


def _registered(
    guesses: int | Sequence[int] | None, curve: Any, canaries: int, alpha: float, sides: int, seed: int
) -> tuple[int, ...]:
    if guesses is None:
        from dpwitness.auditors.training.plan import guesses_for

        return (guesses_for(curve, canaries, alpha, sides, seed),)
    listed: list[Any] = list(guesses) if isinstance(guesses, list | tuple) else [guesses]
    found = [int(c) if isinstance(c, np.integer) else c for c in listed]
    whole = all(isinstance(c, int) and not isinstance(c, bool) for c in found)
    if not found or not whole or len(set(found)) < len(found) or not all(1 <= c <= canaries for c in found):
        raise BadInput(
            f"guesses={guesses!r} must be a whole number from 1 to {canaries}, or several different ones, fixed before "
            "the coins were seen; `plan_one_run(claim, canaries)` names one"
        )
    return tuple(found)


def _warnings(coins: Bools) -> tuple[str, ...]:
    m = len(coins)
    if m >= 100 and 2 * int(coins.sum()) == m:
        return ("exactly half of the canaries are in: a fixed half is no set of independent coins, and the p-value "
                "does not hold for it; toss one fair coin for each canary",)  # fmt: skip
    return ()


def critical(curve: Any, canaries: int, guesses: int, sides: int, alpha: float) -> int | None:
    """The smallest number of right guesses that refutes; None where even all of them do not.

    >>> critical(GaussianCurve(1.0), 400, 240, 2, 0.05)
    227
    """
    if not Count(canaries, guesses, guesses, sides).rejects(curve, alpha):
        return None
    low, high = 0, guesses
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if Count(canaries, guesses, middle, sides).rejects(curve, alpha) else (middle, high)
    return high


def critical_line(curve: Any, canaries: int, sides: int, alpha: float, most: int) -> list[list[int]]:
    """The critical count for several numbers of guesses, for a picture."""
    tried = np.unique(np.round(np.geomspace(5, max(5, most), 12)).astype(int))
    found = [(int(c), critical(curve, canaries, int(c), sides, alpha)) for c in tried if c <= canaries]
    return [[c, v] for c, v in found if v is not None]


__all__ = ["ASSUMPTION", "Count", "audit_one_run", "critical", "guess"]
