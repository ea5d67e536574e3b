"""`assert_private`: prove where it can be proved, audit otherwise, and fail with a counterexample."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, Literal

import pytest

from dpwitness.core.claims import Claim
from dpwitness.core.errors import BadInput, DPWitnessError
from dpwitness.core.guarantees import ApproxDP, Guarantee, PureDP
from dpwitness.core.mechanism import BlackBox, Mechanism
from dpwitness.core.numbers import exact
from dpwitness.core.spaces import Space
from dpwitness.core.verdict import Decision, Verdict
from dpwitness.plugin.baseline import creeping, entry_key, load
from dpwitness.plugin.message import failure
from dpwitness.plugin.options import Settings
from dpwitness.plugin.records import make_record, properties
from dpwitness.plugin.sharing import Share
from dpwitness.plugin.weighing import Question, weigh
from dpwitness.reports.model import clean

PLAIN_PAIRS = 20_000
BATCHED_PAIRS = 100_000


class AssertPrivate:
    """The fixture: call it once or several times in a test.

    The k-th call spends 1/(k(k+1)) of the test's share of α, or an equal part where ``@pytest.mark.dp(checks=n)``
    announces how many there are. Returns the verdict, so that a test can look further.
    """

    def __init__(self, item: Any, share: Share, settings: Settings, records: list[dict[str, Any]]) -> None:
        self.item, self.share, self.settings, self.records = item, share, settings, records
        self.calls = 0

    def __call__(
        self,
        target: Any,
        left: Any = None,
        right: Any = None,
        *,
        epsilon: object = None,
        delta: object = None,
        neighbours: Iterable[Sequence[Any]] | None = None,
        space: Space | None = None,
        max_pairs: int | None = None,
        numerics: Literal["ideal", "doubles", "both"] | None = None,
        prove: bool = True,
        seconds: float = 20.0,
        name: str | None = None,
        **params: object,
    ) -> Verdict:
        """Fail the test unless `target` is (ε,δ)-private as far as can be told.

        Parameters
        ----------
        target
            A function ``f(data)`` or ``f(data, size, rng)``; a `Mechanism` or the catalogue name of one; a `BlackBox`.
        left, right
            Two neighbouring inputs. A mechanism or black box knows typical ones; for a function give these, or
            `neighbours` (a list of pairs to choose from), or `space` (`Answers` or `Records`).
        epsilon, delta
            The claim. A mechanism or black box has claims of its own, which are all checked where ε is not given;
            where it is, and the mechanism has a parameter ``eps``, it is run at this ε.
        max_pairs
            Samples a side of an audit.
        numerics
            Which claim decides: about real numbers, about doubles, or both; the default is ``--dp-numerics``. Where it
            is ``"ideal"`` and the outputs as doubles break the claim, the test passes with a warning in the summary.
        prove, seconds
            Whether to try a proof, and for how long.
        params
            Parameters of the mechanism.
        """
        __tracebackhide__ = True
        given = {"epsilon": epsilon, "delta": delta, "max_pairs": max_pairs, "numerics": numerics}
        chosen = {**self.share.defaults, **{k: v for k, v in given.items() if v is not None}}
        try:
            goal = _goal(chosen.get("epsilon"), chosen.get("delta"))
            questions = _questions(target, goal, left, right, neighbours, space, name, params)
        except DPWitnessError as error:
            raise _failure(error) from None
        verdicts = []
        for question in questions:
            self.calls += 1
            if self.share.checks is not None and self.calls > self.share.checks:
                pytest.fail(
                    f"assert_private: check {self.calls}, but @pytest.mark.dp(checks={self.share.checks}) announced "
                    f"{self.share.checks}; each has its part of alpha, so announce them all",
                    pytrace=True,
                )
            verdicts.append(self._check(question, chosen, prove, seconds))
        return verdicts[0]

    def _check(self, question: Question, chosen: dict[str, Any], prove: bool, seconds: float) -> Verdict:
        __tracebackhide__ = True
        k = self.calls
        pairs = chosen.get("max_pairs")
        if pairs is None:
            pairs = self.settings.max_pairs or (BATCHED_PAIRS if question.batched else PLAIN_PAIRS)
        try:
            pairs, seconds = _positive("max_pairs", pairs, whole=True), _positive("seconds", seconds)
        except BadInput as error:
            raise _failure(error) from None
        question = replace(
            question, alpha=self.share.part(k), seed=self.share.seed_of(k), max_pairs=int(pairs),
            numerics=chosen.get("numerics", self.settings.numerics), prove=prove, seconds=seconds,
        )  # fmt: skip
        try:
            verdict = weigh(question)
        except DPWitnessError as error:
            raise _failure(error) from None
        record = make_record(verdict, self.item.nodeid, k, question.alpha, self.share.alpha, self.settings)
        self.records.append(record)
        self.item.user_properties.extend(properties(record, k))
        if verdict.decision in (Decision.REFUTED, Decision.CONTRADICTION, Decision.UNDECIDED):
            pytest.fail(failure(verdict, question, self.item, self.settings, self.share), pytrace=True)
        if self.settings.baseline is not None and not self.settings.update_baseline:
            before = load(self.settings.baseline).get(entry_key(record))
            problem = creeping(record, before, self.settings.slack)
            if problem is not None:
                record["creeping"] = problem
                pytest.fail(f"{verdict.claim.target}: {problem}", pytrace=True)
        return verdict


def _failure(error: DPWitnessError) -> BaseException:
    """The failure of a test whose check cannot be made; what the error quotes from outside is made safe to show."""
    return pytest.fail.Exception(f"assert_private: {clean(error)}", pytrace=True)


def _positive(name: str, value: Any, *, whole: bool = False) -> Any:
    kinds = Integral if whole else Real
    if isinstance(value, bool) or not isinstance(value, kinds) or not float(value) > 0:
        raise BadInput(f"{name}={value!r} must be a positive {'whole ' if whole else ''}number")
    return value


def _goal(epsilon: Any, delta: Any) -> Guarantee | None:
    if epsilon is None:
        if delta:
            raise BadInput(f"delta={delta!r} is given without epsilon; a claim needs both")
        return None
    # a float is meant as it is written: 0.1 is 1/10
    read = [exact(str(float(x)) if _is_float(x) else x, n) for x, n in ((epsilon, "epsilon"), (delta or 0, "delta"))]
    return ApproxDP(*read) if read[1] else PureDP(read[0])


def _is_float(value: object) -> bool:
    return isinstance(value, float) or type(value).__module__ == "numpy"


def _questions(
    target: Any,
    goal: Guarantee | None,
    left: Any,
    right: Any,
    neighbours: Iterable[Sequence[Any]] | None,
    space: Space | None,
    name: str | None,
    params: dict[str, object],
) -> list[Question]:
    """What is asked, one question for every claim."""
    if isinstance(target, str):
        from dpwitness.catalogue import find

        target = find([target])[0]
    pairs = _pairs(left, right, neighbours, space)
    if isinstance(target, Mechanism):
        if goal is not None and "eps" in target.typical and "eps" not in params:
            params = {**params, "eps": goal.eps}  # type: ignore[attr-defined]
        claims = target.claims(**params)
    elif isinstance(target, BlackBox):
        claims = target.claims()
    elif callable(target):
        return [Question.about_function(target, goal, pairs, name, params)]
    else:
        raise BadInput(f"target={target!r} must be a function, a mechanism, a black box or a catalogue name")
    if not isinstance(target, Mechanism) and params:
        raise BadInput(f"{next(iter(params))!r} is not an argument of assert_private")
    if goal is not None:
        claims = [replace(claims[0], guarantee=goal)]
    return [Question.about_claim(_hoped(claim), pairs, target) for claim in claims]


def _hoped(claim: Claim) -> Claim:
    """The test expects the claim to hold, whatever the catalogue expects of a broken twin."""
    return replace(claim, expected_to_hold=True)


def _pairs(
    left: Any, right: Any, neighbours: Iterable[Sequence[Any]] | None, space: Space | None
) -> list[tuple[Any, Any]] | None:
    given = [left is not None or right is not None, neighbours is not None, space is not None]
    if sum(given) > 1:
        raise BadInput("give left and right, or neighbours, or space, not several of them")
    if given[0]:
        if left is None or right is None:
            raise BadInput("left and right are both needed")
        return [(left, right)]
    if neighbours is not None:
        from dpwitness.auditors.api import parse_pairs

        return [(pair.left, pair.right) for pair in parse_pairs(neighbours)]
    return None if space is None else [(p.left, p.right) for p in space.typical_pairs()]
