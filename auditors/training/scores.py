"""`audit_scores`: scores of independent runs with and without one record, however they were made."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpwitness.auditors.bounds.curves import ApproxCurve, GaussianCurve, points_of
from dpwitness.auditors.bounds.ledger import Ledger
from dpwitness.auditors.outputs.arrays import Floats
from dpwitness.auditors.training.bands import band, staircase
from dpwitness.auditors.training.reading import read_alpha, read_claim, read_delta, read_two_sides
from dpwitness.auditors.training.result import TrainingAudit
from dpwitness.auditors.training.worst_pair import Ranking, Statistic, draws_for, lower_bound
from dpwitness.core.errors import BadInput

INDEPENDENT = "independent runs"
BESIDE = 0.1  # share of α of the bound on ε that stands beside the test of a curve
TOP_EPSILON, TOP_LEVEL = 20.0, 12.0
_DRAWN = 400  # thresholds that a picture shows


def audit_scores(
    inside: Any,
    outside: Any,
    *,
    claim: Any = None,
    delta: float | None = None,
    alpha: float = 0.05,
    seed: int = 0,
    statistic: Statistic = "both",
) -> TrainingAudit:
    """Test a claim by the scores of independent runs with and without one record.

    Parameters
    ----------
    inside, outside
        One score for each run with the record and for each run without it; a larger score should look more like
        "with". Any function of what a run released, fixed before the runs were seen.
    claim
        ``GaussianDP(1)``, ``ApproxDP(1, "1e-5")``, a composition, or any object with ``deltas(eps)``; None makes no
        claim and bounds ε alone.
    delta
        The δ at which ε is bounded: by default that of an (ε,δ) claim, else 10⁻⁵.
    alpha
        Probability that the audit says anything false, if the runs are independent.
    seed
        Same seed, same result.
    statistic
        ``"sum"`` of the ranks sees a shift best, ``"scan"`` a leak in few runs, ``"both"`` loses little to either.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> from dpwitness.core.guarantees import GaussianDP
    >>> result = audit_scores(rng.normal(2, 1, 40), rng.normal(0, 1, 40), claim=GaussianDP("1/2"))
    >>> result.refuted, result.level, result.assumes
    (True, 'μ', 'independent runs')
    """
    alpha, seed = read_alpha(alpha, seed)
    curve = read_claim(claim)
    a, b = read_two_sides(inside, outside)
    at = read_delta(delta, curve)
    if statistic not in ("both", "sum", "scan"):
        raise BadInput(f"statistic={statistic!r} must be 'both', 'sum' or 'scan'")
    return weigh_scores(a, b, curve, at, alpha, seed, statistic, INDEPENDENT)


def weigh_scores(
    inside: Floats,
    outside: Floats,
    curve: Any,
    delta: float,
    alpha: float,
    seed: int,
    statistic: Statistic,
    assumes: str,
) -> TrainingAudit:
    """The test of a curve and the bounds, each within its share of α."""
    ledger = Ledger(alpha)
    same = curve is None or (isinstance(curve, ApproxCurve) and curve.delta <= delta)
    tested = (
        None if same else ledger.spend("test of the claimed curve, and the bound on its level", (1 - BESIDE) * alpha)
    )
    bounded = ledger.spend("ladder of ε from 0, at one δ", ledger.left)
    ranking = Ranking(inside, outside, draws=draws_for(bounded), seed=seed)
    eps = lower_bound(
        lambda level: ranking.p_value(ApproxCurve(level, delta), "scan") <= bounded, top=TOP_EPSILON, ladder=True
    )
    p, refuted, level, lowest = None, False, None, None
    if curve is not None and tested is None:  # the claim is one step of the ladder: it falls with the steps below it
        p = ranking.p_value(ApproxCurve(curve.eps, delta), "scan")
        level, lowest, refuted = "ε", eps, eps >= curve.eps
    elif curve is not None and tested is not None:
        ranking = Ranking(inside, outside, draws=draws_for(tested), seed=seed)
        p = ranking.p_value(curve, statistic)
        refuted = p <= tested
        level, lowest = _level(ranking, curve, tested)
    return TrainingAudit(
        "scores", refuted, p, eps, delta, alpha, seed, "" if curve is None else curve.words, assumes,
        (len(inside), len(outside)), level, lowest, points=points_of(curve), ledger=ledger.entries,
        details={"statistic": statistic, "draws": ranking.draws},
        figure=plane(inside, outside, curve, alpha, seed),
    )  # fmt: skip


def _level(ranking: Ranking, curve: Any, alpha: float) -> tuple[str | None, float | None]:
    """The bound on the parameter of the claimed family at the level of the test, by the rank sum, which is monotone."""
    if isinstance(curve, GaussianCurve):
        found = lower_bound(lambda mu: ranking.p_value(GaussianCurve(mu), "sum") <= alpha, top=TOP_LEVEL, ladder=False)
        return "μ", found
    return None, None


def plane(inside: Floats, outside: Floats, curve: Any, alpha: float, seed: int) -> dict[str, Any]:
    """What a picture of the trade-off plane shows: the claim, the staircase of the scores, the band."""
    false, missed = staircase(inside, outside)
    over, under = band(inside, outside, alpha, seed)
    keep = np.unique(np.linspace(0, len(false) - 1, min(len(false), _DRAWN)).astype(int))
    some = np.unique(np.linspace(0, len(over) - 1, min(len(over), _DRAWN)).astype(int))
    x = np.unique(np.concatenate([np.geomspace(1e-4, 0.5, 40), np.linspace(0, 1, 61)]))
    found = {
        "staircase": np.column_stack([false, missed])[keep].round(5).tolist(),
        "band": np.column_stack([over, under])[some].round(5).tolist(),
    }
    if curve is not None:
        found["claim"] = np.column_stack([x, np.clip(curve.tradeoff(x), 0, 1)]).round(5).tolist()
    return found
