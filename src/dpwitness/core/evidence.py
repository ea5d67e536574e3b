"""Evidence, one-sided by type.

A prover returns an `UpperBound` (with a certificate) or an exact `Counterexample`; an auditor can only return a
`LowerBound` (with its confidence). `Unsupported` says why a route had nothing to say.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

from dpwitness.core.guarantees import Guarantee
from dpwitness.core.numbers import Exact, show
from dpwitness.core.text import show_data

Numerics = Literal["ideal-reals", "doubles"]
IDEAL_REALS: Numerics = "ideal-reals"
DOUBLES: Numerics = "doubles"


@dataclass(frozen=True)
class Scope:
    """What the evidence speaks of.

    Parameters
    ----------
    queries
        The number of answers or records, or ``"any"``.
    epsilon
        ``"all"`` where the argument holds for every ε > 0, else the exact value as text.
    numerics
        ``"ideal-reals"`` or ``"doubles"``: a proof about real-valued noise says nothing of doubles.
    """

    queries: int | Literal["any"] = "any"
    epsilon: str = "all"
    numerics: Numerics = IDEAL_REALS

    def to_json(self) -> dict[str, Any]:
        """As a JSON object."""
        return {"queries": self.queries, "epsilon": self.epsilon, "numerics": self.numerics}


@dataclass(frozen=True)
class Confirmation:
    """What the judge verified of a proof or a counterexample.

    Parameters
    ----------
    statement, subject, assumptions
        The theorem in words, the fingerprint of its model, and the theorems of the literature that it uses.
    runs
        How often the model was run beside the program, with the same draws and the same outcome.
    places, reached
        How many leaves or transitions the model has, and how many of them these runs reached.
    covers
        The parameters for all of whose values the theorem implies the claim, as functions of them.
    silent
        Whether every one of these runs returned None.
    """

    statement: str
    subject: str
    assumptions: tuple[str, ...]
    runs: int
    places: int
    reached: int
    covers: frozenset[str] = frozenset()
    silent: bool = False


@dataclass(frozen=True)
class UpperBound:
    """A proof: the mechanism satisfies `guarantee` within `scope`.

    Parameters
    ----------
    guarantee
        What was proved; may be stronger than what was claimed.
    certificate
        JSON object that the kernel re-checks.
    exact
        Whether the bound is known to be the smallest possible.
    method
        The argument in a few words.
    formula
        The bound as a formula in the parameters, where there is one, such as ``"(1+6c)/4 · eps"``.
    confirmed
        What the judge verified; None as long as it has not, and such a bound decides nothing.
    """

    guarantee: Guarantee
    scope: Scope
    certificate: Mapping[str, Any] | None = None
    exact: bool = False
    method: str = ""
    formula: str | None = None
    seconds: float = 0.0
    confirmed: Confirmation | None = None

    def __str__(self) -> str:
        every = "every ε" if self.scope.epsilon == "all" else f"ε = {show(Fraction(self.scope.epsilon))}"
        size = "any N" if self.scope.queries == "any" else f"N = {self.scope.queries}"
        return f"upper bound: {self.guarantee} by {self.method} ({every}, {size})"


@dataclass(frozen=True)
class Event:
    """A set of outputs: in words, and as a test on one output where that can be given."""

    words: str

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True)
class Counterexample:
    """Two neighbouring inputs and an event whose exact probabilities violate the claim.

    Parameters
    ----------
    epsilon_lower
        A number that the true ε at the claim's δ is proved to reach, rounded down (None: unbounded).
    p_left, p_right
        Exact expressions of the two probabilities, as text.
    p_left_decimal, p_right_decimal
        The same as decimals.
    params
        The parameters at which the claim fails, where they are not those at which it is studied.
    confirmed
        What the judge verified; None as long as it has not, and such a counterexample decides nothing.
    whole
        A counterexample on as many answers as the claim is about, where `left` and `right` are fewer.
    """

    left: tuple[Any, ...]
    right: tuple[Any, ...]
    event: Event
    p_left: str
    p_right: str
    p_left_decimal: float
    p_right_decimal: float
    epsilon_lower: Fraction | None
    scope: Scope
    certificate: Mapping[str, Any] | None = None
    method: str = ""
    seconds: float = 0.0
    params: Mapping[str, Exact] | None = None
    confirmed: Confirmation | None = None
    whole: Counterexample | None = None

    def __str__(self) -> str:
        return f"counterexample (exact): {self.event} on {show_data(self.left)} and {show_data(self.right)}"


@dataclass(frozen=True)
class LowerBound:
    """A statistical lower bound: with probability at least 1 − α over the samples, ε ≥ `epsilon` at the claim's δ.

    Parameters
    ----------
    epsilon
        The bound (0 where nothing was learnt).
    refutes
        Whether the claim was rejected at level α.
    detectable
        The ε that this audit would have detected with probability 0.9; None where unknown.
    direction
        ``"left"`` where the event is more likely on `left`, else ``"right"``.
    ledger
        How α was spent: what, and which share.
    """

    epsilon: float
    alpha: float
    pairs: int
    seed: int
    refutes: bool
    left: tuple[Any, ...]
    right: tuple[Any, ...]
    direction: Literal["left", "right"]
    event: Event
    scope: Scope
    detectable: float | None = None
    ledger: tuple[tuple[str, float], ...] = ()
    method: str = ""
    seconds: float = 0.0
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Unsupported:
    """A route that cannot speak about this claim, and why; `line` is the program's line that is the reason.

    `pairs` are neighbouring inputs that other routes should try first.
    """

    reason: str
    line: int | None = None
    method: str = ""
    seconds: float = 0.0
    pairs: tuple[tuple[tuple[Any, ...], tuple[Any, ...]], ...] = ()

    def __str__(self) -> str:
        place = "" if self.line is None else f"line {self.line}: "
        return f"not decided by a prover: {place}{self.reason}"


Evidence = UpperBound | Counterexample | LowerBound | Unsupported


def beyond(details: Mapping[str, Any]) -> str:
    """Which events no audit of the same size could have seen, in words; empty where the claim was refuted.

    >>> beyond({"rarest": 5.9e-4})
    'a violation that shows only in events rarer than 0.00059 is beyond so many samples'
    """
    rare = details.get("rarest") or 1.0
    return f"a violation that shows only in events rarer than {rare:.2g} is beyond so many samples" if rare < 1 else ""


_KNOWN = "an event of half of all outputs, had it been known"


def foreseen(detectable: float | None, details: Mapping[str, Any]) -> str:
    """Which violation an audit that found none would have seen, in words; empty where the claim was refuted.

    A count can promise this of the event that it has counted, and bets of an event that need not be learnt first; about
    other events, and about pairs of inputs that were not reached, nothing is promised.

    >>> foreseen(1.0701, {"rarest": 5.9e-4})
    'would have seen ε ≥ 1.071 with probability 0.9 at an event of half of all outputs, had it been known'
    >>> foreseen(1.0701, {"rule": "segments"})
    'would have seen ε ≥ 1.071 with probability 0.9 at the event that it counted, if that is as frequent as here'
    >>> foreseen(None, {"rarest": 1.0})
    'so few samples show only the plainest violations, if any'
    >>> foreseen(1.0701, {"rarest": 5.9e-4, "unread": 0.98})
    'nearly all outputs are texts that never recur: nothing could be seen in them'
    """
    if details.get("unread"):
        return "nearly all outputs are texts that never recur: nothing could be seen in them"
    if detectable is not None and math.isfinite(detectable):
        what = "the event that it counted, if that is as frequent as here" if details.get("rule") else _KNOWN
        text = f"would have seen ε ≥ {math.ceil(detectable * 1000) / 1000:g} with probability 0.9 at {what}"
        ended = [str(remark) for remark in details.get("screening", ()) if "limit ended" in str(remark)]
        return "; ".join([text, *(f"of other pairs of inputs little is known: {remark}" for remark in ended[-1:])])
    return "so few samples show only the plainest violations, if any" if details.get("rarest") else ""
