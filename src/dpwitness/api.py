"""The Python interface: `verify`, `prove`, `delta`, `epsilon`, `calibrate`; `audit` is that of the auditors."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, Literal

from dpwitness.apart import read_apart
from dpwitness.core.budget import Budget
from dpwitness.core.claims import Claim
from dpwitness.core.errors import BadInput
from dpwitness.core.evidence import Counterexample, Unsupported, UpperBound
from dpwitness.core.guarantees import Guarantee, epsilon_delta
from dpwitness.core.judging.judge import confirm
from dpwitness.core.mechanism import BlackBox, Mechanism
from dpwitness.core.spaces import Answers
from dpwitness.core.verdict import Verdict
from dpwitness.routes import decide, kernel_checker, prove_claim


def _first_claim(mechanism: Mechanism | BlackBox, params: dict[str, Any]) -> Claim:
    if isinstance(mechanism, Mechanism):
        return mechanism.claims(**params)[0]
    if isinstance(mechanism, BlackBox):
        return mechanism.claims()[0]
    hint = ""
    if callable(mechanism):
        hint = "; a plain function is audited on two inputs: dpwitness.audit(function, left, right, epsilon=1)"
    raise BadInput(f"mechanism={mechanism!r} must be made by @mechanism or be a BlackBox{hint}")


def verify(mechanism: Mechanism | BlackBox, *, budget: Budget | None = None, **params: Any) -> Verdict:
    """Decide the first claim of a mechanism by both routes, proof and audit.

    ``print(verdict)`` shows it; ``verdict.decision`` is PROVED, REFUTED, NOT_REFUTED, UNDECIDED or CONTRADICTION.

    Parameters
    ----------
    budget
        Limits and settings: ``Budget(alpha=, max_pairs=, seconds=, seed=, numerics=)``.
    params
        Parameters of the mechanism, such as ``eps=1``; those left out are the typical ones.

    Examples
    --------
    >>> import dpwitness as dpw
    >>> @dpw.mechanism(data=dpw.Answers(size=1), claim=lambda eps: dpw.PureDP(eps), typical={"eps": 1})
    ... def noisy(noise, answers, *, eps):
    ...     return answers[0] + noise.laplace(1 / eps)
    >>> dpw.verify(noisy, eps="1/2").decision
    <Decision.PROVED: 'PROVED'>
    """
    if "IPython" in sys.modules:  # a notebook shows the verdict as a table
        from dpwitness.reports.notebook import attach

        attach()
    return decide(_first_claim(mechanism, params), budget or Budget())


def prove(
    mechanism: Mechanism,
    eps: object = None,
    queries: int | Literal["any"] | None = None,
    *,
    seconds: float = 60.0,
    **params: Any,
) -> UpperBound | Counterexample | Unsupported:
    """A proof or an exact counterexample for the first claim.

    Where neither is found but some bound is, the smallest one is returned: compare its guarantee with the claim.

    Parameters
    ----------
    eps
        A value of ε; None asks for all ε > 0 (the claim is studied at the typical ε, and an answer that holds for that
        value alone is refused).
    queries
        The number of answers, or ``"any"`` for every length; None takes the claim's own.
    """
    claim = _first_claim(mechanism, {**params, **({} if eps is None else {"eps": eps})})
    if isinstance(queries, int) and isinstance(claim.space, Answers):
        claim = replace(claim, space=claim.space.of_size(queries))
    return read_apart(claim, seconds, lambda: _prove(claim, eps, queries, seconds), lambda words: Unsupported(words))


def _prove(
    claim: Claim, eps: object, queries: int | Literal["any"] | None, seconds: float
) -> UpperBound | Counterexample | Unsupported:
    """`prove`, in this process."""
    reasons: list[str] = []
    weaker: list[UpperBound] = []
    line: int | None = None
    for found in prove_claim(claim, Budget(seconds=seconds)):
        evidence = confirm(claim, found, kernel_checker())
        if isinstance(evidence, Counterexample):
            return evidence
        if isinstance(evidence, UpperBound):
            if eps is None and evidence.scope.epsilon != "all" and "eps" in claim.params:
                reasons.append(f"proved for ε = {evidence.scope.epsilon} only")
            elif evidence.scope.queries not in ("any", claim.queries if queries is None else queries):
                reasons.append(f"proved for {evidence.scope.queries} queries only")
            elif evidence.guarantee.implies(claim.guarantee):
                return evidence
            else:
                weaker.append(evidence)
        elif isinstance(evidence, Unsupported):
            reasons.append(evidence.reason)
            line = evidence.line if line is None else line
    if weaker:
        return min(weaker, key=lambda found: _size(found.guarantee))
    return Unsupported("; ".join(dict.fromkeys(reasons)) or "no prover speaks about this claim", line)


def _size(guarantee: Guarantee) -> float:
    pair = epsilon_delta(guarantee)
    return float("inf") if pair is None else float(pair[0])


def delta(
    mechanism: Mechanism,
    *,
    eps: object,
    times: int = 1,
    params: Mapping[str, object] | None = None,
    **more: object,
) -> tuple[Fraction, Fraction]:
    """Rigorous enclosure (lower, upper) of δ(ε): the smallest δ such that the mechanism is (ε, δ)-DP.

    Parameters
    ----------
    mechanism
        A program that adds independent noise to numbers, or one with finitely many inputs and outcomes.
    eps
        ε ≥ 0, where the curve is read.
    times
        How often the mechanism is run on the same input, with fresh noise.
    params, more
        The mechanism's own parameters; those that are called ``eps`` or ``times`` too go into `params`.

    Returns
    -------
    tuple
        Rationals with (upper − lower) ≤ 10⁻¹² · upper; a `WideEnclosure` warning says why where they are further apart.

    >>> import dpwitness as dpw
    >>> @dpw.mechanism(data=dpw.Answers(size=1), claim=lambda eps: dpw.PureDP(eps), typical={"eps": 1})
    ... def noisy(noise, answers, *, eps):
    ...     return answers[0] + noise.laplace(1 / eps)
    >>> low, high = dpw.delta(noisy, eps="1/2", params={"eps": 2})          # 1 − e^(−3/4)
    >>> f"{float(low):.12f} {float(high):.12f}"
    '0.527633447259 0.527633447259'
    >>> low, high = dpw.delta(noisy, eps=9, times=10)
    >>> f"{float(low):.12f} {float(high):.12f}"
    '0.003699132729 0.003699132729'
    """
    from dpwitness.proofs.laws.releases import mechanism_delta

    return mechanism_delta(mechanism, eps, times, {**(params or {}), **more})


def epsilon(
    mechanism: Mechanism,
    *,
    delta: object,
    times: int = 1,
    params: Mapping[str, object] | None = None,
    **more: object,
) -> tuple[Fraction, Fraction]:
    """Rigorous enclosure (lower, upper) of ε(δ): the smallest ε such that the mechanism is (ε, δ)-DP.

    The arguments are those of `delta`, with 0 ≤ δ < 1 in place of ε. The upper end is certified to be enough.

    >>> from dpwitness.catalogue import catalogue
    >>> low, high = epsilon(catalogue()["gaussian-classical"], delta="1e-80", params={"delta": "1e-5"})
    >>> f"{float(low):.10f} {float(high):.10f}"
    '1.9368777268 1.9368777268'
    """
    from dpwitness.proofs.laws.releases import mechanism_epsilon

    return mechanism_epsilon(mechanism, delta, times, {**(params or {}), **more})


def calibrate(
    family: str, *, eps: object, delta: object = 0, sensitivity: object = 1, times: int = 1, **more: object
) -> tuple[Fraction, Fraction]:
    """The smallest noise for (ε, δ): a bracket (too little, enough) of its scale, or of a Gaussian's deviation.

    Parameters
    ----------
    family
        ``"gaussian"``, ``"laplace"``, ``"discrete_gaussian"``, ``"discrete_laplace"``, ``"uniform"``,
        ``"exponential"``, or ``"admissible"`` with its ``gamma``.
    eps, delta
        The guarantee that all runs together must give.
    sensitivity
        How far one number moves between neighbours (the length of the move, for a vector with Gaussian noise).
    times
        How often a number is released, each time with noise of its own.
    more
        ``gamma`` of the admissible law, or ``rate``: each release is about a sample that takes each record with this
        probability, one record is added or removed (Gaussian noise only).

    >>> low, high = calibrate("gaussian", eps=1, delta="1e-5")
    >>> f"{float(low):.10f} {float(high):.10f}"
    '3.7306316348 3.7306316348'
    >>> calibrate("laplace", eps="1/2", times=3)
    (Fraction(6, 1), Fraction(6, 1))
    """
    if "rate" in more:
        from dpwitness.core.errors import BadInput
        from dpwitness.proofs.accounting.calibrating import sampled_sigma

        if family != "gaussian" or len(more) > 1:
            raise BadInput(f"rate= is for family='gaussian' alone, not for {family!r} with {sorted(more)}")
        return sampled_sigma(eps, delta, more["rate"], times, sensitivity)
    from dpwitness.proofs.laws.privacy_curves.curves import scale_for

    return scale_for(family, eps, delta, sensitivity, times=times, **more)
