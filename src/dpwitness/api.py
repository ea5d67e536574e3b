"""The Python interface: `verify`, `prove`, `audit`, `delta`, `epsilon`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from dpwitness.core.budget import Budget
from dpwitness.core.claims import Claim
from dpwitness.core.errors import BadInput
from dpwitness.core.evidence import Counterexample, Unsupported, UpperBound
from dpwitness.core.mechanism import BlackBox, Mechanism
from dpwitness.core.spaces import Answers
from dpwitness.core.verdict import Verdict
from dpwitness.routes import attempt, decide, routes


def _first_claim(mechanism: Mechanism | BlackBox, params: dict[str, Any]) -> Claim:
    if isinstance(mechanism, Mechanism):
        return mechanism.claims(**params)[0]
    if isinstance(mechanism, BlackBox):
        return mechanism.claims()[0]
    raise BadInput(f"mechanism={mechanism!r} must be made by @mechanism or be a BlackBox")


def verify(mechanism: Mechanism | BlackBox, *, budget: Budget | None = None, **params: Any) -> Verdict:
    """Decide the first claim of a mechanism by both routes.

    >>> import dpwitness as dpw
    >>> @dpw.mechanism(data=dpw.Answers(size=1), claim=lambda eps: dpw.PureDP(eps), typical={"eps": 1})
    ... def noisy(noise, answers, *, eps):
    ...     return answers[0] + noise.laplace(1 / eps)
    >>> dpw.verify(noisy, eps="1/2").decision
    <Decision.PROVED: 'PROVED'>
    """
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
        space = claim.space
        claim = replace(
            claim,
            space=Answers(space.moves, space.by, size=queries, values=space.values, low=space.low, high=space.high),
        )
    reasons: list[str] = []
    for route in routes("proofs"):
        evidence = attempt(route, claim, Budget(seconds=seconds))
        if isinstance(evidence, Counterexample):
            return evidence
        if isinstance(evidence, UpperBound):
            if eps is None and evidence.scope.epsilon != "all" and "eps" in mechanism.typical:
                reasons.append(f"proved for ε = {evidence.scope.epsilon} only")
            elif queries == "any" and evidence.scope.queries != "any":
                reasons.append(f"proved for {evidence.scope.queries} queries only")
            else:
                return evidence
        elif isinstance(evidence, Unsupported):
            reasons.append(evidence.reason)
    return Unsupported("; ".join(dict.fromkeys(reasons)) or "no prover speaks about this claim")


def audit(*args: Any, **kwargs: Any) -> Any:
    """Audit a sampler on two neighbouring inputs; see `dpwitness.auditors.api.audit`."""
    from dpwitness.auditors.api import audit as run

    return run(*args, **kwargs)


def delta(mechanism: Mechanism, *, eps: object, **params: Any) -> Any:
    """Rigorous enclosure (lower, upper) of δ(ε) of a mechanism whose law is known."""
    from dpwitness.proofs.laws.releases import mechanism_delta

    return mechanism_delta(mechanism, eps, **params)


def epsilon(mechanism: Mechanism, *, delta: object, **params: Any) -> Any:
    """Rigorous enclosure (lower, upper) of the smallest ε at δ of a mechanism whose law is known."""
    from dpwitness.proofs.laws.releases import mechanism_epsilon

    return mechanism_epsilon(mechanism, delta, **params)
