"""One question to both routes: a proof where there can be one, an audit otherwise."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from dpwitness.core.budget import Budget
from dpwitness.core.claims import Claim
from dpwitness.core.errors import BadInput
from dpwitness.core.evidence import DOUBLES, IDEAL_REALS, Event, Evidence, LowerBound, Scope, Unsupported
from dpwitness.core.guarantees import Guarantee, epsilon_delta
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.verdict import Verdict
from dpwitness.reports.jsonin import NamedMechanism, NamedSpace, named_claim

if TYPE_CHECKING:
    from dpwitness.auditors.api import Audit
    from dpwitness.auditors.doubles import DoublesFinding

_AFTER = 20_000


@dataclass(frozen=True)
class Question:
    """A claim, the inputs to try it on, and what may be spent.

    Parameters
    ----------
    sampler
        The user's function; None where the claim has a mechanism.
    pairs
        Pairs of neighbours to try; None takes the typical ones of the claim's space.
    target
        What the user handed in.
    """

    claim: Claim
    sampler: Callable[..., Any] | None
    pairs: list[tuple[Any, Any]] | None
    target: Any
    batched: bool = True
    alpha: float = 1e-3
    seed: int = 0
    max_pairs: int = 100_000
    numerics: Literal["ideal", "doubles", "both"] = "ideal"
    prove: bool = True
    seconds: float = 20.0

    @staticmethod
    def about_claim(claim: Claim, pairs: list[tuple[Any, Any]] | None, target: Any) -> Question:
        """A question about a mechanism or a black box."""
        return Question(claim, None, pairs, target)

    @staticmethod
    def about_function(
        function: Callable[..., Any],
        goal: Guarantee | None,
        pairs: list[tuple[Any, Any]] | None,
        name: str | None,
        params: Mapping[str, object],
    ) -> Question:
        """A question about a plain function."""
        from dpwitness.auditors.sampling import as_sampler
        from dpwitness.reports.origin import Place

        shown = name or str(getattr(function, "__qualname__", type(function).__name__)).rpartition("<locals>.")[2]
        if goal is None:
            raise BadInput(f"epsilon is missing: what does {shown} claim?")
        if pairs is None:
            raise BadInput(f"give left and right for {shown}, two neighbouring inputs (or neighbours=, or space=)")
        bound = partial(function, **params) if params else function
        code = getattr(function, "__code__", None)
        place = None if code is None else Place(_relative(code.co_filename), code.co_firstlineno)
        about = (getattr(function, "__doc__", None) or "").strip().partition("\n")[0]
        words = "two given inputs" if len(pairs) == 1 else f"{len(pairs)} given pairs of inputs"
        claim = named_claim(NamedMechanism(shown, about, "", place), NamedSpace(words, _size(pairs[0][0])), goal, {})
        return Question(claim, bound, pairs, function, as_sampler(bound).batched)


def weigh(question: Question) -> Verdict:
    """Evidence on the claim, judged: the same orchestration as everywhere, with an audit of the given inputs."""
    from dpwitness.routes import decide

    provable = question.prove and question.numerics == "ideal" and isinstance(question.claim.mechanism, Mechanism)
    budget = Budget(question.alpha, question.max_pairs, question.seconds, question.seed, question.numerics)
    return decide(question.claim, budget, "verify" if provable else "audit", partial(_audit, question))


def _audit(question: Question, claim: Claim, budget: Budget) -> list[Evidence]:
    if question.pairs is None or budget.pairs:
        from dpwitness.routes import run_auditors

        return list(run_auditors(claim, budget))
    return [_audit_pairs(question, claim, budget)]


def _audit_pairs(question: Question, claim: Claim, budget: Budget) -> Evidence:
    """An audit of the inputs that the user gave."""
    from dpwitness.auditors.api import audit
    from dpwitness.auditors.route import ClaimSampler

    goal = epsilon_delta(claim.guarantee)
    assert question.pairs is not None
    if goal is None:
        return Unsupported(f"{claim.guarantee} on given inputs: only (ε,δ) claims can be audited there", method="audit")
    sampler = question.sampler or ClaimSampler(claim)
    single = len(question.pairs) == 1
    left, right = question.pairs[0] if single else (None, None)
    result = audit(
        sampler, left, right, epsilon=float(goal[0]), delta=float(goal[1]), alpha=budget.alpha,
        max_pairs=budget.max_pairs, seed=budget.seed, neighbours=None if single else question.pairs,
        numerics=budget.numerics, seconds=budget.seconds,
    )  # fmt: skip
    cut = result.details.get("cut")
    if not result.refuted and not result.pairs:
        return Unsupported(f"not a single pair could be drawn: {cut or 'the time was up'}", method="audit")
    if not result.refuted and cut and "time limit" not in cut:  # what fails half-way has not passed
        return Unsupported(f"the audit ended after {result.pairs} pairs: {cut}", method="audit")
    after = None
    bits = result.method == "doubles"
    if result.refuted and not bits:
        # how large the violation is: the verdict is already decided, so this can raise no false alarm
        after = audit(
            sampler, result.left, result.right, epsilon=None, delta=float(goal[1]), alpha=budget.alpha,
            max_pairs=min(_AFTER, budget.max_pairs), seed=budget.seed + 1, seconds=_rest(budget, result),
        )  # fmt: skip
    return lower_bound(result, after, bits=bits)


def _rest(budget: Budget, result: Audit) -> float:
    """What the audit has left of its time."""
    return max(0.1, budget.seconds - result.seconds)


def lower_bound(result: Audit, after: Audit | None = None, *, bits: bool = False) -> LowerBound:
    """An audit's result as evidence.

    Parameters
    ----------
    after
        An audit without a claim, on fresh samples, made once the claim was refuted.
    bits
        Whether the finding about doubles is the one that decides.
    """
    left, right = _tuple(result.left), _tuple(result.right)
    epsilon, pairs, ledger = result.epsilon_lower, result.pairs, result.ledger
    source: Audit | DoublesFinding = result
    if bits and result.doubles is not None:
        source = result.doubles
        epsilon, pairs = source.epsilon_lower, source.pairs
    elif after is not None and after.epsilon_lower > epsilon:
        epsilon, pairs = after.epsilon_lower, pairs + after.pairs
        ledger = (*ledger, ("size of the violation, on fresh samples, once refuted", result.alpha))
    return LowerBound(
        epsilon=epsilon,
        alpha=result.alpha, pairs=pairs, seed=result.seed,
        refutes=result.refuted, left=left, right=right,
        direction="right" if source.direction == "right" else "left", event=Event(source.event),
        scope=Scope(max(len(left), len(right)), f"{result.epsilon:g}", DOUBLES if bits else IDEAL_REALS),
        detectable=result.detectable, ledger=ledger, method=result.method, details=_beside(result, bits),
    )  # fmt: skip


def _beside(result: Audit, bits: bool) -> dict[str, Any]:
    """What an audit found beside the claim that decides."""
    found: dict[str, Any] = {
        name: result.details[name] for name in ("rarest", "unread", "cut") if name in result.details
    }
    if result.doubles is None or bits:
        return found
    seen = result.doubles
    return {
        **found,
        "doubles": {
            "refuted": seen.refuted, "epsilon": seen.epsilon_lower, "alpha": seen.alpha, "pairs": seen.pairs,
            "event": seen.event,
        },
    }  # fmt: skip


def _tuple(data: Any) -> tuple[Any, ...]:
    if isinstance(data, Sequence) and not isinstance(data, str | bytes):
        return tuple(data)
    return tuple(data.tolist()) if hasattr(data, "tolist") and getattr(data, "ndim", False) else (data,)


def _size(data: Any) -> int:
    return len(_tuple(data))


def _relative(name: str) -> str:
    from pathlib import Path

    path, here = Path(name), Path.cwd()
    return (path.relative_to(here) if path.is_relative_to(here) else path).as_posix()
